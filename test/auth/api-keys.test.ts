/** API keys through sockets: who is let in, to what, and that nobody sees another's tasks. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { post, userMessage } from "../support/client.ts";
import { startTestProxy, type TestProxy } from "../support/proxy.ts";
import { apiKeys, startVendor } from "./support.ts";

const { keys, hashes } = apiKeys("alice", "bob", "reader", "guest");
let vendor: Awaited<ReturnType<typeof startVendor>>;
let proxy: TestProxy;

beforeAll(async () => {
  vendor = await startVendor();
  const agent = { adapter: "a2a-0.3", url: vendor.url };
  proxy = await startTestProxy(
    { one: agent, two: agent },
    {
      auth: {
        apiKeys: {
          query: "api_key",
          bearer: true,
          keys: {
            alice: { hash: hashes.alice },
            bob: { hash: hashes.bob },
            reader: { hash: hashes.reader, methods: ["tasks/*"] },
            guest: { hash: hashes.guest, agents: ["two"] },
          },
        },
      },
    },
  );
});
afterAll(async () => {
  await proxy.stop();
  vendor.stop();
});

const json = "application/json";

async function call(key: string | undefined, method: string, params: unknown, agent = "one") {
  const headers = { "content-type": json, ...(key !== undefined && { "x-api-key": key }) };
  const body = { jsonrpc: "2.0", id: 7, method, params };
  const response = await post(proxy.agent(agent), body, { headers });
  const answer = (await response.json()) as {
    id: unknown;
    result?: { id: string; contextId: string };
    error?: { code: number; data?: unknown };
  };
  return { status: response.status, headers: response.headers, ...answer };
}

async function taskOf(key: string): Promise<{ id: string; contextId: string }> {
  const { result } = await call(key, "message/send", userMessage("hi"));
  if (!result) throw new Error("no task");
  return result;
}

describe("a request", () => {
  test("without a key is refused with 401, the ways to show one, and a JSON-RPC body", async () => {
    const { status, headers, error, id } = await call(undefined, "message/send", userMessage("hi"));
    expect(status).toBe(401);
    expect(headers.get("www-authenticate")).toBe(
      'ApiKey realm="a2a-proxy", header="X-API-Key", Bearer realm="a2a-proxy"',
    );
    expect({ code: error?.code, id }).toStrictEqual({ code: -32041, id: null });
  });

  test.each([
    ["unknown", apiKeys("x").keys.x],
    ["misformed", "secret"],
    ["known, with something after it", `${keys.alice}x`],
    ["twice", `${keys.alice}, ${keys.alice}`],
    ["a hash", hashes.alice],
  ])("with a key that is %s is refused with 401, which does not repeat it", async (_, key) => {
    const { status, error } = await call(key, "message/send", userMessage("hi"));
    expect(status).toBe(401);
    expect(error).toStrictEqual({
      code: -32041,
      message: "Authentication is required: the API key is not known",
      data: { reason: "the API key is not known" },
    });
  });

  test("may show its key as a bearer token or in the query, where configured", async () => {
    const body = { jsonrpc: "2.0", id: 1, method: "tasks/get", params: { id: "none" } };
    const headers = { "content-type": json, authorization: `Bearer ${keys.alice}` };
    expect((await post(proxy.agent("one"), body, { headers })).status).toBe(200);
    expect((await post(`${proxy.agent("one")}?api_key=${keys.alice}`, body)).status).toBe(200);
    expect((await post(`${proxy.agent("one")}?api_key=${keys.alice}x`, body)).status).toBe(401);
  });

  test("over HTTP+JSON is refused in its own shape", async () => {
    const response = await fetch(`${proxy.agent("one")}v1/tasks/none`);
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toMatch(/^ApiKey /);
    expect(await response.json()).toMatchObject({ code: -32041 });
  });
});

describe("a key", () => {
  test("may be for some methods only; 403 for others", async () => {
    const refused = await call(keys.reader, "message/send", userMessage("hi"));
    expect(refused.status).toBe(403);
    expect(refused).toMatchObject({ id: 7, error: { code: -32043, data: { method: "message/send" } } });
    expect((await call(keys.reader, "message/stream", userMessage("hi"))).status).toBe(403);
    expect((await call(keys.reader, "tasks/get", { id: "none" })).error?.code).toBe(-32001);
  });

  test("may be for some agents only; 403 for others, on every transport", async () => {
    expect((await call(keys.guest, "tasks/get", { id: "none" })).status).toBe(403);
    expect((await call(keys.guest, "tasks/get", { id: "none" }, "two")).status).toBe(200);
    const rest = await fetch(`${proxy.agent("one")}v1/tasks/none`, { headers: { "x-api-key": keys.guest } });
    expect(rest.status).toBe(403);
  });

  test("shows its caller only the agents it is for", async () => {
    const list = async (key: string) => {
      const response = await fetch(`${proxy.url}/agents`, { headers: { "x-api-key": key } });
      const { agents } = (await response.json()) as { agents: { name: string }[] };
      return agents.map(({ name }) => name);
    };
    expect(await list(keys.guest)).toStrictEqual(["two"]);
    expect(await list(keys.alice)).toStrictEqual(["one", "two"]);
    expect((await fetch(`${proxy.url}/agents`)).status).toBe(401);
  });
});

test("health and cards need no key, and the card says what calls need", async () => {
  expect((await fetch(`${proxy.url}/healthz`)).status).toBe(200);
  expect((await fetch(`${proxy.url}/readyz`)).status).toBe(200);
  const card = await (await fetch(`${proxy.agent("one")}.well-known/agent-card.json`)).json();
  expect(card).toMatchObject({
    security: [{ apiKey: [] }, { apiKeyInQuery: [] }, { apiKeyAsBearer: [] }],
  });
  expect((card as { securitySchemes: unknown }).securitySchemes).toStrictEqual({
    apiKey: {
      type: "apiKey",
      in: "header",
      name: "X-API-Key",
      apiKeySecurityScheme: { location: "header", name: "X-API-Key" },
    },
    apiKeyInQuery: {
      type: "apiKey",
      in: "query",
      name: "api_key",
      apiKeySecurityScheme: { location: "query", name: "api_key" },
    },
    apiKeyAsBearer: { type: "http", scheme: "bearer", httpAuthSecurityScheme: { scheme: "bearer" } },
  });
});

describe("another caller's task", () => {
  const push = { taskId: "", pushNotificationConfig: { url: "https://hooks.example/x" } };
  const methods: [string, (task: { id: string; contextId: string }) => unknown][] = [
    ["tasks/get", ({ id }) => ({ id })],
    ["tasks/cancel", ({ id }) => ({ id })],
    ["tasks/resubscribe", ({ id }) => ({ id })],
    ["message/send", ({ id }) => userMessage("mine", { taskId: id })],
    ["message/stream", ({ id }) => userMessage("mine", { taskId: id })],
    ["tasks/pushNotificationConfig/set", ({ id }) => ({ ...push, taskId: id })],
    ["tasks/pushNotificationConfig/get", ({ id }) => ({ id })],
    ["tasks/pushNotificationConfig/list", ({ id }) => ({ id })],
    ["tasks/pushNotificationConfig/delete", ({ id }) => ({ id, pushNotificationConfigId: "x" })],
  ];

  test.each(methods)("%s answers as if it did not exist", async (method, params) => {
    const task = await taskOf(keys.alice);
    const { status, error } = await call(keys.bob, method, params(task));
    expect({ status, code: error?.code }).toStrictEqual({ status: 200, code: -32001 });
    expect((await call(keys.alice, "tasks/get", { id: task.id })).result?.id).toBe(task.id);
  });

  test("is in a context that does not take another caller's messages", async () => {
    const { id, contextId } = await taskOf(keys.alice);
    const { result } = await call(keys.bob, "message/send", userMessage("hi", { contextId }));
    expect(result?.id).not.toBe(id);
    expect((await call(keys.alice, "tasks/get", { id: result?.id })).error?.code).toBe(-32001);
  });
});
