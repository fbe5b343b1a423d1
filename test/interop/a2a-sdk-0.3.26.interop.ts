/** The Python SDK 0.3, on either side of the proxy. */
import { afterAll } from "@jest/globals";
import { describeAgents } from "./behaviour.ts";
import { describeClients, rowsOfClient, startAgents } from "./clients.ts";
import { describeIsolation } from "./isolation.ts";
import { pythonAgent, pythonClient } from "./peer.ts";
import { rowsOf } from "./urls.ts";

const PEER = "a2a-sdk 0.3.26";
const BINDINGS = ["JSONRPC", "HTTP+JSON", "GRPC"] as const;

const agent = await pythonAgent("a2a-sdk-0.3.26", "agent_sdk_0.py");
await describeAgents(PEER, agent, rowsOf({ bindings: BINDINGS, adapters: ["a2a-0.3", "auto"] }));

describeIsolation(PEER, agent);

const client = await pythonClient("a2a-sdk-0.3.26", "client_sdk_0.py");
const agents = await startAgents();
afterAll(agents.stop);
describeClients(PEER, client, { agents, rows: rowsOfClient(BINDINGS) });
