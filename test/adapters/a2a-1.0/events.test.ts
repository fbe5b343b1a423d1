import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { EXTENSION } from "../../../adapters/a2a-1.0/preserved.ts";
import { fromCanonicalEvent, toCanonicalEvent } from "../../../adapters/a2a-1.0/events.ts";
import { artifactUpdate, message, statusUpdate, task } from "./arbitraries.ts";

const wireStatus = { taskId: "t1", contextId: "c1", status: { state: "working" } };
const canonicalStatus = {
  kind: "status-update",
  taskId: "t1",
  contextId: "c1",
  status: { state: "working" },
};
const artifact = { artifactId: "a1", parts: [{ text: "hi" }] };
const canonicalArtifact = { artifactId: "a1", parts: [{ kind: "text", text: "hi" }] };

describe("wrappers", () => {
  test.each([
    ["a camelCase wrapper around a snakeCase body", { statusUpdate: wireStatus }],
    ["a snakeCase wrapper", { statusUpdate: wireStatus }],
    ["no wrapper", wireStatus],
    ["a camelCase body", { statusUpdate: { taskId: "t1", contextId: "c1", status: { state: "working" } } }],
    ["a bare body with a kind", { kind: "status-update", ...wireStatus }],
  ])("%s holds a status update", (_, event) => {
    expect(toCanonicalEvent(event)).toEqual(canonicalStatus);
  });

  test.each([
    ["artifactUpdate", { artifactUpdate: { taskId: "t1", artifact } }],
    ["artifactUpdate", { artifactUpdate: { taskId: "t1", artifact } }],
    ["no wrapper", { taskId: "t1", artifact }],
    [
      "a camelCase body",
      { artifactUpdate: { taskId: "t1", artifact: { artifactId: "a1", parts: [{ text: "hi" }] } } },
    ],
  ])("%s holds an artifact update", (_, event) => {
    expect(toCanonicalEvent(event)).toEqual({
      kind: "artifact-update",
      taskId: "t1",
      artifact: canonicalArtifact,
    });
  });

  test("a bare task is told from a bare status update by its id", () => {
    expect(toCanonicalEvent({ id: "t1", status: { state: "submitted" } })).toEqual({
      kind: "task",
      id: "t1",
      status: { state: "submitted" },
    });
  });

  test.each([[{}], [{ ping: 1 }], [null], ["[DONE]"], [[]]])("%j is no event", (value) => {
    expect(toCanonicalEvent(value)).toBeUndefined();
  });
});

describe("chunk flags", () => {
  const flags = (event: object) => {
    const update = toCanonicalEvent({ artifactUpdate: event });
    return update?.kind === "artifact-update" ? [update.append, update.lastChunk] : undefined;
  };

  test.each([
    ["on the event", { artifact, append: true, lastChunk: true }, [true, true]],
    ["on the event in camelCase", { artifact, append: true, lastChunk: true }, [true, true]],
    ["inside the artifact", { artifact: { ...artifact, append: true, lastChunk: true } }, [true, true]],
    [
      "inside the artifact in camelCase",
      { artifact: { ...artifact, append: false, lastChunk: true } },
      [false, true],
    ],
    ["nowhere", { artifact }, [undefined, undefined]],
    [
      "in both places, where the event's win",
      { artifact: { ...artifact, append: true }, append: false },
      [false, undefined],
    ],
  ])("are read %s", (_, event, expected) => {
    expect(flags(event)).toEqual(expected);
  });

  test("do not stay inside the artifact", () => {
    const update = toCanonicalEvent({ artifact: { ...artifact, append: true, lastChunk: false } });
    expect(update).toEqual({
      kind: "artifact-update",
      artifact: canonicalArtifact,
      append: true,
      lastChunk: false,
    });
  });
});

describe("events to the wire", () => {
  test("the member says what the event is", () => {
    const event = {
      kind: "artifact-update" as const,
      taskId: "t1",
      artifact: { artifactId: "a1", parts: [] },
      lastChunk: true,
    };
    expect(fromCanonicalEvent(event)).toEqual({
      artifactUpdate: { taskId: "t1", artifact: { artifactId: "a1", parts: [] }, lastChunk: true },
    });
  });

  test("final is read as a hint where it is sent, and never sent", () => {
    const event = toCanonicalEvent({ statusUpdate: { ...wireStatus, final: true } });
    expect(event).toEqual({ ...canonicalStatus, final: true });
    expect(event && fromCanonicalEvent(event)).toEqual({
      statusUpdate: { ...wireStatus, status: { state: "TASK_STATE_WORKING" } },
    });
  });

  test("members the dialect does not name survive and come back", () => {
    const wire = { statusUpdate: { ...wireStatus, seq: 4, status: { state: "paused", detail: "x" } } };
    const event = toCanonicalEvent(wire);
    expect(event?.metadata).toEqual({
      [EXTENSION]: { fields: { seq: 4 }, state: "paused", status: { detail: "x" } },
    });
    expect(event && fromCanonicalEvent(event)).toEqual(wire);
  });

  test("any event survives the wire, with its wrapper and without", () => {
    fc.assert(
      fc.property(fc.oneof(task, message, statusUpdate, artifactUpdate), (original) => {
        const wire = fromCanonicalEvent(original);
        expect(toCanonicalEvent(wire)).toEqual(original);
        const [bare] = Object.values(wire);
        // Without its id a bare task cannot be told from a status update.
        if (original.kind !== "task" || original.id !== undefined)
          expect(toCanonicalEvent(bare)).toEqual(original);
      }),
    );
  });
});
