/** A vendor that pushes, a client that wants to be pushed to, and a proxy between them that is killed. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { Task } from "../../src/protocol/model.ts";
import { count, until } from "../push/pushed.ts";
import { startPushingVendor, type PushingVendor } from "../push/pushing-vendor.ts";
import { LOOPBACK_PUSH, Webhook } from "../push/webhook.ts";
import { rpc, userMessage } from "../support/client.ts";
import { startProgram } from "./program.ts";

let folder: string;
let vendor: PushingVendor;
let webhook: Webhook;
let leftovers: (() => Promise<unknown>)[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "e2e-"));
  webhook = await Webhook.start();
  leftovers = [];
});

afterEach(async () => {
  for (const stop of leftovers) await stop();
  await webhook.close();
  await rm(folder, { recursive: true });
});

async function start(mode: string) {
  const vendorPush = { mode, safetyPoll: "1h" };
  const agents = { pusher: { adapter: "a2a-0.3", url: vendor.url, vendorPush } };
  const program = await startProgram(folder, { agents, push: LOOPBACK_PUSH });
  leftovers.push(() => program.kill("SIGKILL"));
  const base = await program.url;
  return { base, url: `${base}/agents/pusher/`, kill: () => program.kill("SIGKILL") };
}

/** A task at work of which the client's webhook is to be told. */
async function begin(url: string): Promise<string> {
  const configuration = { blocking: false, pushNotificationConfig: { url: webhook.url } };
  const { result } = await rpc(url, "message/send", { ...userMessage("go"), configuration });
  const { id } = Task.parse(result);
  await until(() => count(vendor, "tasks/get") === 1);
  await webhook.untilState("working");
  return id;
}

async function call(base: string, token?: string): Promise<number> {
  const [hook] = vendor.hooks;
  if (!hook) throw new Error("no webhook was set");
  const headers = { "X-A2A-Notification-Token": token ?? hook.token };
  const { pathname } = new URL(hook.url);
  return (await fetch(base + pathname, { method: "POST", headers, body: vendor.notification() })).status;
}

/** Each notification once, in the order in which they came first. */
const told = (): Task[] =>
  [...new Map(webhook.received.map(({ headers, body }) => [headers["x-a2a-notification-id"], body])).values()]
    .map((body): unknown => JSON.parse(body))
    .map((task) => Task.parse(task));

describe.each(["instead-of-polling", "with-message"])("kill -9 while the vendor works (%s)", (mode) => {
  beforeEach(async () => {
    vendor = await startPushingVendor("a2a-0.3", { onlyEnclosed: mode === "with-message" });
    leftovers.push(() => vendor.stop());
  });

  test("the callback it was given before is good after the new start, and the client is told of the end", async () => {
    const first = await start(mode);
    const id = await begin(first.url);
    await first.kill();

    const { base, url } = await start(mode);
    await until(() => count(vendor, "tasks/get") === 2);
    vendor.become("completed", "All done.");
    expect(await call(base, "guess")).toBe(401);
    expect(count(vendor, "tasks/get")).toBe(2);
    expect(await call(base)).toBe(200);
    await webhook.untilState("completed");
    const stored = Task.parse((await rpc(url, "tasks/get", { id })).result);
    expect(stored).toMatchObject({ status: { state: "completed" } });
    expect(stored.artifacts).toMatchObject([{ parts: [{ text: "All done." }] }]);
    expect(told().filter(({ status }) => status.state === "completed")).toEqual([stored]);
    expect(told().at(-1)).toEqual(stored);
    expect(vendor.hooks).toHaveLength(1);
    await until(() => vendor.deleted.length === 1);
    expect(await call(base)).toBe(404);
  });

  test("an end that the vendor could not tell of meanwhile is asked for at the new start", async () => {
    const first = await start(mode);
    const id = await begin(first.url);
    await first.kill();
    vendor.become("failed");
    await expect(call(first.base)).rejects.toThrow("fetch failed");

    const { url } = await start(mode);
    await webhook.untilState("failed");
    const stored = Task.parse((await rpc(url, "tasks/get", { id })).result);
    expect(told().filter(({ status }) => status.state === "failed")).toEqual([stored]);
    await until(() => vendor.deleted.length === 1);
  });
});
