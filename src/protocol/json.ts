/** A JSON object as it comes from a stranger: neither null nor an array, its members not yet looked at. */
export type Fields = Record<string, unknown>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
