/**
 * Webhooks that hang, beside others: who has to wait for whom. Real sockets, with the limits that are the defaults, but
 * attempts that last: whoever waits for one of those that hang is not told before the test is over.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { pino } from "pino";
import type { PushSettings } from "../../src/config/push.ts";
import { createPush, type Push } from "../../src/push/create-push.ts";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import type { TaskStore } from "../../src/store/store.ts";
import { taskRecord } from "../store/records.ts";
import { Webhook } from "./webhook.ts";

/** As configured by default, but for the time of an attempt and what lets loopback be called. */
const DEFAULTS: PushSettings = {
  enabled: true,
  allowHttp: true,
  allowPrivate: true,
  allowHosts: [],
  allowPorts: "any",
  configsPerTask: 10,
  maxPending: 100,
  timeout: 3_600_000,
  retryMin: 1000,
  retryMax: 900_000,
  maxAge: 86_400_000,
  maxAttempts: 200,
  offAfter: 259_200_000,
  concurrency: 64,
  concurrencyPerPrincipal: 32,
  concurrencyPerHost: 4,
  keepDeadLetters: 604_800_000,
  jwt: undefined,
};

let folder: string;
let store: TaskStore;
let push: Push | undefined;
let webhooks: Webhook[];
let lines: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "isolation-"));
  store = await openSqliteStore({ path: join(folder, "proxy.db"), synchronous: "normal" });
  webhooks = [];
  lines = [];
});
afterEach(async () => {
  await push?.stop(0);
  push = undefined;
  for (const webhook of webhooks) await webhook.close();
  await store.close();
  await rm(folder, { recursive: true });
});

async function start(settings: Partial<PushSettings> = {}): Promise<Push> {
  const log = pino({ level: "info" }, { write: (line: string) => void lines.push(line) });
  const deps = { store: store.push, dialects: [], issuer: "http://proxy.test", log, now: () => Date.now() };
  push = await createPush({ ...DEFAULTS, ...settings }, deps);
  return push;
}

async function webhook(answer: Webhook["answer"] = () => 200): Promise<Webhook> {
  const made = await Webhook.start();
  made.answer = answer;
  webhooks.push(made);
  return made;
}

let tasks = 0;

/** Queues so many notifications, each of a task of its own. */
async function queue({ url }: Webhook, count: number, principal = "alice", at = Date.now()): Promise<void> {
  const { origin } = new URL(url);
  const writes: Promise<unknown>[] = [];
  for (let n = 0; n < count; n++) {
    const id = `task-${++tasks}`;
    const config = { agent: "planner", taskId: id, id: "default", principal, origin, createdAt: at };
    writes.push(store.push.putConfig({ ...config, json: JSON.stringify({ url }) }, 1));
    const json = JSON.stringify({ kind: "task", id });
    writes.push(store.putTask(taskRecord({ id, principal, updatedAt: at, json }), { notify: true }));
  }
  await Promise.all(writes);
}

const hang = () => "hang" as const;

test.each([
  ["the same caller's", "alice"],
  ["another caller's", "bob"],
])("a good webhook hears at once beside 600 notifications to %s hanging ones", async (_, principal) => {
  const hanging = await Promise.all(Array.from({ length: 20 }, () => webhook(hang)));
  for (const one of hanging) await queue(one, 30, principal);
  const worker = await start();
  worker.wake();
  while (hanging.some(({ received }) => received.length === 0)) await delay(5);
  const good = await webhook();
  await queue(good, 20);
  worker.wake();
  await good.until((received) => received.length >= 20);
  // One attempt at a time for each of those that have not answered yet.
  expect(hanging.map(({ received }) => received.length)).toEqual(hanging.map(() => 1));
});

test("another caller hears at once, however many webhooks of one hang", async () => {
  const hanging = await Promise.all(Array.from({ length: 100 }, () => webhook(hang)));
  for (const one of hanging) await queue(one, 1, "mallory");
  const worker = await start({ concurrency: 64, concurrencyPerPrincipal: 16 });
  worker.wake();
  while (hanging.filter(({ received }) => received.length > 0).length < 16) await delay(5);
  const good = await webhook();
  await queue(good, 20, "alice");
  worker.wake();
  await good.until((received) => received.length >= 20);
  expect(hanging.filter(({ received }) => received.length > 0)).toHaveLength(16);
});

test("a webhook that has failed is tried by one notification at a time, and told of all once it answers", async () => {
  let isUp = false;
  let open = 0;
  let most = 0;
  const flaky = await webhook(() => {
    open += 1;
    most = Math.max(most, open);
    setImmediate(() => (open -= 1));
    return isUp ? 200 : "hang";
  });
  await queue(flaky, 50);
  const worker = await start({ timeout: 50, retryMin: 10, retryMax: 20 });
  worker.wake();
  await flaky.until((received) => received.length >= 5);
  expect(most).toBe(1);
  const before = flaky.received.length;
  isUp = true;
  // Some twice, where an answer took longer than the worker waits.
  await flaky.until((received) => new Set(received.slice(before).map(({ body }) => body)).size === 50);
});

test("what waits for a webhook that is down is given up at its age, not when its turn comes", async () => {
  const dead = await webhook(hang);
  await queue(dead, 30);
  const worker = await start({ timeout: 50, retryMin: 60_000, retryMax: 60_000, maxAge: 1000 });
  worker.wake();
  let letters = await store.push.deadLetters(100);
  for (; letters.length < 29; letters = await store.push.deadLetters(100)) await delay(20);
  expect(dead.received).toHaveLength(1);
  for (const { reason, queuedAt, deadAt } of letters) {
    expect(reason).toBe("not delivered in time; last: no answer within 50 ms");
    expect(deadAt - queuedAt).toBeGreaterThanOrEqual(1000);
  }
});

test("what has grown too old while the proxy was down is tried once all the same", async () => {
  const good = await webhook();
  await queue(good, 10, "alice", Date.now() - 60_000);
  const worker = await start({ maxAge: 1000 });
  worker.wake();
  await good.until((received) => received.length >= 10);
  expect(await store.push.deadLetters(10)).toEqual([]);
});

test("a webhook that fails for long is switched off, said so, and on again by an attempt that arrives", async () => {
  let isUp = false;
  const dead = await webhook(() => (isUp ? 200 : 500));
  await queue(dead, 5);
  const worker = await start({ retryMin: 10, retryMax: 20, offAfter: 100 });
  worker.wake();
  while ((await store.push.deadLetters(10)).length < 5) await delay(5);
  const origin = new URL(dead.url).origin;
  expect(await store.push.failingEndpoints(9)).toEqual([
    expect.objectContaining({ principal: "alice", origin, offAt: expect.any(Number), reason: "HTTP 500" }),
  ]);
  expect((await store.push.deadLetters(1))[0]?.reason).toBe("the webhook is switched off; last: HTTP 500");
  expect(lines.filter((line) => line.includes("a webhook was switched off"))).toHaveLength(1);
  isUp = true;
  // What is queued while the others are still being given up is given up with them.
  while ((await store.push.failingEndpoints(9)).length > 0) {
    await queue(dead, 1);
    worker.wake();
    await delay(20);
  }
});

/** Queues notifications `from` up to `to`, spread over the origins and seven callers. */
async function fill(origins: readonly string[], from: number, to: number): Promise<void> {
  for (let n = from; n < to; n += 2000) {
    const writes: Promise<unknown>[] = [];
    for (let at = n; at < n + 2000; at++) {
      const id = `backlog-${at}`;
      const origin = origins[at % origins.length] ?? "";
      const principal = `caller-${at % 7}`;
      const config = { agent: "planner", taskId: id, id: "default", principal, origin, createdAt: 1 };
      writes.push(store.push.putConfig({ ...config, json: "{}" }, 1));
      writes.push(store.putTask(taskRecord({ id, principal, updatedAt: 1 }), { notify: true }));
    }
    await Promise.all(writes);
  }
}

/** The usual time, ms, of what the worker does for each attempt. */
async function timeOfLook(origins: readonly string[]): Promise<number> {
  const except = {
    endpoints: origins.slice(0, 30).map((origin) => ({ principal: "caller-1", origin })),
    origins: origins.slice(30, 46),
    principals: ["caller-2", "caller-3"],
  };
  const times: number[] = [];
  for (let n = 0; n < 100; n++) {
    const begun = performance.now();
    const [claimed] = await store.push.claim(Date.now(), 1, except);
    if (claimed)
      await store.push.retry(claimed, Date.now(), { reason: "x", isOff: false, blockedUntil: 1e15 }, 1);
    await store.push.nextDue(Date.now());
    await store.push.expire(0, 0, 1);
    times.push(performance.now() - begun);
  }
  return times.toSorted((a, b) => a - b)[50] ?? Number.NaN;
}

test("looks for what is due as fast beside a backlog of 20,000 as of 2,000", async () => {
  const origins = Array.from({ length: 1000 }, (_, n) => `https://${n}.example`);
  await fill(origins, 0, 2000);
  const before = await timeOfLook(origins);
  await fill(origins, 2000, 20_000);
  // Going through all of them would take ten times as long.
  expect(await timeOfLook(origins)).toBeLessThan(4 * before);
});
