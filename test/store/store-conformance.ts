/** What every engine's TaskStore must do. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { isFinal, TASK_STATES } from "../../src/protocol/states.ts";
import type { TaskStore } from "../../src/store/store.ts";
import { describeList } from "./list-conformance.ts";
import { contextRecord, events, taskRecord } from "./records.ts";
import { checkAgainstModel } from "./store-model.ts";

/** Opens the store that keeps its data under that folder: a new one the first time, the same one after a close. */
export type OpenStore = (folder: string) => Promise<TaskStore>;

export function describeStore(name: string, openStore: OpenStore): void {
  describe(`${name} store`, () => {
    let folder: string;
    let store: TaskStore;
    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), "store-"));
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

    describeTasks(() => store, reopen);
    describeEvents(() => store, reopen);
    describeContexts(() => store, reopen);
    describeSweep(() => store);
    describeList(() => store);

    test("answers any sequence of operations as a model in memory does", async () => {
      let opened = 0;
      await checkAgainstModel(
        (place) => openStore(join(folder, place)),
        () => `model-${(opened += 1)}`,
      );
    });

    test("refuses to work once closed, and may be closed twice", async () => {
      const other = await openStore(join(folder, "other"));
      await other.close();
      await other.close();
      await expect(other.putTask(taskRecord())).rejects.toThrow("closed");
      await expect(other.getTask(taskRecord())).rejects.toThrow("closed");
      expect(() => other.appendEvent(taskRecord(), { sequence: 1, json: "{}" })).toThrow("closed");
    });
  });
}

type Current = () => TaskStore;
type Reopen = () => Promise<void>;

function describeTasks(store: Current, reopen: Reopen): void {
  test("returns every field of a task as it was put, also after it was closed and opened again", async () => {
    const full = taskRecord({
      vendorTaskId: "v-1",
      callback: "digests",
      vendorContextId: "s-1",
      lastEvent: 7,
      updatedAt: 1_790_000_000_123,
    });
    const bare = taskRecord({ id: "task-2", json: '"\u0000 \\ é 漢 🙂 line\nbreak"' });
    await Promise.all([store().putTask(full), store().putTask(bare)]);
    expect(await store().getTask(full)).toEqual(full);
    await reopen();
    expect(await store().getTask(full)).toEqual(full);
    expect(await store().getTask(bare)).toEqual(bare);
  });

  test("shows a task at once, before its write has resolved", async () => {
    const record = taskRecord({ vendorTaskId: "v-1" });
    const written = store().putTask(record);
    expect(await store().getTask(record)).toEqual(record);
    expect(await store().getTaskByVendorId("planner", "v-1")).toEqual(record);
    expect(await store().contextOwner("planner", "context-1")).toBe("alice");
    expect(await store().unfinishedTasks()).toEqual([record]);
    await written;
  });

  test("keeps the last of several records of a task", async () => {
    const last = taskRecord({
      principal: "bob",
      state: "completed",
      contextId: "context-2",
      createdAt: 5,
      json: "{}",
    });
    await Promise.all([
      store().putTask(taskRecord({ vendorTaskId: "v-1", vendorContextId: "s-1" })),
      store().putTask(last),
    ]);
    expect(await store().getTask(last)).toEqual(last);
    expect(await store().getTaskByVendorId("planner", "v-1")).toBeUndefined();
    expect(await store().contextOwner("planner", "context-1")).toBeUndefined();
  });

  test("keeps tasks of the same id apart by agent", async () => {
    const planner = taskRecord({ vendorTaskId: "v-1" });
    const writer = taskRecord({ agent: "writer", vendorTaskId: "v-1", principal: "bob" });
    await Promise.all([store().putTask(planner), store().putTask(writer)]);
    expect(await store().getTask(planner)).toEqual(planner);
    expect(await store().getTask(writer)).toEqual(writer);
    expect(await store().getTaskByVendorId("planner", "v-1")).toEqual(planner);
    expect(await store().getTaskByVendorId("writer", "v-1")).toEqual(writer);
    expect(await store().contextOwner("writer", "context-1")).toBe("bob");
  });

  test("answers undefined for what it does not have", async () => {
    await store().putTask(taskRecord());
    expect(await store().getTask({ agent: "planner", id: "TASK-1" })).toBeUndefined();
    expect(await store().getTask({ agent: "writer", id: "task-1" })).toBeUndefined();
    expect(await store().getTaskByVendorId("planner", "v-1")).toBeUndefined();
    expect(await store().contextOwner("planner", "context-2")).toBeUndefined();
    expect(await store().getContext("planner", "alice", "context-1")).toBeUndefined();
  });

  test("lists the tasks in a state that is neither terminal nor interrupted", async () => {
    const records = TASK_STATES.map((state) => taskRecord({ id: state, state }));
    await Promise.all(records.map((record) => store().putTask(record)));
    await reopen();
    const listed = await store().unfinishedTasks();
    expect(new Set(listed)).toEqual(new Set(records.filter(({ state }) => !isFinal(state))));
    await store().putTask(taskRecord({ id: "working", state: "failed" }));
    expect((await store().unfinishedTasks()).map(({ id }) => id).sort()).toEqual(["submitted", "unknown"]);
  });
}

function describeEvents(store: Current, reopen: Reopen): void {
  const key = { agent: "planner", id: "task-1" };

  test("shows events at once, in order, after a sequence and up to a limit", async () => {
    for (const event of events(1, 30)) store().appendEvent(key, event);
    expect(await store().eventsAfter(key, 0, 100)).toEqual(events(1, 30));
    expect(await store().eventsAfter(key, 8, 4)).toEqual(events(9, 12));
    expect(await store().eventsAfter(key, 30, 100)).toEqual([]);
  });

  test("keeps events by task and agent", async () => {
    store().appendEvent(key, { sequence: 1, json: "1" });
    store().appendEvent({ agent: "planner", id: "task-2" }, { sequence: 2, json: "2" });
    store().appendEvent({ agent: "writer", id: "task-1" }, { sequence: 3, json: "3" });
    expect(await store().eventsAfter(key, 0, 100)).toEqual([{ sequence: 1, json: "1" }]);
    expect(await store().eventsAfter({ agent: "writer", id: "task-1" }, 0, 100)).toEqual([
      { sequence: 3, json: "3" },
    ]);
  });

  test("keeps the place of an event after a gap in the sequence", async () => {
    const all = [...events(1, 3), ...events(7, 9)];
    for (const event of all.slice(0, 2)) store().appendEvent(key, event);
    await store().flush();
    for (const event of all.slice(2)) store().appendEvent(key, event);
    expect(await store().eventsAfter(key, 0, 100)).toEqual(all);
    expect(await store().eventsAfter(key, 2, 2)).toEqual([...events(3, 3), ...events(7, 7)]);
    expect(await store().eventsAfter(key, 5, 100)).toEqual(events(7, 9));
  });

  test("gives back events of any length", async () => {
    const long = events(1, 20).map(({ sequence }) => ({
      sequence,
      json: JSON.stringify("x".repeat(sequence * 5000)),
    }));
    for (const event of long) store().appendEvent(key, event);
    expect(await store().eventsAfter(key, 0, 100)).toEqual(long);
    await reopen();
    expect(await store().eventsAfter(key, 12, 3)).toEqual(long.slice(12, 15));
  });

  test("has events after it was closed and opened again, whether flushed or not", async () => {
    for (const event of events(1, 3)) store().appendEvent(key, event);
    await store().flush();
    store().appendEvent(key, { sequence: 4, json: '{"chunk":4}' });
    await reopen();
    expect(await store().eventsAfter(key, 0, 100)).toEqual(events(1, 4));
  });
}

function describeContexts(store: Current, reopen: Reopen): void {
  test("returns a context as it was last put, to its principal alone", async () => {
    const last = contextRecord({ vendorContextId: "session-2", updatedAt: 2000 });
    const written = [store().putContext(contextRecord()), store().putContext(last)];
    expect(await store().getContext("planner", "alice", "context-1")).toEqual(last);
    await Promise.all(written);
    await reopen();
    expect(await store().getContext("planner", "alice", "context-1")).toEqual(last);
    expect(await store().getContext("planner", "bob", "context-1")).toBeUndefined();
    expect(await store().getContext("writer", "alice", "context-1")).toBeUndefined();
  });

  test("knows the owner of a context by its record, where no task is in it", async () => {
    await store().putContext(contextRecord());
    expect(await store().contextOwner("planner", "context-1")).toBe("alice");
    expect(await store().contextOwner("writer", "context-1")).toBeUndefined();
  });
}

function describeSweep(store: Current): void {
  test("deletes finished tasks not updated since, with their events, and leaves the others", async () => {
    const old = TASK_STATES.map((state) => taskRecord({ id: `old-${state}`, state, updatedAt: 1999 }));
    const young = TASK_STATES.map((state) => taskRecord({ id: `young-${state}`, state, updatedAt: 2000 }));
    for (const record of [...old, ...young]) {
      void store().putTask(record);
      store().appendEvent(record, { sequence: 1, json: "{}" });
    }
    const deleted = old.filter(({ state }) => isFinal(state));
    expect(await store().sweep(2000)).toBe(deleted.length);
    for (const record of [...old, ...young]) {
      const gone = deleted.includes(record);
      expect(await store().getTask(record)).toEqual(gone ? undefined : record);
      expect(await store().eventsAfter(record, 0, 100)).toHaveLength(gone ? 0 : 1);
    }
    expect(await store().sweep(2000)).toBe(0);
  });

  test("deletes more than one step holds, and lets other work go on meanwhile", async () => {
    const records = Array.from({ length: 1000 }, (_, n) =>
      taskRecord({ id: `task-${n}`, state: "completed" }),
    );
    await Promise.all(records.map((record) => store().putTask(record)));
    for (const event of events(1, 10_000)) store().appendEvent({ agent: "planner", id: "task-500" }, event);
    const swept = store().sweep(2000);
    const continued = taskRecord({ id: "task-999", state: "working", updatedAt: 3000 });
    await store().putTask(continued);
    expect(await swept).toBe(999);
    expect(await store().getTask(continued)).toEqual(continued);
    expect(await store().eventsAfter({ agent: "planner", id: "task-500" }, 0, 1)).toEqual([]);
  });

  test("deletes contexts not updated since, save those a task is still in", async () => {
    await Promise.all([
      store().putContext(contextRecord({ contextId: "old" })),
      store().putContext(contextRecord({ contextId: "young", updatedAt: 2000 })),
      store().putContext(contextRecord({ contextId: "in use" })),
      store().putTask(taskRecord({ contextId: "in use" })),
    ]);
    expect(await store().sweep(2000)).toBe(0);
    const left = ["old", "young", "in use"].map((id) => store().getContext("planner", "alice", id));
    expect((await Promise.all(left)).map((record) => record?.contextId)).toEqual([
      undefined,
      "young",
      "in use",
    ]);
  });

  test("stops a sweep when it is closed", async () => {
    const records = Array.from({ length: 1000 }, (_, n) =>
      taskRecord({ id: `task-${n}`, state: "completed" }),
    );
    await Promise.all(records.map((record) => store().putTask(record)));
    const swept = store().sweep(2000);
    await store().close();
    expect(await swept).toBeLessThan(1000);
  });
}
