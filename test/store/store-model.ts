/** A TaskStore held against maps in memory, with generated operations. */
import { expect } from "@jest/globals";
import * as fc from "fast-check";
import { isFinal, TASK_STATES } from "../../src/protocol/states.ts";
import type { ContextRecord, StoredEvent, TaskKey, TaskRecord, TaskStore } from "../../src/store/store.ts";

/** What the store should hold. Keys are JSON arrays. */
class Model {
  readonly tasks = new Map<string, TaskRecord>();
  readonly events = new Map<string, StoredEvent[]>();
  readonly contexts = new Map<string, ContextRecord>();

  eventsAfter(key: string, after: number, limit: number): StoredEvent[] {
    return (this.events.get(key) ?? []).filter(({ sequence }) => sequence > after).slice(0, limit);
  }

  sweep(before: number): number {
    const old = [...this.tasks].filter(([, task]) => isFinal(task.state) && task.updatedAt < before);
    for (const [key] of old) {
      this.tasks.delete(key);
      this.events.delete(key);
    }
    for (const [key, context] of this.contexts) {
      if (context.updatedAt < before && !this.#inUse(context)) this.contexts.delete(key);
    }
    return old.length;
  }

  owner(agent: string, contextId: string): string | undefined {
    const named = [...this.tasks.values(), ...this.contexts.values()].find(
      (record) => record.agent === agent && record.contextId === contextId,
    );
    const atVendor = [...this.contexts.values()].find(
      (record) => record.agent === agent && record.vendorContextId === contextId,
    );
    return (named ?? atVendor)?.principal;
  }

  #inUse({ agent, contextId }: ContextRecord): boolean {
    return [...this.tasks.values()].some((task) => task.agent === agent && task.contextId === contextId);
  }
}

type Step = (run: Run) => Promise<void>;

interface Run {
  readonly model: Model;
  readonly written: Promise<unknown>[];
  readonly reopen: () => Promise<void>;
  store: TaskStore;
}

const keyOf = ({ agent, id }: TaskKey): string => JSON.stringify([agent, id]);

const agent = fc.constantFrom("a", "b");
// Ids that a careless key or comparison would confuse.
const id = fc.constantFrom("t", "T", "t ", "", "é", "%");
const contextId = fc.constantFrom("c", "C", "t");
const time = fc.integer({ min: 0, max: 20 });
// Mostly the next one, sometimes with a gap.
const gap = fc.constantFrom(1, 1, 1, 2, 5);
const line = fc.string({ unit: "binary" }).map((text) => JSON.stringify(text));
const json = fc.string({ unit: "binary" });
// A context has one owner: the gateway sees to that, and the store does not say which of two it would answer.
const ownerOf = (contextId: string): string => `owner of ${contextId}`;

const task: fc.Arbitrary<TaskRecord> = fc.tuple(contextId, id).chain(([contextId, id]) =>
  fc.record({
    agent,
    id: fc.constant(id),
    principal: fc.constant(ownerOf(contextId)),
    contextId: fc.constant(contextId),
    vendorTaskId: fc.constantFrom(undefined, `vendor ${id}`),
    vendorContextId: fc.constantFrom(undefined, `vendor ${contextId}`),
    state: fc.constantFrom(...TASK_STATES),
    lastEvent: fc.nat(),
    createdAt: time,
    updatedAt: time,
    json,
  }),
);

const putTask = task.map((record): Step => async ({ store, model, written }) => {
  written.push(store.putTask(record));
  model.tasks.set(keyOf(record), record);
});

const appendEvent = fc
  .record({ agent, id, gap, json: line })
  .map(({ gap, json, ...task }): Step => async ({ store, model }) => {
    const key = keyOf(task);
    const events = model.events.get(key) ?? [];
    const event = { sequence: (events.at(-1)?.sequence ?? 0) + gap, json };
    store.appendEvent(task, event);
    model.events.set(key, [...events, event]);
  });

const putContext = fc
  .record({ agent, contextId, vendorContextId: json, updatedAt: time })
  .map((fields): Step => async ({ store, model, written }) => {
    const record = { ...fields, principal: ownerOf(fields.contextId) };
    written.push(store.putContext(record));
    model.contexts.set(JSON.stringify([record.agent, record.contextId]), record);
  });

const readTask = fc.record({ agent, id }).map((key): Step => async ({ store, model }) => {
  const expected = model.tasks.get(keyOf(key));
  expect(await store.getTask(key)).toEqual(expected);
  const announced = expected?.vendorTaskId === undefined ? undefined : expected;
  expect(await store.getTaskByVendorId(key.agent, `vendor ${key.id}`)).toEqual(announced);
});

const readEvents = fc
  .record({ agent, id, after: fc.nat(12), limit: fc.nat(8) })
  .map(({ after, limit, ...key }): Step => async ({ store, model }) => {
    expect(await store.eventsAfter(key, after, limit)).toEqual(model.eventsAfter(keyOf(key), after, limit));
  });

const readContext = fc
  .record({ agent, contextId })
  .map(({ agent, contextId }): Step => async ({ store, model }) => {
    const expected = model.contexts.get(JSON.stringify([agent, contextId]));
    expect(await store.getContext(agent, ownerOf(contextId), contextId)).toEqual(expected);
    expect(await store.contextOwner(agent, contextId)).toBe(model.owner(agent, contextId));
  });

const readUnfinished: Step = async ({ store, model }) => {
  const expected = [...model.tasks.values()].filter(({ state }) => !isFinal(state));
  expect(new Set(await store.unfinishedTasks())).toEqual(new Set(expected));
};

const sweep = time.map((before): Step => async ({ store, model }) => {
  expect(await store.sweep(before)).toBe(model.sweep(before));
});

const step = fc.oneof(
  { arbitrary: fc.oneof(putTask, appendEvent), weight: 4 },
  { arbitrary: fc.oneof(putContext, readTask, readEvents, readContext), weight: 2 },
  fc.constant(readUnfinished),
  sweep,
  fc.constant<Step>(({ store }) => store.flush()),
  fc.constant<Step>(({ reopen }) => reopen()),
);

/** Runs generated operations, most of them without waiting for the writes, each run on a place of its own. */
export async function checkAgainstModel(
  openStore: (place: string) => Promise<TaskStore>,
  newPlace: () => string,
): Promise<void> {
  const property = fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
    const place = newPlace();
    const run: Run = {
      model: new Model(),
      written: [],
      store: await openStore(place),
      reopen: async () => {
        await run.store.close();
        run.store = await openStore(place);
      },
    };
    try {
      for (const next of steps) await next(run);
      await Promise.all(run.written);
    } finally {
      await run.store.close();
    }
  });
  await fc.assert(property, { numRuns: 100 });
}
