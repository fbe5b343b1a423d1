"""A client made with a2a-sdk 0.3: URL of the agent, transport, the text to send. Says what it has seen as JSON."""

import asyncio
import json
import sys
from uuid import uuid4

import grpc
import httpx
from a2a.client import ClientConfig, ClientFactory
from a2a.types import (
    FilePart,
    FileWithBytes,
    Message,
    Part,
    PushNotificationConfig,
    Role,
    Task,
    TaskIdParams,
    TaskQueryParams,
    TextPart,
)
from webhook import Webhook

URL, TRANSPORT, TEXT, FILE = sys.argv[1:]


def message(text, file=None, **ids):
    parts = [Part(root=TextPart(text=text))]
    if file:
        parts.append(Part(root=FilePart(file=FileWithBytes(bytes=file, name="a.bin", mime_type="application/x-a"))))
    return Message(message_id=str(uuid4()), role=Role.user, parts=parts, **ids)


def seen(task):
    parts = [part.root for artifact in task.artifacts or [] for part in artifact.parts]
    return {
        "id": task.id,
        "state": task.status.state.value,
        "text": "".join(part.text for part in parts if part.kind == "text"),
        "files": [part.file.bytes for part in parts if part.kind == "file"],
    }


async def connect(streaming, push=()):
    return await ClientFactory.connect(
        URL,
        ClientConfig(
            streaming=streaming,
            push_notification_configs=list(push),
            supported_transports=[TRANSPORT],
            httpx_client=httpx.AsyncClient(timeout=30),
            grpc_channel_factory=grpc.aio.insecure_channel,
        ),
    )


async def last(events):
    async for task, _update in events:
        pass
    return seen(task)


async def send(client, **more):
    return await last(client.send_message(message(**more)))


async def slow(client):
    events = client.send_message(message("slow"))
    async for task, _update in events:
        if task.artifacts:
            return task.id, events


async def canceled(client, events, id):
    answer = await client.cancel_task(TaskIdParams(id=id))
    return {"answer": answer.status.state.value, **(await last(events))}


async def cancel(client):
    id, events = await slow(client)
    return await canceled(client, events, id)


async def resubscribe(client):
    id, events = await slow(client)
    await events.aclose()
    again = client.resubscribe(TaskIdParams(id=id))
    await anext(again)
    return await canceled(client, again, id)


async def follow_up(client):
    asked = await send(client, text="ask")
    task = await client.get_task(TaskQueryParams(id=asked["id"]))
    done = await send(client, text=TEXT, task_id=task.id, context_id=task.context_id)
    return {"asked": asked["state"], "same": done["id"] == asked["id"], **done}


async def get(client):
    sent = await send(client, text=TEXT)
    return seen(await client.get_task(TaskQueryParams(id=sent["id"])))


async def push():
    webhook = Webhook(lambda body: seen(Task.model_validate(body)))
    client = await connect(False, [PushNotificationConfig(url=webhook.url, token="secret")])
    task = await send(client, text=TEXT)
    told = await webhook.until_completed()
    return {**told, "same": told.get("id") == task["id"]}


async def main():
    plain, streaming = await connect(False), await connect(True)
    steps = {
        "send": lambda: send(plain, text=TEXT),
        "stream": lambda: send(streaming, text=TEXT),
        "get": lambda: get(plain),
        "followUp": lambda: follow_up(streaming),
        "cancel": lambda: cancel(streaming),
        "resubscribe": lambda: resubscribe(streaming),
        "error": lambda: send(streaming, text="throw"),
        "unknown": lambda: plain.get_task(TaskQueryParams(id="no-such-task")),
        "push": push,
        "files": lambda: send(streaming, text="file", file=FILE),
    }
    said = {"card": (await plain.get_card()).name}
    for name, step in steps.items():
        try:
            said[name] = await asyncio.wait_for(step(), 15)
        except Exception as error:
            said[name] = {"raised": f"{type(error).__name__}: {error}"}
    print(json.dumps(said, default=repr))


asyncio.run(main())
