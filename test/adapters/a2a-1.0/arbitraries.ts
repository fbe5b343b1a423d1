/** Generated canonical objects, with user data that looks like the protocol's own fields. */
import * as fc from "fast-check";
import type { AgentArtifact, AgentMessage, AgentStatus, AgentTask } from "../../../src/adapter.ts";
import type { Part } from "../../../src/protocol/model.ts";
import { TASK_STATES } from "../../../src/protocol/states.ts";

/** Keys that a careless converter would rename. */
const trickyKey = fc.constantFrom(
  "messageId",
  "message_id",
  "lastChunk",
  "last_chunk",
  "data",
  "metadata",
  "__proto__",
);
const key = fc.oneof(trickyKey, fc.string({ minLength: 1, maxLength: 6 }));
const { tree: json } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(null, true, false, 0, 1.5, ""),
    fc.string({ maxLength: 8 }),
    fc.array(tie("tree"), { maxLength: 3 }),
    fc.array(fc.tuple(key, tie("tree")), { maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
  ),
}));

/** What a user puts into `data` and `metadata`: any JSON object. */
export const userData = fc
  .array(fc.tuple(key, json), { minLength: 1, maxLength: 4 })
  .map((entries): Record<string, unknown> => Object.fromEntries(entries));

const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
/** Drops undefined members: what is absent on the wire is absent. */
export const dense = <T extends object>(object: T): T =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as T;

const base64 = fc.uint8Array({ maxLength: 12 }).map((bytes) => Buffer.from(bytes).toString("base64"));
const id = fc.string({ minLength: 1, maxLength: 8 });
const described = { mimeType: optional(fc.constantFrom("image/png", "text/csv")), name: optional(id) };

export const part: fc.Arbitrary<Part> = fc.oneof(
  fc
    .record({ kind: fc.constant("text" as const), text: fc.string(), metadata: optional(userData) })
    .map(dense),
  fc
    .record({
      kind: fc.constant("file" as const),
      file: fc.oneof(
        fc.record({ bytes: base64, ...described }).map(dense),
        fc.record({ uri: fc.webUrl(), ...described }).map(dense),
      ),
      metadata: optional(userData),
    })
    .map(dense),
  fc.record({ kind: fc.constant("data" as const), data: userData, metadata: optional(userData) }).map(dense),
);

export const message: fc.Arbitrary<AgentMessage> = fc
  .record({
    kind: fc.constant("message" as const),
    messageId: optional(id),
    role: fc.constantFrom("user" as const, "agent" as const),
    parts: fc.array(part, { maxLength: 3 }),
    taskId: optional(id),
    contextId: optional(id),
    referenceTaskIds: optional(fc.array(id, { minLength: 1, maxLength: 2 })),
    extensions: optional(fc.array(fc.webUrl(), { minLength: 1, maxLength: 2 })),
    metadata: optional(userData),
  })
  .map(dense);

const status: fc.Arbitrary<AgentStatus> = fc
  .record({
    state: fc.constantFrom(...TASK_STATES),
    message: optional(message),
    timestamp: optional(fc.constant("2026-03-20T08:00:00.000Z")),
  })
  .map(dense);

const artifact: fc.Arbitrary<AgentArtifact> = fc
  .record({
    artifactId: optional(id),
    name: optional(id),
    description: optional(id),
    parts: fc.array(part, { maxLength: 3 }),
    extensions: optional(fc.array(fc.webUrl(), { minLength: 1, maxLength: 2 })),
    metadata: optional(userData),
  })
  .map(dense);

export const task: fc.Arbitrary<AgentTask> = fc
  .record({
    kind: fc.constant("task" as const),
    id: optional(id),
    contextId: optional(id),
    status,
    artifacts: optional(fc.array(artifact, { minLength: 1, maxLength: 2 })),
    history: optional(fc.array(message, { minLength: 1, maxLength: 2 })),
    metadata: optional(userData),
  })
  .map(dense);

const ids = { taskId: optional(id), contextId: optional(id), metadata: optional(userData) };

export const statusUpdate = fc
  .record({ kind: fc.constant("status-update" as const), ...ids, status })
  .map(dense);

export const artifactUpdate = fc
  .record({
    kind: fc.constant("artifact-update" as const),
    ...ids,
    artifact,
    append: optional(fc.constant(true)),
    lastChunk: optional(fc.constant(true)),
  })
  .map(dense);
