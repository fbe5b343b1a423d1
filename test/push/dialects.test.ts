/** Webhooks are told in the dialect in which their config was made, whatever the agent speaks. */
import { createHash, generateKeyPairSync } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StreamResponse, TaskState } from "@a2a-js/sdk";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { decodeJwt } from "jose";
import { pino } from "pino";
import { adapters } from "../../adapters/index.ts";
import { createCanonicalDemo } from "../../src/demo/canonical.ts";
import { createLegacyDemo } from "../../src/demo/legacy.ts";
import { startVendorServer } from "../../src/demo/server.ts";
import { Task } from "../../src/protocol/model.ts";
import type { ProxyDeps } from "../../src/server.ts";
import { startSdk10Server } from "../e2e/sdk10-server.ts";
import { post, rpc, userMessage } from "../support/client.ts";
import { grpcClient10 } from "../northbound/grpc-harness.ts";
import { SERVER_WITH_GRPC, startTestProxy, type TestProxy } from "../support/proxy.ts";
import { LOOPBACK_PUSH, Webhook, type Received } from "./webhook.ts";

const vendors = await startVendorServer(0, [
  { prefix: "/canonical", create: createCanonicalDemo },
  { prefix: "/legacy", create: createLegacyDemo },
]);
const sdk10 = await startSdk10Server("JSONRPC");
const AGENTS = {
  canonical: { adapter: "a2a-0.3", url: `${vendors.url}/canonical` },
  legacy: { adapter: "a2a-0.1", url: `${vendors.url}/legacy` },
  official: { adapter: "a2a-1.0", url: sdk10.url },
};
type Agent = keyof typeof AGENTS;
const NAMES: readonly Agent[] = ["canonical", "legacy", "official"];

let webhook: Webhook;
let folder: string;
let proxy: TestProxy;

async function restart(push: Record<string, unknown> = {}, deps: Partial<ProxyDeps> = {}): Promise<void> {
  await proxy?.stop();
  const store = { driver: "sqlite", path: join(folder, "proxy.db") };
  const more = { server: SERVER_WITH_GRPC, push: { ...LOOPBACK_PUSH, ...push }, store };
  proxy = await startTestProxy(AGENTS, more, deps);
}

beforeEach(async () => {
  webhook = await Webhook.start();
  folder = await mkdtemp(join(tmpdir(), "push-"));
  await restart();
});

afterEach(async () => {
  await proxy.stop();
  await webhook.close();
  await rm(folder, { recursive: true });
});

afterAll(async () => {
  await vendors.stop();
  await sdk10.stop();
});

const message10 = (text: string, more: object = {}) => ({
  message: { messageId: `m-${Math.random()}`, role: "ROLE_USER", parts: [{ text }], ...more },
});

/** Calls a method of 1.0 over JSON-RPC. */
const rpc10 = (agent: Agent, method: string, params: object) => rpc(proxy.agent(agent), method, params);

/** Sends a message as a client of 1.0, with a webhook at `path`; gives the task. */
async function send10(agent: Agent, config: object = {}, text = "Plan a trip"): Promise<{ id: string }> {
  const taskPushNotificationConfig = { url: webhook.url, ...config };
  const params = { ...message10(text), configuration: { taskPushNotificationConfig } };
  const { result, error } = await rpc10(agent, "SendMessage", params);
  expect(error).toBeUndefined();
  return (result as { task: { id: string } }).task;
}

/** What came at a path and says that word. */
async function told(state = "TASK_STATE_COMPLETED", path = "/hook"): Promise<Received> {
  const isIt = (received: Received): boolean => received.path === path && received.body.includes(state);
  await webhook.until((all) => all.some(isIt));
  return webhook.received.findLast(isIt) as Received;
}

describe.each(NAMES)("a webhook of 1.0 at an agent of %s", (agent) => {
  test("is told by a StreamResponse with the Task as GetTask has it", async () => {
    const authentication = { scheme: "Bearer", credentials: "abc" };
    const { id } = await send10(agent, { token: "secret-1", authentication });
    const { headers, body } = await told();
    const { result } = await rpc10(agent, "GetTask", { id });
    expect(JSON.parse(body)).toEqual({ task: result });
    expect(headers).toMatchObject({
      "content-type": "application/a2a+json",
      authorization: "Bearer abc",
      "x-a2a-notification-token": "secret-1",
    });
    expect(headers["x-a2a-notification-id"]).toMatch(/^[0-9a-f]{32}$/);
    for (const one of webhook.received) {
      const { payload } = StreamResponse.fromJSON(JSON.parse(one.body));
      expect(payload).toMatchObject({ $case: "task", value: { id } });
    }
    const { payload } = StreamResponse.fromJSON(JSON.parse(body));
    expect(payload?.value).toMatchObject({ status: { state: TaskState.TASK_STATE_COMPLETED } });
  });

  test("is told so when its config came over HTTP+JSON", async () => {
    const params = {
      ...message10("Plan a trip"),
      configuration: { taskPushNotificationConfig: { url: webhook.url } },
    };
    await post(`${proxy.agent(agent)}message:send`, params, {
      headers: { "content-type": "application/a2a+json", "A2A-Version": "1.0" },
    });
    const { body } = await told();
    expect(StreamResponse.fromJSON(JSON.parse(body)).payload?.$case).toBe("task");
  });

  test("is told so when its config came over gRPC", async () => {
    using client = grpcClient10(proxy.grpcPort ?? 0);
    const params = {
      ...message10("Plan"),
      configuration: { taskPushNotificationConfig: { url: webhook.url } },
    };
    const { error } = await client.call("SendMessage", params, { "a2a-agent": agent });
    expect(error).toBeUndefined();
    const { body } = await told();
    expect(StreamResponse.fromJSON(JSON.parse(body)).payload?.$case).toBe("task");
  });
});

/** How older dialects give a webhook with a message, and ask for the task that is answered. */
const OLDER = [
  {
    dialect: "0.1",
    path: "a2a-0.1/",
    send: "tasks/send",
    params: (url: string) => ({
      id: "named-by-the-client",
      message: { role: "user", parts: [{ type: "text", text: "Plan a trip" }] },
      pushNotification: {
        url,
        token: "secret-1",
        authentication: { schemes: ["bearer"], credentials: "abc" },
      },
    }),
    get: "tasks/get",
    more: { historyLength: 10 },
    task: { id: "named-by-the-client", artifacts: [{ index: 0, parts: [{ type: "text" }] }] },
  },
  {
    dialect: "the snake_case dialect",
    path: "a2a-snake/",
    send: "a2a.sendMessage",
    params: (url: string) => ({
      "a2a-version": "1.0",
      message: { message_id: "m", role: "user", parts: [{ text: "Plan a trip" }] },
      configuration: {
        push_notification_config: {
          url,
          token: "secret-1",
          authentication: { scheme: "Bearer", credentials: "abc" },
        },
      },
    }),
    get: "a2a.getTask",
    more: { "a2a-version": "1.0" },
    task: { context_id: expect.any(String), artifacts: [{ artifact_id: expect.any(String) }] },
  },
];

describe.each(OLDER)("a webhook of $dialect", ({ path, send, params, get, more, task }) => {
  test.each(NAMES)("is told by a bare Task, also after a restart, at an agent of %s", async (agent) => {
    await webhook.close();
    const { error } = await rpc(proxy.agent(agent), send, params(webhook.url));
    expect(error).toBeUndefined();
    await restart();
    await webhook.listen();
    const { headers, body } = await told('"completed"');
    expect(headers).toMatchObject({
      "content-type": "application/json",
      "x-a2a-notification-token": "secret-1",
      authorization: "Bearer abc",
    });
    const given = JSON.parse(body) as { id: string };
    expect(given).toMatchObject({ ...task, status: { state: "completed" } });
    expect(given).not.toHaveProperty("kind");
    const { result } = await rpc(proxy.agent(agent) + path, get, { id: given.id, ...more });
    expect(given).toEqual(result);
  });
});

describe.each(["canonical", "official"] as const)("a task at an agent of %s", (agent) => {
  test("is told of to each webhook in its own dialect, also after a restart and by another dialect's turn", async () => {
    const { id } = await send10(
      agent,
      { id: "ten", authentication: { scheme: "Digest", credentials: "x" } },
      "ask",
    );
    await told("TASK_STATE_INPUT_REQUIRED");
    await restart();
    const url = proxy.agent(agent);
    const config = { id: "three", url: `${webhook.url}/03` };
    await rpc(url, "tasks/pushNotificationConfig/set", { taskId: id, pushNotificationConfig: config });

    const { result: listed } = await rpc(url, "tasks/pushNotificationConfig/list", { id });
    const authentication = { schemes: ["Digest"], credentials: "x" };
    const made10 = { id: "ten", url: webhook.url, authentication };
    expect(listed).toEqual([made10, config].map((one) => ({ taskId: id, pushNotificationConfig: one })));
    const { result: listed10 } = await rpc10(agent, "ListTaskPushNotificationConfigs", { taskId: id });
    expect(listed10).toMatchObject({
      configs: [
        { taskId: id, id: "ten", authentication: { scheme: "Digest", credentials: "x" } },
        { taskId: id, ...config },
      ],
    });

    await rpc(url, "message/send", userMessage("three days", { taskId: id }));
    const { headers, body } = await told();
    expect(StreamResponse.fromJSON(JSON.parse(body)).payload).toMatchObject({ $case: "task", value: { id } });
    expect(headers.authorization).toBe("Digest x");
    const isLast = ({ path, body: text }: Received): boolean =>
      path === "/hook/03" && text.includes('"completed"');
    await webhook.until((all) => all.some(isLast));
    const last = webhook.received.findLast(isLast);
    expect(last?.headers["content-type"]).toBe("application/json");
    expect(Task.parse(JSON.parse(last?.body ?? "")).id).toBe(id);
    for (const { path, body: text } of webhook.received) {
      expect("task" in (JSON.parse(text) as object)).toBe(path === "/hook");
    }
  });
});

test("a config that is set again in another dialect is answered in that from then on", async () => {
  const { id } = await send10("canonical", { id: "c" }, "ask");
  await told("TASK_STATE_INPUT_REQUIRED");
  const url = proxy.agent("canonical");
  const config = { id: "c", url: `${webhook.url}/again` };
  await rpc(url, "tasks/pushNotificationConfig/set", { taskId: id, pushNotificationConfig: config });
  await rpc10("canonical", "SendMessage", message10("three days", { taskId: id }));
  await webhook.until((all) =>
    all.some(({ path, body }) => path === "/hook/again" && body.includes("completed")),
  );
  const { body = "" } = webhook.received.findLast(({ path }) => path === "/hook/again") ?? {};
  expect(Task.parse(JSON.parse(body)).id).toBe(id);
});

test("a signature is that of the body as it is sent", async () => {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  await restart({ jwt: { key: privateKey.export({ type: "pkcs8", format: "pem" }) } });
  await send10("canonical");
  const { headers, body } = await told();
  const { request_body_sha256: digest } = decodeJwt(headers.authorization?.replace(/^Bearer /, "") ?? "");
  expect(digest).toBe(createHash("sha256").update(body).digest("hex"));
});

test("credentials of 1.0 without a scheme are refused", async () => {
  const taskPushNotificationConfig = { url: webhook.url, authentication: { scheme: "", credentials: "abc" } };
  const params = { ...message10("hello"), configuration: { taskPushNotificationConfig } };
  const { error } = await rpc10("canonical", "SendMessage", params);
  expect(error?.code).toBe(-32602);
  expect(JSON.stringify(error?.data)).toContain("authentication.scheme");
});

test("webhooks of a dialect that is not served any more are told in 0.3.0, and the log says so once", async () => {
  const { id } = await send10("canonical", {}, "ask");
  await told("TASK_STATE_INPUT_REQUIRED");
  const lines: string[] = [];
  const log = pino({ level: "warn" }, { write: (line: string) => void lines.push(line) });
  const silenced = [...adapters].map(([name, { serves: _serves, ...adapter }]) => [name, adapter] as const);
  await restart({}, { adapters: new Map(silenced), log });
  await rpc(proxy.agent("canonical"), "message/send", userMessage("three days", { taskId: id }));
  await webhook.until((all) => all.some(({ body }) => body.includes('"completed"')));
  const { body = "", headers } = webhook.received.at(-1) ?? {};
  expect(Task.parse(JSON.parse(body)).id).toBe(id);
  expect(headers?.["content-type"]).toBe("application/json");
  expect(lines.filter((line) => line.includes('"dialect":"a2a-1.0"'))).toHaveLength(1);
});
