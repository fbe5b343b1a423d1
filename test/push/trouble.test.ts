/** Webhooks that are slow, dead, moving, restarting; names that change; a proxy that is killed. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { pino } from "pino";
import { createCanonicalDemo } from "../../src/demo/canonical.ts";
import { startVendorServer, type RunningVendors } from "../../src/demo/server.ts";
import { Task } from "../../src/protocol/model.ts";
import type { ProxyDeps } from "../../src/server.ts";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import { startProgram } from "../e2e/program.ts";
import { rpc, userMessage } from "../support/client.ts";
import { startTestProxy } from "../support/proxy.ts";
import { LOOPBACK_PUSH, Webhook, type Received } from "./webhook.ts";

let vendors: RunningVendors;
let webhook: Webhook;
let folder: string;
const undo: (() => Promise<void>)[] = [];

beforeEach(async () => {
  vendors = await startVendorServer(0, [{ prefix: "/canonical", create: createCanonicalDemo }]);
  webhook = await Webhook.start();
  folder = await mkdtemp(join(tmpdir(), "push-"));
});

afterEach(async () => {
  for (const step of undo.splice(0).toReversed()) await step();
  await webhook.close();
  await vendors.stop();
  await rm(folder, { recursive: true });
});

const agents = () => ({ traveller: { adapter: "a2a-0.3", url: `${vendors.url}/canonical` } });

async function start(push: Record<string, unknown> = {}, deps: Partial<ProxyDeps> = {}): Promise<string> {
  const store = { path: join(folder, "proxy.db") };
  const proxy = await startTestProxy(agents(), { store, push: { ...LOOPBACK_PUSH, ...push } }, deps);
  undo.push(() => proxy.stop());
  return proxy.agent("traveller");
}

async function send(url: string, webhookUrl: string): Promise<Task> {
  const configuration = { pushNotificationConfig: { url: webhookUrl } };
  const { result } = await rpc(url, "message/send", { ...userMessage("Plan a trip"), configuration });
  return Task.parse(result);
}

const idOf = ({ headers }: Received): unknown => headers["x-a2a-notification-id"];

/** The store once the proxy has let go of it. */
async function deadLetters() {
  for (const step of undo.splice(0)) await step();
  const store = await openSqliteStore({ path: join(folder, "proxy.db"), synchronous: "normal" });
  const letters = await store.push.deadLetters(100);
  await store.close();
  return letters;
}

describe("a webhook", () => {
  test("that fails twice is sent the same notification again, before any other", async () => {
    webhook.answer = (_, index) => (index < 2 ? 500 : 200);
    const url = await start();
    await send(url, webhook.url);
    await webhook.until((received) => received.length >= 3);
    const [first, second, third] = webhook.received;
    expect([second, third].map((again) => again && [idOf(again), again.body])).toEqual([
      [first && idOf(first), first?.body],
      [first && idOf(first), first?.body],
    ]);
  });

  test("that never answers does not delay the task, nor another webhook", async () => {
    webhook.answer = () => "hang";
    const other = await Webhook.start();
    undo.push(() => other.close());
    const url = await start({ timeout: "10s", concurrency: 2, concurrencyPerHost: 1 });
    for (let count = 0; count < 3; count += 1)
      expect((await send(url, webhook.url)).status.state).toBe("completed");
    await send(url, other.url);
    await other.untilState("completed");
    expect(webhook.received).toHaveLength(1);
  });

  test("that is down for a while is told of everything, in order, once it is back", async () => {
    await webhook.close();
    const url = await start({ retryMax: "20ms" });
    const { id } = await send(url, webhook.url);
    await webhook.listen();
    const tasks = await webhook.untilState("completed");
    expect(tasks.at(-1)).toEqual((await rpc(url, "tasks/get", { id })).result);
  });

  test("that is replaced while it is down is not waited for: the new one is told at once", async () => {
    const other = await Webhook.start();
    undo.push(() => other.close());
    webhook.answer = () => 503;
    const url = await start({ retryMin: "1h", retryMax: "1h" });
    const { id } = await send(url, webhook.url);
    await webhook.until((received) => received.length > 0);
    const pushNotificationConfig = { id: "default", url: other.url };
    await rpc(url, "tasks/pushNotificationConfig/set", { taskId: id, pushNotificationConfig });
    const tasks = await other.untilState("completed");
    expect(tasks.at(-1)).toEqual((await rpc(url, "tasks/get", { id })).result);
  });

  test("leaves nothing of the client's secrets in the log, however it fails", async () => {
    webhook.answer = (_, index) => (index === 0 ? 401 : "hang");
    let text = "";
    const log = pino({ level: "trace" }, { write: (line) => (text += line) });
    const url = await start({ timeout: "50ms", maxAttempts: 3 }, { log });
    const authentication = { schemes: ["Bearer"], credentials: "CREDENTIAL" };
    const pushNotificationConfig = { url: `${webhook.url}?key=QUERY`, token: "TOKEN", authentication };
    await rpc(url, "message/send", { ...userMessage("Plan"), configuration: { pushNotificationConfig } });
    await webhook.until((received) => received.length >= 3);
    await deadLetters();
    expect(text).toContain("a webhook could not be notified");
    expect(text).not.toMatch(/CREDENTIAL|TOKEN|QUERY/);
  });

  test("that redirects is not followed", async () => {
    const target = await Webhook.start();
    undo.push(() => target.close());
    webhook.answer = () => ({ status: 307, headers: { location: target.url } });
    const url = await start({ maxAttempts: 2 });
    const { id } = await send(url, webhook.url);
    await webhook.until((received) => received.length >= 2 && received.length % 2 === 0);
    expect(target.received).toEqual([]);
    expect((await deadLetters())[0]).toMatchObject({
      taskId: id,
      configId: "default",
      reason: "HTTP 307; redirects are not followed",
    });
  });

  test("that is gone for good is told once of each, and left alone", async () => {
    webhook.answer = () => 410;
    const url = await start();
    await send(url, webhook.url);
    await webhook.untilState("completed");
    const letters = await deadLetters();
    expect(letters.map(({ reason }) => reason)).toEqual(webhook.received.map(() => "HTTP 410"));
    expect(new Set(webhook.received.map(idOf)).size).toBe(webhook.received.length);
  });

  test("whose name leads to another address when it is called is not called", async () => {
    const answers = [["93.184.216.34"]];
    const resolve = async (): Promise<string[]> => answers.shift() ?? ["127.0.0.1"];
    const url = await start({ allowPrivate: false }, { resolve });
    await send(url, `http://rebound.example:${webhook.port}/hook`);
    while (answers.length > 0) await new Promise(setImmediate);
    let letters = await deadLetters();
    while (letters.length === 0) {
      await start({ allowPrivate: false }, { resolve });
      letters = await deadLetters();
    }
    expect(letters[0]?.reason).toBe("127.0.0.1 is a loopback address");
    expect(webhook.received).toEqual([]);
  });

  test("is connected to at the address that was checked", async () => {
    const resolve = async (): Promise<string[]> => ["127.0.0.1"];
    const url = await start({}, { resolve });
    await send(url, `http://pinned.example:${webhook.port}/hook`);
    await webhook.untilState("completed");
    expect(webhook.received.at(-1)?.headers.host).toBe(`pinned.example:${webhook.port}`);
  });
});

describe("a proxy that is killed", () => {
  test("between commit and delivery, delivers every final state as recorded when it is started again", async () => {
    webhook.answer = () => 503;
    const document = { agents: agents(), push: { ...LOOPBACK_PUSH, retryMin: "50ms", retryMax: "50ms" } };
    const first = await startProgram(folder, document);
    const url = `${await first.url}/agents/traveller/`;
    const sent = await Promise.all([send(url, webhook.url), send(url, webhook.url)]);
    await first.kill("SIGKILL");
    const before = webhook.received.length;
    webhook.answer = () => 200;

    const second = await startProgram(folder, document);
    undo.push(async () => void (await second.kill("SIGTERM")));
    await second.url;
    const isDelivered = (id: string) => (received: readonly Received[]) =>
      received.slice(before).some(({ body }) => {
        const task = Task.parse(JSON.parse(body));
        return task.id === id && task.status.state === "completed";
      });
    for (const task of sent) {
      await webhook.until(isDelivered(task.id));
      const delivered = webhook.tasks.findLast(({ id }) => id === task.id);
      expect(delivered).toEqual(task);
    }
  });
});
