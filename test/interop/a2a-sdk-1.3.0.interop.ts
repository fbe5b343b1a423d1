/** The Python SDK 1.x: agents of 1.0, and of 0.3 by its compatibility layer; clients by the cards of the proxy. */
import { afterAll } from "@jest/globals";
import { describeAgents } from "./behaviour.ts";
import { describeClients, rowsOfClient, startAgents } from "./clients.ts";
import { pythonAgent, pythonClient } from "./peer.ts";
import { rowsOf } from "./urls.ts";

const agent = await pythonAgent("a2a-sdk-1.3.0", "agent_sdk_1.py");
const PEER = "a2a-sdk 1.3.0";
const bindings = ["JSONRPC", "HTTP+JSON", "GRPC"] as const;
await describeAgents(PEER, agent, [
  ...rowsOf({ under: "1.0", bindings, adapters: ["a2a-1.0", "auto"] }),
  ...rowsOf({ under: "0.3", bindings, adapters: ["a2a-0.3", "auto"] }),
]);

const client = await pythonClient("a2a-sdk-1.3.0", "client_sdk_1.py");
const agents = await startAgents();
afterAll(agents.stop);
const rows = [...rowsOfClient(bindings), ...rowsOfClient(bindings, { base: "a2a-1.0/" })];
describeClients(PEER, client, { agents, rows });
