/**
 * The routes without `/v1`, as the Go SDK's client of 0.3 calls them: requests in snake_case, answers as the JSON of the schema,
 * errors as a google.rpc.Status. Constructed from its source.
 */
import { describe, expect, test } from "@jest/globals";
import { A2AError, type ErrorCode } from "../../src/protocol/errors.ts";
import type { Gateway } from "../../src/gateway/gateway.ts";
import { FakeSubscription, TASK, event, fakeGateway, recording, start } from "./harness.ts";
import { call } from "./rest-client.ts";

const SEND = {
  message: {
    kind: "message",
    message_id: "m1",
    context_id: "c1",
    role: "user",
    parts: [
      { kind: "text", text: "hello" },
      { kind: "file", file: { bytes: "gIGCAAEC/w==", mime_type: "a/b", name: "x.bin" } },
    ],
  },
  configuration: { blocking: true, history_length: 2 },
};
const CONFIG = { taskId: "t-1", pushNotificationConfig: { id: "p", url: "https://x.example" } };

const gateway = (methods: Partial<Gateway> = {}): Gateway =>
  fakeGateway({
    getTask: async () => TASK,
    cancelTask: async () => TASK,
    setPushConfig: async (params) => params,
    getPushConfig: async () => CONFIG,
    listPushConfigs: async () => [CONFIG],
    deletePushConfig: async () => {},
    ...methods,
  });

describe.each(["/agents/planner", ""])("below %j", (base) => {
  test("message:send takes snake_case and answers the bare task", async () => {
    const { gateway: noting, calls } = recording();
    await using proxy = await start({ gateway: noting });
    const response = await call(proxy, "POST", `${base}/message:send`, SEND);
    expect([response.status, await response.json()]).toEqual([200, TASK]);
    expect(calls[0]?.[1]).toEqual({
      message: {
        kind: "message",
        messageId: "m1",
        contextId: "c1",
        role: "user",
        parts: [
          { kind: "text", text: "hello" },
          { kind: "file", file: { bytes: "gIGCAAEC/w==", mimeType: "a/b", name: "x.bin" } },
        ],
      },
      configuration: { blocking: true, historyLength: 2 },
    });
  });

  test("message:stream has the events as they are, an error as an event of its own", async () => {
    const error = new A2AError("agent-unavailable", { data: { agent: "planner" } });
    const subscription = new FakeSubscription([event(JSON.stringify(TASK), 1)], error);
    await using proxy = await start({ gateway: gateway({ streamMessage: async () => subscription }) });
    const response = await call(proxy, "POST", `${base}/message:stream`, SEND);
    const [first, last] = (await response.text()).split("\n\n");
    expect(first).toBe(`id: 1\ndata: ${JSON.stringify(TASK)}`);
    expect(JSON.parse(last?.replace(/^data: /, "") ?? "")).toEqual({
      error: {
        code: 502,
        status: "UNAVAILABLE",
        message: "The agent is unavailable",
        details: [info("INTERNAL_ERROR"), { agent: "planner" }],
      },
    });
  });

  test.each<[string, string, unknown, unknown]>([
    ["GET", "/tasks/t-1?historyLength=1", undefined, TASK],
    ["POST", "/tasks/t-1:cancel", undefined, TASK],
    ["POST", "/tasks/t-1/pushNotificationConfigs", { url: "https://x.example", id: "p" }, CONFIG],
    ["GET", "/tasks/t-1/pushNotificationConfigs/p", undefined, CONFIG],
    ["GET", "/tasks/t-1/pushNotificationConfigs", undefined, [CONFIG]],
    ["DELETE", "/tasks/t-1/pushNotificationConfigs/p", undefined, {}],
  ])("%s %s answers 200 with the JSON of the schema", async (verb, path, body, answer) => {
    await using proxy = await start({ gateway: gateway() });
    const response = await call(proxy, verb, base + path, body);
    expect([response.status, await response.json()]).toEqual([200, answer]);
  });
});

const info = (reason: string) => ({
  "@type": "type.googleapis.com/google.rpc.ErrorInfo",
  domain: "a2a-protocol.org",
  reason,
});

test.each<[ErrorCode, number, string, string]>([
  ["task-not-found", 404, "NOT_FOUND", "TASK_NOT_FOUND"],
  ["task-not-cancelable", 409, "FAILED_PRECONDITION", "TASK_NOT_CANCELABLE"],
  ["push-not-supported", 501, "UNIMPLEMENTED", "PUSH_NOTIFICATION_NOT_SUPPORTED"],
  ["unsupported-operation", 501, "UNIMPLEMENTED", "UNSUPPORTED_OPERATION"],
  ["content-type-not-supported", 415, "INVALID_ARGUMENT", "UNSUPPORTED_CONTENT_TYPE"],
  ["invalid-agent-response", 502, "INTERNAL", "INVALID_AGENT_RESPONSE"],
  ["extended-card-not-configured", 404, "FAILED_PRECONDITION", "EXTENDED_AGENT_CARD_NOT_CONFIGURED"],
  ["parse-error", 400, "INVALID_ARGUMENT", "PARSE_ERROR"],
  ["internal-error", 500, "INTERNAL", "INTERNAL_ERROR"],
])("%s is told by its reason", async (code, httpStatus, status, reason) => {
  const error = new A2AError(code);
  await using proxy = await start({ gateway: gateway({ getTask: () => Promise.reject(error) }) });
  const response = await call(proxy, "GET", "/agents/planner/tasks/t-1");
  expect(response.status).toBe(httpStatus);
  expect(response.headers.get("content-type")).toMatch(/^application\/json/);
  expect(await response.json()).toEqual({
    error: { code: httpStatus, status, message: error.message, details: [info(reason)] },
  });
});

test.each(["/agents/planner/tasks/t-1/artifacts", "/agents/planner/tasks:shout"])(
  "%s is served nothing",
  async (path) => {
    await using proxy = await start({ gateway: gateway() });
    const response = await call(proxy, "GET", path);
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: { code: 404 } });
  },
);
