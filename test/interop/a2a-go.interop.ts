/** The Go SDKs of 0.3 and of 1.0, on either side of the proxy. They are one module, which is built once. */
import { afterAll } from "@jest/globals";
import { describeAgents } from "./behaviour.ts";
import { describeClients, rowsOfClient, startAgents } from "./clients.ts";
import { goAgent, goClient } from "./peer.ts";
import { rowsOf } from "./urls.ts";

const OLD = "a2a-go 0.3.15";
const CURRENT = "a2a-go 2.3.1";

const old = await goAgent("agent0");
await describeAgents(OLD, old, rowsOf({ bindings: ["JSONRPC", "GRPC"], adapters: ["a2a-0.3", "auto"] }));

const current = await goAgent("agent2");
await describeAgents(CURRENT, current, [
  ...rowsOf({ under: "1.0", bindings: ["JSONRPC", "HTTP+JSON", "GRPC"], adapters: ["a2a-1.0", "auto"] }),
  ...rowsOf({ under: "0.3", bindings: ["HTTP+JSON", "GRPC"], adapters: ["a2a-0.3", "auto"] }),
]);

/** Its webhooks are read as JSON, which the tests of the Python SDKs do already. */
const cannot = { push: "the client of this test has no webhook" };
const agents = await startAgents();
afterAll(agents.stop);
describeClients(OLD, await goClient("client0"), {
  agents,
  rows: rowsOfClient(["JSONRPC", "GRPC"], { cannot }),
});
describeClients(CURRENT, await goClient("client2"), {
  agents,
  rows: [
    ...rowsOfClient(["JSONRPC", "HTTP+JSON"], { cannot }),
    ...rowsOfClient(["JSONRPC", "HTTP+JSON", "GRPC"], { base: "a2a-1.0/", cannot }),
  ],
});
