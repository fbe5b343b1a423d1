import { describe, expect, test } from "@jest/globals";
import { A2AError } from "../../src/protocol/errors.ts";
import {
  TASK,
  URL_PATH,
  fakeGateway,
  post,
  recording,
  rpc,
  send,
  start,
  until,
  userMessage,
} from "./harness.ts";

describe("unary methods", () => {
  test.each<[string, unknown, string]>([
    ["message/send", { message: userMessage() }, "sendMessage"],
    ["tasks/get", { id: "t-1", historyLength: 2 }, "getTask"],
    ["tasks/cancel", { id: "t-1" }, "cancelTask"],
  ])("%s calls the gateway and answers its result", async (method, params, name) => {
    const { gateway, calls } = recording();
    await using proxy = await start({ gateway });
    const response = await post(proxy, rpc(method, params, "x"));
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(await response.json()).toEqual({ jsonrpc: "2.0", id: "x", result: TASK });
    expect(calls).toEqual([[name, params, "anonymous", []]]);
  });

  test.each(["/agents/planner", "/agents/planner/", "/", ""])("are served at %j", async (path) => {
    await using proxy = await start({ gateway: recording().gateway });
    const response = await post(proxy, send(1), {}, path);
    expect(await response.json()).toEqual({ jsonrpc: "2.0", id: 1, result: TASK });
  });

  test("a message of a megabyte is answered", async () => {
    const { gateway, calls } = recording();
    await using proxy = await start({ gateway });
    const params = { message: userMessage("x".repeat(1_000_000)) };
    const response = await post(proxy, rpc("message/send", params));
    expect(await response.json()).toEqual({ jsonrpc: "2.0", id: 1, result: TASK });
    expect(calls[0]?.[1]).toEqual(params);
  });

  test("the caller's signal aborts when the client goes, and nothing is logged as an error", async () => {
    const signal = Promise.withResolvers<AbortSignal>();
    const gateway = fakeGateway({
      sendMessage: (_params, caller) => {
        signal.resolve(caller.signal);
        return new Promise((_resolve, reject) => {
          caller.signal.addEventListener("abort", () => reject(caller.signal.reason));
        });
      },
    });
    await using proxy = await start({ gateway });
    const client = new AbortController();
    const answer = fetch(proxy.origin + URL_PATH, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(send(1)),
      signal: client.signal,
    });
    const gone = await signal.promise;
    expect(gone.aborted).toBe(false);
    client.abort();
    await expect(answer).rejects.toThrow("abort");
    await until(() => proxy.lines.length > 0);
    expect(gone.aborted).toBe(true);
    expect(proxy.lines).toMatchObject([{ outcome: "client-gone", status: 499 }]);
  });
});

describe("the id of the answer", () => {
  test.each(['"a"', '"1"', '""', "1", "0", "-3", "1.5", "12345678901234567890", "null"])(
    "is %s, as the client wrote it",
    async (id) => {
      await using proxy = await start({ gateway: recording().gateway });
      const body = JSON.stringify(send("ID")).replace('"ID"', id);
      const text = await (await post(proxy, body)).text();
      expect(text).toBe(`{"jsonrpc":"2.0","id":${id},"result":${JSON.stringify(TASK)}}`);
    },
  );

  test("is null where the request has none, which is executed all the same", async () => {
    const { gateway, calls } = recording();
    await using proxy = await start({ gateway });
    const response = await post(proxy, send());
    expect(await response.json()).toEqual({ jsonrpc: "2.0", id: null, result: TASK });
    expect(calls).toHaveLength(1);
  });
});

describe("requests that are answered with an error", () => {
  const message = userMessage();
  test.each<[string, unknown, unknown, number]>([
    ["no JSON", "{", null, -32700],
    ["an empty body", "", null, -32700],
    ["a batch", [send(1)], null, -32600],
    ["an empty batch", [], null, -32600],
    ["null", "null", null, -32600],
    ["an id that is an object", send({}), null, -32600],
    ["an id that is an array", send([1]), null, -32600],
    ["an id that is a boolean", send(true), null, -32600],
    ["jsonrpc absent", { id: 1, method: "message/send" }, 1, -32600],
    ["jsonrpc 1.0", { ...send("a"), jsonrpc: "1.0" }, "a", -32600],
    ["method absent", { jsonrpc: "2.0", id: 2 }, 2, -32600],
    ["method a number", { jsonrpc: "2.0", id: 2, method: 3 }, 2, -32600],
    ["an unknown method", rpc("tasks/list", {}), 1, -32601],
    ["an unknown method without params", rpc("nope"), 1, -32601],
    ["params absent", rpc("message/send"), 1, -32602],
    ["params an array", rpc("message/send", [message]), 1, -32602],
    ["params a string", rpc("tasks/get", "t"), 1, -32602],
    ["no parts", rpc("message/send", { message: { ...message, parts: [] } }), 1, -32602],
    [
      "more parts than allowed",
      rpc("message/send", {
        message: { ...message, parts: Array.from({ length: 5 }, () => ({ text: "" })) },
      }),
      1,
      -32602,
    ],
    ["negative history", rpc("tasks/get", { id: "t", historyLength: -1 }), 1, -32602],
    [
      "an inline push configuration without a URL",
      rpc("message/send", { message, configuration: { pushNotificationConfig: {} } }),
      1,
      -32602,
    ],
    ["push set without a config", rpc("tasks/pushNotificationConfig/set", { taskId: "t" }), 1, -32602],
    ["push delete without an id", rpc("tasks/pushNotificationConfig/delete", { id: "t" }), 1, -32602],
    ["the extended card", rpc("agent/getAuthenticatedExtendedCard"), 1, -32007],
    ["the extended card, misspelt", rpc("agent/authenticatedExtendedCard"), 1, -32007],
  ])("%s", async (_, body, id, code) => {
    const { gateway, calls } = recording();
    await using proxy = await start({ gateway });
    const response = await post(proxy, body);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(await response.json()).toMatchObject({ jsonrpc: "2.0", id, error: { code } });
    expect(calls).toEqual([]);
  });

  test("a body that is not UTF-8 is a parse error", async () => {
    await using proxy = await start();
    const response = await post(proxy, new Uint8Array([0x22, 0xff, 0x22]));
    expect(await response.json()).toEqual({
      jsonrpc: "2.0",
      id: null,
      error: { code: -32700, message: "Invalid JSON payload" },
    });
  });

  test("the path of a fault is in data", async () => {
    await using proxy = await start();
    const message = { ...userMessage(), parts: [{ kind: "video" }] };
    const response = await post(proxy, rpc("message/send", { message }));
    expect(await response.json()).toMatchObject({
      error: {
        code: -32602,
        message: expect.stringMatching(/^Invalid parameters: message\.parts\[0\]\.kind: ./),
        data: { path: "message.parts[0].kind" },
      },
    });
  });

  test("an A2AError of the gateway travels with its code, message and data", async () => {
    const error = new A2AError("task-not-cancelable", { data: { state: "completed" } });
    await using proxy = await start({ gateway: fakeGateway({ cancelTask: () => Promise.reject(error) }) });
    const response = await post(proxy, rpc("tasks/cancel", { id: "t" }, "q"));
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      jsonrpc: "2.0",
      id: "q",
      error: { code: -32002, message: "Task cannot be canceled", data: { state: "completed" } },
    });
  });

  test("anything else that is thrown says nothing but that it happened; the log has the stack", async () => {
    const gateway = fakeGateway({ getTask: () => Promise.reject(new TypeError("secret detail")) });
    await using proxy = await start({ gateway });
    const response = await post(proxy, rpc("tasks/get", { id: "t" }));
    expect(await response.json()).toEqual({
      jsonrpc: "2.0",
      id: 1,
      error: { code: -32603, message: "Internal error" },
    });
    await until(() => proxy.lines.length === 2);
    expect(proxy.lines[0]).toMatchObject({
      level: 50,
      agent: "planner",
      err: { type: "TypeError", message: "secret detail", stack: expect.stringContaining("at ") },
    });
    expect(proxy.lines[1]).toMatchObject({ outcome: "internal-error", request: proxy.lines[0]?.["request"] });
  });
});

describe("a stream that fails before its first event", () => {
  const gateway = fakeGateway({ streamMessage: () => Promise.reject(new A2AError("task-not-found")) });
  const stream = rpc("message/stream", { message: userMessage() }, "s");
  const answer = '{"jsonrpc":"2.0","id":"s","error":{"code":-32001,"message":"Task not found"}}';

  test("is one event for a client that accepts event streams", async () => {
    await using proxy = await start({ gateway });
    const response = await post(proxy, stream, { Accept: "application/json, Text/Event-Stream;q=0.9" });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(response.headers.get("cache-control")).toBe("no-cache");
    expect(await response.text()).toBe(`data: ${answer}\n\n`);
  });

  test.each(["application/json", "*/*"])("is JSON for one that accepts %s", async (accept) => {
    await using proxy = await start({ gateway });
    const response = await post(proxy, stream, { Accept: accept });
    expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(await response.text()).toBe(answer);
  });

  test("is JSON if the method is not a streaming one", async () => {
    await using proxy = await start({ gateway });
    const response = await post(proxy, rpc("tasks/get", { id: 1 }), { Accept: "text/event-stream" });
    expect(await response.json()).toMatchObject({ error: { code: -32602 } });
  });

  test("is one event if the method is unknown and the client reads streams alone", async () => {
    await using proxy = await start({ gateway });
    const request = rpc("Message/Stream", { message: userMessage() }, 7);
    const response = await post(proxy, request, { Accept: "text/event-stream" });
    expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    const message = "Method not found: Message/Stream (this URL speaks A2A 0.3.0: message/stream)";
    expect(await response.text()).toBe(
      `data: {"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"${message}"}}\n\n`,
    );
  });

  test.each(["application/json, text/event-stream", "*/*", "text/event-stream;q=0.5, application/json"])(
    "is JSON if the method is unknown and the client accepts %s",
    async (accept) => {
      await using proxy = await start({ gateway });
      const response = await post(proxy, rpc("Message/Send", {}, 7), { Accept: accept });
      expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
      expect(await response.json()).toMatchObject({
        error: {
          code: -32601,
          message: "Method not found: Message/Send (this URL speaks A2A 0.3.0: message/send)",
        },
      });
    },
  );

  test("leaves its place in the agent's limit to others", async () => {
    await using proxy = await start({ gateway, limits: { streams: 1 } });
    await (await post(proxy, stream)).text();
    expect(await (await post(proxy, stream)).text()).toBe(answer);
  });
});
