/** Who calls, whether it may, and how often, is settled before a byte of the body is looked at; whatever it will say. */
import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { status } from "@grpc/grpc-js";
import { GrpcClient } from "../northbound/grpc-harness.ts";
import { SERVER_WITH_GRPC, startTestProxy, type TestProxy } from "../support/proxy.ts";
import { apiKeys, startVendor, type TestVendor } from "./support.ts";

const { keys, hashes } = apiKeys("alice", "guest");
let vendor: TestVendor;
beforeAll(async () => {
  vendor = await startVendor();
});
afterAll(() => vendor.stop());

/** `alice` may call both agents, `guest` only `two`. */
const start = (rateLimits: object = {}): Promise<TestProxy> => {
  const agent = { adapter: "a2a-0.3", url: vendor.url };
  const auth = {
    apiKeys: { keys: { alice: { hash: hashes.alice }, guest: { hash: hashes.guest, agents: ["two"] } } },
  };
  return startTestProxy(
    { one: agent, two: agent },
    { auth, rateLimits, server: SERVER_WITH_GRPC, default: "one" },
  );
};

interface Sent {
  readonly verb?: string;
  readonly path?: string;
  readonly key?: string;
  readonly body?: string;
}

const statusOf = async (
  proxy: TestProxy,
  { verb = "POST", path = "/agents/one/", key = keys.alice, body }: Sent,
): Promise<number> => {
  const response = await fetch(proxy.url + path, {
    method: verb,
    headers: { "content-type": "application/json", "x-api-key": key },
    ...(body !== undefined && { body }),
  });
  await response.body?.cancel();
  return response.status;
};

/** The status line of the answer to a request whose body never comes. */
async function statusBeforeBody(proxy: TestProxy, path: string, key: string): Promise<string> {
  const { host, hostname, port } = new URL(proxy.url);
  const socket = connect(Number(port), hostname);
  try {
    const head = [`POST ${path} HTTP/1.1`, `Host: ${host}`, `X-API-Key: ${key}`, "Content-Length: 1000000"];
    socket.write(`${[...head, "Content-Type: application/json"].join("\r\n")}\r\n\r\n`);
    const [answer] = await once(socket, "data");
    return String(answer).split("\r\n")[0] ?? "";
  } finally {
    socket.destroy();
  }
}

/** The status of a gRPC call that has sent only the first bytes of its message. */
async function grpcStatusBeforeMessage(proxy: TestProxy, key: string): Promise<number> {
  const session = connectHttp2(`http://127.0.0.1:${proxy.grpcPort}`);
  try {
    const path = "/a2a.v1.A2AService/SendMessage";
    const metadata = { "x-api-key": key, "a2a-agent": "one", te: "trailers" };
    const stream = session.request({
      ":method": "POST",
      ":path": path,
      "content-type": "application/grpc",
      ...metadata,
    });
    stream.on("error", () => {});
    stream.write(Buffer.from([0, 0, 0x10, 0, 0, 1, 2, 3]));
    const [headers] = await once(stream, "response");
    return Number(headers["grpc-status"]);
  } finally {
    session.destroy();
  }
}

const UNKNOWN = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "no/such" });

describe("every call counts", () => {
  test.each<[string, Sent, number]>([
    ["an unknown method", { body: UNKNOWN }, 200],
    ["a body that is no JSON", { body: "{" }, 200],
    ["a body that is no request", { body: "[]" }, 200],
    ["an unknown route", { verb: "GET", path: "/agents/one/v1/nothing" }, 404],
    ["a wrong verb", { verb: "PUT", path: "/agents/one/v1/message:send" }, 405],
    ["a path that cannot be decoded", { verb: "GET", path: "/agents/one/v1/tasks/%ff" }, 400],
  ])("%s", async (_name, sent, first) => {
    const proxy = await start({ calls: 1, per: "1h" });
    expect(await statusOf(proxy, sent)).toBe(first);
    expect(await statusOf(proxy, sent)).toBe(429);
    await proxy.stop();
  });

  test("over gRPC, a message that cannot be read, too", async () => {
    const proxy = await start({ calls: 1, per: "1h" });
    using client = new GrpcClient(proxy.grpcPort ?? 0);
    const call = async () =>
      (await client.call("GetTask", { name: "nonsense" }, { "x-api-key": keys.alice })).error?.code;
    expect(await call()).toBe(status.INVALID_ARGUMENT);
    expect(await call()).toBe(status.RESOURCE_EXHAUSTED);
    await proxy.stop();
  });
});

describe("before the body is there", () => {
  test("a caller that may not call the agent is refused, on each transport", async () => {
    const proxy = await start();
    expect(await statusBeforeBody(proxy, "/agents/one/", keys.guest)).toBe("HTTP/1.1 403 Forbidden");
    expect(await statusBeforeBody(proxy, "/agents/one/v1/message:send", keys.guest)).toBe(
      "HTTP/1.1 403 Forbidden",
    );
    expect(await grpcStatusBeforeMessage(proxy, keys.guest)).toBe(status.PERMISSION_DENIED);
    expect(await statusOf(proxy, { path: "/agents/two/", key: keys.guest, body: UNKNOWN })).toBe(200);
    await proxy.stop();
  });

  test("a caller that has called too often is refused, on each transport", async () => {
    const proxy = await start({ calls: 1, per: "1h" });
    expect(await statusOf(proxy, { body: UNKNOWN })).toBe(200);
    const refused = "HTTP/1.1 429 Too Many Requests";
    expect(await statusBeforeBody(proxy, "/agents/one/", keys.alice)).toBe(refused);
    expect(await statusBeforeBody(proxy, "/agents/one/v1/message:send", keys.alice)).toBe(refused);
    expect(await grpcStatusBeforeMessage(proxy, keys.alice)).toBe(status.RESOURCE_EXHAUSTED);
    await proxy.stop();
  });
});

describe("a body of more values than limits.requestValues", () => {
  const many = Array.from({ length: 20_000 }, () => 1);
  const message = { role: "user", parts: [{ kind: "data", data: { many } }] };

  test("is 413, with the limit, over JSON-RPC and HTTP+JSON", async () => {
    const proxy = await start();
    for (const path of ["/agents/one/", "/agents/one/v1/message:send"]) {
      const body = JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "message/send",
        message,
        params: { message },
      });
      const headers = { "content-type": "application/json", "x-api-key": keys.alice };
      const response = await fetch(proxy.url + path, { method: "POST", headers, body });
      expect(response.status).toBe(413);
      expect(await response.text()).toContain('"data":{"reason":"more than 20000 values","limit":20000}');
    }
    await proxy.stop();
  });

  test("is RESOURCE_EXHAUSTED over gRPC, whatever they are", async () => {
    const proxy = await start();
    using client = new GrpcClient(proxy.grpcPort ?? 0);
    const metadata = { "x-api-key": keys.alice };
    for (const request of [
      { role: "ROLE_USER", content: [{ data: { data: { many } } }] },
      { role: "ROLE_USER", content: many.map(() => ({})) },
      { role: "ROLE_USER", metadata: Object.fromEntries(many.map((_, index) => [`m${index}`, true])) },
    ]) {
      const { error } = await client.call("SendMessage", { message: request }, metadata);
      expect(error?.code).toBe(status.RESOURCE_EXHAUSTED);
    }
    const fewer = many.slice(0, 19_900);
    const sent = { role: "ROLE_USER", messageId: "m", content: [{ data: { data: { fewer } } }] };
    expect((await client.call("SendMessage", { message: sent }, metadata)).error).toBeUndefined();
    await proxy.stop();
  });
});

describe("an id of more than 1024 characters", () => {
  const long = "i".repeat(1025);
  const message = { role: "user", parts: [{ kind: "text", text: "hi" }] };

  test.each<[string, object, string]>([
    ["message/send", { message: { ...message, contextId: long } }, "message.contextId"],
    ["message/send", { message: { ...message, messageId: long } }, "message.messageId"],
    ["message/send", { message: { ...message, taskId: long } }, "message.taskId"],
    ["message/stream", { message: { ...message, referenceTaskIds: [long] } }, "message.referenceTaskIds[0]"],
    ["tasks/get", { id: long }, "id"],
  ])("is -32602 in %s, since every event would repeat it", async (method, params, path) => {
    const proxy = await start();
    const headers = { "content-type": "application/json", "x-api-key": keys.alice };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const response = await fetch(proxy.agent("one"), { method: "POST", headers, body });
    expect(await response.json()).toMatchObject({
      error: { code: -32602, data: { path, reason: "must have at most 1024 characters" } },
    });
    await proxy.stop();
  });
});
