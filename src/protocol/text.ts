/** Texts of strangers made uniform, in time that grows with their length and no faster. */

/** Without the run of `character` at its end. `/=+$/` would try anew at each character of every run before it. */
export function withoutTrailing(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end--;
  return text.slice(0, end);
}

/**
 * Standard base64 with its padding. Line breaks, the URL-safe alphabet and missing padding are how encoders differ; the
 * content is the same. Undefined for anything else.
 */
export function standardBase64(text: string): string | undefined {
  const dense = text.replaceAll(/\s+/g, "").replaceAll("-", "+").replaceAll("_", "/");
  const plain = withoutTrailing(dense, "=");
  if (!/^[A-Za-z0-9+/]*$/.test(plain) || plain.length % 4 === 1) return undefined;
  return plain.padEnd(Math.ceil(plain.length / 4) * 4, "=");
}
