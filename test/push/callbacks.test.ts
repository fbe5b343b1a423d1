import { afterEach, describe, expect, test } from "@jest/globals";
import { setTimeout as delay } from "node:timers/promises";
import { rpc, streamResults, userMessage } from "../support/client.ts";
import { asTask, callerOf, gatewayOver, params } from "../support/fake-agent.ts";
import { expectValidStream } from "../support/invariants.ts";
import {
  DIALECTS,
  count,
  hookOf,
  MANY_POLLS,
  notify,
  start,
  stopAll,
  streamUntilCalled,
  until,
  VENDOR_PUSH,
} from "./pushed.ts";
import type { Hook } from "./pushing-vendor.ts";

afterEach(stopAll);

describe.each(DIALECTS)("a vendor of %s that pushes", (dialect) => {
  test("is not polled until it pushes; then the end reaches a streaming client", async () => {
    const started = await start(dialect);
    const events = await streamUntilCalled(started);
    expect([...expectValidStream(events).values()]).toEqual(["All done."]);
    expect(events.at(-1)).toMatchObject({ final: true, status: { state: "completed" } });
    const { vendor } = started;
    expect(count(vendor, vendor.wire.get)).toBe(2);
  });

  test("may repeat itself, and is not heard any more after the end", async () => {
    const { vendor, proxy, url } = await start(dialect);
    const { get } = vendor.wire;
    const results = streamResults(url, "message/stream", userMessage("go"));
    await until(() => count(vendor, get) === 1);
    const answers = await Promise.all([1, 2, 3].map(() => notify(vendor, proxy)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    await until(() => count(vendor, get) === 2);
    vendor.become("completed", "All done.");
    await notify(vendor, proxy);
    const events = await results;
    expect([...expectValidStream(events).values()]).toEqual(["All done."]);
    expect((await notify(vendor, proxy)).status).toBe(404);
  });
});

describe("callbacks", () => {
  test("repeat the validation token that 0.1 agents ask for before they accept one", async () => {
    let proxyUrl = "";
    const echoes: unknown[] = [];
    const verify = async (hook: { readonly url: string }): Promise<void> => {
      const { pathname } = new URL(hook.url);
      const response = await fetch(`${proxyUrl}${pathname}?validationToken=are%20you%3F`);
      echoes.push(response.status, response.headers.get("content-type"), await response.text());
    };
    const { vendor, proxy, url } = await start("a2a-0.1", { verify });
    proxyUrl = proxy.url;
    const sent = rpc(url, "message/send", userMessage("go"));
    await until(() => count(vendor, "tasks/get") === 1);
    expect(echoes).toEqual([200, "text/plain; charset=utf-8", "are you?"]);
    expect((await fetch(hookOf(vendor, proxy).url)).status).toBe(400);
    vendor.become("completed");
    await notify(vendor, proxy);
    expect(await sent).toMatchObject({ result: { status: { state: "completed" } } });
  });

  test("let nobody in without the secret, nor with another token, and make no call then", async () => {
    const { vendor, proxy, url } = await start("a2a-0.3");
    const results = streamResults(url, "message/stream", userMessage("go"));
    await until(() => count(vendor, "tasks/get") === 1);
    const wrong = await notify(vendor, proxy, { "X-A2A-Notification-Token": "guess" });
    expect([wrong.status, await wrong.json()]).toMatchObject([401, { error: { status: "unauthenticated" } }]);
    const { pathname } = new URL(hookOf(vendor, proxy).url);
    const others = ["/callbacks/pusher/guess", pathname.replace("pusher", "other"), `${pathname}/more`];
    for (const path of others) {
      expect((await fetch(proxy.url + path, { method: "POST", body: "{}" })).status).toBe(404);
    }
    await delay(MANY_POLLS);
    expect(count(vendor, "tasks/get")).toBe(1);
    vendor.become("completed");
    await notify(vendor, proxy);
    await results;
  });

  test("take no body beyond the limit of what an agent may answer", async () => {
    const { vendor, proxy, url } = await start("a2a-0.3");
    const results = streamResults(url, "message/stream", userMessage("go"));
    await until(() => count(vendor, "tasks/get") === 1);
    const body = Buffer.alloc(65 * 1024, " ");
    const tooLarge = await fetch(hookOf(vendor, proxy).url, { method: "POST", body });
    expect(tooLarge.status).toBe(413);
    vendor.become("completed");
    await notify(vendor, proxy);
    await results;
    expect(count(vendor, "tasks/get")).toBe(2);
  });

  test("are in no log, neither their secret nor their token", async () => {
    const lines: string[] = [];
    const { vendor, proxy, url } = await start("a2a-0.3", { lines });
    const results = streamResults(url, "message/stream", userMessage("go"));
    await until(() => count(vendor, "tasks/get") === 1);
    const { url: hook, token } = hookOf(vendor, proxy);
    await fetch(`${hook}/more`, { method: "POST" });
    await fetch(hook.replace("/callbacks/", "/CallBacks/"), { method: "PUT" });
    await notify(vendor, proxy, { "X-A2A-Notification-Token": "guess" });
    vendor.become("completed");
    await notify(vendor, proxy);
    await results;
    await until(() => lines.some((line) => line.includes("message/stream")));
    const log = lines.join("");
    expect(log).toContain('"path":"/callbacks/pusher/…"');
    expect(log).not.toContain(hook.split("/").at(-1));
    expect(log).not.toContain(token);
  });
});

describe("where a task is followed", () => {
  test("a broken stream goes on by push, and is not opened again", async () => {
    const { vendor, proxy, url } = await start("a2a-0.3", { breaks: true });
    const results = streamResults(url, "message/stream", userMessage("go"));
    await until(() => count(vendor, "tasks/get") === 1);
    vendor.become("completed", "All done.");
    await notify(vendor, proxy);
    expect([...expectValidStream(await results).values()]).toEqual(["All done."]);
    await until(() => vendor.asked.length === 5);
    expect(vendor.asked).toEqual([
      "message/stream",
      "tasks/pushNotificationConfig/set",
      "tasks/get",
      "tasks/get",
      "tasks/pushNotificationConfig/delete",
    ]);
  });

  test("a vendor that refuses is polled as ever, and what it says of the webhook is not logged", async () => {
    const lines: string[] = [];
    const refuses = {
      code: -32003,
      message: ({ url, token }: Hook) => `I will not call ${url} with ${token}`,
    };
    const { vendor, url } = await start("a2a-0.3", { refuses, lines });
    const sent = rpc(url, "message/send", userMessage("go"));
    await until(() => count(vendor, "tasks/get") > 1);
    vendor.become("completed");
    expect(await sent).toMatchObject({ result: { status: { state: "completed" } } });
    expect(lines.join("")).toContain("the agent takes no callback");
    expect(lines.join("")).toContain("I will not call http://proxy.test/callbacks/pusher/[redacted]");
    expect(lines.join("")).not.toMatch(/callbacks\/pusher\/\w{8}/);
  });

  test("a vendor that never calls is asked all the same, every `safetyPoll`", async () => {
    const vendorPush = { mode: "instead-of-polling", safetyPoll: "50ms" };
    const { vendor, url } = await start("a2a-0.3", { vendorPush });
    const sent = rpc(url, "message/send", userMessage("go"));
    await until(() => count(vendor, "tasks/get") === 2);
    vendor.become("completed");
    expect(await sent).toMatchObject({ result: { status: { state: "completed" } } });
    expect(vendor.hooks).toHaveLength(1);
  });

  test.each([{}, { mode: "off" }])("nothing is asked of the vendor by %j", async (vendorPush) => {
    const { vendor, url } = await start("a2a-0.3", { vendorPush });
    const sent = rpc(url, "message/send", userMessage("go"));
    await until(() => count(vendor, "tasks/get") > 1);
    vendor.become("completed");
    await sent;
    expect(vendor.hooks).toEqual([]);
  });

  test("the vendor is told the configured URL instead of the public one", async () => {
    const vendorPush = { ...VENDOR_PUSH, callbackUrl: "https://inbound.test/proxy/" };
    const { vendor, proxy, url } = await start("a2a-0.3", { vendorPush });
    const sent = rpc(url, "message/send", userMessage("go"));
    await until(() => count(vendor, "tasks/get") === 1);
    const given = vendor.hooks[0]?.url ?? "";
    expect(given).toMatch(/^https:\/\/inbound\.test\/proxy\/callbacks\/pusher\/[\w-]{43}$/);
    vendor.become("completed");
    const path = given.replace("https://inbound.test/proxy", "");
    await fetch(proxy.url + path, { method: "POST", body: "{}" });
    expect(await sent).toMatchObject({ result: { status: { state: "completed" } } });
  });

  test("a task that a crash has left running keeps its callback until it has ended", async () => {
    let state: "working" | "completed" = "working";
    const given: string[] = [];
    const taken: string[] = [];
    const task = async () => ({ kind: "task" as const, id: "v-1", status: { state } });
    const asked: string[] = [];
    const backend = {
      send: task,
      getTask: () => {
        asked.push("get");
        return task();
      },
      subscribePush: async (_task: unknown, { url }: { url: string }) => void given.push(url),
      unsubscribePush: async ({ id }: { id: string }) => void taken.push(id),
    };
    const vendorPush = { callbackUrl: "http://proxy.test", safetyPoll: 3_600_000, withMessage: false };
    const crashed = await gatewayOver(backend, { vendorPush });
    const { caller } = callerOf();
    const { id } = asTask(await crashed.gateway.sendMessage(params("go", {}, { blocking: false }), caller));
    await until(() => asked.length === 1);
    const record = await crashed.store.getTask({ agent: "fake", id });
    if (!record) throw new Error("the task was not stored");
    const secret = given[0]?.split("/").at(-1) ?? "";
    expect(JSON.stringify(record)).not.toContain(secret);

    const restarted = await gatewayOver(backend, { vendorPush, store: crashed.store });
    const recovered = restarted.gateway.recover(record);
    await until(() => asked.length === 2);
    expect(given).toHaveLength(1);
    state = "completed";
    restarted.callbacks.find("fake", secret)?.ring();
    await recovered;
    expect(asTask(await restarted.gateway.getTask({ id }, caller)).status.state).toBe("completed");
    expect(restarted.callbacks.find("fake", secret)).toBeUndefined();
    expect(taken).toEqual(["v-1"]);
    expect((await crashed.store.getTask({ agent: "fake", id }))?.callback).toBeUndefined();
    await crashed.gateway.stop(0);
  });
});
