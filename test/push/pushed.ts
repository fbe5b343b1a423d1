/** A proxy in front of a vendor that pushes, and what tests do with both. */
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "@jest/globals";
import { pino } from "pino";
import { streamResults, userMessage } from "../support/client.ts";
import { startTestProxy, type TestProxy } from "../support/proxy.ts";
import {
  startPushingVendor,
  type Dialect,
  type PushingOptions,
  type PushingVendor,
} from "./pushing-vendor.ts";

export const DIALECTS: readonly Dialect[] = ["a2a-0.3", "a2a-0.1", "a2a-snake"];

export const VENDOR_PUSH = { mode: "instead-of-polling", safetyPoll: "1h" };
/** Time for many polls at the interval that tests have. */
export const MANY_POLLS = 500;

const cleanups: (() => Promise<void>)[] = [];

/** To be called after each test. */
export async function stopAll(): Promise<void> {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
}

interface Setup extends PushingOptions {
  readonly vendorPush?: Record<string, unknown>;
  readonly lines?: string[];
  readonly adapter?: string;
}

export async function start(dialect: Dialect, setup: Setup = {}) {
  const { vendorPush = VENDOR_PUSH, lines = [], adapter = dialect, ...options } = setup;
  const vendor = await startPushingVendor(dialect, options);
  cleanups.push(() => vendor.stop());
  const limits = { responseBody: "64KiB" };
  const pusher = { adapter, url: vendor.url, vendorPush, limits };
  const agents = { pusher, other: pusher };
  const log = pino({ level: "trace" }, { write: (line: string) => void lines.push(line) });
  const proxy = await startTestProxy(agents, {}, { log });
  cleanups.push(() => proxy.stop());
  return { vendor, proxy, url: proxy.agent("pusher") };
}

type Started = Awaited<ReturnType<typeof start>>;

export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await delay(5);
}

export const count = ({ asked }: PushingVendor, method: string): number =>
  asked.filter((one) => one === method).length;

/** Where the vendor's latest webhook is on this machine; the tests' public URL is no real host. */
export function hookOf(vendor: PushingVendor, proxy: TestProxy): { url: string; token: string } {
  const hook = vendor.hooks.at(-1);
  if (!hook) throw new Error("no webhook was set");
  const { pathname } = new URL(hook.url);
  return { url: proxy.url + pathname, token: hook.token };
}

export async function notify(
  vendor: PushingVendor,
  proxy: TestProxy,
  headers: Record<string, string> = {},
  body = vendor.notification(),
): Promise<Response> {
  const init = { "content-type": "application/json", ...headers };
  return await fetch(hookOf(vendor, proxy).url, { method: "POST", headers: init, body });
}

/**
 * The events of a stream whose vendor was given one callback and is asked for the task once; however long nothing
 * happens then, it is not asked again until it calls.
 */
export async function streamUntilCalled({ vendor, proxy, url }: Started): Promise<unknown[]> {
  const { get } = vendor.wire;
  const results = streamResults(url, "message/stream", userMessage("go"));
  await until(() => count(vendor, get) === 1);
  expect(vendor.hooks).toHaveLength(1);
  expect(vendor.hooks[0]?.url).toMatch(/^http:\/\/proxy\.test\/callbacks\/pusher\/[\w-]{43}$/);
  await delay(MANY_POLLS);
  expect(count(vendor, get)).toBe(1);
  vendor.become("completed", "All done.");
  const { token } = hookOf(vendor, proxy);
  expect((await notify(vendor, proxy, { "X-A2A-Notification-Token": token })).status).toBe(200);
  return await results;
}
