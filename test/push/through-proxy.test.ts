/** Push notifications through the whole proxy over sockets, in front of an agent that cannot push. */
import { createHash, generateKeyPairSync } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { createRemoteJWKSet, jwtVerify } from "jose";
import { createCanonicalDemo } from "../../src/demo/canonical.ts";
import { startVendorServer, type RunningVendors } from "../../src/demo/server.ts";
import { Task } from "../../src/protocol/model.ts";
import type { ProxyDeps } from "../../src/server.ts";
import { rpc, streamResults, userMessage, type RpcAnswer } from "../support/client.ts";
import { startTestProxy, type TestProxy } from "../support/proxy.ts";
import { LOOPBACK_PUSH, Webhook } from "./webhook.ts";

const NO_ADDRESS = "the host has no address that webhooks may go to";

let vendors: RunningVendors;
let webhook: Webhook;
let proxy: TestProxy;
let url: string;

async function restart(push: Record<string, unknown> = {}, deps: Partial<ProxyDeps> = {}): Promise<void> {
  await proxy?.stop();
  proxy = await startTestProxy(
    { traveller: { adapter: "a2a-0.3", url: `${vendors.url}/canonical` } },
    { push: { ...LOOPBACK_PUSH, ...push } },
    deps,
  );
  url = proxy.agent("traveller");
}

beforeEach(async () => {
  vendors = await startVendorServer(0, [{ prefix: "/canonical", create: createCanonicalDemo }]);
  webhook = await Webhook.start();
  await restart();
});

afterEach(async () => {
  await proxy.stop();
  await webhook.close();
  await vendors.stop();
});

const send = (
  config: unknown,
  text = "Plan a trip",
  more: Record<string, unknown> = {},
): Promise<RpcAnswer> =>
  rpc(url, "message/send", {
    ...userMessage(text, more),
    configuration: { pushNotificationConfig: config },
  });

const push = (method: string, params: unknown): Promise<RpcAnswer> =>
  rpc(url, `tasks/pushNotificationConfig/${method}`, params);

describe("a notification", () => {
  test("carries the Task as it is, and the client's token", async () => {
    const { result } = await send({ url: webhook.url, token: "secret-1" });
    const { id } = Task.parse(result);
    const tasks = await webhook.untilState("completed");
    const last = webhook.received.at(-1);
    expect(last).toMatchObject({ method: "POST", path: "/hook" });
    expect(last?.headers).toMatchObject({
      "content-type": "application/json",
      "x-a2a-notification-token": "secret-1",
    });
    expect(last?.headers.authorization).toBeUndefined();
    const { result: stored } = await rpc(url, "tasks/get", { id });
    expect(tasks.at(-1)).toEqual(stored);
  });

  test("is sent for every state, in order, while the client reads a stream", async () => {
    const results = streamResults(url, "message/stream", {
      ...userMessage("Plan a trip"),
      configuration: { pushNotificationConfig: { id: "a", url: webhook.url } },
    });
    const first = Task.parse((await results)[0]);
    await webhook.untilState("completed");
    const states = webhook.tasks.map(({ status }) => status.state);
    expect(states.at(-1)).toBe("completed");
    expect(states.indexOf("completed")).toBe(states.length - 1);
    expect(states.length).toBeGreaterThan(1);
    expect(new Set(webhook.tasks.map(({ id }) => id))).toEqual(new Set([first.id]));
  });

  test("is sent for an interruption, and for the turn that follows to the same webhook", async () => {
    const { result } = await send({ url: webhook.url }, "ask me");
    const { id } = Task.parse(result);
    await webhook.untilState("input-required");
    await rpc(url, "message/send", userMessage("three days", { taskId: id }));
    const tasks = await webhook.untilState("completed");
    expect(tasks.map((task) => task.id)).toEqual(tasks.map(() => id));
  });

  test.each([
    ["Bearer", "abc", { authorization: "Bearer abc" }],
    ["Basic", "user:pass", { authorization: `Basic ${btoa("user:pass")}` }],
    ["basic", btoa("user:pass"), { authorization: `Basic ${btoa("user:pass")}` }],
    ["apiKey", "key-1", { "x-api-key": "key-1" }],
  ])("shows the client's %s credentials", async (scheme, credentials, headers) => {
    await send({ url: webhook.url, authentication: { schemes: [scheme], credentials } });
    await webhook.untilState("completed");
    expect(webhook.received.at(-1)?.headers).toMatchObject(headers);
  });

  test.each([
    ["ES256", generateKeyPairSync("ec", { namedCurve: "P-256" })],
    ["RS256", generateKeyPairSync("rsa", { modulusLength: 2048 })],
    ["EdDSA", generateKeyPairSync("ed25519")],
  ])("is signed by %s, and verifies against the served keys", async (algorithm, { privateKey }) => {
    const key = privateKey.export({ type: "pkcs8", format: "pem" });
    await restart({ jwt: { algorithm, key, keyId: "key-1" } });
    const { result } = await send({ url: webhook.url });
    await webhook.untilState("completed");
    const last = webhook.received.at(-1);
    const keys = createRemoteJWKSet(new URL(`${proxy.url}/.well-known/jwks.json`));
    const jwt = last?.headers.authorization?.replace(/^Bearer /, "") ?? "";
    const options = { issuer: "http://proxy.test", audience: new URL(webhook.url).origin };
    const { payload, protectedHeader } = await jwtVerify(jwt, keys, options);
    expect(protectedHeader).toMatchObject({ alg: algorithm, kid: "key-1" });
    const digest = createHash("sha256")
      .update(last?.body ?? "")
      .digest("hex");
    expect(payload).toMatchObject({ task_id: Task.parse(result).id, request_body_sha256: digest });
    expect(payload.jti).toBeDefined();
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(300);
  });

  test("carries the signature beside the client's own credentials", async () => {
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    await restart({ jwt: { key: privateKey.export({ type: "pkcs8", format: "pem" }) } });
    await send({ url: webhook.url, authentication: { schemes: ["Bearer"], credentials: "abc" } });
    await webhook.untilState("completed");
    const headers = webhook.received.at(-1)?.headers;
    expect(headers?.authorization).toBe("Bearer abc");
    expect(headers?.["x-a2a-notification-jwt"]).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
  });
});

describe("push configs", () => {
  test("are set, read, listed and deleted", async () => {
    const { result } = await send({ url: webhook.url });
    const { id } = Task.parse(result);
    const config = { id: "b", url: `${webhook.url}/b`, token: "t" };
    const set = await push("set", { taskId: id, pushNotificationConfig: config });
    expect(set.result).toEqual({ taskId: id, pushNotificationConfig: config });
    const byDefault = { taskId: id, pushNotificationConfig: { id: "default", url: webhook.url } };
    expect((await push("get", { id, pushNotificationConfigId: "b" })).result).toEqual(set.result);
    expect((await push("get", { id })).result).toEqual(byDefault);
    expect((await push("list", { id })).result).toEqual([byDefault, set.result]);
    const deleted = await push("delete", { id, pushNotificationConfigId: "default" });
    expect(deleted.result).toBeNull();
    expect((await push("list", { id })).result).toEqual([set.result]);
    expect((await push("get", { id })).result).toEqual(set.result);
    expect((await push("get", { id, pushNotificationConfigId: "default" })).error?.code).toBe(-32001);
  });

  test("belong to a task", async () => {
    const params = { id: "no such task", pushNotificationConfigId: "a" };
    for (const method of ["get", "list", "delete"]) {
      expect((await push(method, params)).error?.code).toBe(-32001);
    }
    const config = { taskId: "no such task", pushNotificationConfig: { url: webhook.url } };
    expect((await push("set", config)).error?.code).toBe(-32001);
  });

  test("are limited in number", async () => {
    await restart({ configsPerTask: 1 });
    const { result } = await send({ url: webhook.url });
    const more = { taskId: Task.parse(result).id, pushNotificationConfig: { id: "b", url: webhook.url } };
    expect((await push("set", more)).error).toMatchObject({ code: -32602 });
  });

  test("are declared by the card, and refused where they are switched off", async () => {
    const capabilities = async () => {
      const card: unknown = await (await fetch(`${url}.well-known/agent-card.json`)).json();
      return card;
    };
    expect(await capabilities()).toMatchObject({ capabilities: { pushNotifications: true } });
    await restart({ enabled: false });
    expect(await capabilities()).toMatchObject({ capabilities: { pushNotifications: false } });
    expect((await send({ url: webhook.url })).error?.code).toBe(-32003);
    expect((await push("list", { id: "t" })).error?.code).toBe(-32003);
  });

  test.each([
    ["plain http", "http://hooks.example/", "must be an https URL"],
    ["loopback", "https://127.0.0.1/", "127.0.0.1 is a loopback address"],
    ["loopback in hex", "https://0x7f.1/", "127.0.0.1 is a loopback address"],
    ["metadata", "https://169.254.169.254/latest", "169.254.169.254 is a linkLocal address"],
    ["another port", "https://hooks.example:8443/", "port 8443 is not allowed"],
    ["a name of a private address", "https://inside.example/", NO_ADDRESS],
    ["a name of nothing", "https://nowhere.example/", NO_ADDRESS],
    ["credentials", "https://a:b@hooks.example/", "must not hold credentials"],
  ])("to %s are refused, with the reason", async (_, target, reason) => {
    const strict = { allowHttp: false, allowPrivate: false, allowPorts: [443] };
    await restart(strict, { resolve: async (host) => (host === "inside.example" ? ["10.1.2.3"] : []) });
    const { error } = await send({ url: target });
    const path = "configuration.pushNotificationConfig.url";
    expect(error).toMatchObject({ code: -32602, data: { path, reason } });
  });
});
