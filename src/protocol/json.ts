/** A JSON object as it comes from a stranger: neither null nor an array, its members not yet looked at. */
export type Fields = Record<string, unknown>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const LINE_BREAK = /[\u0085\u2028\u2029]/g;

/**
 * The same JSON with NEL, LS and PS escaped. JSON allows them as they are, but clients that read a stream by Unicode lines, as
 * Python's httpx does, split a frame there. `includes` costs a few nanoseconds where the regular expression takes a hundred.
 * @param json JSON text, where these characters are in strings only
 */
export function escapeLineBreaks(json: string): string {
  if (!json.includes("\u0085") && !json.includes("\u2028") && !json.includes("\u2029")) return json;
  return json.replaceAll(
    LINE_BREAK,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
