import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { EXTENSION } from "../../../adapters/a2a-1.0/preserved.ts";
import {
  fromCanonicalReply,
  fromCanonicalTask,
  toCanonicalReply,
  toCanonicalTaskResult,
} from "../../../adapters/a2a-1.0/task.ts";
import { A2AError } from "../../../src/protocol/errors.ts";
import { TASK_STATES } from "../../../src/protocol/states.ts";
import { message, task } from "./arbitraries.ts";

const wireTask = { id: "t1", contextId: "c1", status: { state: "working" } };
const canonicalTask = { kind: "task", id: "t1", contextId: "c1", status: { state: "working" } };
const wireMessage = { messageId: "m1", role: "agent", parts: [{ text: "hi" }] };
const canonicalMessage = {
  kind: "message",
  messageId: "m1",
  role: "agent",
  parts: [{ kind: "text", text: "hi" }],
};

function errorOf(run: () => unknown): A2AError {
  try {
    run();
  } catch (error) {
    if (error instanceof A2AError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

describe("results", () => {
  test.each([
    ["a wrapped task", { task: wireTask }, canonicalTask],
    ["a bare task", wireTask, canonicalTask],
    [
      "a bare task in camelCase",
      { id: "t1", contextId: "c1", status: { state: "TASK_STATE_WORKING" } },
      canonicalTask,
    ],
    ["a wrapped message", { message: wireMessage }, canonicalMessage],
    ["a bare message", wireMessage, canonicalMessage],
    ["a task beside a null message", { task: wireTask, message: null }, canonicalTask],
  ])("%s", (_, result, canonical) => {
    expect(toCanonicalReply(result)).toEqual(canonical);
  });

  test.each([[null], [{}], ["ok"], [{ message: "ok" }]])("%j is an invalid agent response", (result) => {
    expect(errorOf(() => toCanonicalReply(result)).code).toBe("invalid-agent-response");
  });

  test("a message where a task was asked for is an invalid agent response", () => {
    expect(errorOf(() => toCanonicalTaskResult({ message: wireMessage })).code).toBe(
      "invalid-agent-response",
    );
    expect(toCanonicalTaskResult({ task: wireTask })).toEqual(canonicalTask);
  });

  test("a fault in the wire's shape is told with its path and without its value", () => {
    const error = errorOf(() =>
      toCanonicalReply({ task: { id: 7, status: { state: "working", message: "secret" } } }),
    );
    expect(error.code).toBe("invalid-agent-response");
    expect(error.data?.["stage"]).toBe("body");
    expect(error.data?.["faults"]).toEqual([
      expect.stringContaining("id:"),
      expect.stringContaining("status.message:"),
    ]);
    expect(JSON.stringify(error.data)).not.toContain("secret");
  });
});

test("chunk flags inside an artifact of a whole task mean nothing and go", () => {
  const artifacts = [{ artifactId: "a1", parts: [{ text: "hi" }], append: true, lastChunk: true }];
  expect(toCanonicalTaskResult({ ...wireTask, artifacts }).artifacts).toEqual([
    { artifactId: "a1", parts: [{ kind: "text", text: "hi" }] },
  ]);
});

describe("status", () => {
  test.each(TASK_STATES)("%s has a name of its own, and comes back", (state) => {
    const wire = fromCanonicalTask({ kind: "task", status: { state } });
    expect(wire.status.state).toMatch(/^TASK_STATE_[A-Z_]+$/);
    expect(toCanonicalReply(wire)).toEqual({ kind: "task", status: { state } });
  });

  test("the word of 0.3 is read as well", () => {
    expect(toCanonicalReply({ status: { state: "input-required" } })).toEqual({
      kind: "task",
      status: { state: "input-required" },
    });
  });

  test("a state that 0.3.0 does not have is unknown, and its name comes back", () => {
    const wire = { id: "t1", status: { state: "paused" } };
    const canonical = toCanonicalTaskResult(wire);
    expect(canonical).toEqual({
      kind: "task",
      id: "t1",
      status: { state: "unknown" },
      metadata: { [EXTENSION]: { state: "paused" } },
    });
    expect(fromCanonicalTask(canonical)).toEqual(wire);
  });

  test("members beside the known ones survive and come back, of the status as of the task", () => {
    const wire = {
      id: "t1",
      createdTime: "2026",
      status: { state: "TASK_STATE_WORKING", progressPercent: 40 },
    };
    const canonical = toCanonicalTaskResult(wire);
    expect(canonical.metadata).toEqual({
      [EXTENSION]: { fields: { createdTime: "2026" }, status: { progressPercent: 40 } },
    });
    expect(fromCanonicalTask(canonical)).toEqual(wire);
  });

  test("a timestamp is handed on as it is, and none is invented", () => {
    const timestamp = "2026-03-20T08:00:00+01:00";
    expect(toCanonicalTaskResult({ id: "t", status: { state: "working", timestamp } }).status.timestamp).toBe(
      timestamp,
    );
    expect(toCanonicalTaskResult(wireTask).status).toEqual({ state: "working" });
    const numeric = { id: "t", status: { state: "working", timestamp: 1774000000 } };
    expect(toCanonicalTaskResult(numeric).status).toEqual({ state: "working" });
  });
});

describe("round trips", () => {
  test("any canonical task or message survives the wire, wrapped", () => {
    fc.assert(
      fc.property(fc.oneof(task, message), (original) =>
        expect(toCanonicalReply(fromCanonicalReply(original))).toEqual(original),
      ),
    );
  });

  test("any canonical task survives the wire, bare", () => {
    fc.assert(
      fc.property(task, (original) =>
        expect(toCanonicalTaskResult(fromCanonicalTask(original))).toEqual(original),
      ),
    );
  });
});
