/** What every engine's PushStore must do. The store is opened so that at most three notifications wait in a lane. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { TaskStore } from "../../src/store/store.ts";
import { describeLetters } from "./letters-conformance.ts";
import { FAILED, pushConfig, record, sent, task, type Current, type Reopen } from "./push-records.ts";
import { taskRecord } from "./records.ts";
import type { OpenStore } from "./store-conformance.ts";

export function describePush(name: string, openStore: OpenStore): void {
  describe(`${name} store: push notifications`, () => {
    let folder: string;
    let store: TaskStore;
    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), "push-"));
      store = await openStore(folder);
    });
    afterEach(async () => {
      await store.close();
      await rm(folder, { recursive: true });
    });
    const reopen = async () => {
      await store.close();
      store = await openStore(folder);
    };
    describeConfigs(() => store, reopen);
    describeOutbox(() => store, reopen);
    describeLetters(() => store);
  });
}

/** After an attempt at 1000 that was answered, though not as it should. */
const FAILING = { isGood: false, failures: 0, failingSince: 1000, offAt: undefined };

function describeConfigs(store: Current, reopen: Reopen): void {
  test("keeps configs in order, replaces one of the same id, also after it was opened again", async () => {
    const { push } = store();
    const first = pushConfig();
    const second = pushConfig({ id: "second", dialect: "a" });
    const changed = pushConfig({ json: "{}", origin: "https://b.example", createdAt: 2000, dialect: "b" });
    for (const config of [first, second, changed]) expect(await push.putConfig(config, 2)).toBe(true);
    await reopen();
    expect(await store().push.listConfigs(task)).toEqual([changed, second]);
    expect(await store().push.getConfig(task, "default")).toEqual(changed);
    expect(await store().push.getConfig(task, "third")).toBeUndefined();
    expect(await store().push.getConfig({ ...task, agent: "writer" }, "default")).toBeUndefined();
  });

  test("refuses one more than the limit", async () => {
    const { push } = store();
    await push.putConfig(pushConfig(), 1);
    expect(await push.putConfig(pushConfig({ id: "second" }), 1)).toBe(false);
    expect(await push.putConfig(pushConfig({ taskId: "task-2" }), 1)).toBe(true);
    expect(await push.listConfigs(task)).toEqual([pushConfig()]);
  });

  test("knows which tasks have configs", async () => {
    await store().push.putConfig(pushConfig(), 1);
    expect(await store().push.isWatched(task)).toBe(true);
    expect(await store().push.isWatched({ ...task, id: "task-2" })).toBe(false);
    await store().push.deleteConfig(task, "default");
    expect(await store().push.isWatched(task)).toBe(false);
  });

  test("sweeps configs and dead letters with their task, but no task that is still to be told of", async () => {
    for (const id of ["told", "untold"]) {
      await store().push.putConfig(pushConfig({ taskId: id }), 1);
      await store().putTask(taskRecord({ id, state: "completed" }), { notify: true });
    }
    const claimed = await store().push.claim(1000, 10);
    const told = claimed.find(({ config }) => config.taskId === "told");
    if (!told) throw new Error("nothing was claimed");
    await store().push.bury(told, "gone", 1500);
    expect(await store().sweep(2000)).toBe(1);
    expect(await store().push.listConfigs({ ...task, id: "told" })).toEqual([]);
    expect(await store().push.deadLetters(10)).toEqual([]);
    expect(await store().getTask({ ...task, id: "untold" })).toBeDefined();
  });
}

function describeOutbox(store: Current, reopen: Reopen): void {
  test("queues a task for each of its configs, and only when told to", async () => {
    await store().push.putConfig(pushConfig(), 9);
    await store().push.putConfig(pushConfig({ id: "second", dialect: "a" }), 9);
    await store().putTask(taskRecord());
    expect(await store().push.nextDue()).toBeUndefined();
    await store().putTask(taskRecord({ updatedAt: 1234, json: '"é"' }), { notify: true });
    expect(await store().push.nextDue()).toBe(1234);
    expect(await store().push.claim(1233, 10)).toEqual([]);
    const claimed = await store().push.claim(1234, 10);
    const endpoint = { isGood: false, failures: 0, failingSince: undefined, offAt: undefined };
    const common = { queuedAt: 1234, attempts: 0, json: '"é"', endpoint };
    expect(claimed).toEqual([
      { ...common, id: expect.stringMatching(/^[0-9a-f]{32}$/), config: pushConfig() },
      {
        ...common,
        id: expect.stringMatching(/^[0-9a-f]{32}$/),
        config: pushConfig({ id: "second", dialect: "a" }),
      },
    ]);
    expect(claimed.map(({ config }) => config.dialect)).toEqual([undefined, "a"]);
    expect(claimed[0]?.id).not.toBe(claimed[1]?.id);
  });

  test("gives a lane's notifications out one at a time and in order", async () => {
    const { push } = store();
    await push.putConfig(pushConfig(), 1);
    await record(store(), "task-1", "1", "2");
    const [first] = await push.claim(1000, 10);
    expect(first?.json).toBe("1");
    expect(await push.claim(1000, 10)).toEqual([]);
    expect(await push.nextDue()).toBeUndefined();
    if (first) await push.delivered(first, 1100);
    const second = await push.claim(1100, 10);
    expect(sent(second)).toEqual(["2"]);
    if (second[0]) await push.delivered(second[0], 1200);
    expect(await push.nextDue()).toBeUndefined();
  });

  test("holds the whole lane back until a retry is due", async () => {
    const { push } = store();
    await push.putConfig(pushConfig(), 1);
    await record(store(), "task-1", "1", "2");
    const [first] = await push.claim(1000, 10);
    if (first) await push.retry(first, 5000, FAILED, 1000);
    expect(await push.nextDue()).toBe(5000);
    expect(await push.claim(4999, 10)).toEqual([]);
    expect(await push.claim(5000, 10)).toEqual([{ ...first, attempts: 1, endpoint: FAILING }]);
  });

  test("counts the attempts of each notification anew", async () => {
    const { push } = store();
    await push.putConfig(pushConfig(), 1);
    await record(store(), "task-1", "1", "2");
    for (const at of [1, 2]) {
      const [first] = await push.claim(5000, 1);
      expect(first?.attempts).toBe(at - 1);
      if (first) await push.retry(first, at, FAILED, 1000);
    }
    const [again] = await push.claim(5000, 1);
    if (again) await push.delivered(again, 5000);
    const [second] = await push.claim(5000, 1);
    expect([second?.json, second?.attempts]).toEqual(["2", 0]);
  });

  test("leaves out lanes to the origins named, and takes no more than asked for", async () => {
    const { push } = store();
    for (const [index, origin] of ["https://a.example", "https://b.example", "https://c.example"].entries()) {
      await push.putConfig(pushConfig({ taskId: `task-${index}`, origin }), 1);
      await record(store(), `task-${index}`, origin);
    }
    expect(sent(await push.claim(1000, 1, { origins: ["https://a.example", "https://b.example"] }))).toEqual([
      "https://c.example",
    ]);
    expect(sent(await push.claim(1000, 1))).toHaveLength(1);
    expect(sent(await push.claim(1000, 9))).toHaveLength(1);
  });

  test("gives out what had been claimed, and nothing delivered, once it was opened again", async () => {
    await store().push.putConfig(pushConfig(), 1);
    await record(store(), "task-1", "1", "2");
    const [first] = await store().push.claim(1000, 1);
    if (first) await store().push.delivered(first, 1000);
    const claimed = await store().push.claim(1000, 1);
    expect(sent(claimed)).toEqual(["2"]);
    await reopen();
    expect(await store().push.claim(1000, 1)).toEqual(claimed);
  });

  test("sends what is pending to a config's new place, and nothing once it is deleted", async () => {
    const { push } = store();
    await push.putConfig(pushConfig(), 1);
    await record(store(), "task-1", "1");
    const moved = pushConfig({ json: "{}", origin: "https://b.example" });
    await push.putConfig(moved, 1);
    const [first] = await push.claim(1000, 1);
    expect(first?.config).toEqual(moved);
    await push.deleteConfig(task, "default");
    await push.putConfig(pushConfig(), 1);
    if (first) await push.retry(first, 1000, FAILED, 1000);
    expect(await push.claim(9000, 1)).toEqual([]);
    expect(await push.nextDue()).toBeUndefined();
  });

  test("has what waits for its next attempt due at once when its config is replaced", async () => {
    const { push } = store();
    await push.putConfig(pushConfig(), 1);
    await record(store(), "task-1", "1");
    const [first] = await push.claim(1000, 1);
    if (first) await push.retry(first, 900_000, FAILED, 1000);
    const moved = pushConfig({ json: "{}", origin: "https://b.example", createdAt: 5000 });
    await push.putConfig(moved, 1);
    expect(await push.nextDue()).toBe(5000);
    expect(await push.claim(5000, 1)).toMatchObject([{ id: first?.id, attempts: 0, config: moved }]);
    await push.putConfig(pushConfig({ taskId: "task-2" }), 1);
    await push.putConfig(pushConfig({ taskId: "task-2", createdAt: 6000 }), 1);
    expect(await push.nextDue()).toBeUndefined();
  });

  test("leaves a lane alone that was made anew while a notification of the old one was on its way", async () => {
    const { push } = store();
    await push.putConfig(pushConfig(), 1);
    await record(store(), "task-1", "1");
    const [old] = await push.claim(1000, 1);
    await push.deleteConfig(task, "default");
    await push.putConfig(pushConfig(), 1);
    await record(store(), "task-1", "2");
    const [young] = await push.claim(1000, 1);
    expect(young?.json).toBe("2");
    if (old) {
      await push.retry(old, 1000, FAILED, 1000);
      await push.bury(old, "gone", 1000);
      await push.delivered(old, 1000);
    }
    // Otherwise it would be sent a second time while it is on its way.
    expect(await push.claim(9000, 1)).toEqual([]);
    expect(await push.deadLetters(9)).toEqual([]);
    if (young) await push.retry(young, 2000, FAILED, 1000);
    expect(await push.claim(2000, 1)).toMatchObject([{ id: young?.id, attempts: 1 }]);
  });

  test("keeps no more dead letters of a lane than may wait in it, and those the youngest", async () => {
    const { push } = store();
    await push.putConfig(pushConfig(), 1);
    await record(store(), "task-1", "1", "2", "3", "4", "5", "6", "7", "8");
    expect(await push.deadLetters(9)).toHaveLength(3);
    const sentLast: string[] = [];
    for (let [head] = await push.claim(1000, 1); head; [head] = await push.claim(1000, 1)) {
      sentLast.push(head.json);
      await push.bury(head, `of ${head.json}`, 1000);
    }
    expect(sentLast).toEqual(["6", "7", "8"]);
    expect((await push.deadLetters(9)).map(({ reason }) => reason)).toEqual(["of 6", "of 7", "of 8"]);
  });

  test("gives up the oldest that wait beyond the limit, but not what is on its way", async () => {
    const { push } = store();
    await push.putConfig(pushConfig(), 1);
    await record(store(), "task-1", "1");
    const [first] = await push.claim(1000, 1);
    await record(store(), "task-1", "2", "3", "4", "5");
    expect((await push.deadLetters(10)).map(({ reason }) => reason)).toEqual(["too many were waiting"]);
    const order = [first?.json];
    for (let next = first; next;) {
      await push.delivered(next, 1000);
      [next] = await push.claim(1000, 1);
      if (next) order.push(next.json);
    }
    expect(order).toEqual(["1", "3", "4", "5"]);
  });
}
