/** A JSON object as it comes from a stranger: neither null nor an array, its members not yet looked at. */
export type Fields = Record<string, unknown>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const NEXT_LINE = Buffer.from("\\u0085");
const LINE_SEPARATOR = Buffer.from("\\u2028");
const PARAGRAPH_SEPARATOR = Buffer.from("\\u2029");

/** How much longer a text of nothing but NEL becomes. */
const GROWTH = 3;

/**
 * The same JSON with NEL, LS and PS escaped. JSON allows them as they are, but clients that read a stream by Unicode lines, as
 * Python's httpx does, split a frame there. `includes` costs a few nanoseconds where a regular expression takes a hundred.
 * @param json JSON text, where these characters are in strings only
 */
export function escapeLineBreaks(json: string): string {
  if (!json.includes("\u0085") && !json.includes("\u2028") && !json.includes("\u2029")) return json;
  // By the byte: where a text has a million of them, replacing in strings takes three times as long, most of it for garbage.
  const bytes = Buffer.from(json);
  const escaped = Buffer.allocUnsafe(bytes.length * GROWTH);
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    const escape = lineBreakAt(bytes, at);
    if (escape === undefined) {
      escaped[length++] = bytes[at] ?? 0;
    } else {
      for (let index = 0; index < escape.length; index++) escaped[length++] = escape[index] ?? 0;
      at += escape === NEXT_LINE ? 1 : 2;
    }
  }
  return escaped.toString("utf8", 0, length);
}

/** Characters of a text that is escaped at once. */
const SLICE = 256 * 1024;

/** The same, with a pause after each slice of a long text: one of a million such characters takes as long as fifty requests. */
export async function escapeLongText(json: string, pause: () => Promise<unknown>): Promise<string> {
  if (json.length <= SLICE) return escapeLineBreaks(json);
  const slices: string[] = [];
  for (let at = 0; at < json.length;) {
    const end = at + SLICE - (isHighSurrogate(json.charCodeAt(at + SLICE - 1)) ? 1 : 0);
    const slice = json.slice(at, end);
    const escaped = escapeLineBreaks(slice);
    slices.push(escaped);
    if (escaped !== slice) await pause();
    at = end;
  }
  return slices.join("");
}

/** The first half of a character, which must not be parted from the second. */
const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;

/** The escape for what stands there, in UTF-8: C2 85, E2 80 A8 or E2 80 A9. */
function lineBreakAt(bytes: Buffer, at: number): Buffer | undefined {
  const first = bytes[at];
  if (first === 0xc2) return bytes[at + 1] === 0x85 ? NEXT_LINE : undefined;
  if (first !== 0xe2 || bytes[at + 1] !== 0x80) return undefined;
  if (bytes[at + 2] === 0xa8) return LINE_SEPARATOR;
  return bytes[at + 2] === 0xa9 ? PARAGRAPH_SEPARATOR : undefined;
}
