/** The ways in which agents write JSON values onto a stream, and generated values to write. */
import * as fc from "fast-check";

export interface Framing {
  readonly name: string;
  /** Values that this framing can carry. */
  readonly carries: "anything" | "containers";
  readonly encode: (values: readonly unknown[]) => string;
}

const compact = (value: unknown): string => JSON.stringify(value);
const pretty = (value: unknown): string => JSON.stringify(value, null, 2);
const each = (encode: (value: unknown, index: number) => string) => (values: readonly unknown[]) =>
  values.map(encode).join("");

export const FRAMINGS: readonly Framing[] = [
  { name: "SSE", carries: "anything", encode: each((value) => `data: ${compact(value)}\n\n`) },
  { name: "SSE, no space", carries: "anything", encode: each((value) => `data:${compact(value)}\n\n`) },
  {
    name: "SSE with every other field",
    carries: "anything",
    encode: each(
      (value, i) => `: ping\n\nevent: message\nid: ${i}\nretry: 10\n:\ndata: ${compact(value)}\n\n`,
    ),
  },
  {
    name: "SSE, pretty-printed, every line prefixed",
    carries: "anything",
    encode: each((value) => `data: ${pretty(value).replaceAll("\n", "\ndata: ")}\n\n`),
  },
  {
    name: "pretty-printed after one data:, no blank lines",
    carries: "anything",
    encode: each((value) => `data: ${pretty(value)}\n`),
  },
  {
    name: "SSE without blank lines",
    carries: "anything",
    encode: each((value) => `data: ${compact(value)}\n`),
  },
  {
    name: "SSE with [DONE]",
    carries: "anything",
    encode: (values) => `${values.map((value) => `data: ${compact(value)}\n\n`).join("")}data: [DONE]\n\n`,
  },
  { name: "SSE with a BOM", carries: "anything", encode: (values) => `\uFEFF${FRAMINGS[0]?.encode(values)}` },
  {
    name: "SSE with U+001E",
    carries: "anything",
    encode: each((value) => `data: \u001e${compact(value)}\n\n`),
  },
  {
    name: "a JSON sequence",
    carries: "anything",
    encode: each((value) => `\u001e${compact(value)}\n`),
  },
  { name: "NDJSON", carries: "anything", encode: each((value) => `${compact(value)}\n`) },
  {
    name: "JSON bodies, pretty-printed",
    carries: "containers",
    encode: each((value) => `${pretty(value)}\n`),
  },
  { name: "all on one line", carries: "containers", encode: each(compact) },
  {
    name: "all on one data: line",
    carries: "containers",
    encode: (values) => `data: ${values.map(compact).join(" ")}`,
  },
];

const LINE_ENDS = ["\n", "\r\n", "\r"] as const;

/** Line ends of one kind, or mixed: `ends` are taken in turn. */
export function withLineEnds(text: string, ends: readonly string[]): string {
  let line = 0;
  return text.replaceAll("\n", () => ends[line++ % ends.length] ?? "\n");
}

/** What JSON makes of a value, so that it can be compared with what was decoded. */
const json = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const text = fc.string({ unit: "grapheme" });
export const anyJson = fc.jsonValue({ maxDepth: 4, stringUnit: "grapheme" }).map(json);
export const anyObject = fc.dictionary(text, anyJson, { maxKeys: 4 }).map(json);
export const anyContainer = fc.oneof(anyObject, fc.array(anyJson, { maxLength: 4 }).map(json));
export const anyLineEnds = fc.oneof(
  fc.constantFrom(...LINE_ENDS).map((end) => [end]),
  fc.array(fc.constantFrom(...LINE_ENDS), { minLength: 2, maxLength: 7 }),
);

/** Sizes of the chunks, taken in turn; 1 cuts every character of several bytes. */
export const anyChunkSizes = fc.oneof(
  fc.constant([1]),
  fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 }),
);

export function* chunksOf(bytes: Uint8Array, sizes: readonly number[]): Generator<Uint8Array> {
  for (let start = 0, turn = 0; start < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    yield bytes.subarray(start, start + size);
    start += size;
  }
}
