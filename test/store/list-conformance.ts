/** What every engine's listTasks must do. */
import { expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { isFinal, TASK_STATES } from "../../src/protocol/states.ts";
import type { TaskQuery, TaskRecord, TaskStore } from "../../src/store/store.ts";
import { taskRecord } from "./records.ts";

const mine = { agent: "planner", principal: "alice", limit: 100, maxLength: 1_000_000 };

const record = fc.record({
  agent: fc.constantFrom("planner", "writer"),
  principal: fc.constantFrom("alice", "bob"),
  contextId: fc.constantFrom("c", "C"),
  state: fc.constantFrom(...TASK_STATES),
  updatedAt: fc.integer({ min: 0, max: 3 }),
});

const query = fc.record(
  {
    contextId: fc.constantFrom("c", "C", "none"),
    states: fc.uniqueArray(fc.constantFrom(...TASK_STATES), { maxLength: 3 }),
    updatedSince: fc.integer({ min: 0, max: 4 }),
  },
  { requiredKeys: [] },
);

/** All pages of a query, one after the other. */
async function listAll(store: TaskStore, query: TaskQuery): Promise<TaskRecord[]> {
  const listed: TaskRecord[] = [];
  for (;;) {
    const page = await store.listTasks({ ...query, after: listed.at(-1) });
    expect(page.length).toBeLessThanOrEqual(query.limit);
    listed.push(...page);
    if (page.length < query.limit) return listed;
  }
}

const newestFirst = (a: TaskRecord, b: TaskRecord): number =>
  b.updatedAt - a.updatedAt || (a.id < b.id ? 1 : -1);

export function describeList(store: () => TaskStore): void {
  test("lists every matching task of a principal at an agent exactly once, newest first, in pages of any size", async () => {
    const sample = fc.sample(record, { numRuns: 60, seed: 7 });
    const records = sample.map((fields, index) => taskRecord({ ...fields, id: `t-${index}` }));
    await Promise.all(records.map((item) => store().putTask(item)));
    const property = fc.asyncProperty(query, fc.integer({ min: 1, max: 9 }), async (conditions, limit) => {
      const { contextId, states, updatedSince = 0 } = conditions;
      const expected = records
        .filter(({ agent, principal }) => agent === "planner" && principal === "alice")
        .filter((item) => contextId === undefined || item.contextId === contextId)
        .filter((item) => states === undefined || states.includes(item.state))
        .filter(({ updatedAt, state }) => updatedAt >= updatedSince || !isFinal(state))
        .sort(newestFirst);
      expect(await listAll(store(), { ...mine, ...conditions, limit })).toEqual(expected);
      expect(await store().countTasks({ ...mine, ...conditions })).toBe(expected.length);
    });
    await fc.assert(property, { numRuns: 60 });
  });

  test("lists a task where its last record says, and shows it before its write has resolved", async () => {
    await store().putTask(taskRecord({ id: "a", updatedAt: 1 }));
    await store().putTask(taskRecord({ id: "b", updatedAt: 2 }));
    const written = store().putTask(
      taskRecord({ id: "a", updatedAt: 3, contextId: "moved", state: "failed" }),
    );
    expect((await store().listTasks(mine)).map(({ id }) => id)).toEqual(["a", "b"]);
    expect(await store().listTasks({ ...mine, contextId: "moved", states: ["failed"] })).toHaveLength(1);
    await written;
  });

  test("ends the list with the record that makes it long enough", async () => {
    const json = "x".repeat(10);
    const records = [1, 2, 3].map((updatedAt) => taskRecord({ id: `t-${updatedAt}`, updatedAt, json }));
    await Promise.all(records.map((item) => store().putTask(item)));
    const idsFor = async (maxLength: number) =>
      (await store().listTasks({ ...mine, maxLength })).map(({ id }) => id);
    expect(await idsFor(1)).toEqual(["t-3"]);
    expect(await idsFor(20)).toEqual(["t-3", "t-2"]);
    expect(await idsFor(21)).toEqual(["t-3", "t-2", "t-1"]);
    // A list that ended early leaves nothing open behind it.
    await store().putTask(taskRecord({ id: "t-4", updatedAt: 4 }));
  });
}
