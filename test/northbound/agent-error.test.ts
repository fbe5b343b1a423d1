/** An agent's own -32603 is its own: the client gets it, and nobody is woken for a fault of the proxy. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { pino } from "pino";
import { z } from "zod";
import { post, rpc, streamResults } from "../support/client.ts";
import { SERVER_WITH_GRPC, startTestProxy, type TestProxy } from "../support/proxy.ts";
import { GrpcClient } from "./grpc-harness.ts";
import { until } from "./harness.ts";

const Request = z.looseObject({ id: z.unknown() });
const ERROR = { code: -32603, message: "LLM overloaded" };

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { id } = Request.parse(await json(request));
  response.setHeader("Content-Type", "application/json");
  response.end(JSON.stringify({ jsonrpc: "2.0", id, error: ERROR }));
}

const agent = createServer((request, response) => void answer(request, response));
const lines: Record<string, unknown>[] = [];
let proxy: TestProxy;
let grpc: GrpcClient;

beforeAll(async () => {
  agent.listen(0, "127.0.0.1");
  await once(agent, "listening");
  const { port } = agent.address() as AddressInfo;
  const card = { name: "Busy", capabilities: { streaming: true } };
  const log = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const busy = { adapter: "a2a-0.3", url: `http://127.0.0.1:${port}/`, card };
  proxy = await startTestProxy({ busy }, { server: SERVER_WITH_GRPC, default: "busy" }, { log });
  grpc = new GrpcClient(proxy.grpcPort ?? 0);
});

beforeEach(() => void lines.splice(0));

afterAll(async () => {
  grpc[Symbol.dispose]();
  await proxy.stop();
  agent.close();
});

const message = { role: "user", parts: [{ kind: "text", text: "hi" }] };
const proto = { message: { role: "ROLE_USER", content: [{ text: "hi" }] } };

test.each<[string, () => Promise<unknown>]>([
  ["JSON-RPC", async () => (await rpc(proxy.agent("busy"), "message/send", { message })).error],
  ["a stream", () => streamResults(proxy.agent("busy"), "message/stream", { message }).catch(String)],
  ["HTTP+JSON", async () => (await post(`${proxy.agent("busy")}v1/message:send`, proto)).json()],
  ["gRPC", async () => (await grpc.call("SendMessage", proto)).error?.details],
])("over %s", async (_transport, call) => {
  expect(JSON.stringify(await call())).toContain("LLM overloaded");
  await until(() => lines.some(({ msg }) => msg === "request"));
  expect(lines.find(({ msg }) => msg === "request")).toMatchObject({ outcome: "agent-error" });
  expect(lines.filter(({ level }) => Number(level) >= 50)).toEqual([]);
});
