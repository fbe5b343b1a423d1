/** Generators of canonical objects, as far as A2A 0.1 can say them. */
import * as fc from "fast-check";
import type { KeyedTask } from "../../../adapters/a2a-0.1/task.ts";
import type { AgentMessage } from "../../../src/adapter.ts";
import type { Part } from "../../../src/protocol/model.ts";

const key = fc.stringMatching(/^[a-z]{1,6}$/);

export const metadata = fc.dictionary(key, fc.oneof(fc.string(), fc.integer(), fc.boolean()), {
  noNullPrototype: true,
  minKeys: 1,
  maxKeys: 3,
});

const bytes = fc.uint8Array({ maxLength: 12 }).map((array) => Buffer.from(array).toString("base64"));
const name = fc.string({ maxLength: 8 });

const file = fc.oneof(
  fc.record({ name, mimeType: name, bytes }, { requiredKeys: ["bytes"] }),
  fc.record({ name, mimeType: name, uri: fc.webUrl() }, { requiredKeys: ["uri"] }),
);

export const part: fc.Arbitrary<Part> = fc.oneof(
  fc.record(
    { kind: fc.constant("text" as const), text: fc.string(), metadata },
    { requiredKeys: ["kind", "text"] },
  ),
  fc.record({ kind: fc.constant("file" as const), file, metadata }, { requiredKeys: ["kind", "file"] }),
  fc.record(
    { kind: fc.constant("data" as const), data: metadata, metadata },
    { requiredKeys: ["kind", "data"] },
  ),
);

export const message: fc.Arbitrary<AgentMessage> = fc.record(
  {
    kind: fc.constant("message" as const),
    role: fc.constantFrom("user" as const, "agent" as const),
    parts: fc.array(part, { maxLength: 3 }),
    metadata,
  },
  { requiredKeys: ["kind", "role", "parts"] },
);

/** The states that 0.1 has too. */
const state = fc.constantFrom(
  "submitted" as const,
  "working" as const,
  "input-required" as const,
  "completed" as const,
  "canceled" as const,
  "failed" as const,
  "unknown" as const,
);

export const status = fc.record(
  { state, message, timestamp: fc.constant("2025-04-22T10:00:00.000Z") },
  { requiredKeys: ["state"] },
);

export const artifact = fc.record(
  {
    artifactId: fc.nat({ max: 9 }).map((index) => `artifact-${index}`),
    name,
    description: name,
    parts: fc.array(part, { maxLength: 3 }),
    metadata,
  },
  { requiredKeys: ["artifactId", "parts"] },
);

export const task: fc.Arbitrary<KeyedTask> = fc.record(
  {
    kind: fc.constant("task" as const),
    id: fc.uuid(),
    contextId: fc.uuid(),
    status,
    artifacts: fc.uniqueArray(artifact, {
      minLength: 1,
      maxLength: 3,
      selector: (item) => item.artifactId,
    }),
    history: fc.array(message, { minLength: 1, maxLength: 3 }),
    metadata,
  },
  { requiredKeys: ["kind", "id", "contextId", "status"] },
);
