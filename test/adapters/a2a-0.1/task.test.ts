import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { fromCanonicalState, fromCanonicalTask, toCanonicalTask } from "../../../adapters/a2a-0.1/task.ts";
import { WireTask } from "../../../adapters/a2a-0.1/wire.ts";
import { TASK_STATES } from "../../../src/protocol/states.ts";
import { task } from "./arbitraries.ts";

const EXTENSION = "urn:a2a-compat-proxy:a2a-0.1";
const read = (raw: unknown) => toCanonicalTask(WireTask.parse(raw), "auto");

describe("a task from the wire", () => {
  test("names its session as context and loses its nulls", () => {
    expect(
      read({
        id: "t-1",
        sessionId: "s-1",
        status: { state: "completed", message: null, timestamp: "2025-04-22T10:00:00.123456" },
        artifacts: null,
        history: [],
        metadata: null,
      }),
    ).toEqual({
      kind: "task",
      id: "t-1",
      contextId: "s-1",
      status: { state: "completed", timestamp: "2025-04-22T10:00:00.123456" },
    });
  });

  test("keeps artifacts, history, the status message and metadata", () => {
    expect(
      read({
        id: "t-1",
        status: { state: "input-required", message: { role: "agent", parts: [{ type: "text", text: "?" }] } },
        artifacts: [{ name: "joke", parts: [{ type: "text", text: "a" }] }],
        history: [{ role: "user", parts: [{ type: "text", text: "hi" }] }],
        metadata: {},
      }),
    ).toEqual({
      kind: "task",
      id: "t-1",
      status: {
        state: "input-required",
        message: { kind: "message", role: "agent", parts: [{ kind: "text", text: "?" }] },
      },
      artifacts: [{ artifactId: "artifact-0", name: "joke", parts: [{ kind: "text", text: "a" }] }],
      history: [{ kind: "message", role: "user", parts: [{ kind: "text", text: "hi" }] }],
      metadata: {},
    });
  });

  test("may have bare text for its status message", () => {
    expect(read({ id: "t-1", status: { state: "failed", message: "No joke" } }).status).toEqual({
      state: "failed",
      message: { kind: "message", role: "agent", parts: [{ kind: "text", text: "No joke" }] },
    });
  });

  test("keeps what the dialect does not know, a strange state too", () => {
    const wire = { id: "t-1", status: { state: "waiting", progress: 3 }, owner: "me" };
    const canonical = read(wire);
    expect(canonical).toEqual({
      kind: "task",
      id: "t-1",
      status: { state: "unknown" },
      metadata: { [EXTENSION]: { owner: "me", status: { state: "waiting", progress: 3 } } },
    });
    expect(fromCanonicalTask(canonical)).toEqual(wire);
  });

  test.each([
    ["cancelled", "canceled"],
    ["TASK_STATE_COMPLETED", "completed"],
    ["input_required", "input-required"],
    ["unknown", "unknown"],
  ])("may spell its state %s", (spelling, state) => {
    expect(read({ id: "t-1", status: { state: spelling } }).status).toEqual({ state });
  });
});

describe("a task to the wire", () => {
  test("has only states that 0.1 knows: rejected and auth-required become their nearest", () => {
    expect(TASK_STATES.map(fromCanonicalState)).toEqual([
      "submitted",
      "working",
      "input-required",
      "completed",
      "canceled",
      "failed",
      "failed",
      "input-required",
      "unknown",
    ]);
  });

  test("does not show a strange state that is over", () => {
    const metadata = { [EXTENSION]: { status: { state: "waiting" } } };
    const wire = fromCanonicalTask({
      kind: "task",
      id: "t",
      contextId: "s",
      status: { state: "failed" },
      metadata,
    });
    expect(wire).toEqual({ id: "t", sessionId: "s", status: { state: "failed" } });
  });

  test("comes back as it was, but for the index that each artifact now has in metadata", () => {
    fc.assert(
      fc.property(task, (canonical) => {
        const artifacts = canonical.artifacts?.map((artifact) => ({
          ...artifact,
          metadata: expect.objectContaining({ [EXTENSION]: { index: Number(artifact.artifactId.slice(9)) } }),
        }));
        const expected = artifacts ? { ...canonical, artifacts } : canonical;
        expect(read(fromCanonicalTask(canonical))).toEqual(expected);
      }),
    );
  });
});
