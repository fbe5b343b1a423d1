"""The agent of this profile with fasta2a over pydantic-ai: text alone, by a model that says what it is told."""

import json
import socket

import uvicorn
from fasta2a.pydantic_ai import agent_to_a2a
from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, TextPart
from pydantic_ai.models.function import FunctionModel


def texts_of(messages):
    text = str(messages[-1].parts[-1].content)
    if "boom" in text:
        raise RuntimeError("out of paper")
    return text.split("|")


def answer(messages, info):
    return ModelResponse(parts=[TextPart("".join(texts_of(messages)))])


async def stream(messages, info):
    for text in texts_of(messages):
        yield text


listener = socket.create_server(("127.0.0.1", 0))
url = f"http://127.0.0.1:{listener.getsockname()[1]}/"
app = agent_to_a2a(Agent(FunctionModel(answer, stream_function=stream), name="Peer"), url=url)
print(json.dumps({"JSONRPC": url}), flush=True)
uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listener])
