import { describe, expect, test } from "@jest/globals";
import type { IncomingMessage } from "node:http";
import { A2AError } from "../../src/protocol/errors.ts";
import {
  FakeSubscription,
  event,
  fakeGateway,
  post,
  postRaw,
  rpc,
  start,
  until,
  userMessage,
  type HarnessOptions,
} from "./harness.ts";

const STREAM = rpc("message/stream", { message: userMessage() }, "s-1");

const result = (json: string, id = '"s-1"') => `data: {"jsonrpc":"2.0","id":${id},"result":${json}}\n\n`;

const startWith = (subscription: FakeSubscription, options: HarnessOptions = {}) =>
  start({ gateway: fakeGateway({ streamMessage: async () => subscription }), ...options });

/** Collects what a response brings. */
class Reader {
  text = "";
  ended = false;

  constructor(response: IncomingMessage) {
    response.setEncoding("utf8");
    response.on("data", (chunk: string) => {
      this.text += chunk;
    });
    response.on("end", () => {
      this.ended = true;
    });
    response.on("error", () => {});
  }

  /** Takes what there is once it ends so. */
  async take(end: string): Promise<string> {
    await until(() => this.text.endsWith(end));
    const taken = this.text;
    this.text = "";
    return taken;
  }
}

describe("framing", () => {
  test("one event, one frame, one data line, the event's JSON as it is, its place in the log as the id", async () => {
    const first = '{"kind":"task", "id":"t","text":"é\\n\u{1F600}","n":1.0}';
    const subscription = new FakeSubscription(
      [event(first)],
      [event('{"a":1}', 1), event('{"b":2}', 2)],
      [event('{"c":3}', 3, true)],
      undefined,
    );
    await using proxy = await startWith(subscription);
    const response = await post(proxy, STREAM);
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache",
      "x-accel-buffering": "no",
      "x-content-type-options": "nosniff",
    });
    expect(await response.text()).toBe(
      result(first) + `id: 1\n${result('{"a":1}')}id: 2\n${result('{"b":2}')}id: 3\n${result('{"c":3}')}`,
    );
    expect(subscription.closes).toBe(1);
  });

  test.each(["7", "null", "12345678901234567890"])("every event carries the id %s", async (id) => {
    const subscription = new FakeSubscription([event("1"), event("2", undefined, true)], undefined);
    await using proxy = await startWith(subscription);
    const response = await post(proxy, JSON.stringify(STREAM).replace('"s-1"', id));
    expect(await response.text()).toBe(result("1", id) + result("2", id));
  });

  test("an event is sent at once, not when the next one comes", async () => {
    const subscription = new FakeSubscription([event("1")]);
    await using proxy = await startWith(subscription);
    const response = await postRaw(proxy, STREAM);
    const reader = new Reader(response);
    expect(await reader.take("\n\n")).toBe(result("1"));
    subscription.push([event("2")]);
    expect(await reader.take("\n\n")).toBe(result("2"));
    response.destroy();
    await subscription.closed.promise;
  });

  test("two streams of one connection follow one another", async () => {
    const gateway = fakeGateway({
      streamMessage: async () => new FakeSubscription([event("1", undefined, true)], undefined),
    });
    await using proxy = await start({ gateway });
    for (let round = 0; round < 3; round += 1) {
      expect(await (await post(proxy, STREAM)).text()).toBe(result("1"));
    }
  });
});

describe("a stream that breaks", () => {
  test("ends with an event that carries the error", async () => {
    const error = new A2AError("invalid-agent-response", { data: { stage: "stream" } });
    const subscription = new FakeSubscription([event("1")], error);
    await using proxy = await startWith(subscription);
    expect(await (await post(proxy, STREAM)).text()).toBe(
      `${result("1")}data: {"jsonrpc":"2.0","id":"s-1","error":{"code":-32006,"message":"Invalid agent response","data":{"stage":"stream"}}}\n\n`,
    );
    expect(subscription.closes).toBe(1);
    await until(() => proxy.lines.length > 0);
    expect(proxy.lines).toMatchObject([{ outcome: "invalid-agent-response" }]);
  });

  test("says nothing of a fault of the proxy's own, which is logged", async () => {
    await using proxy = await startWith(new FakeSubscription([event("1")], new Error("secret")));
    expect(await (await post(proxy, STREAM)).text()).toBe(
      `${result("1")}data: {"jsonrpc":"2.0","id":"s-1","error":{"code":-32603,"message":"Internal error"}}\n\n`,
    );
    expect(proxy.lines[0]).toMatchObject({ level: 50, err: { message: "secret" } });
  });

  test("is ended with an error when the proxy stops and its time is over", async () => {
    const subscription = new FakeSubscription([event("1")]);
    await using proxy = await startWith(subscription);
    const reader = new Reader(await postRaw(proxy, STREAM));
    await reader.take("\n\n");
    proxy.streams.stop(new A2AError("shutting-down"));
    expect(await reader.take("\n\n")).toBe(
      'data: {"jsonrpc":"2.0","id":"s-1","error":{"code":-32603,"message":"The proxy is shutting down"}}\n\n',
    );
    await until(() => reader.ended);
    await subscription.closed.promise;
    await until(() => proxy.streams.size === 0);
  });
});

describe("a client that goes", () => {
  test("closes its subscription, which may still be waiting", async () => {
    const subscription = new FakeSubscription([event("1")]);
    await using proxy = await startWith(subscription);
    const response = await postRaw(proxy, STREAM);
    await new Reader(response).take("\n\n");
    expect(subscription.closes).toBe(0);
    response.destroy();
    await subscription.closed.promise;
    await until(() => proxy.lines.length > 0);
    expect(proxy.lines).toMatchObject([{ outcome: "client-gone" }]);
    expect(proxy.streams.size).toBe(0);
    expect(subscription.closes).toBe(1);
  });

  test("before the first event closes the subscription that comes too late", async () => {
    const subscription = new FakeSubscription([event("1")]);
    const opened = Promise.withResolvers<FakeSubscription>();
    const called = Promise.withResolvers<AbortSignal>();
    const gateway = fakeGateway({
      streamMessage: (_params, caller) => {
        called.resolve(caller.signal);
        return opened.promise;
      },
    });
    await using proxy = await start({ gateway });
    const client = new AbortController();
    const answer = fetch(`${proxy.origin}/`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(STREAM),
      signal: client.signal,
    });
    const gone = await called.promise;
    client.abort();
    await expect(answer).rejects.toThrow("abort");
    await until(() => gone.aborted);
    opened.resolve(subscription);
    await subscription.closed.promise;
    expect(subscription.reads).toBe(0);
  });
});

/** A subscription that always has another event of this size; it counts what it was asked for. */
class Endless extends FakeSubscription {
  readonly #batch = [event(JSON.stringify("x".repeat(32_768)))];
  override async next() {
    this.reads += 1;
    return this.#batch;
  }
}

describe("a client that reads slowly", () => {
  test("holds the subscription back, and gets everything once it reads on", async () => {
    const subscription = new Endless();
    await using proxy = await startWith(subscription);
    const response = await postRaw(proxy, STREAM);
    let reads = -1;
    await until(() => {
      const still = subscription.reads === reads;
      reads = subscription.reads;
      return still && reads > 1;
    });
    // What the kernel takes for the two sockets, and no more.
    expect(reads * 32_768).toBeLessThan(64_000_000);
    response.resume();
    await until(() => subscription.reads > reads + 100);
    response.destroy();
    await subscription.closed.promise;
  });

  test("is disconnected when it reads nothing for too long", async () => {
    const subscription = new Endless();
    await using proxy = await startWith(subscription, { heartbeat: 20, timeouts: { stalledClient: 50 } });
    const response = await postRaw(proxy, STREAM);
    await subscription.closed.promise;
    await until(() => proxy.lines.length > 0);
    expect(proxy.lines).toMatchObject([{ outcome: "client-stalled" }]);
    response.destroy();
  });

  test("is disconnected too when only the end is left to read", async () => {
    const huge = event(JSON.stringify("x".repeat(32_000_000)), undefined, true);
    const subscription = new FakeSubscription([event("1")]);
    await using proxy = await startWith(subscription, { heartbeat: 20, timeouts: { stalledClient: 50 } });
    const response = await postRaw(proxy, STREAM);
    await new Reader(response).take("\n\n");
    response.pause();
    subscription.push([huge]);
    subscription.push(undefined);
    await subscription.closed.promise;
    response.destroy();
  });
});

describe("idle streams", () => {
  test("get comments, all from one timer, and no more once they are over", async () => {
    const subscriptions = [new FakeSubscription([event("1")]), new FakeSubscription([event("1")])];
    const waiting = [...subscriptions];
    const gateway = fakeGateway({
      streamMessage: async () => waiting.pop() ?? Promise.reject(new A2AError("internal-error")),
    });
    await using proxy = await start({ gateway, heartbeat: 20 });
    const readers = [new Reader(await postRaw(proxy, STREAM)), new Reader(await postRaw(proxy, STREAM))];
    for (const reader of readers) {
      expect(await reader.take(": \n\n: \n\n")).toMatch(/^data: .*\n\n(?:: \n\n)+$/);
    }
    for (const subscription of subscriptions) {
      subscription.push([event("2", undefined, true)]);
      subscription.push(undefined);
    }
    for (const reader of readers) {
      expect(await reader.take(result("2"))).toMatch(/^(?:: \n\n)*data: .*\n\n$/);
      await until(() => reader.ended);
    }
    await until(() => proxy.streams.size === 0);
  });

  test("a stream that is not idle gets none", async () => {
    const subscription = new FakeSubscription([event("1")]);
    await using proxy = await startWith(subscription);
    const reader = new Reader(await postRaw(proxy, STREAM));
    subscription.push([event("2", undefined, true)]);
    subscription.push(undefined);
    expect(await reader.take(result("2"))).toBe(result("1") + result("2"));
  });
});
