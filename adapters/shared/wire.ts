/**
 * The words that loose schemas of several dialects are made of: an explicit null is an absent field, and an optional field
 * of the wrong type counts as absent instead of spoiling the whole answer. Objects are each dialect's own, in its wire.ts.
 */
import { z } from "zod";
import { A2AError } from "../../src/protocol/errors.ts";

export const lenient = <T extends z.ZodType>(schema: T) => schema.nullish().catch(undefined);

export const Text = lenient(z.string());
export const Flag = lenient(z.boolean());
export const Strings = lenient(z.array(z.string()));
export const Metadata = lenient(z.record(z.string(), z.unknown()));

/** Of faults in one object, so many are told. */
const MAX_FAULTS = 3;

/**
 * Parses at the edge: what does not fit is the agent's fault (`invalid-agent-response`), told with the path but not the
 * value. `what` names what was expected, without an article.
 */
export function parseWire<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues
    .slice(0, MAX_FAULTS)
    .map(({ path, message }) => `${path.join(".") || what}: ${message}`);
  throw new A2AError("invalid-agent-response", {
    message: `The agent sent no valid ${what}`,
    data: { stage: "body", faults },
    cause: parsed.error,
  });
}
