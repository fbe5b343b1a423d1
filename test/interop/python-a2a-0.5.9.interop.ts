/** An agent made with python-a2a, which speaks 0.1 at a path for each method. */
import { describeAgents, type Row } from "./behaviour.ts";
import { pythonAgent } from "./peer.ts";
import { rowsOf } from "./urls.ts";

const cannot = {
  cancel: "it answers when it is done, so nothing is left to cancel",
  resubscribe: "it answers when it is done, so nothing is left to follow",
  files: "its tasks hold text",
  message: "it always makes a task",
};

const atPaths = (row: Row): Row => ({
  ...row,
  agent: (said) => ({ ...row.agent(said), options: { endpoint: "per-method" } }),
});

const agent = await pythonAgent("python-a2a-0.5.9", "agent_python_a2a.py");
await describeAgents("python-a2a 0.5.9", agent, [
  ...rowsOf({ bindings: ["JSONRPC"], adapters: ["a2a-0.1"], cannot }).map(atPaths),
  ...rowsOf({ bindings: ["JSONRPC"], adapters: ["auto"], cannot }),
]);
