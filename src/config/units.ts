/**
 * Scalars of the configuration that carry a unit. A bare number is refused: whether `timeout: 30` means seconds or
 * milliseconds is a guess, and a wrong one shows only in production.
 */
import bytes from "bytes";
import ms from "ms";
import { z } from "zod";

/** A Node timer of more than 2^31-1 ms, a little under 25 days, would fire at once. */
const LONGEST_TIMER = ms("24d");

const DURATION = /^\d+(\.\d+)?\s*(ms|s|m|h|d|w)$/;
const SIZE = /^\d+(\.\d+)?\s*([kmg]i?)?b$/i;

const DURATION_HINT = "write a number and a unit (ms, s, m, h, d, w), as in `500ms`, `30s` or `1h`";
const SIZE_HINT = "write a number and a unit (B, KiB, MiB, GiB), as in `512KiB` or `4MiB`";

interface Range {
  readonly min?: number;
  readonly max?: number;
}

const isDuration = (text: string): text is ms.StringValue => DURATION.test(text);

/** Wording for a value of another type; a number gets the hint that matters. */
const refusal = (hint: string) => (issue: { input?: unknown }) => {
  if (issue.input === undefined) return undefined;
  return typeof issue.input === "number" ? `needs a unit: ${hint}` : hint;
};

/** `30s`, `1.5h` … to whole milliseconds. */
export function duration({ min = 0, max = LONGEST_TIMER }: Range = {}) {
  return z
    .string({ error: refusal(DURATION_HINT) })
    .transform((raw, context) => {
      const text = raw.trim();
      const value = isDuration(text) ? Math.round(ms(text)) : Number.NaN;
      if (value >= min && value <= max) return value;
      context.addIssue({ code: "custom", message: durationFault(text, value, min, max) });
      return z.NEVER;
    })
    .meta({ kind: "duration" });
}

function durationFault(text: string, value: number, min: number, max: number): string {
  if (Number.isNaN(value)) return /^\d+$/.test(text) ? `needs a unit: ${DURATION_HINT}` : DURATION_HINT;
  return value < min ? `must be at least ${formatDuration(min)}` : `must be at most ${formatDuration(max)}`;
}

/** `64KiB`, `4MiB`, `1GB` … to bytes; K, M and G are powers of 1024 with and without the `i`. */
export function size({ min = 1, max = Number.MAX_SAFE_INTEGER }: Range = {}) {
  return z
    .string({ error: refusal(SIZE_HINT) })
    .transform((raw, context) => {
      const text = raw.trim();
      // `bytes` knows no MiB and would read `4MiB` as 4.
      const value = SIZE.test(text) ? bytes.parse(text.replace(/i(?=b$)/i, "")) : null;
      if (value !== null && value >= min && value <= max) return value;
      context.addIssue({ code: "custom", message: sizeFault(text, value, min) });
      return z.NEVER;
    })
    .meta({ kind: "size" });
}

function sizeFault(text: string, value: number | null, min: number): string {
  if (value === null) return /^\d+$/.test(text) ? `needs a unit: ${SIZE_HINT}` : SIZE_HINT;
  return value < min ? `must be at least ${formatSize(min)}` : "is too large";
}

/** How many of something: the only bare numbers, besides the port. */
export const count = ({ min = 1, max = Number.MAX_SAFE_INTEGER }: Range = {}) =>
  z.int().min(min).max(max).meta({ kind: "count" });

/** Of one listener; generous, since idle ones cost little. */
export const maxConnections = (whose: string) =>
  count()
    .prefault(10_000)
    .meta({
      description: `Connections ${whose} that may be open at once; further ones are closed as they come.`,
      defaultsTo: "10000",
    });

export const formatDuration = (value: number): string => ms(value);

export const formatSize = (value: number): string =>
  (bytes.format(value) ?? `${value}B`).replace(/(?<=[KMG])B$/, "iB");
