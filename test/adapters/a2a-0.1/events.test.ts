import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { ArtifactIndexes } from "../../../adapters/a2a-0.1/artifact-indexes.ts";
import { ArtifactIds } from "../../../adapters/a2a-0.1/artifact-ids.ts";
import {
  fromCanonicalArtifactUpdate,
  fromCanonicalStatusUpdate,
  toCanonicalEvent,
  toCanonicalReply,
  withMintedIds,
} from "../../../adapters/a2a-0.1/events.ts";
import { A2AError } from "../../../src/protocol/errors.ts";
import { artifact, metadata, status } from "./arbitraries.ts";

const EXTENSION = "urn:a2a-compat-proxy:a2a-0.1";
const read = (value: unknown) => toCanonicalEvent(value, "auto", new ArtifactIds("stream"));

describe("a stream event from the wire", () => {
  test("is a status update by its status", () => {
    const wire = {
      id: "t-1",
      status: { state: "working", message: null, timestamp: "2025-04-22T10:00:00.123456" },
      final: false,
      metadata: null,
    };
    expect(read(wire)).toEqual({
      kind: "status-update",
      taskId: "t-1",
      status: { state: "working", timestamp: "2025-04-22T10:00:00.123456" },
      final: false,
    });
  });

  test("is an artifact update by its artifact, whose chunk flags move to the event", () => {
    const wire = {
      id: "t-1",
      artifact: { parts: [{ type: "text", text: "a" }], index: 0, append: true, lastChunk: true },
    };
    expect(read(wire)).toEqual({
      kind: "artifact-update",
      taskId: "t-1",
      artifact: {
        artifactId: "artifact-0",
        parts: [{ kind: "text", text: "a" }],
        metadata: { [EXTENSION]: { index: 0 } },
      },
      append: true,
      lastChunk: true,
    });
  });

  test("loses `final` where it is an artifact's", () => {
    expect(read({ id: "t-1", artifact: { parts: [{ text: "a" }] }, final: true })).toEqual({
      kind: "artifact-update",
      taskId: "t-1",
      artifact: { artifactId: "artifact-0", parts: [{ kind: "text", text: "a" }] },
      append: false,
    });
  });

  test.each([
    ["sessionId", { id: "t-1", sessionId: "s-1", status: { state: "working" } }],
    ["artifacts", { id: "t-1", artifacts: [], status: { state: "working" } }],
    ["history", { id: "t-1", history: [], status: { state: "working" } }],
    ["kind", { id: "t-1", kind: "task", status: { state: "working" } }],
  ])("is a task where it has %s", (_title, wire) => {
    expect(read(wire)).toMatchObject({ kind: "task", id: "t-1", status: { state: "working" } });
  });

  test("is a message by its role", () => {
    expect(read({ role: "agent", parts: [{ type: "text", text: "hi" }] })).toEqual({
      kind: "message",
      role: "agent",
      parts: [{ kind: "text", text: "hi" }],
    });
  });

  test.each([[null], ["[DONE]"], [[]], [{}], [{ id: "t-1" }]])("is nothing if it is %j", (value) => {
    expect(read(value)).toBeUndefined();
  });

  test("keeps fields that the dialect does not know, a strange state too", () => {
    const wire = { id: "t-1", status: { state: "waiting" }, final: false, seq: 4 };
    const event = read(wire);
    expect(event).toEqual({
      kind: "status-update",
      taskId: "t-1",
      status: { state: "unknown" },
      final: false,
      metadata: { [EXTENSION]: { seq: 4, status: { state: "waiting" } } },
    });
    expect(event?.kind === "status-update" && fromCanonicalStatusUpdate(event)).toEqual(wire);
  });

  test("that is broken is an invalid answer that says what it should have been", () => {
    const broken = () => read({ id: "t-1", artifact: "text" });
    expect(broken).toThrow(A2AError);
    expect(broken).toThrow(/^The agent sent no valid artifact event$/);
  });
});

test("whatever arrives is an event, nothing, or refused with an A2AError", () => {
  const value = fc.jsonValue({ maxDepth: 2 });
  const member = fc.constantFrom(
    "id",
    "status",
    "artifact",
    "role",
    "parts",
    "state",
    "message",
    "index",
    "final",
  );
  const object = fc.dictionary(member, fc.oneof(value, fc.dictionary(member, value)));
  fc.assert(
    fc.property(fc.oneof(value, object), (raw) => {
      try {
        expect(["undefined", "object"]).toContain(typeof read(raw));
      } catch (error) {
        expect(error).toBeInstanceOf(A2AError);
      }
    }),
  );
});

describe("a reply from the wire", () => {
  test("may be a bare message", () => {
    expect(toCanonicalReply({ role: "agent", content: { type: "text", text: "hi" } }, "auto")).toEqual({
      kind: "message",
      role: "agent",
      parts: [{ kind: "text", text: "hi" }],
    });
  });

  test.each([[null], ["text"], [{ id: "t-1" }]])(
    "that is neither task nor message is refused: %j",
    (value) => {
      expect(() => toCanonicalReply(value, "auto")).toThrow(/^The agent sent no valid task$/);
    },
  );
});

describe("the ids that the client minted", () => {
  const ids = { id: "t-1", sessionId: "s-1" };
  const status = { state: "working" } as const;

  test("stand where the vendor repeats none", () => {
    expect(withMintedIds({ kind: "task", status }, ids)).toMatchObject({ id: "t-1", contextId: "s-1" });
    const update = { kind: "status-update", status } as const;
    expect(withMintedIds(update, ids)).toMatchObject({ taskId: "t-1", contextId: "s-1" });
    const artifact = { kind: "artifact-update", artifact: { parts: [] } } as const;
    expect(withMintedIds({ ...artifact, artifact: { parts: [] } }, ids)).toMatchObject({
      taskId: "t-1",
      contextId: "s-1",
    });
  });

  test("yield to the vendor's own", () => {
    const task = { kind: "task", id: "t-2", contextId: "s-2", status } as const;
    expect(withMintedIds(task, ids)).toEqual(task);
    const update = { kind: "status-update", taskId: "t-2", contextId: "s-2", status } as const;
    expect(withMintedIds(update, ids)).toEqual(update);
  });

  test("do not make a task of a bare message", () => {
    const reply = { kind: "message", role: "agent", parts: [] } as const;
    expect(withMintedIds({ ...reply, parts: [] }, ids)).toEqual({ ...reply, contextId: "s-1" });
  });
});

describe("an event to the wire", () => {
  test("loses the context of a status update, and always says final", () => {
    const event = {
      kind: "status-update",
      taskId: "t",
      contextId: "c",
      status: { state: "working" },
    } as const;
    expect(fromCanonicalStatusUpdate(event)).toEqual({ id: "t", status: { state: "working" }, final: false });
  });

  test("has the chunk flags inside the artifact", () => {
    const event = {
      kind: "artifact-update",
      taskId: "t",
      contextId: "c",
      artifact: { artifactId: "report", parts: [] },
      append: true,
      lastChunk: false,
    } as const;
    const wire = fromCanonicalArtifactUpdate(
      { ...event, artifact: { artifactId: "report", parts: [] } },
      new ArtifactIndexes(),
    );
    expect(wire).toEqual({ id: "t", artifact: { parts: [], index: 0, append: true, lastChunk: false } });
  });

  test("about the status comes back as it was", () => {
    const kind = fc.constant("status-update" as const);
    const event = fc.record(
      { kind, taskId: fc.uuid(), status, final: fc.boolean(), metadata },
      { requiredKeys: ["kind", "taskId", "status", "final"] },
    );
    fc.assert(
      fc.property(event, (canonical) => {
        expect(read(fromCanonicalStatusUpdate(canonical))).toEqual(canonical);
      }),
    );
  });

  test("about an artifact comes back as it was, with its index in metadata", () => {
    const kind = fc.constant("artifact-update" as const);
    const event = fc.record(
      { kind, taskId: fc.uuid(), artifact, append: fc.boolean(), lastChunk: fc.boolean(), metadata },
      { requiredKeys: ["kind", "taskId", "artifact", "append"] },
    );
    fc.assert(
      fc.property(event, (canonical) => {
        const index = Number(canonical.artifact.artifactId.slice("artifact-".length));
        const marked = { ...canonical.artifact.metadata, [EXTENSION]: { index } };
        const expected = { ...canonical, artifact: { ...canonical.artifact, metadata: marked } };
        expect(read(fromCanonicalArtifactUpdate(canonical, new ArtifactIndexes()))).toEqual(expected);
      }),
    );
  });
});
