import { describe, expect, test } from "@jest/globals";
import {
  fromCanonicalPushConfig,
  fromCanonicalSendParams,
  fromCanonicalTaskParams,
  JSONRPC,
  toCanonicalPushConfig,
} from "../../../adapters/a2a-0.1/params.ts";
import { WirePushConfig } from "../../../adapters/a2a-0.1/wire.ts";
import type { MessageSendParams } from "../../../src/protocol/params.ts";

const ids = { newTaskId: "new-task", newContextId: "new-context" };
const message = {
  kind: "message",
  messageId: "m",
  role: "user",
  parts: [{ kind: "text", text: "hi" }],
} as const;
const params = (more: Partial<MessageSendParams["message"]> = {}): MessageSendParams => ({
  message: { ...message, parts: [...message.parts], ...more },
});
const wireMessage = { role: "user", parts: [{ type: "text", text: "hi" }] };

test("the methods have the names of 0.1", () => {
  expect(JSONRPC).toEqual({
    send: "tasks/send",
    stream: "tasks/sendSubscribe",
    getTask: "tasks/get",
    cancelTask: "tasks/cancel",
    resubscribe: "tasks/resubscribe",
    setPush: "tasks/pushNotification/set",
    getPush: "tasks/pushNotification/get",
  });
});

describe("send params to the wire", () => {
  test("name a new task and a new session by the offered ids", () => {
    expect(fromCanonicalSendParams(params(), ids)).toEqual({
      id: "new-task",
      sessionId: "new-context",
      message: wireMessage,
    });
  });

  test("name the vendor's own task and session where the message goes on", () => {
    expect(fromCanonicalSendParams(params({ taskId: "t-1", contextId: "s-1" }), ids)).toEqual({
      id: "t-1",
      sessionId: "s-1",
      message: wireMessage,
    });
  });

  test("name a new task in a known session", () => {
    expect(fromCanonicalSendParams(params({ contextId: "s-1" }), ids)).toMatchObject({
      id: "new-task",
      sessionId: "s-1",
    });
  });

  test("pass output modes on, plain text in both spellings, and metadata", () => {
    const configuration = { acceptedOutputModes: ["text/plain", "image/png"] };
    expect(fromCanonicalSendParams({ ...params(), configuration, metadata: { a: 1 } }, ids)).toEqual({
      id: "new-task",
      sessionId: "new-context",
      message: wireMessage,
      acceptedOutputModes: ["text/plain", "text", "image/png"],
      metadata: { a: 1 },
    });
  });

  test("hold the proxy's callback, where it is to go along", () => {
    const pushNotificationConfig = { id: "one", url: "https://proxy.example/callback", token: "t" };
    const { pushNotification } = fromCanonicalSendParams(
      { ...params(), configuration: { pushNotificationConfig } },
      ids,
    );
    expect(pushNotification).toEqual({ url: "https://proxy.example/callback", token: "t" });
  });

  test("ask for no history and no output modes where the list is empty: the gateway sees to these", () => {
    const configuration = {
      acceptedOutputModes: [],
      blocking: false,
      historyLength: 5,
    };
    expect(Object.keys(fromCanonicalSendParams({ ...params(), configuration }, ids))).toEqual([
      "id",
      "sessionId",
      "message",
    ]);
  });
});

describe("task params", () => {
  test("to the wire keep the number of messages, and leave 0 out", () => {
    const task = { id: "t-1", historyLength: 10, metadata: {} };
    expect(fromCanonicalTaskParams(task)).toEqual({ id: "t-1", historyLength: 10, metadata: {} });
    expect(fromCanonicalTaskParams({ id: "t-1", contextId: "s-1", historyLength: 0 })).toEqual({ id: "t-1" });
  });
});

describe("a push configuration", () => {
  const wire = {
    url: "https://example.com/callback",
    token: "t",
    authentication: { schemes: ["jwt"], credentials: "c" },
  };

  test("is the same both ways but for its id", () => {
    expect(fromCanonicalPushConfig({ ...wire, id: "p-1" })).toEqual(wire);
    expect(toCanonicalPushConfig(WirePushConfig.parse(wire))).toEqual(wire);
  });

  test("without authentication has none", () => {
    expect(fromCanonicalPushConfig({ url: "https://example.com" })).toEqual({ url: "https://example.com" });
    const nulls = { url: "https://example.com", token: null, authentication: { schemes: null } };
    expect(toCanonicalPushConfig(WirePushConfig.parse(nulls))).toEqual({ url: "https://example.com" });
  });
});
