/** Whatever arrives: right objects are untouched, wrong ones become right, and text is never lost. */
import { expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { z } from "zod";
import { toCanonicalEvent, toCanonicalReply } from "../../../adapters/a2a-0.3/events.ts";
import { fromCanonicalParams, toCanonicalMessage } from "../../../adapters/a2a-0.3/message.ts";
import { toCanonicalPart } from "../../../adapters/a2a-0.3/parts.ts";
import { Message, Part, StreamEvent } from "../../../src/protocol/model.ts";
import { TASK_STATES } from "../../../src/protocol/states.ts";

const id = fc.string({ minLength: 1 });
const metadata = fc.dictionary(fc.string(), fc.jsonValue());
const some = { requiredKeys: [] as [] };

const part = fc.oneof(
  fc.record({ kind: fc.constant("text" as const), text: fc.string() }),
  fc.record({
    kind: fc.constant("file" as const),
    file: fc.oneof(fc.record({ bytes: fc.base64String() }), fc.record({ uri: id, name: fc.string() })),
  }),
  fc.record({ kind: fc.constant("data" as const), data: metadata }),
);
const message = fc.record(
  {
    kind: fc.constant("message" as const),
    messageId: id,
    role: fc.constantFrom("user" as const, "agent" as const),
    parts: fc.array(part),
    contextId: id,
    metadata,
  },
  { requiredKeys: ["kind", "messageId", "role", "parts"] },
);
const status = fc.record({ state: fc.constantFrom(...TASK_STATES), message }, { requiredKeys: ["state"] });
const artifact = fc.record({ artifactId: id, parts: fc.array(part) });
const ids = { taskId: id, contextId: id };
const event = fc.oneof(
  message,
  fc.record({
    kind: fc.constant("task"),
    id,
    contextId: id,
    status,
    artifacts: fc.array(artifact),
    history: fc.array(message),
  }),
  fc.record({ kind: fc.constant("status-update"), ...ids, status, final: fc.boolean() }),
  fc.record({ kind: fc.constant("artifact-update"), ...ids, artifact, append: fc.boolean() }),
);

test("right events and replies come back as the same object", () => {
  fc.assert(
    fc.property(event, (raw) => {
      expect(toCanonicalEvent(raw)).toBe(raw);
      expect(toCanonicalEvent({ ...raw, "x-own": null })).toEqual({ ...raw, "x-own": null });
    }),
  );
});

test("a message sent to an agent comes back from it unchanged", () => {
  fc.assert(
    fc.property(message, (sent) => {
      const wire: unknown = JSON.parse(JSON.stringify(fromCanonicalParams({ message: sent }).message));
      expect(toCanonicalMessage(wire)).toEqual(wire);
    }),
  );
});

/** Takes kind away, or calls it type, at every level where 0.3.0 has it. */
function withoutKind(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutKind);
  if (typeof value !== "object" || value === null) return value;
  const { kind: _kind, ...rest } = value as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(rest).map(([name, inner]) => [
      name,
      name === "metadata" || name === "data" ? inner : withoutKind(inner),
    ]),
  );
}

test("an event comes back whole when every kind is taken from it", () => {
  const plain = event.filter((raw) => !JSON.stringify(raw).includes('"data":{"data"'));
  fc.assert(
    fc.property(plain, (raw) => {
      expect(toCanonicalEvent(withoutKind(raw))).toEqual(raw);
    }),
  );
});

const AnyPart = z.array(Part);

test("any value becomes a valid part that still holds every text", () => {
  const raw = fc.oneof(
    fc.jsonValue(),
    fc.record(
      {
        kind: fc.oneof(fc.constantFrom("text", "file", "data", null), fc.string()),
        text: fc.jsonValue(),
        file: fc.jsonValue(),
        data: fc.jsonValue(),
        metadata: fc.jsonValue(),
      },
      some,
    ),
  );
  fc.assert(
    fc.property(raw, (value) => {
      expect(AnyPart.safeParse([toCanonicalPart(value)]).error).toBeUndefined();
    }),
  );
  fc.assert(
    fc.property(
      fc.string({ minLength: 1 }),
      fc.constantFrom("kind", "type"),
      fc.string(),
      (text, name, kind) => {
        expect(JSON.stringify(toCanonicalPart({ [name]: kind, text }))).toContain(JSON.stringify(text));
      },
    ),
  );
});

const Complete = z.union([
  StreamEvent,
  Message.partial({ messageId: true }),
  z.looseObject({ kind: z.enum(["task", "status-update", "artifact-update"]) }),
]);

test("no JSON makes it throw, and what is taken for an event has a kind of 0.3.0", () => {
  const field = fc.constantFrom(
    "kind",
    "type",
    "id",
    "status",
    "state",
    "final",
    "artifact",
    "artifacts",
    "parts",
  );
  const more = fc.constantFrom("task", "message", "statusUpdate", "history", "metadata", "role", "taskId");
  const raw = fc.dictionary(fc.oneof(field, more), fc.jsonValue());
  fc.assert(
    fc.property(raw, (value) => {
      const found = toCanonicalEvent(value);
      if (found) expect(Complete.safeParse(found).success).toBe(true);
      expect(["task", "message", undefined]).toContain(toCanonicalReply(value)?.kind);
    }),
    { numRuns: 500 },
  );
});
