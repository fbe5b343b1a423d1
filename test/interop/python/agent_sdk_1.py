"""The agent of this profile with a2a-sdk 1.x: 1.0, and 0.3 by its compatibility layer, each over three bindings."""

import asyncio
import base64
import json
import socket

import grpc
import uvicorn
from a2a.compat.v0_3 import a2a_v0_3_pb2_grpc
from a2a.compat.v0_3.grpc_handler import CompatGrpcHandler
from a2a.server.agent_execution import AgentExecutor
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.request_handlers.grpc_handler import GrpcHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes, create_rest_routes
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types import AgentCapabilities, AgentCard, AgentInterface, AgentSkill, Part, Task, TaskState, TaskStatus, a2a_pb2_grpc
from starlette.applications import Starlette


class Executor(AgentExecutor):
    async def execute(self, context, queue):
        parts = context.message.parts
        text = "".join(part.text for part in parts if part.WhichOneof("content") == "text")
        updater = TaskUpdater(queue, context.task_id, context.context_id)

        async def chunk(parts, first, last):
            await updater.add_artifact(parts, artifact_id="answer", name="answer", append=not first, last_chunk=last)
            await asyncio.sleep(0.02)

        if text == "message":
            await queue.enqueue_event(updater.new_agent_message([Part(text="Just a word.")]))
            return
        if not context.current_task:
            status = TaskStatus(state=TaskState.TASK_STATE_SUBMITTED)
            await queue.enqueue_event(Task(id=context.task_id, context_id=context.context_id, status=status))
        if text == "boom":
            raise RuntimeError("out of paper")
        if text == "ask":
            await updater.requires_input(updater.new_agent_message([Part(text="Which one?")]))
            return
        await updater.start_work()
        if text == "slow":
            await chunk([Part(text="slow ")], True, False)
            await asyncio.sleep(60)
        if text == "file":
            files = [part for part in parts if part.WhichOneof("content") == "raw"]
            said = json.dumps([[one.filename, one.media_type, base64.b64encode(one.raw).decode()] for one in files])
            await chunk([Part(text=said), *files], True, True)
        else:
            texts = text.split("|")
            for index, one in enumerate(texts):
                await chunk([Part(text=one)], index == 0, index == len(texts) - 1)
        await updater.complete()

    async def cancel(self, context, queue):
        await TaskUpdater(queue, context.task_id, context.context_id).cancel()


def card_of(url, binding, version):
    return AgentCard(
        name="Peer",
        description="Answers with what it is told.",
        version="1",
        capabilities=AgentCapabilities(streaming=True, extended_agent_card=True),
        default_input_modes=["text/plain"],
        default_output_modes=["text/plain"],
        skills=[AgentSkill(id="say", name="Say", description="Says it again.", tags=["echo"])],
        supported_interfaces=[AgentInterface(url=url, protocol_binding=binding, protocol_version=version)],
    )


def handler(card):
    return DefaultRequestHandler(
        agent_executor=Executor(), task_store=InMemoryTaskStore(), agent_card=card, extended_agent_card=card
    )


def app_of(card, binding, is_compat):
    own = handler(card)
    routes = (
        create_jsonrpc_routes(own, rpc_url="/", enable_v0_3_compat=is_compat)
        if binding == "JSONRPC"
        else create_rest_routes(own, enable_v0_3_compat=is_compat)
    )
    return Starlette(routes=create_agent_card_routes(card) + routes)


async def start_grpc(version):
    server = grpc.aio.server()
    port = server.add_insecure_port("127.0.0.1:0")
    own = handler(card_of(f"127.0.0.1:{port}", "GRPC", version))
    if version == "1.0":
        a2a_pb2_grpc.add_A2AServiceServicer_to_server(GrpcHandler(own), server)
    else:
        a2a_v0_3_pb2_grpc.add_A2AServiceServicer_to_server(CompatGrpcHandler(own), server)
    await server.start()
    return server, f"grpc://127.0.0.1:{port}"


async def main():
    said, servers = {"0.3": {}, "1.0": {}}, []
    for version, urls in said.items():
        for binding in ["JSONRPC", "HTTP+JSON"]:
            listener = socket.create_server(("127.0.0.1", 0))
            urls[binding] = f"http://127.0.0.1:{listener.getsockname()[1]}/"
            app = app_of(card_of(urls[binding], binding, version), binding, version == "0.3")
            servers.append(uvicorn.Server(uvicorn.Config(app, log_level="warning")).serve(sockets=[listener]))
        kept, urls["GRPC"] = await start_grpc(version)
        servers.append(kept.wait_for_termination())
    print(json.dumps(said), flush=True)
    await asyncio.gather(*servers)


asyncio.run(main())
