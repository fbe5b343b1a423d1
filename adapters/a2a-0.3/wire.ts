/**
 * What arrives from an agent that speaks 0.2.0 to 0.3.0. An object that has the specification's own shape (A2A 0.3.0 §6;
 * the `WellFormed…` schemas beside each entity's spellings) is handed on as the very object that arrived. Everything else is read through the `Loose…`
 * schemas, which accept what servers in the wild send and coerce the fields that the canonical model types.
 */
import { z } from "zod";
import { isRecord } from "../shared/object.ts";

/** Whether `value` has the schema's shape; the value itself stays what is used, nothing is copied. */
export const fits = <T>(schema: z.ZodType<T>, value: unknown): value is T => schema.safeParse(value).success;

/** A member of any type, or none. */
export const Any = z.unknown().optional();

/** Numeric ids become strings; anything else that is no id is taken as absent. */
const Id = z
  .union([z.string().min(1), z.number().transform(String)])
  .nullish()
  .catch(undefined);

const Text = z
  .union([z.string(), z.number().transform(String)])
  .nullish()
  .catch(undefined);

const Strings = z
  .union([z.array(z.coerce.string()), z.string().transform((one) => [one])])
  .nullish()
  .catch(undefined);

const Flag = z.union([z.boolean(), z.stringbool()]).nullish().catch(undefined);

/** An object as it is; any other value under `value`, so that it is kept. */
export const asRecord = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : { value });

const Metadata = Any.transform((raw) => (raw === undefined || raw === null ? undefined : asRecord(raw)));

/** ISO text as it is; seconds or milliseconds since the epoch as ISO text. */
const Timestamp = z
  .union([
    z.string(),
    z
      .number()
      .min(0)
      .max(8.64e15)
      .transform((at) => new Date(at < 1e11 ? at * 1000 : at).toISOString()),
  ])
  .nullish()
  .catch(undefined);

const Common = { taskId: Id, contextId: Id, metadata: Metadata };

export const LooseFile = z.looseObject({ name: Text, mimeType: Text, bytes: Text, uri: Text });

export const LooseMessage = z.looseObject({
  ...Common,
  messageId: Id,
  role: Any,
  parts: Any,
  referenceTaskIds: Strings,
  extensions: Strings,
});

export const LooseStatus = z.looseObject({ state: Any, message: Any, timestamp: Timestamp });

export const LooseArtifact = z.looseObject({
  artifactId: Id,
  name: Text,
  description: Text,
  parts: Any,
  extensions: Strings,
  metadata: Metadata,
});

export const LooseTask = z.looseObject({
  id: Id,
  contextId: Id,
  status: Any,
  artifacts: Any,
  history: Any,
  metadata: Metadata,
});

export const LooseStatusUpdate = z.looseObject({ ...Common, status: Any, final: Flag });

export const LooseArtifactUpdate = z.looseObject({
  ...Common,
  artifact: Any,
  append: Flag,
  lastChunk: Flag,
});

/** Other spellings of a field, by the name that 0.3.0 gives it, the likeliest first. */
export type Spellings = Readonly<Record<string, readonly string[]>>;

export const CONTEXT_ID = [
  "context_id",
  "conversationId",
  "conversation_id",
  "sessionId",
  "session_id",
] as const;

/**
 * The object with its fields under their 0.3.0 names. A field that is there under its right name wins, and the other
 * spelling then stays as an unknown field; so do all fields that the table does not list.
 */
export function respelled(raw: Readonly<Record<string, unknown>>, table: Spellings): Record<string, unknown> {
  const result = { ...raw };
  for (const [name, others] of Object.entries(table)) {
    if (result[name] !== undefined && result[name] !== null) continue;
    const found = others.find((other) => result[other] !== undefined && result[other] !== null);
    if (found === undefined) continue;
    result[name] = result[found];
    delete result[found];
  }
  return result;
}

/** Tells an object whose fields are all under their 0.3.0 names: `respelled` would change nothing. */
export function isSpelledBy(table: Spellings): (value: Readonly<Record<string, unknown>>) => boolean {
  const rows = Object.entries(table);
  return (value) =>
    rows.every(
      ([name, others]) => value[name] !== undefined || others.every((other) => value[other] === undefined),
    );
}

/** The list that is meant: absent is empty, a single value is a list of one. */
export const asList = (raw: unknown): readonly unknown[] => {
  if (raw === undefined || raw === null) return [];
  return Array.isArray(raw) ? raw : [raw];
};
