import { expect, test } from "@jest/globals";
import * as fc from "fast-check";
import {
  fromCanonicalArtifactUpdate,
  fromCanonicalEvent,
  fromCanonicalStatusUpdate,
  toCanonicalArtifactUpdate,
  toCanonicalProgress,
  toCanonicalStatusUpdate,
} from "../../../adapters/appbuilder/events.ts";
import { toCanonicalParts } from "../../../adapters/appbuilder/parts.ts";
import {
  EXTENSION,
  WireArtifactUpdate,
  WireStatusUpdate,
  parseResult,
} from "../../../adapters/appbuilder/wire.ts";
import { artifactUpdate } from "./arbitraries.ts";

const viaJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
const statusUpdate = {
  kind: "status-update",
  taskId: "t1",
  contextId: "c1",
  status: { state: "completed", timestamp: "2025-08-27T08:20:43.604369041+08:00" },
  final: true,
};

test("every artifact-update survives the way to AppBuilder and back", () => {
  fc.assert(
    fc.property(artifactUpdate, (canonical) => {
      const wire = WireArtifactUpdate.parse(viaJson(fromCanonicalArtifactUpdate(canonical)));
      expect(toCanonicalArtifactUpdate(wire, toCanonicalParts(wire.artifact.parts))).toEqual(canonical);
    }),
  );
});

test("a status-update survives the way to canonical and back", () => {
  const canonical = toCanonicalStatusUpdate(WireStatusUpdate.parse(statusUpdate));
  expect(canonical).toEqual(statusUpdate);
  expect(fromCanonicalStatusUpdate(canonical)).toEqual(statusUpdate);
});

test("a state that 0.3.0 does not know is unknown, and kept", () => {
  const wire = WireStatusUpdate.parse({ ...statusUpdate, status: { state: "dreaming" }, metadata: { a: 1 } });
  expect(toCanonicalStatusUpdate(wire)).toMatchObject({
    status: { state: "unknown" },
    metadata: { [EXTENSION]: { a: 1, state: "dreaming" } },
  });
});

test("an artifact-update that went out as a status becomes one again", () => {
  const wire = WireArtifactUpdate.parse({
    kind: "artifact-update",
    taskId: "t1",
    contextId: "c1",
    artifact: {
      artifactId: "a1",
      name: "/thought/plan",
      parts: [{ kind: "text", text: "想" }],
      metadata: { type: "text" },
    },
    append: true,
    metadata: { trace_id: "x" },
  });
  const parts = toCanonicalParts(wire.artifact.parts);
  const canonical = toCanonicalProgress(wire, "working", { parts, thought: true });
  expect(canonical.status.message?.metadata).toEqual({ thought: true });
  expect(viaJson(fromCanonicalStatusUpdate(canonical))).toEqual(viaJson(wire));
});

test("an artifact from elsewhere loses its metadata and extensions, and gets what AppBuilder's readers need", () => {
  const artifact = {
    artifactId: "a1",
    parts: [{ kind: "text" as const, text: "a" }],
    metadata: { other: 1 },
    extensions: ["urn:x"],
  };
  expect(fromCanonicalArtifactUpdate({ kind: "artifact-update", artifact })).toEqual({
    kind: "artifact-update",
    artifact: {
      artifactId: "a1",
      parts: [{ kind: "text", text: "a" }],
      metadata: { type: "text", text: { info: "a" }, visible_scope: "all", event: { status: "running" } },
    },
  });
});

test.each([
  ["task", { id: "t1", status: { state: "completed" } }],
  ["task", { kind: "task", id: "t1" }],
  ["status-update", { taskId: "t1", status: { state: "completed" } }],
  ["artifact-update", { artifact: { parts: [] } }],
  ["message", { role: "agent", parts: [] }],
])("a %s is recognised without its kind", (kind, result) => {
  expect(parseResult(result)?.kind).toBe(kind);
});

test.each(["text", null, 1, [], {}, { a: 1 }])("%j is no result", (result) => {
  expect(parseResult(result)).toBeUndefined();
});

test("every kind of event can be written", () => {
  const status = { state: "completed" as const };
  expect(fromCanonicalEvent({ kind: "task", id: "t1", status })).toEqual({ kind: "task", id: "t1", status });
  const message = { kind: "message" as const, role: "agent" as const, parts: [] };
  expect(fromCanonicalEvent(message)).toEqual(message);
  const update = { kind: "status-update" as const, status };
  expect(fromCanonicalEvent(update)).toEqual(update);
});
