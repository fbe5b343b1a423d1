import { expect, test } from "@jest/globals";
import { fromCanonicalTask, toCanonicalState, toCanonicalTask } from "../../../adapters/appbuilder/task.ts";
import { EXTENSION, WireTask } from "../../../adapters/appbuilder/wire.ts";

const text = (value: string) => ({ kind: "text", text: value });
const answer = {
  artifactId: "a1",
  name: "/chat/summary",
  parts: [text("晴")],
  metadata: { type: "text", event: { name: "/chat/summary", status: "done" } },
};
const wire = {
  kind: "task",
  id: "t1",
  contextId: "c1",
  status: { state: "completed", timestamp: "2025-08-27T08:20:43.604369041+08:00" },
  history: [{ kind: "message", role: "user", parts: [text("今天天气")] }],
  artifacts: [answer],
  metadata: { conversation_id: "conv-1" },
};
const read = (value: object) => toCanonicalTask(WireTask.parse(value));

test("a task keeps the vendor's metadata whole under one key, and its timestamp as it is", () => {
  expect(read(wire)).toEqual({
    ...wire,
    artifacts: [{ ...answer, metadata: { [EXTENSION]: answer.metadata } }],
    metadata: { [EXTENSION]: wire.metadata },
  });
});

test("a task survives the way to canonical and back", () => {
  expect(fromCanonicalTask(read(wire))).toEqual(wire);
});

test("reads the misspelled aritfacts, and a task without kind and status", () => {
  const { artifacts, kind: _kind, status: _status, ...rest } = wire;
  const task = read({ ...rest, aritfacts: artifacts });
  expect(task).toMatchObject({ kind: "task", id: "t1", status: { state: "unknown" } });
  expect(task.artifacts?.map(({ parts }) => parts)).toEqual([[text("晴")]]);
  expect(task).not.toHaveProperty("aritfacts");
});

test("thinking and plans among the artifacts become messages of the history", () => {
  const thought = {
    artifactId: "p1",
    name: "/thought/plan",
    parts: [text("想一想")],
    metadata: { type: "text" },
  };
  const task = read({ ...wire, artifacts: [thought, answer] });
  expect(task.history?.at(-1)).toEqual({
    kind: "message",
    role: "agent",
    parts: [text("想一想")],
    metadata: { thought: true },
  });
  expect(task.artifacts?.map(({ artifactId }) => artifactId)).toEqual(["a1"]);
});

test("an interrupt among the artifacts is what an unfinished task waits for", () => {
  const metadata = { type: "json", text: { data: '{"i":1}' }, event: { status: "interrupt" } };
  const interrupt = { artifactId: "i1", parts: [], metadata };
  const status = { state: "working" };
  expect(read({ ...wire, status, artifacts: [interrupt] }).status).toEqual({
    state: "input-required",
    message: { kind: "message", role: "agent", parts: [{ kind: "data", data: { i: 1 } }] },
  });
  expect(read({ ...wire, artifacts: [interrupt] }).status.state).toBe("completed");
});

test.each([
  ["completed", "completed"],
  ["interrupt", "input-required"],
  ["preparing", "working"],
  ["running", "working"],
  ["error", "failed"],
  ["success", "completed"],
  ["auth-required", "auth-required"],
  ["no such state", "unknown"],
])("the state %s is %s", (raw, state) => {
  expect(toCanonicalState(raw)).toBe(state);
});
