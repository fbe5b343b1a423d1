import { describe, expect, test } from "@jest/globals";
import {
  fromCanonicalCancelParams,
  fromCanonicalGetParams,
  fromCanonicalListParams,
  fromCanonicalSendParams,
  fromCanonicalSubscribeParams,
  toCanonicalListParams,
  toCanonicalSendParams,
  toCanonicalTaskParams,
} from "../../../adapters/a2a-1.0/params.ts";
import {
  fromCanonicalPushParams,
  fromCanonicalTaskPushConfig,
  toCanonicalPushConfigs,
  toCanonicalPushParams,
  toCanonicalTaskPushConfig,
} from "../../../adapters/a2a-1.0/push.ts";

const message = { kind: "message" as const, messageId: "m1", role: "user" as const, parts: [] };
const wireMessage = { messageId: "m1", role: "ROLE_USER", parts: [] };

describe("sending", () => {
  test.each([
    [undefined, false],
    [true, false],
    [false, true],
  ])("blocking %j is returnImmediately %j", (blocking, returnImmediately) => {
    const configuration = { acceptedOutputModes: ["text/plain"], blocking };
    expect(fromCanonicalSendParams({ message, configuration })).toEqual({
      message: wireMessage,
      configuration: { acceptedOutputModes: ["text/plain"], returnImmediately },
    });
  });

  test("without a configuration none is sent", () => {
    expect(fromCanonicalSendParams({ message })).toEqual({ message: wireMessage });
  });

  test.each([
    [undefined, undefined],
    [0, undefined],
    [10, 10],
  ])("historyLength %j is historyLength %j, where 0 would be no history", (historyLength, expected) => {
    const { configuration } = fromCanonicalSendParams({ message, configuration: { historyLength } });
    expect(configuration).toEqual({
      returnImmediately: false,
      ...(expected === undefined ? {} : { historyLength: expected }),
    });
    expect(fromCanonicalGetParams({ id: "t1", historyLength })).toEqual({
      id: "t1",
      ...(expected === undefined ? {} : { historyLength: expected }),
    });
  });

  test("everything comes back", () => {
    const params = {
      message,
      configuration: {
        acceptedOutputModes: ["text/plain"],
        blocking: false,
        historyLength: 3,
        pushNotificationConfig: { url: "https://hook.example", token: "t" },
      },
      metadata: { userKey: { innerKey: 1 } },
    };
    const wire = fromCanonicalSendParams(params);
    expect(wire.configuration).toEqual({
      acceptedOutputModes: ["text/plain"],
      returnImmediately: true,
      historyLength: 3,
      taskPushNotificationConfig: { url: "https://hook.example", token: "t" },
    });
    expect(toCanonicalSendParams(wire)).toEqual(params);
  });

  test("no history is told from the whole one", () => {
    const params = toCanonicalSendParams({ message: wireMessage, configuration: { historyLength: 0 } });
    expect(params.configuration).toEqual({ blocking: true, historyLength: 0 });
  });

  test("drafts say blocking and nest the push configuration", () => {
    const configuration = { blocking: false, push_notification_config: { url: "https://hook.example" } };
    expect(toCanonicalSendParams({ message: wireMessage, configuration }).configuration).toEqual({
      blocking: false,
      pushNotificationConfig: { url: "https://hook.example" },
    });
  });
});

describe("tasks", () => {
  const task = { id: "t1", contextId: "c1", historyLength: 2, metadata: { aB: 1 } };

  test("get and subscribe lose the metadata, cancel keeps it", () => {
    expect(fromCanonicalGetParams(task)).toEqual({ id: "t1", historyLength: 2 });
    expect(fromCanonicalSubscribeParams(task)).toEqual({ id: "t1" });
    expect(fromCanonicalCancelParams(task)).toEqual({ id: "t1", metadata: { aB: 1 } });
  });

  test("their params are read in both spellings", () => {
    expect(toCanonicalTaskParams({ id: "t1", history_length: 2 })).toEqual({ id: "t1", historyLength: 2 });
    expect(toCanonicalTaskParams({ id: "t1", historyLength: "0", metadata: { aB: 1 } })).toEqual({
      id: "t1",
      historyLength: 0,
      metadata: { aB: 1 },
    });
  });

  test("a list query comes back", () => {
    const query = {
      contextId: "c1",
      state: "input-required" as const,
      pageSize: 5,
      pageToken: "p",
      historyLength: 1,
      statusTimestampAfter: "2026-03-20T08:00:00.000Z",
      includeArtifacts: true,
    };
    const wire = fromCanonicalListParams(query);
    expect(wire).toEqual({
      contextId: "c1",
      status: "TASK_STATE_INPUT_REQUIRED",
      pageSize: 5,
      pageToken: "p",
      historyLength: 1,
      statusTimestampAfter: "2026-03-20T08:00:00.000Z",
      includeArtifacts: true,
    });
    expect(toCanonicalListParams(wire)).toEqual({ ...query, withTotal: true });
  });
});

describe("push notification configurations", () => {
  const wire = {
    taskId: "task-abc-123",
    url: "https://my-client.example.com/webhook",
    authentication: { scheme: "bearer", credentials: "webhook-token-here" },
  };
  const canonical = {
    taskId: "task-abc-123",
    pushNotificationConfig: {
      url: "https://my-client.example.com/webhook",
      authentication: { schemes: ["bearer"], credentials: "webhook-token-here" },
    },
  };

  test("one scheme there, a list here", () => {
    expect(fromCanonicalTaskPushConfig(canonical)).toEqual(wire);
    expect(toCanonicalTaskPushConfig(wire)).toEqual(canonical);
  });

  test("of several schemes the first is sent", () => {
    const authentication = { schemes: ["bearer", "basic"] };
    const config = { taskId: "t", pushNotificationConfig: { url: "https://x", authentication } };
    expect(fromCanonicalTaskPushConfig(config).authentication).toEqual({
      scheme: "bearer",
    });
  });

  test("a nested configuration, as drafts have it, is read as well", () => {
    const pushNotificationConfig = { id: "c1", url: "https://x", token: "s" };
    expect(toCanonicalTaskPushConfig({ taskId: "t1", pushNotificationConfig })).toEqual({
      taskId: "t1",
      pushNotificationConfig: { id: "c1", url: "https://x", token: "s" },
    });
  });

  test("get and delete name the task and the configuration, list the task alone", () => {
    const params = { id: "t1", pushNotificationConfigId: "c1" };
    expect(fromCanonicalPushParams(params)).toEqual({ taskId: "t1", id: "c1" });
    expect(toCanonicalPushParams({ taskId: "t1", id: "c1" })).toEqual(params);
    expect(fromCanonicalPushParams({ id: "t1" })).toEqual({ taskId: "t1" });
  });

  test.each([
    ["a page", { configs: [wire], nextPageToken: "" }, [canonical]],
    ["an array", [wire], [canonical]],
    ["an empty page", {}, []],
  ])("a list may be %s", (_, result, expected) => {
    expect(toCanonicalPushConfigs(result)).toEqual(expected);
  });
});
