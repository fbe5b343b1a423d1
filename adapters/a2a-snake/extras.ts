/**
 * What 0.3.0 has no field for, kept whole under one namespaced metadata key, and put back in the other direction.
 * `fields` are members of the wire object that have no place in the canonical one; the other marks say how a value
 * had to be bent to fit.
 */
import { z } from "zod";
import type { Metadata } from "../../src/protocol/model.ts";
import { compact, extensionUri, isRecord } from "../shared/object.ts";

/** Metadata key, and URI of the extension that the card declares for it. */
export const EXTENSION = extensionUri("a2a-snake");

const Marks = z.strictObject({
  fields: z.custom<Record<string, unknown>>(isRecord).optional(),
  /** A data part's value is no object: 0.3.0 carries it as `{value}`. */
  wrapped: z.literal(true).optional(),
  /** A part of no known kind, carried as data. */
  foreign: z.literal(true).optional(),
  /** A task state that 0.3.0 does not have. */
  state: z.string().optional(),
  /** As `fields`, of the status, which has no metadata of its own. */
  status: z.custom<Record<string, unknown>>(isRecord).optional(),
});
export type Marks = z.infer<typeof Marks>;

/** Adds the marks that say something; `metadata` itself is not changed. */
export function withMarks(metadata: Metadata | null | undefined, marks: Marks): Metadata | undefined {
  const { fields, status, ...flags } = marks;
  const said = compact({ fields: nonEmpty(fields), ...flags, status: nonEmpty(status) });
  if (Object.keys(said).length === 0) return metadata ?? undefined;
  return { ...metadata, [EXTENSION]: said };
}

/** Null members say nothing; nor does an object that has no others. */
function nonEmpty(fields: Record<string, unknown> | undefined): Record<string, unknown> | undefined {
  const said = compact(fields ?? {});
  return Object.keys(said).length > 0 ? said : undefined;
}

/** Takes the marks out again. A value under the key that is not of our making stays where it is. */
export function takeMarks(metadata: Metadata | undefined): { metadata: Metadata | undefined; marks: Marks } {
  const parsed = Marks.safeParse(metadata?.[EXTENSION]);
  if (!parsed.success) return { metadata, marks: {} };
  const { [EXTENSION]: _taken, ...rest } = metadata ?? {};
  return { metadata: Object.keys(rest).length > 0 ? rest : undefined, marks: parsed.data };
}
