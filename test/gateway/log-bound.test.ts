/** The event log of a task stays within its limits, whatever the agent sends, and nobody is misled by what is missing. */
import { expect, test } from "@jest/globals";
import { array, assert, integer, property } from "fast-check";
import type { Limits } from "../../src/config/config.ts";
import type { Subscription } from "../../src/gateway/gateway.ts";
import { LogBound } from "../../src/gateway/feed/log-bound.ts";
import { chunk, code, fedStream, status, task } from "../support/agent-events.ts";
import { asTask, callerOf, gatewayOver, params, reader, textOf } from "../support/fake-agent.ts";

const KEY = { agent: "fake", id: "v1" };
const WORDS = Array.from({ length: 600 }, (_, n) => `word ${n} `);
const LIMITS: readonly (readonly [string, Partial<Limits>])[] = [
  ["bytes", { eventLog: 30_000, window: 1000 }],
  ["events", { events: 150, window: 1000 }],
];

/** A stream of many chunks that has not ended, of which a client has read all. */
async function longStream(limits: Partial<Limits>) {
  const source = fedStream();
  const made = await gatewayOver(source, { limits });
  const { caller } = callerOf();
  source.push(task("v1", "working"));
  const events = reader(await made.gateway.streamMessage(params("hi"), caller));
  await events.next();
  return { ...made, source, caller, events };
}

async function readWords(events: ReturnType<typeof reader>): Promise<void> {
  for (const _ of WORDS) await events.next();
}

test.each(LIMITS)(
  "a log beyond its limit of %s loses its oldest events; the task goes on",
  async (_, limits) => {
    const { source, store, gateway, caller, events } = await longStream(limits);
    source.push(...WORDS.map((word) => chunk(word)));
    await readWords(events);
    await store.flush();
    const kept = await store.eventsAfter(KEY, 0, 10_000);
    expect(kept.at(-1)?.sequence).toBe(WORDS.length + 1);
    expect(kept.length).toBeLessThan(300);
    expect(kept.map(({ sequence }) => sequence)).toEqual(
      kept.map((_event, index) => WORDS.length + 2 - kept.length + index),
    );
    source.push(status("completed"));
    source.end();
    await events.rest();
    expect(textOf(asTask(await gateway.getTask({ id: "v1" }, caller)))).toBe(WORDS.join(""));
  },
);

test.each(LIMITS)(
  "a client that would resume before a log's beginning (%s) gets the Task, marked",
  async (_, limits) => {
    const { source, gateway, caller, events } = await longStream(limits);
    source.push(...WORDS.map((word) => chunk(word)));
    await readWords(events);
    const openingOf = async (subscription: Subscription): Promise<unknown> => {
      const opening = await reader(subscription).next();
      subscription.close();
      return opening;
    };
    const lost = { kind: "task", metadata: { "urn:a2a-compat-proxy:resume": { eventsLost: true } } };
    for (const after of [0, 1, 2, 100]) {
      const opening = await openingOf(await gateway.resubscribe({ id: "v1" }, caller, after));
      expect([after, opening]).toEqual([after, expect.objectContaining(lost)]);
    }
    const late = await openingOf(await gateway.resubscribe({ id: "v1" }, caller, WORDS.length - 1));
    expect(late).toMatchObject({ artifact: { parts: [{ text: WORDS[WORDS.length - 2] }] } });
    source.push(status("completed"));
    source.end();
    await events.rest();
    const ended = await openingOf(await gateway.resubscribe({ id: "v1" }, caller, 0));
    expect(ended).toMatchObject(lost);
  },
);

test("a listener whose place was deleted gets an error, not a hole", async () => {
  const { source, gateway, caller, events } = await longStream({ eventLog: 30_000, window: 1000 });
  const slow = await gateway.resubscribe({ id: "v1" }, caller, 1);
  source.push(...WORDS.map((word) => chunk(word)));
  await readWords(events);
  expect(await slow.next().catch(code)).toBe("too-many-requests");
});

test("a crash loses nothing that was deleted from the log", async () => {
  const { source, store, events } = await longStream({ eventLog: 30_000, window: 1000 });
  source.push(...WORDS.map((word) => chunk(word)));
  await readWords(events);
  await store.flush();
  const [record] = await store.unfinishedTasks();
  if (!record) throw new Error("the running task is not in the store");
  const after = await gatewayOver({ getTask: async () => task("v1", "completed") }, { store });
  await after.gateway.recover(record);
  const { caller } = callerOf();
  expect(textOf(asTask(await after.gateway.getTask({ id: "v1" }, caller)))).toBe(WORDS.join(""));
});

test("an agent that repeats its state without end adds no event", async () => {
  const { source, store, events } = await longStream({});
  source.push(...Array.from({ length: 1000 }, () => status("working")), chunk("done"));
  expect(await events.next()).toMatchObject({ kind: "artifact-update" });
  await store.flush();
  expect(await store.eventsAfter(KEY, 0, 10_000)).toHaveLength(2);
});

test("what is kept never exceeds the limits, and no more is cut than one part in eight besides", () => {
  const sizes = array(integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 400 });
  assert(
    property(sizes, integer({ min: 0, max: 3000 }), (lengths, bytes) => {
      const limits = { bytes: 2000, events: 40 };
      const bound = new LogBound(limits, { last: 10, bytes });
      let from = 0;
      for (const [index, length] of lengths.entries()) {
        bound.add(index + 11, length);
        if (!bound.isExceeded) continue;
        const last = bound.cut();
        expect(last).toBeGreaterThanOrEqual(10);
        from = Math.max(from, last - 10);
        const kept = lengths.slice(from, index + 1);
        expect(kept.length).toBeLessThanOrEqual(limits.events);
        expect(kept.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(limits.bytes);
      }
    }),
  );
});
