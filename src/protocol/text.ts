/** Texts of strangers made uniform, in time that grows with their length and no faster. */

/** Without the run of `character` at its end. `/=+$/` would try anew at each character of every run before it. */
export function withoutTrailing(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end--;
  return text.slice(0, end);
}

const STANDARD = /^[A-Za-z0-9+/]*={0,2}$/;
/** The standard alphabet, with its padding. */
export const isStandardBase64 = (text: string): boolean => text.length % 4 === 0 && STANDARD.test(text);

const PADDING = 0x3d;

/** No character of base64, and no other either. */
const SKIPPED = 1;

/** By the character that encodes them, the standard alphabet's characters; `SKIPPED` for white space. */
const ALPHABET = new Uint8Array(128);
for (const code of Buffer.from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")) {
  ALPHABET[code] = code;
}
for (const [code = 0, standard = 0] of [Buffer.from("-+"), Buffer.from("_/")]) ALPHABET[code] = standard;
for (const code of Buffer.from(" \t\n\v\f\r")) ALPHABET[code] = SKIPPED;

/**
 * Standard base64 with its padding. Line breaks, the URL-safe alphabet and missing padding are how encoders differ; the
 * content is the same. Undefined for anything else.
 */
export function standardBase64(text: string): string | undefined {
  if (isStandardBase64(text)) return text;
  const plain = Buffer.alloc(text.length + 2, PADDING);
  let length = 0;
  let isPadded = false;
  // Replacing by regular expressions takes ten times as long where every other character is to be replaced.
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const standard = ALPHABET[code];
    if (code === PADDING) isPadded = true;
    else if (standard === SKIPPED) continue;
    else if (!standard || isPadded) return undefined;
    else plain[length++] = standard;
  }
  return length % 4 === 1 ? undefined : plain.toString("latin1", 0, Math.ceil(length / 4) * 4);
}

/**
 * The text without characters that do something to a terminal (C0 and C1 controls, ESC among them) or to the order of what is
 * read (bidirectional ones, separators of lines): they are written as JSON escapes.
 */
export const escapeControls = (text: string): string =>
  text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (char) =>
    Array.from({ length: char.length }, (_, at) => jsonEscape(char.charCodeAt(at))).join(""),
  );

const jsonEscape = (code: number): string => `\\u${code.toString(16).padStart(4, "0")}`;
