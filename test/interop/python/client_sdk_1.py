"""A client made with a2a-sdk 1.x: URL of the agent, transport, the text to send. Says what it has seen as JSON."""

import asyncio
import base64
import json
import sys
from uuid import uuid4

import grpc
import httpx
from a2a.client.client import ClientConfig
from a2a.client.client_factory import ClientFactory
from a2a.types import (
    CancelTaskRequest,
    GetTaskRequest,
    Message,
    Part,
    Role,
    SendMessageConfiguration,
    SendMessageRequest,
    StreamResponse,
    SubscribeToTaskRequest,
    TaskPushNotificationConfig,
    TaskState,
)
from google.protobuf.json_format import ParseDict
from webhook import Webhook

URL, TRANSPORT, TEXT, FILE = sys.argv[1:]


def request(text, file=None, **ids):
    parts = [Part(text=text)]
    if file:
        parts.append(Part(raw=base64.b64decode(file), filename="a.bin", media_type="application/x-a"))
    return SendMessageRequest(message=Message(message_id=str(uuid4()), role=Role.ROLE_USER, parts=parts, **ids))


def name_of(state):
    return TaskState.Name(state).removeprefix("TASK_STATE_").lower().replace("_", "-")


class Seen:
    """A task as a stream tells it."""

    def __init__(self):
        self.id = self.state = self.text = ""
        self.files = []

    def add(self, parts):
        self.text += "".join(part.text for part in parts)
        self.files += [base64.b64encode(part.raw).decode() for part in parts if part.WhichOneof("content") == "raw"]

    def task(self, task):
        self.id, self.state, self.text, self.files = task.id, name_of(task.status.state), "", []
        for artifact in task.artifacts:
            self.add(artifact.parts)

    def event(self, event):
        kind = event.WhichOneof("payload")
        if kind == "task":
            self.task(event.task)
        elif kind == "status_update":
            self.state = name_of(event.status_update.status.state)
        elif kind == "artifact_update":
            self.add(event.artifact_update.artifact.parts)

    async def read(self, events):
        async for event in events:
            self.event(event)
        return self.__dict__


async def connect(streaming, url=URL):
    config = ClientConfig(
        streaming=streaming,
        supported_protocol_bindings=[TRANSPORT],
        httpx_client=httpx.AsyncClient(timeout=30),
        grpc_channel_factory=grpc.aio.insecure_channel,
    )
    return await ClientFactory(config).create_from_url(url)


def task_seen(task):
    seen = Seen()
    seen.task(task)
    return seen.__dict__


async def send(client, **more):
    return await Seen().read(client.send_message(request(**more)))


async def slow(client):
    events, seen = client.send_message(request("slow")), Seen()
    async for event in events:
        seen.event(event)
        if seen.text:
            return events, seen


async def canceled(client, events, seen):
    answer = await client.cancel_task(CancelTaskRequest(id=seen.id))
    return {"answer": name_of(answer.status.state), **(await seen.read(events))}


async def cancel(client):
    events, seen = await slow(client)
    return await canceled(client, events, seen)


async def resubscribe(client):
    events, before = await slow(client)
    await events.aclose()
    again, seen = client.subscribe(SubscribeToTaskRequest(id=before.id)), Seen()
    seen.event(await anext(again))
    return await canceled(client, again, seen)


async def follow_up(client):
    asked = await send(client, text="ask")
    task = await client.get_task(GetTaskRequest(id=asked["id"]))
    done = await send(client, text=TEXT, task_id=task.id, context_id=task.context_id)
    return {"asked": asked["state"], "same": done["id"] == asked["id"], **done}


async def get(client):
    sent = await send(client, text=TEXT)
    return task_seen(await client.get_task(GetTaskRequest(id=sent["id"])))


async def push():
    webhook = Webhook(lambda body: task_seen(ParseDict(body, StreamResponse()).task))
    sent = request(TEXT)
    config = TaskPushNotificationConfig(url=webhook.url, token="secret")
    sent.configuration.CopyFrom(SendMessageConfiguration(task_push_notification_config=config))
    # By the card of 1.0 alone.
    client = await connect(False, URL if URL.endswith("/a2a-1.0/") else f"{URL}a2a-1.0/")
    seen = await Seen().read(client.send_message(sent))
    told = await webhook.until_completed()
    return {**told, "same": told.get("id") == seen["id"]}


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
        "unknown": lambda: plain.get_task(GetTaskRequest(id="no-such-task")),
        "push": push,
        "files": lambda: send(streaming, text="file", file=FILE),
    }
    said = {"card": plain._card.name}
    for name, step in steps.items():
        try:
            said[name] = await asyncio.wait_for(step(), 15)
        except Exception as error:
            said[name] = {"raised": f"{type(error).__name__}: {error}"}
    print(json.dumps(said, default=repr))


asyncio.run(main())
