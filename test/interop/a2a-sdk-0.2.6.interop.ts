/** Agents made with the Python SDK 0.2, which has JSON-RPC alone. */
import { describeAgents } from "./behaviour.ts";
import { pythonAgent } from "./peer.ts";
import { rowsOf } from "./urls.ts";

const agent = await pythonAgent("a2a-sdk-0.2.6", "agent_sdk_0.py");
await describeAgents(
  "a2a-sdk 0.2.6",
  agent,
  rowsOf({ bindings: ["JSONRPC"], adapters: ["a2a-0.3", "auto"] }),
);
