"""The agent of this profile with a2a-sdk 0.2 (JSON-RPC) or 0.3 (all bindings). Says where it listens as one line of JSON."""

import asyncio
import base64
import json
import socket

import uvicorn
from a2a.server.agent_execution import AgentExecutor
from a2a.server.apps import A2AStarletteApplication
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types import (
    AgentCapabilities,
    AgentCard,
    Artifact,
    FilePart,
    FileWithBytes,
    Part,
    TaskArtifactUpdateEvent,
    TaskState,
    TaskStatus,
    TaskStatusUpdateEvent,
    TextPart,
)

# 0.2 has the names of the JSON for its members.
IS_02 = "task_id" not in TaskArtifactUpdateEvent.model_fields


def camel(name):
    first, *rest = name.split("_")
    return first + "".join(word.title() for word in rest)


def made(model, **members):
    return model(**({camel(name): value for name, value in members.items()} if IS_02 else members))


def text_part(text):
    return Part(root=TextPart(text=text))


class Executor(AgentExecutor):
    async def execute(self, context, queue):
        ids = {"task_id": context.task_id, "context_id": context.context_id}
        parts = context.message.parts
        text = "".join(part.root.text for part in parts if part.root.kind == "text")
        updater = TaskUpdater(queue, context.task_id, context.context_id)

        async def chunk(parts, first, last):
            artifact = made(Artifact, artifact_id="answer", name="answer", parts=parts)
            await queue.enqueue_event(
                made(TaskArtifactUpdateEvent, **ids, artifact=artifact, append=not first, last_chunk=last)
            )
            await asyncio.sleep(0.02)

        if text == "message":
            await queue.enqueue_event(updater.new_agent_message([text_part("Just a word.")]))
            return
        if not context.current_task:
            await updater.submit()
        if text == "boom":
            raise RuntimeError("out of paper")
        if text == "ask":
            question = updater.new_agent_message([text_part("Which one?")])
            status = TaskStatus(state=TaskState.input_required, message=question)
            await queue.enqueue_event(made(TaskStatusUpdateEvent, **ids, status=status, final=True))
            return
        await updater.start_work()
        if text == "slow":
            await chunk([text_part("slow ")], True, False)
            await asyncio.sleep(60)
        if text == "ids":
            read = [context.task_id, context.context_id, getattr(context.message, "reference_task_ids", None)]
            text = json.dumps(read)
        if text == "file":
            files = [part.root.file for part in parts if part.root.kind == "file"]
            for file in files:
                base64.b64decode(file.bytes, validate=True)
            mime = "mimeType" if IS_02 else "mime_type"
            said = json.dumps([[file.name, getattr(file, mime), file.bytes] for file in files])
            back = [Part(root=FilePart(file=made(FileWithBytes, bytes=file.bytes, mime_type=getattr(file, mime), name=file.name))) for file in files]
            await chunk([text_part(said), *back], True, True)
        else:
            texts = text.split("|")
            for index, one in enumerate(texts):
                await chunk([text_part(one)], index == 0, index == len(texts) - 1)
        await updater.complete()

    async def cancel(self, context, queue):
        ids = {"task_id": context.task_id, "context_id": context.context_id}
        status = TaskStatus(state=TaskState.canceled)
        await queue.enqueue_event(made(TaskStatusUpdateEvent, **ids, status=status, final=True))


def card_of(url, transport):
    more = {} if IS_02 else {"preferred_transport": transport}
    return made(
        AgentCard,
        name="Peer",
        description="Answers with what it is told.",
        url=url,
        version="1",
        capabilities=AgentCapabilities(streaming=True),
        default_input_modes=["text/plain"],
        default_output_modes=["text/plain"],
        skills=[],
        **more,
    )


def handler():
    more = {}
    if not IS_02:
        from a2a.server.tasks import InMemoryPushNotificationConfigStore

        more = {"push_config_store": InMemoryPushNotificationConfigStore()}
    return DefaultRequestHandler(agent_executor=Executor(), task_store=InMemoryTaskStore(), **more)


def over_json_rpc(url):
    return A2AStarletteApplication(agent_card=card_of(url, "JSONRPC"), http_handler=handler()).build()


def over_rest(url):
    from a2a.server.apps import A2ARESTFastAPIApplication

    return A2ARESTFastAPIApplication(agent_card=card_of(url, "HTTP+JSON"), http_handler=handler()).build()


async def start_grpc():
    import grpc
    from a2a.grpc import a2a_pb2_grpc
    from a2a.server.request_handlers import GrpcHandler

    server = grpc.aio.server()
    port = server.add_insecure_port("127.0.0.1:0")
    card = card_of(f"127.0.0.1:{port}", "GRPC")
    a2a_pb2_grpc.add_A2AServiceServicer_to_server(GrpcHandler(card, handler()), server)
    await server.start()
    return server, f"grpc://127.0.0.1:{port}"


async def main():
    said, servers = {}, []
    apps = {"JSONRPC": over_json_rpc} if IS_02 else {"JSONRPC": over_json_rpc, "HTTP+JSON": over_rest}
    for transport, make in apps.items():
        listener = socket.create_server(("127.0.0.1", 0))
        said[transport] = f"http://127.0.0.1:{listener.getsockname()[1]}/"
        server = uvicorn.Server(uvicorn.Config(make(said[transport]), log_level="warning"))
        servers.append(server.serve(sockets=[listener]))
    if not IS_02:
        kept, said["GRPC"] = await start_grpc()
        servers.append(kept.wait_for_termination())
    print(json.dumps(said), flush=True)
    await asyncio.gather(*servers)


asyncio.run(main())
