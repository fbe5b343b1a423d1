/** An agent that wants to be asked later: over every transport the client learns when, and that it is the agent's wish. */
import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { status, type Metadata } from "@grpc/grpc-js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { retryDelayOf } from "../../src/protocol/grpc-details.ts";
import { post } from "../support/client.ts";
import { SERVER_WITH_GRPC, startTestProxy, type TestProxy } from "../support/proxy.ts";
import { GrpcClient } from "./grpc-harness.ts";

const MESSAGE = { role: "user", parts: [{ kind: "text", text: "hi" }] };
const PROTO = { message: { role: "ROLE_USER", content: [{ text: "hi" }] } };

/** Answers every call at `/429/17` with HTTP 429 and `Retry-After: 17`; without a second number, without the header. */
const agent = createServer((request, response) => {
  const [, code, wait] = (request.url ?? "").split("/");
  request.resume();
  response.writeHead(Number(code), { ...(wait && { "Retry-After": wait }), "Content-Type": "text/plain" });
  response.end("busy");
});

let proxy: TestProxy;
let grpc: GrpcClient;

beforeAll(async () => {
  agent.listen(0, "127.0.0.1");
  await once(agent, "listening");
  const { port } = agent.address() as AddressInfo;
  const at = (path: string) => ({
    adapter: "a2a-0.3",
    url: `http://127.0.0.1:${port}/${path}`,
    card: { name: "Busy" },
  });
  const agents = { many: at("429/17"), down: at("503/9"), silent: at("429"), odd: at("503/1e300") };
  proxy = await startTestProxy(agents, { server: SERVER_WITH_GRPC });
  grpc = new GrpcClient(proxy.grpcPort ?? 0);
});

afterAll(async () => {
  grpc[Symbol.dispose]();
  await proxy.stop();
  agent.close();
});

describe.each([
  ["many", 429, 17, status.RESOURCE_EXHAUSTED],
  ["down", 503, 9, status.UNAVAILABLE],
])("an agent that is %s", (name, httpStatus, wait, grpcStatus) => {
  test("over JSON-RPC", async () => {
    const body = { jsonrpc: "2.0", id: 1, method: "message/send", params: { message: MESSAGE } };
    const response = await post(proxy.agent(name), body);
    expect(response.status).toBe(200);
    expect(response.headers.get("retry-after")).toBe(String(wait));
    expect(await response.json()).toMatchObject({ error: { code: -32006, data: { retryAfter: wait } } });
  });

  test.each(["send", "stream"])("over HTTP+JSON, message:%s", async (route) => {
    const response = await post(`${proxy.agent(name)}v1/message:${route}`, PROTO);
    expect(response.status).toBe(httpStatus);
    expect(response.headers.get("retry-after")).toBe(String(wait));
    expect(await response.json()).toMatchObject({ code: -32006, data: { retryAfter: wait } });
  });

  test("over gRPC, in the trailer and as a RetryInfo", async () => {
    const { error } = await grpc.call("SendMessage", PROTO, { "a2a-agent": name });
    expect(error?.code).toBe(grpcStatus);
    expect(retryDelayOf(error?.metadata as Metadata)).toBe(wait);
    expect(JSON.parse(String(error?.metadata.get("a2a-error")[0]))).toMatchObject({
      data: { retryAfter: wait },
    });
  });
});

test("no time is made up for one that says none, or none that makes sense", async () => {
  for (const [name, httpStatus] of [
    ["silent", 429],
    ["odd", 503],
  ] as const) {
    const response = await post(`${proxy.agent(name)}v1/message:send`, PROTO);
    expect(response.status).toBe(httpStatus);
    expect(response.headers.get("retry-after")).toBeNull();
  }
});
