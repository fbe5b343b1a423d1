/**
 * What 0.3.0 has no field for, preserved whole under one namespaced metadata key, and put back in the other direction.
 * `fields` are members of the wire object that have no place in the canonical one; the other members say how a value
 * had to be bent to fit.
 */
import { z } from "zod";
import type { Metadata } from "../../src/protocol/model.ts";
import { compact, extensionUri, isRecord } from "../shared/object.ts";

/** Metadata key, and URI of the extension that the card declares for it. */
export const EXTENSION = extensionUri("a2a-1.0");

const Preserved = z.strictObject({
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
export type Preserved = z.infer<typeof Preserved>;

/** Adds what is to be preserved, if anything; `metadata` itself is not changed. */
export function attachPreserved(
  metadata: Metadata | null | undefined,
  preserved: Preserved,
): Metadata | undefined {
  const { fields, status, ...flags } = preserved;
  const kept = compact({ fields: nonEmpty(fields), ...flags, status: nonEmpty(status) });
  if (Object.keys(kept).length === 0) return metadata ?? undefined;
  return { ...metadata, [EXTENSION]: kept };
}

/** Null members, empty strings and empty lists are ProtoJSON's defaults, which say nothing; nor does an object of nothing else. */
function nonEmpty(fields: Record<string, unknown> | undefined): Record<string, unknown> | undefined {
  const entries = Object.entries(fields ?? {}).filter(([, value]) => !isDefault(value));
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

const isDefault = (value: unknown): boolean =>
  value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0);

/** Takes the preserved fields out again. A value under the key that this proxy did not make stays where it is. */
export function extractPreserved(metadata: Metadata | undefined): {
  metadata: Metadata | undefined;
  preserved: Preserved;
} {
  const parsed = Preserved.safeParse(metadata?.[EXTENSION]);
  if (!parsed.success) return { metadata, preserved: {} };
  const { [EXTENSION]: _taken, ...rest } = metadata ?? {};
  return { metadata: Object.keys(rest).length > 0 ? rest : undefined, preserved: parsed.data };
}
