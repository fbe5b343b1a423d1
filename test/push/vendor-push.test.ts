/** Callbacks that go along with a message, that are early, late, wrong or repeated, and that are taken back in the end. */
import { afterEach, describe, expect, test } from "@jest/globals";
import { setTimeout as delay } from "node:timers/promises";
import { rpc, streamResults, userMessage } from "../support/client.ts";
import { expectValidStream } from "../support/invariants.ts";
import { DIALECTS, count, hookOf, notify, start, stopAll, streamUntilCalled, until } from "./pushed.ts";

const WITH_MESSAGE = { mode: "with-message", safetyPoll: "1h" };

afterEach(stopAll);

describe.each(DIALECTS)("a vendor of %s that wants the callback with the message", (dialect) => {
  test("gets it there, is asked for no other, and is waited for", async () => {
    const started = await start(dialect, { vendorPush: WITH_MESSAGE, onlyEnclosed: true });
    const events = await streamUntilCalled(started);
    expect([...expectValidStream(events).values()]).toEqual(["All done."]);
    const { vendor } = started;
    expect(count(vendor, vendor.wire.set)).toBe(0);
  });

  test("gets the proxy's callback, not the client's webhook", async () => {
    const { vendor, proxy, url } = await start(dialect, { vendorPush: WITH_MESSAGE });
    const secret = { url: "https://hook.client.test/", token: "CLIENT" };
    // The client's webhook is not resolved here, and refused; the message must not go out with it.
    const { error } = await rpc(url, "message/send", {
      ...userMessage("go"),
      configuration: { pushNotificationConfig: secret },
    });
    expect([error?.code, vendor.asked]).toEqual([-32602, []]);
    const sent = rpc(url, "message/send", userMessage("go"));
    await until(() => count(vendor, vendor.wire.get) === 1);
    vendor.become("completed");
    await notify(vendor, proxy);
    expect(await sent).toMatchObject({ result: { status: { state: "completed" } } });
    expect(JSON.stringify(vendor.hooks)).not.toMatch(/CLIENT|hook\.client/);
  });

  test("may call before it has answered the message", async () => {
    const early: number[] = [];
    const beforeAnswer = async (): Promise<void> => {
      vendor.become("completed", "At once.");
      early.push((await notify(vendor, proxy)).status);
    };
    const { vendor, proxy, url } = await start(dialect, { vendorPush: WITH_MESSAGE, beforeAnswer });
    // The answer still says that the task is working; it is asked for, and no other call is needed.
    const results = await streamResults(url, "message/stream", userMessage("go"));
    expect([...expectValidStream(results).values()]).toEqual(["At once."]);
    expect(early).toEqual([200]);
    expect(count(vendor, vendor.wire.get)).toBe(1);
  });
});

test("a vendor that refuses a message and repeats it does not give the callback away", async () => {
  const lines: string[] = [];
  const { vendor, url } = await start("a2a-0.3", { vendorPush: WITH_MESSAGE, echoes: true, lines });
  const answer = await rpc(url, "message/send", userMessage("go"));
  const [hook] = vendor.hooks;
  const secret = hook?.url.split("/").at(-1) ?? "";
  expect(answer.error).toMatchObject({ message: expect.stringContaining("/callbacks/pusher/[redacted]") });
  for (const text of [JSON.stringify(answer), ...lines]) {
    expect(text).not.toContain(secret);
    expect(text).not.toContain(hook?.token);
  }
});

describe("the callback of a task that has ended", () => {
  test.each([
    ["a2a-0.3", [{ id: "v-1", pushNotificationConfigId: "a2a-compat-proxy" }]],
    ["a2a-snake", [{ task_id: "v-1", id: "a2a-compat-proxy", "a2a-version": "1.0" }]],
  ] as const)("is deleted at a vendor of %s", async (dialect, deleted) => {
    const { vendor, proxy, url } = await start(dialect);
    const sent = rpc(url, "message/send", userMessage("go"));
    await until(() => count(vendor, vendor.wire.get) === 1);
    expect(vendor.hooks[0]?.id).toBe("a2a-compat-proxy");
    expect(vendor.deleted).toEqual([]);
    vendor.become("completed");
    await notify(vendor, proxy);
    await sent;
    await until(() => vendor.deleted.length > 0);
    expect(vendor.deleted).toEqual(deleted);
  });

  test("is not deleted at a vendor of a2a-0.1, which has no method for it", async () => {
    const { vendor, proxy, url } = await start("a2a-0.1");
    const sent = rpc(url, "message/send", userMessage("go"));
    await until(() => count(vendor, "tasks/get") === 1);
    vendor.become("completed");
    await notify(vendor, proxy);
    await sent;
    await delay(100);
    expect(vendor.asked).toEqual(["tasks/send", "tasks/pushNotification/set", "tasks/get", "tasks/get"]);
  });

  test.each(["refuse", "hang"] as const)(
    "does no harm where the vendor will %s to delete it, and stays out of the log",
    async (deletes) => {
      const lines: string[] = [];
      const { vendor, proxy, url } = await start("a2a-0.3", { deletes, lines });
      const sent = rpc(url, "message/send", userMessage("go"));
      await until(() => count(vendor, "tasks/get") === 1);
      vendor.become("completed");
      await notify(vendor, proxy);
      expect(await sent).toMatchObject({ result: { status: { state: "completed" } } });
      await until(() => count(vendor, "tasks/pushNotificationConfig/delete") === 1);
      expect((await notify(vendor, proxy)).status).toBe(404);
      if (deletes === "refuse") await until(() => lines.some((line) => line.includes("keeps a callback")));
      const { token, url: hook } = hookOf(vendor, proxy);
      const secret = hook.split("/").at(-1) ?? "";
      expect(lines.filter((line) => line.includes(token) || line.includes(secret))).toEqual([]);
    },
  );

  test("is not there any more while a task waits for its client, and is set anew when it goes on", async () => {
    const { vendor, proxy, url } = await start("a2a-0.3");
    const asking = rpc(url, "message/send", userMessage("go"));
    await until(() => count(vendor, "tasks/get") === 1);
    vendor.become("input-required");
    await notify(vendor, proxy);
    const { result } = await asking;
    expect(result).toMatchObject({ status: { state: "input-required" } });
    await until(() => vendor.deleted.length === 1);
    expect((await notify(vendor, proxy)).status).toBe(404);
    vendor.become("working");
    const { id } = result as { id: string };
    const going = rpc(url, "message/send", userMessage("on", { taskId: id }));
    await until(() => vendor.hooks.length === 2 && count(vendor, "tasks/get") === 3);
    vendor.become("completed");
    await notify(vendor, proxy);
    expect(await going).toMatchObject({ result: { status: { state: "completed" } } });
  });
});

describe("what a vendor posts", () => {
  test.each([
    ["no JSON", "not JSON at all {"],
    ["nothing", ""],
    ["a Task", '{"kind":"task","id":"v-1","status":{"state":"failed"}}'],
    ["ProtoJSON", '{"task":{"id":"v-1","status":{"state":"TASK_STATE_FAILED"}}}'],
    [
      "a status-update",
      '{"statusUpdate":{"taskId":"v-1","status":{"state":"TASK_STATE_WORKING"},"final":false}}',
    ],
    ["the task of somebody else", '{"kind":"task","id":"v-2","status":{"state":"failed"}}'],
  ])("(%s) is a sign to ask, and not believed", async (_, body) => {
    const { vendor, proxy, url } = await start("a2a-0.3");
    const sent = rpc(url, "message/send", userMessage("go"));
    await until(() => count(vendor, "tasks/get") === 1);
    vendor.become("completed", "So it was.");
    expect((await notify(vendor, proxy, {}, body)).status).toBe(200);
    expect(await sent).toMatchObject({
      result: { status: { state: "completed" }, artifacts: [{ parts: [{ text: "So it was." }] }] },
    });
  });
});
