/** One suite, run over JSON-RPC, HTTP+JSON and gRPC against every demo vendor: the same answers. */
import { afterAll, describe, expect, test } from "@jest/globals";
import { Message, StreamEvent, Task } from "../../src/protocol/model.ts";
import { collect } from "../support/collect.ts";
import { params, textOf } from "../support/fake-agent.ts";
import { expectValidStream } from "../support/invariants.ts";
import { TRANSPORTS } from "../support/transports/transport.ts";
import { PAIRS, VENDORS, eventsOf, readChunk, startSlow, startTransports } from "./transports.ts";

// Started here and not in a hook: concurrent tests do not wait for hooks.
const transports = await startTransports({ pace: 50 });
afterAll(() => transports.stop());

const wordsOf = ({ parts }: Message): string =>
  parts.map((part) => (part.kind === "text" ? part.text : "")).join("");
const lastOf = (events: readonly unknown[]): unknown => events.at(-1);

describe.each(PAIRS)("$vendor over $transport", ({ vendor, transport, words, question }) => {
  const client = transports.client(vendor, transport);

  test.concurrent("a message is answered with the completed task, which can be read again", async () => {
    const task = Task.parse(await client.send(params("tell me")));
    expect([task.kind, task.status.state]).toEqual(["task", "completed"]);
    expect(textOf(task)).toContain(words);
    expect(await client.get(task.id)).toEqual(task);
  });

  test.concurrent("a configuration that does not speak of blocking waits all the same", async () => {
    const task = Task.parse(await client.send(params("tell me", {}, { historyLength: 1 })));
    expect([task.status.state, task.history?.length]).toEqual(["completed", 1]);
  });

  test.concurrent("who does not want to wait gets the task at once, and the rest by a subscription", async () => {
    const task = Task.parse(await client.send(params("tell me", {}, { blocking: false })));
    expect(["submitted", "working"]).toContain(task.status.state);
    const events = eventsOf(await collect(client.resubscribe(task.id)));
    expect(lastOf(events)).toMatchObject({ kind: "status-update", final: true });
    expect(textOf(Task.parse(await client.get(task.id)))).toContain(words);
  });

  test.concurrent("a stream adds up to the task that is stored", async () => {
    const events = eventsOf(await collect(client.stream(params("tell me"))));
    const texts = expectValidStream(events);
    expect(lastOf(events)).toMatchObject({ kind: "status-update", status: { state: "completed" } });
    const task = Task.parse(await client.get(Task.parse(events[0]).id));
    expect([...texts.values()].join("")).toBe(textOf(task));
    expect(textOf(task)).toContain(words);
  });

  test.concurrent("as much of the history is given as is asked for", async () => {
    const asked = Task.parse(await client.send(params("ask")));
    const { id } = Task.parse(await client.send(params("the answer", { taskId: asked.id })));
    const all = Task.parse(await client.get(id));
    const words = all.history?.map(wordsOf) ?? [];
    expect([words[0], words.includes(question), words.includes("the answer")]).toEqual(["ask", true, true]);
    expect(Task.parse(await client.get(id, 1)).history).toEqual(all.history?.slice(-1));
    expect(Task.parse(await client.get(id, 2)).history).toEqual(all.history?.slice(-2));
    expect(Task.parse(await client.get(id, 0)).history).toEqual(all.history);
  });

  test.concurrent("a running task is canceled, for who listens and for good", async () => {
    const { id, events } = await startSlow(client);
    const canceled = Task.parse(await client.cancel(id));
    expect([canceled.id, canceled.status.state]).toEqual([id, "canceled"]);
    expect(lastOf(eventsOf(await collect(events)))).toMatchObject({
      status: { state: "canceled" },
      final: true,
    });
    expect(Task.parse(await client.get(id)).status.state).toBe("canceled");
  });

  test.concurrent("another can follow a running task, from where it is to its end", async () => {
    const { id, events, seen } = await startSlow(client);
    const resuming = client.resubscribe(id);
    const resumed = await readChunk(resuming);
    await client.cancel(id);
    resumed.push(...(await collect(resuming)));
    const rest = await collect(events);
    const followed = expectValidStream(eventsOf(resumed));
    const whole = expectValidStream(eventsOf([...seen, ...rest]));
    expect(textOf(Task.parse(resumed[0]?.event))).not.toBe("");
    expect([...followed]).toEqual([...whole]);
    // What has ended has nothing to follow but itself.
    const ended = eventsOf(await collect(client.resubscribe(id)));
    expect(ended).toEqual([await client.get(id)]);
  });

  test.concurrent("a task that asks back goes on with the answer, in a stream or not", async () => {
    const asked = Task.parse(await client.send(params("ask")));
    expect(asked.status.state).toBe("input-required");
    expect(wordsOf(Message.parse(asked.status.message))).toBe(question);
    const { id, contextId } = asked;
    const answer = params("the answer", { taskId: id, contextId });
    const events = eventsOf(await collect(client.stream(answer)));
    expectValidStream(events);
    expect(events[0]).toMatchObject({ kind: "task", id, contextId });
    const done = Task.parse(await client.get(id));
    expect([done.status.state, done.contextId]).toEqual(["completed", contextId]);
    expect(textOf(done)).toMatch(/ask.*the answer|the answer.*ask/);
  });

  test.concurrent("a second task of the context remembers the first", async () => {
    const first = Task.parse(await client.send(params("tell me")));
    const { contextId } = first;
    const second = Task.parse(await client.send(params("more", { contextId })));
    expect([second.contextId, second.id === first.id]).toEqual([contextId, false]);
    expect(textOf(second)).toMatch(/turn 2/i);
  });

  test.concurrent("a task fails where the agent fails, with its words", async () => {
    const task = Task.parse(await client.send(params("fail")));
    expect(task.status.state).toBe("failed");
    expect(JSON.stringify(task.status.message?.parts)).toMatch(/[a-z] [a-z]/);
  });

  test.concurrent("callers get the extended card", async () => {
    expect(await client.extendedCard()).toMatchObject({ description: "For callers" });
  });
});

/** Ids by the order in which they first appear, no times, and chunks of an artifact in one piece. */
function storyOf(events: readonly unknown[]): unknown {
  const parsed = events.map((event) => StreamEvent.parse(event));
  const told: unknown[] = [];
  for (const [index, event] of parsed.entries()) {
    const before = parsed[index - 1];
    if (event.kind !== "artifact-update") told.push(event);
    else if (before?.kind !== "artifact-update" || !event.append)
      told.push({ ...event, artifact: undefined });
  }
  const ids = new Map<string, string>();
  const named = (id: string): string => ids.get(id) ?? (ids.set(id, `id-${ids.size}`), `id-${ids.size}`);
  return JSON.parse(
    JSON.stringify([told, [...expectValidStream(events).values()]])
      .replaceAll(/[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}|message-\d+/g, named)
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
      .replaceAll(/,?"(?:append|lastChunk)":(?:false|true)/g, ""),
  );
}

describe.each(VENDORS)("$vendor", ({ vendor }) => {
  const clients = TRANSPORTS.map((transport) => transports.client(vendor, transport));

  test.each(["tell me", "ask", "fail"])("tells the same story over every transport (%s)", async (text) => {
    const streams = clients.map(async (client) =>
      storyOf(eventsOf(await collect(client.stream(params(text))))),
    );
    const [first, ...others] = await Promise.all(streams);
    expect(others).toEqual([first, first]);
  });

  test("has the same task over every transport, whichever it was begun over", async () => {
    for (const client of clients) {
      const { id } = Task.parse(await client.send(params("tell me")));
      const [first, ...others] = await Promise.all(clients.map((each) => each.get(id)));
      expect(others).toEqual([first, first]);
    }
  });

  test("lists the same tasks as tasks/get has", async () => {
    for (const client of clients) {
      const listed = await client.list?.();
      for (const task of listed ?? []) {
        const { artifacts: _, ...got } = Task.parse(await client.get(Task.parse(task).id));
        expect(task).toEqual(got);
      }
      expect(listed?.length).not.toBe(0);
    }
  });
});
