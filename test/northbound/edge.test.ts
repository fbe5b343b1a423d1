import { describe, expect, test } from "@jest/globals";
import { A2AError } from "../../src/protocol/errors.ts";
import {
  FakeSubscription,
  TASK,
  event,
  fakeGateway,
  post,
  postRaw,
  recording,
  rpc,
  send,
  start,
  until,
  userMessage,
} from "./harness.ts";

describe("limits of the edge", () => {
  test("streams beyond the agent's limit are refused with 429 until one ends", async () => {
    const subscriptions: FakeSubscription[] = [];
    const gateway = fakeGateway({
      resubscribe: async () => {
        const subscription = new FakeSubscription([event("{}")]);
        subscriptions.push(subscription);
        return subscription;
      },
    });
    await using proxy = await start({ gateway, limits: { streams: 2 } });
    const subscribe = rpc("tasks/resubscribe", { id: "t" });
    const first = await postRaw(proxy, subscribe);
    const second = await postRaw(proxy, subscribe);
    const refused = await post(proxy, subscribe, { Accept: "text/event-stream" });
    expect(refused.status).toBe(429);
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(await refused.json()).toEqual({
      jsonrpc: "2.0",
      id: 1,
      error: { code: -32603, message: "Too many requests", data: { agent: "planner", limit: 2 } },
    });
    first.destroy();
    await subscriptions[0]?.closed.promise;
    await until(() => proxy.streams.size === 1);
    const third = await postRaw(proxy, subscribe);
    expect(third.statusCode).toBe(200);
    second.destroy();
    third.destroy();
  });

  test.each([
    ["message/send", { message: userMessage() }],
    ["message/stream", { message: userMessage() }],
    ["tasks/resubscribe", { id: "t" }],
  ])("%s is refused with 503 while the proxy stops", async (method, params) => {
    await using proxy = await start({ gateway: recording().gateway, phase: "stopping" });
    const response = await post(proxy, rpc(method, params, 5), { Accept: "text/event-stream" });
    expect(response.status).toBe(503);
    expect(response.headers.get("retry-after")).toBe("1");
    expect(await response.json()).toEqual({
      jsonrpc: "2.0",
      id: 5,
      error: { code: -32603, message: "The proxy is shutting down" },
    });
  });

  test("tasks can be read and canceled while the proxy stops", async () => {
    await using proxy = await start({ gateway: recording().gateway, phase: "stopping" });
    for (const method of ["tasks/get", "tasks/cancel"]) {
      const response = await post(proxy, rpc(method, { id: "t" }));
      expect(await response.json()).toMatchObject({ result: TASK });
    }
  });
});

describe("X-A2A-Extensions", () => {
  test("reaches the gateway, and the answer names those that the served card declares", async () => {
    const { gateway, calls } = recording();
    await using proxy = await start({ gateway });
    const response = await post(proxy, send(1), {
      "X-A2A-Extensions": "urn:ext:b, urn:ext:x,,urn:ext:a,urn:ext:b",
    });
    expect(calls[0]?.[3]).toEqual(["urn:ext:b", "urn:ext:x", "urn:ext:a"]);
    expect(response.headers.get("x-a2a-extensions")).toBe("urn:ext:b, urn:ext:a");
  });

  test("is echoed on a stream too", async () => {
    const gateway = fakeGateway({
      resubscribe: async () => new FakeSubscription([event("{}", undefined, true)], undefined),
    });
    await using proxy = await start({ gateway });
    const response = await post(proxy, rpc("tasks/resubscribe", { id: "t" }), {
      "X-A2A-Extensions": "urn:ext:a",
    });
    expect(response.headers.get("x-a2a-extensions")).toBe("urn:ext:a");
    await response.text();
  });

  test("is not echoed where the card is not to be had, and the call is answered", async () => {
    const card = () => Promise.reject(new A2AError("agent-unavailable"));
    await using proxy = await start({ gateway: { ...recording().gateway, card } });
    const response = await post(proxy, send(1), { "X-A2A-Extensions": "urn:ext:a" });
    expect(response.headers.get("x-a2a-extensions")).toBeNull();
    expect(await response.json()).toMatchObject({ result: TASK });
  });
});
