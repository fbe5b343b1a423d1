/**
 * Fields that one side has and the other does not: what a vendor adds to an object travels whole in that object's
 * `metadata` under one key, the extension that the card declares (0.3.0 §4.6), and is put back on the way to the wire.
 */
import type { Metadata } from "../../src/protocol/model.ts";
import { compact, extensionUri } from "../shared/object.ts";

/** The dialect's name in the configuration. */
export const DIALECT = "a2a-0.1";

/** Metadata key and extension URI. */
export const EXTENSION = extensionUri(DIALECT);

type Extras = Record<string, unknown>;

const asRecord = (value: unknown): Extras =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};

/** The metadata with the vendor's extra fields in it; nulls vanish, and nothing is added where there are none. */
export function withExtras(metadata: Metadata | null | undefined, extras: Extras): Metadata | undefined {
  const kept = compact(extras);
  if (Object.keys(kept).length === 0) return metadata ?? undefined;
  return { ...metadata, [EXTENSION]: { ...asRecord(metadata?.[EXTENSION]), ...kept } };
}

/** The reverse: metadata without the key, and the fields that were under it. */
export function splitExtras(metadata: Metadata | undefined): {
  metadata: Metadata | undefined;
  extras: Extras;
} {
  if (!metadata || !(EXTENSION in metadata)) return { metadata, extras: {} };
  const { [EXTENSION]: extras, ...rest } = metadata;
  return { metadata: Object.keys(rest).length > 0 ? rest : undefined, extras: asRecord(extras) };
}
