"""The agent of this profile with python-a2a, which speaks 0.1 at a path for each method."""

import json

from python_a2a import A2AServer, AgentCard, TaskState, TaskStatus
from python_a2a.server.http import create_flask_app
from werkzeug.serving import make_server


def text_of(message):
    content = (message or {}).get("content") or {}
    parts = (message or {}).get("parts") or []
    return content.get("text") or "".join(part.get("text", "") for part in parts)


class Agent(A2AServer):
    def handle_task(self, task):
        text = text_of(task.message)
        if text == "boom":
            raise RuntimeError("out of paper")
        if text == "ask":
            question = {"role": "agent", "content": {"type": "text", "text": "Which one?"}}
            task.status = TaskStatus(state=TaskState.INPUT_REQUIRED, message=question)
            return task
        task.artifacts = [{"parts": [{"type": "text", "text": text.replace("|", "")}]}]
        task.status = TaskStatus(state=TaskState.COMPLETED)
        return task


card = AgentCard(name="Peer", description="Answers with what it is told.", url="http://127.0.0.1/", version="1")
server = make_server("127.0.0.1", 0, create_flask_app(Agent(agent_card=card)), threaded=True)
print(json.dumps({"JSONRPC": f"http://127.0.0.1:{server.server_port}/"}), flush=True)
server.serve_forever()
