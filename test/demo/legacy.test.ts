import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { createLegacyDemo } from "../../src/demo/legacy.ts";
import { type RunningVendors, startVendorServer } from "../../src/demo/server.ts";

let vendors: RunningVendors;
beforeAll(async () => {
  vendors = await startVendorServer(0, [{ prefix: "/legacy", create: createLegacyDemo }]);
});
afterAll(() => vendors.stop());

const post = (body: unknown) =>
  fetch(`${vendors.url}/legacy/`, {
    method: "POST",
    body: typeof body === "string" ? body : JSON.stringify(body),
  });

const call = async (method: string, params: unknown) =>
  (await post({ jsonrpc: "2.0", id: 7, method, params })).json();

const say = (id: string, text: string, sessionId = `${id}-session`) => ({
  id,
  sessionId,
  message: { role: "user", parts: [{ type: "text", text }] },
});

const eventsOf = (body: string): unknown[] =>
  body
    .split("\r\n\r\n")
    .flatMap((frame) => (frame.startsWith("data: ") ? [JSON.parse(frame.slice(6)).result] : []));

const JOKE = "Why did the chicken cross the road? To get to the other side!";
const artifact = (text: string, append: boolean, lastChunk: boolean) => ({
  name: "joke",
  description: null,
  parts: [{ type: "text", text, metadata: null }],
  index: 0,
  append,
  lastChunk,
  metadata: null,
});

describe("the 0.1 demo vendor", () => {
  test("has its card at agent.json, with a bare string for its authentication", async () => {
    const card = await (await fetch(`${vendors.url}/legacy/.well-known/agent.json`)).json();
    expect(card).toMatchObject({ capabilities: { streaming: true }, authentication: { schemes: "none" } });
  });

  test("sends a whole task, with nulls and without history", async () => {
    expect(await call("tasks/send", say("send", "tell me a joke"))).toEqual({
      jsonrpc: "2.0",
      id: 7,
      result: {
        id: "send",
        sessionId: "send-session",
        status: {
          state: "completed",
          message: null,
          timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/),
        },
        artifacts: [{ ...artifact(JOKE, false, false), append: null, lastChunk: null }],
        history: [],
        metadata: null,
      },
      error: null,
    });
  });

  test("streams chunks between CRLF and pings, without a task at the start", async () => {
    const response = await post({
      jsonrpc: "2.0",
      id: 7,
      method: "tasks/sendSubscribe",
      params: say("stream", "hi"),
    });
    expect(response.headers.get("content-type")).toMatch(/^text\/event-stream/);
    const body = await response.text();
    expect(body).toMatch(/^: ping - [^\r\n]+\r\n\r\ndata: /);
    expect(eventsOf(body)).toMatchObject([
      { id: "stream", status: { state: "working" }, final: false },
      { id: "stream", artifact: artifact("Why did the chicken ", false, false) },
      { id: "stream", artifact: artifact("cross the road? ", true, false) },
      { id: "stream", artifact: artifact("To get ", true, false) },
      { id: "stream", artifact: artifact("to the other side!", true, true) },
      { id: "stream", status: { state: "completed" }, final: true },
    ]);
  });

  test("gets a task, with as much history as is asked for", async () => {
    const params = say("get", "hi");
    await call("tasks/send", params);
    expect(await call("tasks/get", { id: "get" })).toMatchObject({ result: { id: "get", history: [] } });
    expect(await call("tasks/get", { id: "get", historyLength: 1 })).toMatchObject({
      result: { history: [params.message] },
    });
    expect(await call("tasks/get", { id: "nobody" })).toMatchObject({
      result: null,
      error: { code: -32001 },
    });
  });

  test("cancels a running task, whose stream then ends", async () => {
    const params = say("cancel", "slow please");
    const response = await post({ jsonrpc: "2.0", id: 7, method: "tasks/sendSubscribe", params });
    expect(await call("tasks/cancel", { id: "cancel" })).toMatchObject({
      result: { id: "cancel", status: { state: "canceled" } },
    });
    expect(eventsOf(await response.text()).at(-1)).toMatchObject({
      status: { state: "canceled" },
      final: true,
    });
    expect(await call("tasks/cancel", { id: "cancel" })).toMatchObject({ error: { code: -32002 } });
  });

  test("asks back, and goes on in the same task", async () => {
    const asked = await call("tasks/send", say("ask", "ask me something"));
    expect(asked).toMatchObject({ result: { status: { state: "input-required" }, artifacts: null } });
    const text = `First you said: ask me something. Now: chickens. ${JOKE}`;
    expect(await call("tasks/send", say("ask", "chickens"))).toMatchObject({
      result: { status: { state: "completed" }, artifacts: [{ parts: [{ text }] }] },
    });
  });

  test("counts the turns of a session", async () => {
    await call("tasks/send", say("turn-1", "hi", "turns"));
    const text = `${JOKE} (Turn 2 of this session.)`;
    expect(await call("tasks/send", say("turn-2", "hi", "turns"))).toMatchObject({
      result: { artifacts: [{ parts: [{ text }] }] },
    });
  });

  test("fails on demand", async () => {
    expect(await call("tasks/send", say("fail", "please fail"))).toMatchObject({
      result: {
        status: { state: "failed", message: { parts: [{ text: "The comedian forgot the punch line." }] } },
      },
    });
  });

  test("cannot resubscribe", async () => {
    expect(await call("tasks/resubscribe", { id: "get" })).toMatchObject({ error: { code: -32004 } });
  });

  test.each([
    ["an unknown method", { jsonrpc: "2.0", id: 7, method: "message/send", params: {} }, -32600],
    ["params that do not validate", { jsonrpc: "2.0", id: 7, method: "tasks/get", params: {} }, -32600],
    ["what is not JSON", "{", -32700],
  ])("refuses %s with HTTP 400 and no id", async (_title, body, code) => {
    const response = await post(body);
    expect(response.status).toBe(400);
    const answer = await response.json();
    expect(answer).toMatchObject({ jsonrpc: "2.0", error: { code } });
    expect(answer).not.toHaveProperty("id");
  });
});
