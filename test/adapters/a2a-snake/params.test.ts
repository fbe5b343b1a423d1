import { describe, expect, test } from "@jest/globals";
import {
  fromCanonicalCancelParams,
  fromCanonicalGetParams,
  fromCanonicalListParams,
  fromCanonicalSendParams,
  fromCanonicalSubscribeParams,
  METHODS,
  toCanonicalListParams,
  toCanonicalMethod,
  toCanonicalSendParams,
  toCanonicalTaskPage,
  toCanonicalTaskParams,
  withProtocol,
} from "../../../adapters/a2a-snake/params.ts";
import {
  fromCanonicalPushParams,
  fromCanonicalTaskPushConfig,
  toCanonicalPushConfigs,
  toCanonicalPushParams,
  toCanonicalTaskPushConfig,
} from "../../../adapters/a2a-snake/push.ts";

const message = { kind: "message" as const, messageId: "m1", role: "user" as const, parts: [] };
const wireMessage = { message_id: "m1", role: "user", parts: [] };

describe("methods", () => {
  test("there are the eleven of the dialect", () => {
    expect(Object.values(METHODS).toSorted()).toEqual([
      "a2a.cancelTask",
      "a2a.createTaskPushNotificationConfig",
      "a2a.deleteTaskPushNotificationConfig",
      "a2a.getExtendedAgentCard",
      "a2a.getTask",
      "a2a.getTaskPushNotificationConfig",
      "a2a.listTaskPushNotificationConfigs",
      "a2a.listTasks",
      "a2a.sendMessage",
      "a2a.sendStreamingMessage",
      "a2a.subscribeToTask",
    ]);
  });

  test("are found by either name", () => {
    for (const [canonical, method] of Object.entries(METHODS))
      expect(toCanonicalMethod(method)).toBe(canonical);
    expect(toCanonicalMethod("message/send")).toBeUndefined();
  });
});

describe("what every params carries", () => {
  test("the version alone", () => {
    expect(withProtocol({ id: "t1" }, [], undefined)).toEqual({ id: "t1", "a2a-version": "1.0" });
  });

  test("the extensions as one string, and the tenant", () => {
    expect(withProtocol({}, ["urn:a", "urn:b"], "acme")).toEqual({
      tenant: "acme",
      "a2a-version": "1.0",
      "a2a-extensions": "urn:a,urn:b",
    });
  });
});

describe("sending", () => {
  test.each([
    [undefined, false],
    [true, false],
    [false, true],
  ])("blocking %j is return_immediately %j", (blocking, returnImmediately) => {
    const configuration = { acceptedOutputModes: ["text/plain"], blocking };
    expect(fromCanonicalSendParams({ message, configuration })).toEqual({
      message: wireMessage,
      configuration: { accepted_output_modes: ["text/plain"], return_immediately: returnImmediately },
    });
  });

  test("without a configuration none is sent", () => {
    expect(fromCanonicalSendParams({ message })).toEqual({ message: wireMessage });
  });

  test.each([
    [undefined, undefined],
    [0, undefined],
    [10, 10],
  ])("historyLength %j is history_length %j, where 0 would be no history", (historyLength, expected) => {
    const { configuration } = fromCanonicalSendParams({ message, configuration: { historyLength } });
    expect(configuration).toEqual({
      return_immediately: false,
      ...(expected === undefined ? {} : { history_length: expected }),
    });
    expect(fromCanonicalGetParams({ id: "t1", historyLength })).toEqual({
      id: "t1",
      ...(expected === undefined ? {} : { history_length: expected }),
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
      metadata: { user_key: { innerKey: 1 } },
    };
    const wire = fromCanonicalSendParams(params);
    expect(wire.configuration).toEqual({
      accepted_output_modes: ["text/plain"],
      return_immediately: true,
      history_length: 3,
      push_notification_config: { url: "https://hook.example", token: "t" },
    });
    expect(toCanonicalSendParams(wire)).toEqual(params);
  });

  test("no history, which 0.3.0 cannot ask for, becomes the whole one", () => {
    const params = toCanonicalSendParams({ message: wireMessage, configuration: { history_length: 0 } });
    expect(params.configuration).toEqual({ blocking: true });
  });
});

describe("tasks", () => {
  const task = { id: "t1", contextId: "c1", historyLength: 2, metadata: { a_b: 1 } };

  test("get and subscribe lose the metadata, cancel keeps it", () => {
    expect(fromCanonicalGetParams(task)).toEqual({ id: "t1", history_length: 2 });
    expect(fromCanonicalSubscribeParams(task)).toEqual({ id: "t1" });
    expect(fromCanonicalCancelParams(task)).toEqual({ id: "t1", metadata: { a_b: 1 } });
  });

  test("their params are read in both spellings", () => {
    expect(toCanonicalTaskParams({ id: "t1", historyLength: 2 })).toEqual({ id: "t1", historyLength: 2 });
    expect(toCanonicalTaskParams({ id: "t1", history_length: 0, metadata: { a_b: 1 } })).toEqual({
      id: "t1",
      metadata: { a_b: 1 },
    });
  });

  test("a list query comes back", () => {
    const query = {
      contextId: "c1",
      state: "input-required" as const,
      pageSize: 5,
      pageToken: "p",
      historyLength: 1,
      updatedAfter: "2026-03-20T08:00:00.000Z",
      includeArtifacts: true,
    };
    const wire = fromCanonicalListParams(query);
    expect(wire).toEqual({
      context_id: "c1",
      status: "input-required",
      page_size: 5,
      page_token: "p",
      history_length: 1,
      status_timestamp_after: "2026-03-20T08:00:00.000Z",
      include_artifacts: true,
    });
    expect(toCanonicalListParams(wire)).toEqual(query);
  });

  test("a page of tasks; the empty token that ends the list is none", () => {
    const tasks = [{ id: "t1", context_id: "c1", status: { state: "completed" } }];
    const canonical = [{ kind: "task", id: "t1", contextId: "c1", status: { state: "completed" } }];
    expect(toCanonicalTaskPage({ tasks, next_page_token: "p2" })).toEqual({
      tasks: canonical,
      nextPageToken: "p2",
    });
    expect(toCanonicalTaskPage({ tasks, nextPageToken: "" })).toEqual({ tasks: canonical });
  });
});

describe("push notification configurations", () => {
  const wire = {
    task_id: "task-abc-123",
    push_notification_config: {
      url: "https://my-client.example.com/webhook",
      authentication: { scheme: "bearer", credentials: "webhook-token-here" },
    },
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
    expect(fromCanonicalTaskPushConfig(config).push_notification_config.authentication).toEqual({
      scheme: "bearer",
    });
  });

  test("a flat configuration, as official 1.0 has it, is read as well", () => {
    expect(toCanonicalTaskPushConfig({ taskId: "t1", id: "c1", url: "https://x", token: "s" })).toEqual({
      taskId: "t1",
      pushNotificationConfig: { id: "c1", url: "https://x", token: "s" },
    });
  });

  test("get and delete name the task and the configuration, list the task alone", () => {
    const params = { id: "t1", pushNotificationConfigId: "c1" };
    expect(fromCanonicalPushParams(params)).toEqual({ task_id: "t1", id: "c1" });
    expect(toCanonicalPushParams({ task_id: "t1", id: "c1" })).toEqual(params);
    expect(fromCanonicalPushParams({ id: "t1" })).toEqual({ task_id: "t1" });
  });

  test.each([
    ["a page", { configs: [wire], next_page_token: "" }, [canonical]],
    ["an array", [wire], [canonical]],
    ["an empty page", {}, []],
  ])("a list may be %s", (_, result, expected) => {
    expect(toCanonicalPushConfigs(result)).toEqual(expected);
  });
});
