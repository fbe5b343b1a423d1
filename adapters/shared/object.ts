/** Small helpers on wire objects that every dialect needs. */
import { OWN_KEYS } from "../../src/protocol/client-members.ts";

/** The same object without its null and undefined members: an absent optional field is absent, not null. */
export function compact<T extends object>(object: T): { [K in keyof T]: NonNullable<T[K]> } {
  const entries = Object.entries(object).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(entries) as { [K in keyof T]: NonNullable<T[K]> };
}

export { isFields as isRecord } from "../../src/protocol/json.ts";

/** The metadata key, and extension URI on the served card, under which a dialect keeps what 0.3.0 has no field for. */
export const extensionUri = (dialect: string): string => `${OWN_KEYS}${dialect}`;
