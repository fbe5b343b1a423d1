import { expect, test } from "@jest/globals";
import type { AgentEvent, AgentTask } from "../../src/adapter.ts";
import { StreamNormalizer } from "../../src/gateway/task/normalizer.ts";
import { TaskState } from "../../src/gateway/task/state.ts";
import { expectValidStream } from "../support/invariants.ts";
import { countingMint, NOW } from "../support/mint.ts";

const text = (said: string) => ({ kind: "text" as const, text: said });
const unnamed = (said: string, append: boolean): AgentEvent => ({
  kind: "artifact-update",
  append,
  artifact: { parts: [text(said)] },
});
const completed = (artifacts: AgentTask["artifacts"]): AgentTask => ({
  kind: "task",
  id: "t",
  status: { state: "completed" },
  artifacts,
});

/** What a client puts together from the events of a task whose stream broke after `streamed` of them. */
function texts(events: readonly AgentEvent[], streamed: number): string[] {
  const state = new TaskState("t", "c", { state: "submitted", timestamp: NOW });
  const message = { kind: "message" as const, messageId: "m", role: "user" as const, parts: [text("hi")] };
  const normalizer = new StreamNormalizer(state, message, countingMint());
  const sent = events.flatMap((event, index) => {
    if (index === streamed) normalizer.artifacts.broke();
    return structuredClone(normalizer.push(event));
  });
  const last = normalizer.finish();
  expect(last.at(-1)?.metadata).toBeUndefined();
  return [...expectValidStream([...sent, ...last]).values()];
}

test("an artifact that was streamed without an id is the one that the Task lists", () => {
  const task = completed([{ artifactId: "a", parts: [text("one two")] }]);
  expect(texts([unnamed("one ", false), task], 1)).toEqual(["one two"]);
  expect(texts([unnamed("one ", false), task, task], 1)).toEqual(["one two"]);
});

test("an artifact without an id is the same in every Task", () => {
  const working = { ...completed([{ parts: [text("one ")] }]), status: { state: "working" as const } };
  const task = completed([{ parts: [text("one two")] }, { parts: [text("three")] }]);
  expect(texts([working, task, task], 1)).toEqual(["one two", "three"]);
});

test("an artifact of another content is another artifact", () => {
  const task = completed([
    { artifactId: "a", parts: [text("else")] },
    { artifactId: "b", parts: [text("one two")] },
  ]);
  expect(texts([unnamed("one ", false), task], 1)).toEqual(["one two", "else"]);
});
