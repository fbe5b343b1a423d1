/** The service of A2A 1.0 over a real socket: what reaches the gateway, and what comes back. */
import { describe, expect, test } from "@jest/globals";
import { status, type ServiceError } from "@grpc/grpc-js";
import protobuf from "protobufjs";
import { newApiKey } from "../../src/auth/api-key.ts";
import { DEFAULT_LIMITS } from "../../src/config/config.ts";
import type { Gateway } from "../../src/gateway/gateway.ts";
import { A2AError } from "../../src/protocol/errors.ts";
import type { ProtoMessage } from "../../src/protocol/grpc-codec.ts";
import { startTestProxy } from "../support/proxy.ts";
import { GrpcClient, grpcClient10, startGrpcHarness } from "./grpc-harness.ts";
import { CARD, FakeSubscription, TASK, event, fakeGateway, recording } from "./harness.ts";

const ids = { taskId: "t-1", contextId: "c-1" };
const SEND = { message: { messageId: "m-1", role: "ROLE_USER", parts: [{ text: "hi" }] } };
const TASK_MESSAGE = {
  id: "t-1",
  contextId: "c-1",
  status: { state: "TASK_STATE_COMPLETED", timestamp: "2025-01-01T00:00:00.000Z" },
};
const CONFIG = { ...ids, pushNotificationConfig: { id: "p-1", url: "https://hook.example/" } };
const CONFIG_MESSAGE = { taskId: "t-1", id: "p-1", url: "https://hook.example/" };

/** What a client of any language reads in the trailing metadata. */
const { root } = protobuf.parse(`
  syntax = "proto3";
  message Any { string type_url = 1; bytes value = 2; }
  message Status { int32 code = 1; string message = 2; repeated Any details = 3; }
  message ErrorInfo { string reason = 1; string domain = 2; }
`);
const ErrorInfo = root.lookupType("ErrorInfo");

function detailsOf(error: ServiceError | undefined) {
  const [bytes = ""] = error?.metadata.get("grpc-status-details-bin") ?? [];
  const decoded = root.lookupType("Status").decode(Buffer.from(bytes));
  const { code, message, details } = root.lookupType("Status").toObject(decoded);
  return {
    code,
    message,
    details: details.map(({ typeUrl, value }: { typeUrl: string; value: Uint8Array }) => [
      typeUrl,
      typeUrl.endsWith("ErrorInfo") ? ErrorInfo.toObject(ErrorInfo.decode(value)) : {},
    ]),
  };
}

const failing = (error: unknown): Gateway =>
  fakeGateway({
    getTask: async () => {
      throw error;
    },
  });

async function answerOf(gateway: Gateway, rpc: string, request: ProtoMessage, metadata = {}) {
  await using proxy = await startGrpcHarness({ gateways: { planner: gateway } });
  using client = grpcClient10(proxy.server.port);
  return await client.call(rpc, request, metadata);
}

describe("a unary RPC", () => {
  const gateway = fakeGateway({
    sendMessage: async () => ({ kind: "message", messageId: "m-2", role: "agent", parts: [] }),
    getTask: async () => TASK,
    listTasks: async () => ({ tasks: [TASK], nextPageToken: "next", pageSize: 1 }),
    cancelTask: async () => TASK,
    setPushConfig: async () => CONFIG,
    getPushConfig: async () => CONFIG,
    listPushConfigs: async () => [CONFIG],
    deletePushConfig: async () => {},
  });

  test.each([
    ["SendMessage", SEND, { message: { messageId: "m-2", role: "ROLE_AGENT" } }],
    ["GetTask", { id: "t-1" }, TASK_MESSAGE],
    ["ListTasks", { pageSize: 1 }, { tasks: [TASK_MESSAGE], nextPageToken: "next", pageSize: 1 }],
    ["CancelTask", { id: "t-1" }, TASK_MESSAGE],
    ["CreateTaskPushNotificationConfig", CONFIG_MESSAGE, CONFIG_MESSAGE],
    ["GetTaskPushNotificationConfig", { taskId: "t-1", id: "p-1" }, CONFIG_MESSAGE],
    ["ListTaskPushNotificationConfigs", { taskId: "t-1" }, { configs: [CONFIG_MESSAGE], nextPageToken: "" }],
    ["DeleteTaskPushNotificationConfig", { taskId: "t-1", id: "p-1" }, {}],
  ])("%s is answered with a message of its type", async (rpc, request, expected) => {
    const { message, error } = await answerOf(gateway, rpc, request);
    expect(error).toBeUndefined();
    expect(message).toEqual(expected);
  });

  test("reaches the gateway as the params of 0.3.0", async () => {
    const { gateway: recorder, calls } = recording();
    const file = { raw: Buffer.from("bytes").toString("base64"), filename: "a.txt", mediaType: "text/plain" };
    await answerOf(recorder, "SendMessage", {
      message: { ...SEND.message, parts: [{ text: "hi" }, file, { data: [1, null] }] },
      configuration: { returnImmediately: true, historyLength: 0 },
    });
    expect(calls[0]?.slice(0, 2)).toMatchObject([
      "sendMessage",
      {
        message: {
          messageId: "m-1",
          role: "user",
          parts: [
            { kind: "text", text: "hi" },
            { kind: "file", file: { bytes: file.raw, name: "a.txt", mimeType: "text/plain" } },
            { kind: "data", data: { value: [1, null] } },
          ],
        },
        configuration: { blocking: false, historyLength: 0 },
      },
    ]);
  });

  test("GetExtendedAgentCard is answered with a card whose addresses are the proxy's own", async () => {
    const extended = { ...CARD, name: "Extended" };
    await using proxy = await startGrpcHarness({
      gateways: { planner: fakeGateway({ extendedCard: async () => extended }) },
      agents: { planner: { extendedCard: { public: true } } },
    });
    using client = grpcClient10(proxy.server.port);
    const { message } = await client.call("GetExtendedAgentCard", {});
    expect(message).toMatchObject({ name: "Extended", version: "7" });
    const { supportedInterfaces } = message as { supportedInterfaces: { url: string }[] };
    expect(supportedInterfaces.length).toBeGreaterThan(0);
    for (const { url } of supportedInterfaces) expect(url).toContain("https://proxy.example/");
  });

  test("activates the extensions that the card declares, by 1.0's name for the metadata", async () => {
    const { headers } = await answerOf(gateway, "GetTask", { id: "t-1" }, { "a2a-extensions": "urn:ext:b" });
    expect(headers?.get("a2a-extensions")).toEqual(["urn:ext:b"]);
  });

  test.each([{}, { "a2a-version": "" }, { "a2a-version": "1.0" }, { "a2a-version": "1.1" }])(
    "is served with the metadata %j",
    async (metadata) => {
      expect((await answerOf(gateway, "GetTask", { id: "t-1" }, metadata)).message).toEqual(TASK_MESSAGE);
    },
  );

  test.each(["0.3", "2.0"])("is refused with A2A-Version %s", async (version) => {
    const { error } = await answerOf(gateway, "GetTask", { id: "t-1" }, { "a2a-version": version });
    expect(error?.code).toBe(status.FAILED_PRECONDITION);
    expect(detailsOf(error).details[0][1].reason).toBe("VERSION_NOT_SUPPORTED");
  });

  test("is refused beyond the agent's limit of values, before it is decoded", async () => {
    await using proxy = await startGrpcHarness({
      gateways: { planner: gateway },
      agents: { planner: { limits: { ...DEFAULT_LIMITS, requestValues: 10 } } },
    });
    using client = grpcClient10(proxy.server.port);
    const parts = Array.from({ length: 20 }, () => ({ text: "x" }));
    const { error } = await client.call("SendMessage", { message: { ...SEND.message, parts } });
    expect(error?.code).toBe(status.RESOURCE_EXHAUSTED);
  });
});

describe("an error", () => {
  test.each([
    ["task-not-found", "NOT_FOUND", "TASK_NOT_FOUND"],
    ["task-not-cancelable", "FAILED_PRECONDITION", "TASK_NOT_CANCELABLE"],
    ["push-not-supported", "FAILED_PRECONDITION", "PUSH_NOTIFICATION_NOT_SUPPORTED"],
    ["unsupported-operation", "FAILED_PRECONDITION", "UNSUPPORTED_OPERATION"],
    ["content-type-not-supported", "INVALID_ARGUMENT", "CONTENT_TYPE_NOT_SUPPORTED"],
    ["invalid-agent-response", "INTERNAL", "INVALID_AGENT_RESPONSE"],
    ["extended-card-not-configured", "FAILED_PRECONDITION", "EXTENDED_AGENT_CARD_NOT_CONFIGURED"],
    ["invalid-params", "INVALID_ARGUMENT", "INVALID_PARAMS"],
    ["internal-error", "INTERNAL", "INTERNAL_ERROR"],
  ] as const)("%s has the status %s and the reason %s", async (code, name, reason) => {
    const { error } = await answerOf(failing(new A2AError(code, { message: "why – so" })), "GetTask", {
      id: "t-1",
    });
    expect([error?.code, error?.details]).toEqual([status[name], "why – so"]);
    expect(detailsOf(error)).toEqual({
      code: status[name],
      message: "why – so",
      details: [["type.googleapis.com/google.rpc.ErrorInfo", { reason, domain: "a2a-protocol.org" }]],
    });
  });

  test("that says when to ask again has both", async () => {
    const error = new A2AError("invalid-agent-response", { data: { retryAfter: 7 } });
    const answer = await answerOf(failing(error), "GetTask", { id: "t-1" });
    expect(detailsOf(answer.error).details.map(([type]: string[]) => type)).toEqual([
      "type.googleapis.com/google.rpc.ErrorInfo",
      "type.googleapis.com/google.rpc.RetryInfo",
    ]);
  });

  test("of a client of 0.3 has no reason, as before", async () => {
    await using proxy = await startGrpcHarness({
      gateways: { planner: failing(new A2AError("task-not-found")) },
    });
    using client = new GrpcClient(proxy.server.port);
    const { error } = await client.call("GetTask", { name: "tasks/t-1" });
    expect(error?.metadata.get("grpc-status-details-bin")).toEqual([]);
  });
});

describe("a streaming RPC", () => {
  const RESUME = "urn:a2a-compat-proxy:resume";
  const final = { kind: "status-update", ...ids, status: { state: "completed" }, final: true };
  const afters: unknown[] = [];
  const subscription = () =>
    new FakeSubscription([event(JSON.stringify(TASK), 7), event(JSON.stringify(final), 8, true)], undefined);
  const gateway = fakeGateway({
    streamMessage: async () => subscription(),
    resubscribe: async (_params, _caller, after) => {
      afters.push(after);
      return subscription();
    },
  });

  test.each([
    ["SendStreamingMessage", SEND],
    ["SubscribeToTask", { id: "t-1" }],
  ])("%s carries the events in order and ends with OK", async (rpc, request) => {
    await using proxy = await startGrpcHarness({ gateways: { planner: gateway } });
    using client = grpcClient10(proxy.server.port);
    const messages: ProtoMessage[] = [];
    for await (const message of client.open(rpc, request)) messages.push(message);
    expect(messages).toEqual([
      { task: TASK_MESSAGE },
      { statusUpdate: { ...ids, status: { state: "TASK_STATE_COMPLETED" } } },
    ]);
  });

  test("has each event's id if the call asks for it, and goes on from one", async () => {
    await using proxy = await startGrpcHarness({ gateways: { planner: gateway } });
    using client = grpcClient10(proxy.server.port);
    const asked = { "a2a-event-ids": "1", "last-event-id": "6" };
    const messages: ProtoMessage[] = [];
    for await (const message of client.open("SubscribeToTask", { id: "t-1" }, asked)) messages.push(message);
    expect(messages).toMatchObject([
      { task: { metadata: { [RESUME]: { eventId: "7" } } } },
      { statusUpdate: { metadata: { [RESUME]: { eventId: "8" } } } },
    ]);
    expect(afters.at(-1)).toBe(6);
  });
});

describe("the proxy", () => {
  const server = { host: "127.0.0.1", port: 0, publicUrl: "http://proxy.test", grpc: { port: 0 } };
  const agents = { planner: { adapter: "a2a-0.3", url: "http://127.0.0.1:9/" } };

  test("asks clients of 1.0 for the same credentials, counts their calls, and says why by 1.0's means", async () => {
    const { key, hash } = newApiKey();
    const proxy = await startTestProxy(agents, {
      server,
      default: "planner",
      auth: { apiKeys: { keys: { reader: { hash, methods: ["tasks/get"] } } } },
      rateLimits: { per: "1h", calls: 2 },
    });
    try {
      using client = grpcClient10(proxy.grpcPort ?? 0);
      const call = async (rpc: string, metadata: Record<string, string>) =>
        (await client.call(rpc, { id: "t-1" }, metadata)).error;
      expect((await call("GetTask", {}))?.code).toBe(status.UNAUTHENTICATED);
      const known = await call("GetTask", { "x-api-key": key });
      expect([known?.code, detailsOf(known).details[0][1].reason]).toEqual([
        status.NOT_FOUND,
        "TASK_NOT_FOUND",
      ]);
      expect((await call("CancelTask", { "x-api-key": key }))?.code).toBe(status.PERMISSION_DENIED);
      expect((await call("GetTask", { "x-api-key": key }))?.code).toBe(status.RESOURCE_EXHAUSTED);
    } finally {
      await proxy.stop();
    }
  });

  test("tells how well the service is", async () => {
    const proxy = await startTestProxy(agents, { server });
    try {
      using client = new GrpcClient(proxy.grpcPort ?? 0);
      const check = async (service: string) => {
        const asked = Buffer.concat([Buffer.from([10, service.length]), Buffer.from(service)]);
        return (await client.callPath("/grpc.health.v1.Health/Check", {}, asked)).error?.code;
      };
      expect(await check("lf.a2a.v1.A2AService")).toBeUndefined();
      expect(await check("lf.a2a.v2.A2AService")).toBe(status.NOT_FOUND);
    } finally {
      await proxy.stop();
    }
  });

  test("takes the agent from the metadata", async () => {
    const tasks = (id: string): Gateway => fakeGateway({ getTask: async () => ({ ...TASK, id }) });
    await using proxy = await startGrpcHarness({ gateways: { planner: tasks("p"), helper: tasks("h") } });
    using client = grpcClient10(proxy.server.port);
    const { message } = await client.call("GetTask", { id: "t-1" }, { "a2a-agent": "helper" });
    expect(message).toMatchObject({ id: "h" });
  });
});
