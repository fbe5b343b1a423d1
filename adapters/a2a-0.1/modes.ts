/**
 * Input and output modes: 0.3.0 has media types (§5.5), 0.1 also the bare word `text`, which is its default.
 * Towards the wire both spellings of plain text are named, because servers of that era compare them as strings.
 */
const TEXT = "text";
const TEXT_PLAIN = "text/plain";

/** `text` is `text/plain`; other words are kept, as 0.1 does not say what they mean. Absent: the default. */
export function toCanonicalModes(modes: readonly string[] | null | undefined): string[] {
  const canonical = (modes ?? [TEXT]).map((mode) => (mode === TEXT ? TEXT_PLAIN : mode));
  return [...new Set(canonical)];
}

export function fromCanonicalModes(modes: readonly string[]): string[] {
  const wire = modes.flatMap((mode) => (mode === TEXT_PLAIN ? [TEXT_PLAIN, TEXT] : [mode]));
  return [...new Set(wire)];
}
