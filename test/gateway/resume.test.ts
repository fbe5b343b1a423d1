import { describe, expect, test } from "@jest/globals";
import type { OutgoingEvent, Subscription } from "../../src/gateway/gateway.ts";
import { chunk, fedStream, status, task } from "../support/agent-events.ts";
import { asTask, callerOf, gatewayOver, params, textOf } from "../support/fake-agent.ts";

async function read(subscription: Subscription, count = Number.POSITIVE_INFINITY): Promise<OutgoingEvent[]> {
  const events: OutgoingEvent[] = [];
  while (events.length < count) {
    const batch = await subscription.next();
    if (!batch) break;
    events.push(...batch);
  }
  return events;
}

/** A finished stream of a Task, two chunks and a final status: events 1 to 4. */
async function finishedStream() {
  const source = fedStream();
  source.push(task("v1", "working"), chunk("one "), chunk("two"), status("completed"));
  source.end();
  const made = await gatewayOver(source);
  const { caller } = callerOf();
  const events = await read(await made.gateway.streamMessage(params("hi"), caller));
  return { ...made, caller, events };
}

describe("resubscribing with the last event seen", () => {
  test("numbers the events of a stream from 1", async () => {
    const { events } = await finishedStream();
    expect(events.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4]);
    expect(events.at(-1)?.last).toBe(true);
  });

  test("replays exactly what was missed of a finished task, byte for byte", async () => {
    const { gateway, caller, events } = await finishedStream();
    for (const [index, { sequence }] of events.entries()) {
      const replayed = await read(await gateway.resubscribe({ id: "v1" }, caller, sequence));
      expect(replayed).toMatchObject(
        events.slice(index + 1).map(({ sequence: at, json }) => ({ sequence: at, json })),
      );
    }
  });

  test("replays and follows a running task, without gap or duplicate", async () => {
    const source = fedStream();
    source.push(task("v1", "working"), chunk("one "));
    const { gateway } = await gatewayOver(source);
    const { caller } = callerOf();
    const first = await read(await gateway.streamMessage(params("hi"), caller), 2);
    const again = await gateway.resubscribe({ id: "v1" }, caller, first[0]?.sequence);
    source.push(chunk("two"), status("completed"));
    source.end();
    const rest = await read(again);
    expect(rest.map(({ sequence }) => sequence)).toEqual([2, 3, 4]);
    expect(rest[0]?.json).toBe(first[1]?.json);
  });

  test("goes on from the id of a Task that an earlier resubscription began with", async () => {
    const source = fedStream();
    source.push(task("v1", "working"), chunk("one "));
    const { gateway } = await gatewayOver(source);
    const { caller } = callerOf();
    await read(await gateway.streamMessage(params("hi"), caller), 2);
    const [opening] = await read(await gateway.resubscribe({ id: "v1" }, caller), 1);
    source.push(chunk("two"), status("completed"));
    source.end();
    const rest = await read(await gateway.resubscribe({ id: "v1" }, caller, opening?.sequence));
    expect(rest.map(({ json }) => JSON.parse(json))).toMatchObject([
      { artifact: { parts: [{ text: "two" }] } },
      { final: true },
    ]);
  });

  test("gives the Task again, marked, for an event that is not in the log", async () => {
    const { gateway, caller } = await finishedStream();
    const events = await read(await gateway.resubscribe({ id: "v1" }, caller, 99));
    expect(events.map(({ json }) => JSON.parse(json))).toMatchObject([
      { kind: "task", id: "v1", metadata: { "urn:a2a-compat-proxy:resume": { eventsLost: true } } },
    ]);
  });

  test("begins at the last turn's Task where later turns have passed", async () => {
    const turns = [fedStream(), fedStream(), fedStream()];
    let turn = 0;
    const { gateway } = await gatewayOver({
      stream: (sent, call) => (turns[turn++] ?? fedStream()).stream(sent, call),
    });
    const { caller } = callerOf();
    for (const [index, source] of turns.entries()) {
      source.push(
        task("v1", "working"),
        chunk(`${index} `),
        status(index < 2 ? "input-required" : "completed"),
      );
      source.end();
      const more = index === 0 ? {} : { taskId: "v1" };
      // The last turn has no listener: its sum stands in the log.
      if (index < 2) await read(await gateway.streamMessage(params("hi", more), caller));
      else await gateway.sendMessage(params("hi", more), caller);
    }
    const [event, ...rest] = await read(await gateway.resubscribe({ id: "v1" }, caller, 2));
    expect(rest).toEqual([]);
    expect(textOf(asTask(JSON.parse(event?.json ?? "null")))).toBe("0 1 2 ");
  });

  test("survives a crash: what is in the log is replayed, and numbers that were lost are not used again", async () => {
    const source = fedStream();
    source.push(task("v1", "working"), chunk("one "), chunk("two "));
    const before = await gatewayOver(source);
    const { caller } = callerOf();
    const seen = await read(await before.gateway.streamMessage(params("hi"), caller), 3);
    const after = await gatewayOver(
      { getTask: async () => task("v1", "completed", "one two three") },
      { store: before.store },
    );
    const [record] = await before.store.unfinishedTasks();
    if (!record) throw new Error("the running task is not in the store");
    await after.gateway.recover(record);
    const rest = await read(await after.gateway.resubscribe({ id: "v1" }, caller, seen[1]?.sequence));
    expect(rest.map(({ json }) => JSON.parse(json))).toMatchObject([
      { artifact: { parts: [{ text: "two " }] } },
      { append: true, artifact: { parts: [{ text: "three" }] } },
      { final: true },
    ]);
    // The client had seen one event more than had come to disk.
    const [lost] = await read(await after.gateway.resubscribe({ id: "v1" }, caller, 4));
    expect(JSON.parse(lost?.json ?? "null")).toMatchObject({ kind: "task", status: { state: "completed" } });
  });
});
