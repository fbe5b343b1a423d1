/** Agents that speak gRPC alone: the official SDK's server, and this proxy's own, behind the proxy. */
import { afterEach, describe, expect, test } from "@jest/globals";
import { pino } from "pino";
import { a2a03 } from "../../../adapters/a2a-0.3/index.ts";
import type { Backend, Call } from "../../../src/adapter.ts";
import { DEFAULT_LIMITS, DEFAULT_TIMEOUTS } from "../../../src/config/config.ts";
import { createRedactor } from "../../../src/southbound/redact.ts";
import { createSouthbound } from "../../../src/southbound/create-southbound.ts";
import { post, rpc, rpcStream, streamResults, userMessage } from "../../support/client.ts";
import { startTestProxy } from "../../support/proxy.ts";
import { BYTES, CARD, startGrpcAgent as startAgent, type Agent } from "./grpc-agent.ts";

const SECRET = "s3cret-key/42";

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

async function startGrpcAgent(): Promise<Agent> {
  const agent = await startAgent();
  stops.push(() => agent.stop());
  return agent;
}

async function fronted(agent: Record<string, unknown>): Promise<string> {
  const proxy = await startTestProxy({ files: { adapter: "a2a-0.3", card: CARD, ...agent } });
  stops.push(() => proxy.stop());
  return proxy.agent("files");
}

const PARTS = [
  { kind: "text", text: "here" },
  { kind: "file", file: { bytes: BYTES, mimeType: "text/plain" } },
  { kind: "data", data: { n: 1 } },
];

describe("the official server is fronted over gRPC", () => {
  test.each([
    ["by its card", (port: number) => ({ url: `http://127.0.0.1:${port}` })],
    [
      "by the configuration",
      (port: number) => ({
        url: "http://127.0.0.1:9",
        options: { transport: "grpc", grpcUrl: `grpc://127.0.0.1:${port}` },
      }),
    ],
  ])("%s", async (_how, configured) => {
    const { port } = await startGrpcAgent();
    const url = await fronted(configured(port));
    const { result } = await rpc(url, "message/send", userMessage("go"));
    expect(result).toMatchObject({
      kind: "task",
      status: { state: "completed" },
      artifacts: [{ parts: PARTS }],
    });
    expect(await streamResults(url, "message/stream", userMessage("go"))).toEqual([
      expect.objectContaining({ kind: "task" }),
      expect.objectContaining({
        kind: "artifact-update",
        artifact: expect.objectContaining({ artifactId: "a", parts: PARTS }),
      }),
      expect.objectContaining({ kind: "status-update", final: true }),
    ]);
  });

  test("and an address where nobody answers is named, beside the one on the card", async () => {
    const { port } = await startGrpcAgent();
    const card = { ...CARD, url: `127.0.0.1:${port}` };
    const url = await fronted({ url: "http://127.0.0.1:9", card });
    const tried = "The agent files refused the connection (grpc://127.0.0.1:9)";
    const hint = "which the option grpcUrl may name too, or grpcPort: card";
    const message = `${tried}; its card names 127.0.0.1:${port} for gRPC, ${hint}`;
    const expected = { code: -32603, message, data: { stage: "connect", address: "grpc://127.0.0.1:9" } };
    expect((await rpc(url, "message/send", userMessage("go"))).error).toMatchObject(expected);
    const streamed = await Array.fromAsync(rpcStream(url, "message/stream", userMessage("go")));
    expect(streamed).toMatchObject([{ error: expected }]);
  });

  test("and a running task can be canceled there", async () => {
    const { port } = await startGrpcAgent();
    const url = await fronted({ url: `http://127.0.0.1:${port}` });
    const asked = { ...userMessage("wait"), configuration: { blocking: false } };
    const { result } = await rpc(url, "message/send", asked);
    expect(result).toMatchObject({ status: { state: "working" } });
    const { id } = result as { id: string };
    expect((await rpc(url, "tasks/cancel", { id })).result).toMatchObject({ status: { state: "canceled" } });
  });
});

function connected(url: string): Backend {
  const southbound = createSouthbound(
    {
      name: "files",
      adapter: "a2a-0.3",
      url,
      card: { urls: [], inline: CARD },
      credentials: { type: "none" },
      options: {},
      timeouts: DEFAULT_TIMEOUTS,
      limits: DEFAULT_LIMITS,
      onDisconnect: "continue",
    },
    { log: pino({ level: "silent" }), redact: createRedactor([]) },
  );
  stops.push(() => southbound.close());
  return a2a03.connect(a2a03.options.parse({}), southbound);
}

const call: Call = {
  signal: new AbortController().signal,
  newTaskId: "t",
  newContextId: "c",
  extensions: [],
};
const message = (text: string) => ({
  message: {
    kind: "message" as const,
    messageId: "m",
    role: "user" as const,
    parts: [{ kind: "text" as const, text }],
  },
});

describe("a method", () => {
  test("for a task reads, cancels and follows it", async () => {
    const { port } = await startGrpcAgent();
    const backend = connected(`http://127.0.0.1:${port}`);
    const stream = backend.stream?.(message("wait"), call)[Symbol.asyncIterator]();
    const { value } = (await stream?.next()) ?? {};
    if (value?.kind !== "task" || value.id === undefined) throw new Error("no task");
    const { id } = value;
    expect(await backend.getTask?.({ id }, call)).toMatchObject({ id, status: { state: "working" } });
    const followed = backend.resubscribe?.({ id }, call)[Symbol.asyncIterator]();
    expect(await followed?.next()).toMatchObject({ value: { id, status: { state: "working" } } });
    await backend.cancelTask?.({ id }, call);
    expect(await followed?.next()).toMatchObject({ value: { status: { state: "canceled" }, final: true } });
    await stream?.return?.();
  });

  test("that fails there fails with the code of A2A", async () => {
    const { port } = await startGrpcAgent();
    const backend = connected(`http://127.0.0.1:${port}`);
    await expect(backend.getTask?.({ id: "none" }, call)).rejects.toMatchObject({ code: "task-not-found" });
    const reply = await backend.send?.(message("go"), call);
    if (reply?.kind !== "task" || reply.id === undefined) throw new Error("no task");
    await expect(backend.cancelTask?.({ id: reply.id }, call)).rejects.toMatchObject({
      code: "task-not-cancelable",
      data: { grpcStatus: "FAILED_PRECONDITION" },
    });
  });

  test("of an agent that has no extended card says so", async () => {
    const { port } = await startGrpcAgent();
    await expect(connected(`http://127.0.0.1:${port}`).extendedCard?.(call)).rejects.toMatchObject({
      code: "extended-card-not-configured",
    });
  });
});

test("credentials, static and forwarded headers arrive at the configured server and at no other", async () => {
  const [agent, other] = [await startGrpcAgent(), await startGrpcAgent()];
  const url = await fronted({
    url: `http://127.0.0.1:${agent.port}`,
    card: {
      ...CARD,
      url: `127.0.0.1:${other.port}`,
      additionalInterfaces: [{ url: `127.0.0.1:${other.port}`, transport: "GRPC" }],
    },
    credentials: { type: "bearer", token: SECRET },
    headers: { "X-Tenant": "blue" },
    forward: { headers: ["x-trace"] },
  });
  const request = { jsonrpc: "2.0", id: 1, method: "message/send", params: userMessage("go") };
  const headers = { "content-type": "application/json", "x-trace": "abc", "x-other": "def" };
  const answer = await (await post(url, request, { headers })).json();
  expect(answer).toMatchObject({ result: { status: { state: "completed" } } });
  expect(agent.calls.length).toBeGreaterThan(0);
  for (const metadata of agent.calls) {
    expect(metadata).toEqual({
      authorization: `Bearer ${SECRET}`,
      "x-tenant": "blue",
      "x-trace": "abc",
      "user-agent": expect.any(String),
    });
  }
  expect(other.calls).toEqual([]);
});

test("an agent that is not there is unavailable, and said to be", async () => {
  const agent = await startGrpcAgent();
  agent.server.forceShutdown();
  const url = await fronted({ url: `http://127.0.0.1:${agent.port}` });
  const { error } = await rpc(url, "message/send", userMessage("go"));
  expect(error).toMatchObject({ code: -32603, data: { stage: "connect", cause: "ECONNREFUSED" } });
});

test("the proxy's own gRPC is fronted, errors with their data included", async () => {
  const { port } = await startGrpcAgent();
  const behind = await startTestProxy(
    { files: { adapter: "a2a-0.3", card: CARD, url: `http://127.0.0.1:${port}` } },
    {
      server: { host: "127.0.0.1", port: 0, publicUrl: "http://proxy.test", grpc: { port: 0 } },
      default: "files",
    },
  );
  stops.push(() => behind.stop());
  const url = await fronted({ url: `http://127.0.0.1:${behind.grpcPort}` });
  const { result } = await rpc(url, "message/send", userMessage("go"));
  expect(result).toMatchObject({ status: { state: "completed" }, artifacts: [{ parts: PARTS }] });
  const backend = connected(`http://127.0.0.1:${behind.grpcPort}`);
  await expect(backend.getTask?.({ id: "none" }, call)).rejects.toMatchObject({
    code: "task-not-found",
    data: { vendor: { code: -32001 } },
  });
});
