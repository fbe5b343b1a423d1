import { expect, test } from "@jest/globals";
import { answerFromStatuses } from "../../../adapters/a2a-0.3/deltas.ts";
import type { AgentEvent, AgentStatusUpdate } from "../../../src/adapter.ts";

const ids = { taskId: "t", contextId: "c" };
const text = (text: string) => ({ kind: "text" as const, text });

const working = (words: string): AgentStatusUpdate => ({
  kind: "status-update",
  ...ids,
  status: { state: "working", message: { kind: "message", role: "agent", parts: [text(words)] } },
});
const whole = (words: string): AgentEvent => ({
  kind: "artifact-update",
  ...ids,
  artifact: { artifactId: "a", name: "answer", parts: [text(words)] },
  lastChunk: true,
});
const chunk = (words: string, append: boolean): AgentEvent => ({
  kind: "artifact-update",
  ...ids,
  artifact: { parts: [text(words)] },
  append,
});

async function* stream(events: readonly AgentEvent[]): AsyncGenerator<AgentEvent> {
  yield* events;
}
const answered = (...events: AgentEvent[]) => Array.fromAsync(answerFromStatuses(stream(events)));

test("the pieces are chunks, and the whole that repeats them only closes the artifact", async () => {
  expect(await answered(working("Hel"), working("lo"), whole("Hello\n"))).toEqual([
    chunk("Hel", false),
    chunk("lo", true),
    {
      kind: "artifact-update",
      ...ids,
      artifact: { name: "answer", parts: [] },
      append: true,
      lastChunk: true,
    },
  ]);
});

test("the whole may repeat the last part of the pieces alone", async () => {
  const events = await answered(working("Let me look. "), working("Hello"), whole("Hello"));
  expect(events.at(-1)).toMatchObject({ artifact: { parts: [] }, append: true });
});

test("pieces after the whole begin another artifact", async () => {
  const events = await answered(working("Hello"), whole("Hello"), working("More"));
  expect(events.at(-1)).toEqual(chunk("More", false));
});

test("an artifact that says something else is passed on whole", async () => {
  expect(await answered(working("Hel"), whole("Goodbye"))).toEqual([chunk("Hel", false), whole("Goodbye")]);
});

test("an artifact without text before it is passed on whole", async () => {
  expect(await answered(whole("Hello"))).toEqual([whole("Hello")]);
});

test("statuses in other states, without a message or with more than text stay statuses", async () => {
  const events: AgentEvent[] = [
    { ...working("Where to?"), status: { ...working("Where to?").status, state: "input-required" } },
    { kind: "status-update", ...ids, status: { state: "working" } },
    {
      kind: "status-update",
      ...ids,
      status: {
        state: "working",
        message: { kind: "message", role: "agent", parts: [text("a"), { kind: "data", data: {} }] },
      },
    },
    { kind: "task", id: "t", status: { state: "completed" } },
  ];
  expect(await answered(...events)).toEqual(events);
});
