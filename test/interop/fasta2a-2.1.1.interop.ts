/** An agent made with fasta2a and pydantic-ai. */
import { describeAgents } from "./behaviour.ts";
import { pythonAgent } from "./peer.ts";
import { rowsOf } from "./urls.ts";

const cannot = {
  followUp: "its agents never ask anything",
  cancel: "it cancels nothing",
  resubscribe: "it cancels nothing, which ends the task of this test",
  files: "its bridge drops what is not text",
  message: "it always makes a task",
};

const agent = await pythonAgent("fasta2a-2.1.1", "agent_fasta2a.py");
await describeAgents(
  "fasta2a 2.1.1",
  agent,
  rowsOf({ bindings: ["JSONRPC"], adapters: ["a2a-0.3", "auto"], cannot }),
);
