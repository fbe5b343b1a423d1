import { describe, expect, test } from "@jest/globals";
import type { Gateway } from "../../src/gateway/gateway.ts";
import { A2AError } from "../../src/protocol/errors.ts";
import { FakeSubscription, TASK, event, fakeGateway, recording, start, userMessage } from "./harness.ts";
import { BASE, call } from "./rest-client.ts";

const PROTO_TASK = {
  id: "t-1",
  contextId: "c-1",
  status: { state: "TASK_STATE_COMPLETED", timestamp: "2025-01-01T00:00:00.000Z" },
};
const CANONICAL = { message: userMessage("hi") };

describe("a message", () => {
  const content = [{ text: "hi" }];
  test.each([
    ["ProtoJSON", { message: { messageId: "m-1", role: "ROLE_USER", content } }],
    ["the proto's own names", { request: { message_id: "m-1", role: "ROLE_USER", content } }],
    ["the schema's JSON", CANONICAL],
  ])("may be %s", async (_name, body) => {
    const { gateway, calls } = recording();
    await using proxy = await start({ gateway });
    const response = await call(proxy, "POST", `${BASE}/message:send`, body);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(await response.json()).toEqual({ task: PROTO_TASK });
    expect(calls).toEqual([["sendMessage", CANONICAL, "anonymous", []]]);
  });

  test("may be called application/a2a+json, and its colon may be encoded", async () => {
    await using proxy = await start({ gateway: recording().gateway });
    const type = { "Content-Type": "application/a2a+json" };
    const response = await call(proxy, "POST", `${BASE}/message%3Asend`, CANONICAL, type);
    expect(response.status).toBe(200);
  });

  test("keeps its configuration, under either of its names", async () => {
    const { gateway, calls } = recording();
    await using proxy = await start({ gateway });
    const configuration = { accepted_output_modes: ["text/plain"], history_length: 2, blocking: false };
    await call(proxy, "POST", `${BASE}/message:send`, { ...CANONICAL, configuration });
    expect(calls[0]?.[1]).toEqual({
      ...CANONICAL,
      configuration: { acceptedOutputModes: ["text/plain"], historyLength: 2, blocking: false },
    });
  });

  test("is answered with a message where the agent answers so", async () => {
    const reply = { ...userMessage("hello"), kind: "message" as const, role: "agent" as const, parts: [] };
    const gateway = fakeGateway({ sendMessage: async () => reply });
    await using proxy = await start({ gateway });
    const response = await call(proxy, "POST", `${BASE}/message:send`, CANONICAL);
    expect(await response.json()).toEqual({ message: { messageId: "m-1", role: "ROLE_AGENT" } });
  });
});

describe("a task", () => {
  test.each<[string, string, unknown, unknown[]]>([
    ["GET", "t-1", undefined, ["getTask", { id: "t-1" }]],
    ["GET", "t-1?historyLength=2", undefined, ["getTask", { id: "t-1", historyLength: 2 }]],
    ["GET", "t-1?history_length=0", undefined, ["getTask", { id: "t-1" }]],
    ["GET", "a%2Fb%3Acancel", undefined, ["getTask", { id: "a/b:cancel" }]],
    ["GET", "a:b", undefined, ["getTask", { id: "a:b" }]],
    ["POST", "t-1:cancel", undefined, ["cancelTask", { id: "t-1" }]],
    ["POST", "t-1:cancel", { name: "tasks/t-1" }, ["cancelTask", { id: "t-1" }]],
    ["POST", "t-1:cancel", { metadata: { a: 1 } }, ["cancelTask", { id: "t-1", metadata: { a: 1 } }]],
    ["POST", "a%3Ab:cancel/", {}, ["cancelTask", { id: "a:b" }]],
  ])("%s %s", async (verb, path, body, [name, params]) => {
    const { gateway, calls } = recording();
    await using proxy = await start({ gateway });
    const response = await call(proxy, verb, `${BASE}/tasks/${path}`, body);
    expect(await response.json()).toEqual(PROTO_TASK);
    expect(calls).toEqual([[name, params, "anonymous", []]]);
  });

  test("is served at the root for the default agent, and nowhere without one", async () => {
    await using proxy = await start({ gateway: recording().gateway });
    expect(await (await call(proxy, "GET", "/v1/tasks/t-1")).json()).toEqual(PROTO_TASK);
    await using bare = await start({ gateway: recording().gateway, default: undefined });
    expect((await call(bare, "GET", "/v1/tasks/t-1")).status).toBe(404);
  });

  test("activates the extensions that the card declares", async () => {
    const { gateway, calls } = recording();
    await using proxy = await start({ gateway });
    const headers = { "X-A2A-Extensions": "urn:ext:b, urn:other" };
    const response = await call(proxy, "GET", `${BASE}/tasks/t-1`, undefined, headers);
    expect(response.headers.get("x-a2a-extensions")).toBe("urn:ext:b");
    expect(calls[0]?.[3]).toEqual(["urn:ext:b", "urn:other"]);
  });
});

describe("the list of tasks", () => {
  const listing = () => {
    const asked: unknown[] = [];
    const gateway = fakeGateway({
      listTasks: async (params) => {
        asked.push(params);
        return { tasks: [TASK], nextPageToken: "", pageSize: params.pageSize };
      },
    });
    return { asked, gateway };
  };

  test("is a page of ProtoJSON tasks, also where there is no further one", async () => {
    await using proxy = await start({ gateway: listing().gateway });
    expect(await (await call(proxy, "GET", `${BASE}/tasks`)).json()).toEqual({
      tasks: [PROTO_TASK],
      nextPageToken: "",
      pageSize: 50,
    });
  });

  const defaults = { pageSize: 50, includeArtifacts: false };
  test.each([
    ["", defaults],
    [
      "?pageSize=100&pageToken=abc&contextId=c",
      { ...defaults, pageSize: 100, pageToken: "abc", contextId: "c" },
    ],
    [
      "?page_size=1&context_id=c&history_length=3",
      { ...defaults, pageSize: 1, contextId: "c", historyLength: 3 },
    ],
    ["?includeArtifacts=true", { ...defaults, includeArtifacts: true }],
    ["?status=TASK_STATE_CANCELLED", { ...defaults, states: ["canceled"] }],
    ["?state=working&state=TASK_STATE_FAILED", { ...defaults, states: ["working", "failed"] }],
    ["?status=working,completed&pageToken=&other=1", { ...defaults, states: ["working", "completed"] }],
  ])("takes %j", async (query, params) => {
    const { asked, gateway } = listing();
    await using proxy = await start({ gateway });
    expect((await call(proxy, "GET", `${BASE}/tasks${query}`)).status).toBe(200);
    expect(asked).toEqual([{ withTotal: false, ...params }]);
  });

  test.each([
    ["pageSize=0", "pageSize"],
    ["pageSize=101", "pageSize"],
    ["pageSize=ten", "pageSize"],
    ["status=done", "states[0]"],
    ["includeArtifacts=maybe", "includeArtifacts"],
    ["historyLength=-1", "historyLength"],
  ])("refuses %s", async (query, path) => {
    await using proxy = await start({ gateway: listing().gateway });
    const response = await call(proxy, "GET", `${BASE}/tasks?${query}`);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: -32602, data: { path } });
  });
});

describe("a stream", () => {
  const UPDATE = {
    kind: "status-update",
    taskId: "t-1",
    contextId: "c-1",
    status: { state: "canceled" },
    final: true,
  };
  const streaming = (): Gateway => {
    const open = async () =>
      new FakeSubscription(
        [event(JSON.stringify(TASK), 1)],
        [event(JSON.stringify(UPDATE), 2, true)],
        undefined,
      );
    return fakeGateway({ streamMessage: open, resubscribe: open });
  };
  const frames =
    `id: 1\ndata: ${JSON.stringify({ task: PROTO_TASK })}\n\n` +
    `id: 2\ndata: {"statusUpdate":{"taskId":"t-1","contextId":"c-1",` +
    `"status":{"state":"TASK_STATE_CANCELLED"},"final":true}}\n\n`;

  test.each([
    ["POST", "message:stream", CANONICAL],
    ["POST", "tasks/t-1:subscribe", undefined],
    ["GET", "tasks/t-1:subscribe", undefined],
  ])("%s %s is one event, one line", async (verb, path, body) => {
    await using proxy = await start({ gateway: streaming() });
    const response = await call(proxy, verb, `${BASE}/${path}`, body);
    expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(await response.text()).toBe(frames);
  });

  test("that fails in the middle ends with an event of the type error", async () => {
    const error = new A2AError("agent-unavailable", { data: { why: "gone" } });
    const gateway = fakeGateway({
      resubscribe: async () => new FakeSubscription([event(JSON.stringify(TASK), 1)], error),
    });
    await using proxy = await start({ gateway });
    const response = await call(proxy, "GET", `${BASE}/tasks/t-1:subscribe`);
    const [, last] = (await response.text()).split("\n\n");
    expect(last).toBe(
      'event: error\ndata: {"code":-32603,"message":"The agent is unavailable","data":{"why":"gone"},' +
        '"type":"InternalError","error":"io.a2a.spec.InternalError"}',
    );
  });

  test("that cannot be opened is an answer of HTTP", async () => {
    const gateway = fakeGateway({ resubscribe: () => Promise.reject(new A2AError("task-not-found")) });
    await using proxy = await start({ gateway });
    const response = await call(proxy, "POST", `${BASE}/tasks/t-1:subscribe`, undefined, {
      Accept: "text/event-stream",
    });
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({
      code: -32001,
      message: "Task not found",
      type: "TaskNotFoundError",
      error: "io.a2a.spec.TaskNotFoundError",
    });
  });

  test("goes on after the event that the client has seen", async () => {
    const seen: unknown[] = [];
    const gateway = fakeGateway({
      resubscribe: async (_params, _caller, after) => {
        seen.push(after);
        return new FakeSubscription(undefined);
      },
    });
    await using proxy = await start({ gateway });
    await call(proxy, "GET", `${BASE}/tasks/t-1:subscribe`, undefined, { "Last-Event-ID": "7" });
    expect(seen).toEqual([7]);
  });
});
