/** Streams as nature makes them: any events in any order, repeated, cut, with ids that change. */
import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import type { AgentEvent } from "../../src/adapter.ts";
import { StreamNormalizer, type NormalizerOptions } from "../../src/gateway/task/normalizer.ts";
import { TaskState } from "../../src/gateway/task/state.ts";
import type { Message, StreamEvent } from "../../src/protocol/model.ts";
import { TASK_STATES } from "../../src/protocol/states.ts";
import { expectValidStream } from "../support/invariants.ts";
import { countingMint, NOW } from "../support/mint.ts";

const user: Message = {
  kind: "message",
  messageId: "m1",
  role: "user",
  parts: [{ kind: "text", text: "hi" }],
};

const id = fc.constantFrom(undefined, "1", "2", "3");
const text = fc.record({ kind: fc.constant("text" as const), text: fc.string({ maxLength: 5 }) });
const part = fc.oneof(
  text,
  fc.record({
    kind: fc.constant("data" as const),
    data: fc.dictionary(fc.string(), fc.integer(), { maxKeys: 2 }),
  }),
);
const parts = fc.array(part, { maxLength: 3 });
const message = fc.record({
  kind: fc.constant("message" as const),
  role: fc.constantFrom("user" as const, "agent" as const),
  parts,
  messageId: id,
});
const status = fc.record(
  {
    state: fc.constantFrom(...TASK_STATES),
    message,
    timestamp: fc.constantFrom("2025-08-27T08:20:43.604369041+08:00", "nonsense"),
  },
  { requiredKeys: ["state"] },
);
const artifact = fc.record(
  { artifactId: id, parts, name: fc.constantFrom("x", "y") },
  { requiredKeys: ["parts"] },
);
const flags = { append: fc.boolean(), lastChunk: fc.boolean(), taskId: id, contextId: id };
const event: fc.Arbitrary<AgentEvent> = fc.oneof(
  fc.record(
    { kind: fc.constant("artifact-update" as const), artifact, ...flags },
    { requiredKeys: ["kind", "artifact"] },
  ),
  fc.record(
    { kind: fc.constant("status-update" as const), status, final: fc.boolean(), taskId: id },
    { requiredKeys: ["kind", "status"] },
  ),
  fc.record(
    {
      kind: fc.constant("task" as const),
      id,
      contextId: id,
      status,
      artifacts: fc.array(artifact, { maxLength: 3 }),
    },
    { requiredKeys: ["kind", "status"] },
  ),
  message,
);

function play(
  events: readonly AgentEvent[],
  state: TaskState,
  options: NormalizerOptions = {},
): StreamEvent[] {
  const normalizer = new StreamNormalizer(state, user, countingMint("fresh"), options);
  const sent = events.flatMap((next) => structuredClone(normalizer.push(next)));
  switch (normalizer.outcome) {
    case "message": {
      const lone = normalizer.takeMessage("c");
      return lone ? [lone] : [];
    }
    case "empty":
    case "unfinished":
      return [...sent, ...normalizer.conclude("failed", "cut off")];
    case "final":
    case "replied":
      return [...sent, ...normalizer.finish()];
    default:
      return normalizer.outcome satisfies never;
  }
}

const newState = () => new TaskState("t", "c", { state: "submitted", timestamp: NOW });

describe("any sequence of events", () => {
  test("becomes a valid stream", () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 12 }), (events) => {
        expectValidStream(play(events, newState()));
      }),
      { numRuns: 500 },
    );
  });

  test("leaves the task as a client has put it together from the stream", () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 12 }), (events) => {
        const state = newState();
        const texts = expectValidStream(play(events, state));
        const stored = (state.toTask().artifacts ?? []).map(({ artifactId, parts: stored }) => [
          artifactId,
          stored.map((part) => (part.kind === "text" ? part.text : "")).join(""),
        ]);
        expect([...texts]).toEqual(stored);
      }),
      { numRuns: 500 },
    );
  });

  test("loses no status message", () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 12 }), (events) => {
        const state = newState();
        const sent = play(events, state);
        if (sent[0]?.kind === "message") return;
        const task = state.toTask();
        const kept = JSON.stringify([task.history, task.status]);
        for (const { kind, ...rest } of events) {
          if (kind !== "status-update" || !("status" in rest) || !rest.status.message) continue;
          if (rest.status.message.messageId === undefined)
            expect(kept).toContain(JSON.stringify(rest.status.message.parts));
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe("appended text", () => {
  const appended = fc.array(fc.tuple(fc.constantFrom("1", "2"), fc.string({ minLength: 1, maxLength: 4 })), {
    minLength: 1,
    maxLength: 10,
  });

  const eventsOf = (chunks: readonly (readonly [string, string])[], ends: boolean): AgentEvent[] => {
    const events: AgentEvent[] = chunks.map(([artifactId, piece]) => ({
      kind: "artifact-update",
      append: true,
      artifact: { artifactId, parts: [{ kind: "text", text: piece }] },
    }));
    if (ends) events.push({ kind: "status-update", status: { state: "completed" } });
    return events;
  };

  test("arrives whole in the artifact that its id names, wherever the stream is cut", () => {
    fc.assert(
      fc.property(appended, fc.boolean(), (chunks, ends) => {
        const expected = new Map<string, string>();
        for (const [id, piece] of chunks) expected.set(id, (expected.get(id) ?? "") + piece);
        expect(expectValidStream(play(eventsOf(chunks, ends), newState()))).toEqual(expected);
      }),
    );
  });

  test("arrives whole and in order from an agent whose ids change, wherever the stream is cut", () => {
    fc.assert(
      fc.property(appended, fc.boolean(), (chunks, ends) => {
        const events = eventsOf(chunks, ends);
        const texts = expectValidStream(play(events, newState(), { artifactIdsChange: true }));
        expect([...texts.values()].join("")).toBe(chunks.map(([, piece]) => piece).join(""));
      }),
    );
  });
});
