/** gRPC over a real socket: what reaches the gateway, and what comes back. */
import { once } from "node:events";
import { describe, expect, test } from "@jest/globals";
import { status } from "@grpc/grpc-js";
import type { Caller, Gateway } from "../../src/gateway/gateway.ts";
import { A2AError } from "../../src/protocol/errors.ts";
import type { ProtoMessage } from "../../src/protocol/grpc-codec.ts";
import { GrpcClient, startGrpcHarness } from "./grpc-harness.ts";
import { DEFAULT_LIMITS as LIMITS } from "../../src/config/config.ts";
import { FakeSubscription, TASK, event, fakeGateway, recording, until } from "./harness.ts";

const REQUEST = { message: { messageId: "m-1", role: "ROLE_USER", content: [{ text: "hi" }] } };
const TASK_MESSAGE = {
  id: "t-1",
  contextId: "c-1",
  status: { state: "TASK_STATE_COMPLETED", timestamp: "2025-01-01T00:00:00.000Z" },
};

const trailerOf = (error: { metadata: { get(key: string): unknown[] } } | undefined): unknown =>
  JSON.parse(String(error?.metadata.get("a2a-error")[0]));

const failing = (error: unknown): Gateway =>
  fakeGateway({
    getTask: async () => {
      throw error;
    },
  });

const pause = (duration: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, duration);
  });

async function all(stream: AsyncIterable<ProtoMessage>): Promise<ProtoMessage[]> {
  const messages: ProtoMessage[] = [];
  for await (const message of stream) messages.push(message);
  return messages;
}

describe("a unary RPC", () => {
  test("reaches the gateway as canonical params and is answered as protobuf", async () => {
    const { gateway, calls } = recording();
    await using proxy = await startGrpcHarness({ gateways: { planner: gateway } });
    using client = new GrpcClient(proxy.server.port);
    const sent = await client.call("SendMessage", {
      ...REQUEST,
      configuration: { acceptedOutputModes: ["text/plain"], historyLength: 2 },
      metadata: { deep: { list: [1, null, true] } },
    });
    expect(sent.message).toEqual({ task: TASK_MESSAGE });
    const got = await client.call("GetTask", { name: "tasks/t/1", historyLength: 3 });
    expect(got.message).toEqual(TASK_MESSAGE);
    await client.call("CancelTask", { name: "tasks/t-1" });
    expect(calls).toEqual([
      [
        "sendMessage",
        {
          message: { kind: "message", messageId: "m-1", role: "user", parts: [{ kind: "text", text: "hi" }] },
          configuration: { acceptedOutputModes: ["text/plain"], historyLength: 2 },
          metadata: { deep: { list: [1, null, true] } },
        },
        "anonymous",
        [],
      ],
      ["getTask", { id: "t/1", historyLength: 3 }, "anonymous", []],
      ["cancelTask", { id: "t-1" }, "anonymous", []],
    ]);
  });

  test("waits unless the message says otherwise; most writers leave a false out", async () => {
    const { gateway, calls } = recording();
    await using proxy = await startGrpcHarness({ gateways: { planner: gateway } });
    using client = new GrpcClient(proxy.server.port);
    await client.call("SendMessage", REQUEST);
    await client.call("SendMessage", { ...REQUEST, configuration: {} });
    await client.call("SendMessage", { ...REQUEST, configuration: { blocking: false } });
    expect(calls.map(([, params]) => params)).toMatchObject([
      expect.not.objectContaining({ configuration: expect.anything() }),
      { configuration: expect.not.objectContaining({ blocking: expect.anything() }) },
      { configuration: { blocking: false } },
    ]);
  });

  test("activates the extensions that the card declares", async () => {
    const { gateway, calls } = recording();
    await using proxy = await startGrpcHarness({ gateways: { planner: gateway } });
    using client = new GrpcClient(proxy.server.port);
    const asked = { "x-a2a-extensions": "urn:ext:b, urn:other" };
    const { headers } = await client.call("GetTask", { name: "tasks/t-1" }, asked);
    expect(headers?.get("x-a2a-extensions")).toEqual(["urn:ext:b"]);
    expect(calls[0]?.[3]).toEqual(["urn:ext:b", "urn:other"]);
  });

  test.each([
    ["GetTask", { name: "t-1" }, { path: "name", reason: "must be tasks/{id}" }],
    ["CancelTask", {}, { path: "name", reason: "must be tasks/{id}" }],
    [
      "GetTaskPushNotificationConfig",
      { name: "tasks/t-1" },
      { path: "name", reason: "must be tasks/{id}/pushNotificationConfigs/{id}" },
    ],
  ])("%s refuses a name of another kind", async (rpc, request, data) => {
    await using proxy = await startGrpcHarness({ gateways: { planner: recording().gateway } });
    using client = new GrpcClient(proxy.server.port);
    const { error } = await client.call(rpc, request);
    expect(error?.code).toBe(status.INVALID_ARGUMENT);
    const message = `Invalid parameters: ${data.path}: ${data.reason}`;
    expect(error?.details).toBe(message);
    expect(trailerOf(error)).toEqual({ code: -32602, message, data });
  });

  test("is refused where its bytes are no such message", async () => {
    await using proxy = await startGrpcHarness({ gateways: { planner: recording().gateway } });
    using client = new GrpcClient(proxy.server.port);
    const { error } = await client.callRaw("GetTask", Buffer.from("not protobuf"));
    expect(error?.code).toBe(status.INVALID_ARGUMENT);
    expect(trailerOf(error)).toEqual({ code: -32700, message: "Invalid protobuf payload" });
  });

  test("is refused beyond the agent's limit, with the status for it", async () => {
    const { gateway, calls } = recording();
    await using proxy = await startGrpcHarness({
      gateways: { planner: gateway, other: fakeGateway() },
      agents: { planner: { limits: { ...LIMITS, requestBody: 100 } } },
    });
    using client = new GrpcClient(proxy.server.port);
    const large = { message: { ...REQUEST.message, content: [{ text: "x".repeat(100) }] } };
    const { error } = await client.call("SendMessage", large);
    expect([error?.code, calls]).toEqual([status.RESOURCE_EXHAUSTED, []]);
  });

  test("gives the gateway's abort signal the client's deadline", async () => {
    const signals: AbortSignal[] = [];
    const getTask = async (_params: unknown, { signal }: Caller): Promise<never> => {
      signals.push(signal);
      await once(signal, "abort");
      throw new A2AError("internal-error");
    };
    await using proxy = await startGrpcHarness({ gateways: { planner: fakeGateway({ getTask }) } });
    using client = new GrpcClient(proxy.server.port);
    // A deadline that is over before the call has arrived is given anew, longer.
    for (let time = 100; signals.length === 0; time *= 2) {
      const call = client.call("GetTask", { name: "tasks/t" }, {}, { deadline: Date.now() + time });
      expect((await call).error?.code).toBe(status.DEADLINE_EXCEEDED);
    }
    await until(() => signals.every(({ aborted }) => aborted) && proxy.lines.length > 0);
    expect(proxy.lines).toEqual([expect.objectContaining({ rpc: "GetTask", outcome: "client-gone" })]);
  });
});

describe("an error", () => {
  test.each([
    ["invalid-params", status.INVALID_ARGUMENT],
    ["task-not-found", status.NOT_FOUND],
    ["task-not-cancelable", status.FAILED_PRECONDITION],
    ["push-not-supported", status.UNIMPLEMENTED],
    ["unsupported-operation", status.UNIMPLEMENTED],
    ["content-type-not-supported", status.INVALID_ARGUMENT],
    ["invalid-agent-response", status.INTERNAL],
    ["extended-card-not-configured", status.FAILED_PRECONDITION],
    ["agent-unavailable", status.UNAVAILABLE],
    ["internal-error", status.INTERNAL],
    ["too-many-requests", status.RESOURCE_EXHAUSTED],
    ["unauthenticated", status.UNAUTHENTICATED],
    ["forbidden", status.PERMISSION_DENIED],
    ["shutting-down", status.UNAVAILABLE],
  ] as const)("%s has its status, and its code beside it", async (code, expected) => {
    const error = new A2AError(code, { message: "why – so", data: { stage: "x" } });
    await using proxy = await startGrpcHarness({ gateways: { planner: failing(error) } });
    using client = new GrpcClient(proxy.server.port);
    const answer = await client.call("GetTask", { name: "tasks/t-1" });
    expect([answer.error?.code, answer.error?.details]).toEqual([expected, "why – so"]);
    expect(trailerOf(answer.error)).toEqual({
      code: error.rpcCode,
      message: "why – so",
      data: { stage: "x" },
    });
  });

  test("loses data that is too large for a trailer, and nothing else", async () => {
    const error = new A2AError("task-not-found", { data: { text: "x".repeat(10_000) } });
    await using proxy = await startGrpcHarness({ gateways: { planner: failing(error) } });
    using client = new GrpcClient(proxy.server.port);
    const answer = await client.call("GetTask", { name: "tasks/t-1" });
    expect(trailerOf(answer.error)).toEqual({ code: -32001, message: "Task not found" });
  });

  test("of the proxy's own shows nothing of itself, but for the log", async () => {
    await using proxy = await startGrpcHarness({ gateways: { planner: failing(new Error("secret")) } });
    using client = new GrpcClient(proxy.server.port);
    const { error } = await client.call("GetTask", { name: "tasks/t-1" });
    expect([error?.code, error?.details]).toEqual([status.INTERNAL, "Internal error"]);
    expect(JSON.stringify(proxy.lines)).toContain("secret");
  });
});

describe("a streaming RPC", () => {
  const update = {
    kind: "status-update",
    taskId: "t-1",
    contextId: "c-1",
    status: { state: "canceled" },
    final: true,
  };
  const streaming = (subscription: FakeSubscription): Gateway =>
    fakeGateway({ streamMessage: async () => subscription, resubscribe: async () => subscription });

  test.each([
    ["SendStreamingMessage", REQUEST],
    ["TaskSubscription", { name: "tasks/t-1" }],
  ])("%s carries the events in order and ends with OK", async (rpc, request) => {
    const subscription = new FakeSubscription(
      [event(JSON.stringify(TASK))],
      [event(JSON.stringify(update), 1, true)],
      undefined,
    );
    await using proxy = await startGrpcHarness({ gateways: { planner: streaming(subscription) } });
    using client = new GrpcClient(proxy.server.port);
    expect(await all(client.open(rpc, request))).toEqual([
      { task: TASK_MESSAGE },
      {
        statusUpdate: {
          taskId: "t-1",
          contextId: "c-1",
          status: { state: "TASK_STATE_CANCELLED" },
          final: true,
        },
      },
    ]);
    expect(subscription.closes).toBe(1);
  });

  test("ends with the status of what broke it off, after the events before it", async () => {
    const subscription = new FakeSubscription(
      [event(JSON.stringify(TASK))],
      new A2AError("agent-unavailable"),
    );
    await using proxy = await startGrpcHarness({ gateways: { planner: streaming(subscription) } });
    using client = new GrpcClient(proxy.server.port);
    const seen: ProtoMessage[] = [];
    const stream = client.open("SendStreamingMessage", REQUEST).on("data", (message) => seen.push(message));
    const [error] = await once(stream, "error").catch((thrown: unknown) => [thrown]);
    expect(seen).toEqual([{ task: TASK_MESSAGE }]);
    expect(error).toMatchObject({ code: status.UNAVAILABLE });
  });

  test("is an error where it cannot be opened", async () => {
    await using proxy = await startGrpcHarness({ gateways: { planner: fakeGateway() } });
    using client = new GrpcClient(proxy.server.port);
    await expect(all(client.open("SendStreamingMessage", REQUEST))).rejects.toMatchObject({
      code: status.UNIMPLEMENTED,
    });
  });

  test("closes its subscription when the client cancels", async () => {
    const subscription = new FakeSubscription([event(JSON.stringify(TASK))]);
    await using proxy = await startGrpcHarness({ gateways: { planner: streaming(subscription) } });
    using client = new GrpcClient(proxy.server.port);
    const stream = client.open("SendStreamingMessage", REQUEST);
    stream.on("error", () => {});
    await once(stream, "data");
    stream.cancel();
    await subscription.closed.promise;
    await until(() => proxy.lines.length > 0);
    expect(proxy.lines).toEqual([expect.objectContaining({ outcome: "client-gone" })]);
  });

  test("is read no faster than the client reads it", async () => {
    const text = "x".repeat(200_000);
    const chunk = { kind: "artifact-update", taskId: "t", contextId: "c" };
    const artifact = { artifactId: "a", parts: [{ kind: "text", text }] };
    const batches = Array.from({ length: 200 }, () => [event(JSON.stringify({ ...chunk, artifact }))]);
    const subscription = new FakeSubscription(...batches, undefined);
    await using proxy = await startGrpcHarness({ gateways: { planner: streaming(subscription) } });
    using client = new GrpcClient(proxy.server.port);
    const stream = client.open("SendStreamingMessage", REQUEST);
    await once(stream, "data");
    stream.pause();
    // Until nothing moves any more.
    for (let before = -1; before !== subscription.reads; await pause(100)) before = subscription.reads;
    expect(subscription.reads).toBeLessThan(150);
    expect(await all(stream)).toHaveLength(199);
    expect(subscription.reads).toBe(201);
  });

  test("is ended with UNAVAILABLE by a proxy that stops", async () => {
    const subscription = new FakeSubscription([event(JSON.stringify(TASK))]);
    await using proxy = await startGrpcHarness({ gateways: { planner: streaming(subscription) } });
    using client = new GrpcClient(proxy.server.port);
    const stream = client.open("SendStreamingMessage", REQUEST);
    await once(stream, "data");
    proxy.state.phase = "stopping";
    const drained = proxy.server.drain();
    proxy.server.breakOff(new A2AError("shutting-down"));
    await expect(once(stream, "end")).rejects.toMatchObject({ code: status.UNAVAILABLE });
    await drained;
  });
});
