import { describe, expect, test } from "@jest/globals";
import { toCanonicalEvent, toCanonicalReply } from "../../../adapters/a2a-0.3/events.ts";

const hi = { kind: "text", text: "hi" };
const ids = { taskId: "t", contextId: "c" };
const status = { state: "working" };
const artifact = { artifactId: "a", parts: [hi] };

const TASK = { kind: "task", id: "t", contextId: "c", status };
const MESSAGE = { kind: "message", messageId: "m", role: "agent", parts: [hi] };
const STATUS = { kind: "status-update", ...ids, status, final: false };
const ARTIFACT = { kind: "artifact-update", ...ids, artifact, append: true, lastChunk: false };

const ALL = [TASK, MESSAGE, STATUS, ARTIFACT];
const withoutKind = ({ kind: _kind, ...rest }: Record<string, unknown>) => rest;

describe("an event that is right", () => {
  test.each(ALL)("is the same object: $kind", (event) => {
    expect(toCanonicalEvent(event)).toBe(event);
  });

  test.each(ALL)("is the same object with fields of the vendor's own: $kind", (event) => {
    const more = { ...event, metadata: { n: { m: null } }, "x-own": [1] };
    expect(toCanonicalEvent(more)).toBe(more);
  });

  test.each([
    ["task", TASK],
    ["message", MESSAGE],
    ["statusUpdate", STATUS],
    ["artifactUpdate", ARTIFACT],
  ])("is the same object within {%s}", (name, event) => {
    expect(toCanonicalEvent({ [name]: event })).toBe(event);
  });
});

describe("an event without kind", () => {
  test.each(ALL)("is told by its shape: $kind", (event) => {
    expect(toCanonicalEvent(withoutKind(event))).toEqual(event);
  });

  test.each([
    ["task", TASK],
    ["message", MESSAGE],
    ["statusUpdate", STATUS],
    ["status_update", STATUS],
    ["artifactUpdate", ARTIFACT],
    ["artifact_update", ARTIFACT],
  ])("is told by its wrapper {%s}", (name, event) => {
    expect(toCanonicalEvent({ [name]: withoutKind(event) })).toEqual(event);
  });

  test.each([
    ["TaskStatusUpdateEvent", STATUS],
    ["status_update", STATUS],
    ["artifactUpdate", ARTIFACT],
    ["Task", TASK],
  ])("or with the kind %s is repaired", (kind, event) => {
    expect(toCanonicalEvent({ ...event, kind })).toEqual(event);
  });

  test("is told by the type of 0.1, whose status events name the task id", () => {
    expect(toCanonicalEvent({ id: "t", status: { state: "completed" }, final: true })).toEqual({
      kind: "status-update",
      taskId: "t",
      status: { state: "completed" },
      final: true,
    });
  });

  test("a status with a message is no wrapped message", () => {
    expect(toCanonicalEvent({ status: { state: "working" }, message: { parts: [] }, ...ids })).toEqual({
      kind: "status-update",
      ...ids,
      status,
      message: { parts: [] },
    });
  });
});

describe("a status", () => {
  test.each([
    ["TASK_STATE_COMPLETED", "completed"],
    ["CANCELLED", "canceled"],
    ["input_required", "input-required"],
  ])("%s is %s, also where the word stands alone", (state, canonical) => {
    const expected = { kind: "status-update", ...ids, status: { state: canonical } };
    expect(toCanonicalEvent({ kind: "status-update", ...ids, status: { state } })).toEqual(expected);
    expect(toCanonicalEvent({ kind: "status-update", ...ids, status: state })).toEqual(expected);
  });

  test("in no state of 0.3.0 keeps the vendor's word", () => {
    expect(toCanonicalEvent({ ...TASK, status: { state: "pondering" }, metadata: { a: 1 } })).toEqual({
      ...TASK,
      status: { state: "unknown" },
      metadata: { a: 1, "urn:a2a-compat-proxy:a2a-0.3": { state: "pondering" } },
    });
  });

  test.each([
    [1_700_000_000, "2023-11-14T22:13:20.000Z"],
    [1_700_000_000_123, "2023-11-14T22:13:20.123Z"],
    ["yesterday", "yesterday"],
  ])("with the timestamp %s", (timestamp, canonical) => {
    expect(toCanonicalEvent({ ...STATUS, final: null, status: { state: "working", timestamp } })).toEqual({
      kind: "status-update",
      ...ids,
      status: { state: "working", timestamp: canonical },
    });
  });

  test("a number that is no time is left out", () => {
    expect(toCanonicalEvent({ ...STATUS, status: { state: "working", timestamp: 1e300 } })).toEqual(STATUS);
  });

  test("a message that is a string is the agent's", () => {
    expect(toCanonicalEvent({ ...STATUS, status: { state: "working", message: "hi" } })).toEqual({
      ...STATUS,
      status: { state: "working", message: { kind: "message", role: "agent", parts: [hi] } },
    });
  });
});

test("numeric ids become strings, names in snake_case their own, nulls go", () => {
  const raw = {
    kind: "task",
    id: 1,
    context_id: 2,
    status: { state: "working", message: null, timestamp: null },
    metadata: null,
    artifacts: [{ artifact_id: 3, name: null, parts: [{ text: "hi" }] }],
    history: null,
  };
  expect(toCanonicalEvent(raw)).toEqual({
    kind: "task",
    id: "1",
    contextId: "2",
    status: { state: "working" },
    artifacts: [{ artifactId: "3", parts: [hi] }],
  });
});

test.each([
  ["last_chunk", { ...ARTIFACT, lastChunk: undefined, last_chunk: true }, { ...ARTIFACT, lastChunk: true }],
  ["task_id", { ...MESSAGE, task_id: "t" }, { ...MESSAGE, taskId: "t" }],
  ["is_final", { ...STATUS, final: undefined, is_final: true }, { ...STATUS, final: true }],
])("%s is read although all else is right", (_name, raw, event) => {
  expect(toCanonicalEvent(raw)).toEqual(event);
});

test("what is right inside an event that is not stays the same object", () => {
  const event = toCanonicalEvent({ ...ARTIFACT, taskId: 1, artifact: { ...artifact, artifactId: 2 } });
  expect(event).toMatchObject({ taskId: "1", artifact: { artifactId: "2" } });
  expect(event?.kind === "artifact-update" && event.artifact.parts[0]).toBe(hi);
});

test.each([null, undefined, 7, "", {}, { type: "ping" }, [], { jsonrpc: "2.0" }])("%j is no event", (raw) => {
  expect(toCanonicalEvent(raw)).toBeUndefined();
});

describe("a reply", () => {
  test("that is a status-update is read as the Task", () => {
    expect(toCanonicalReply(STATUS)).toEqual(TASK);
  });

  test("that is an artifact alone is a completed Task", () => {
    expect(toCanonicalReply(ARTIFACT)).toEqual({
      kind: "task",
      id: "t",
      contextId: "c",
      status: { state: "completed" },
      artifacts: [artifact],
    });
  });

  test("that is text is a Message", () => {
    expect(toCanonicalReply("hi")).toEqual({ kind: "message", role: "agent", parts: [hi] });
  });
});
