/** Faults of the configuration in words that an operator can act on. No message quotes a value: it may be a secret. */
import leven from "leven";
import type { z } from "zod";
import type { Path, Position } from "./document.ts";
import { knownKeys } from "./shape.ts";

/** One fault; `line` and `column` count from 1 and are 0 where the fault has no place in the file. */
export interface Fault extends Position {
  /** `agents.planner.timeouts.idle`; empty for the file as a whole. */
  readonly path: string;
  readonly message: string;
}

/** Everything that is wrong with the configuration, in the order of the file. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly file: string;
  readonly faults: readonly Fault[];

  constructor(file: string, faults: readonly Fault[]) {
    const sorted = [...faults].sort((a, b) => a.line - b.line || a.column - b.column);
    const head = sorted.length === 1 ? "There is an error" : `There are ${sorted.length} errors`;
    super(
      [`${head} in the configuration:`, ...sorted.map((fault) => `  ${faultLine(file, fault)}`)].join("\n"),
    );
    this.file = file;
    this.faults = sorted;
  }

  override toString(): string {
    return this.message;
  }
}

function faultLine(file: string, { path, line, column, message }: Fault): string {
  const place = line === 0 ? file : `${file}:${line}:${column}`;
  return path === "" ? `${place}  ${message}` : `${place}  ${path}: ${message}`;
}

/** `agents.planner.options.tags[0]`; a key with a dot of its own is quoted. */
export function formatPath(path: Path): string {
  let text = "";
  for (const step of path) {
    if (typeof step === "number") text += `[${step}]`;
    else if (/^[\w-]+$/.test(step)) text += text === "" ? step : `.${step}`;
    else text += `[${JSON.stringify(step)}]`;
  }
  return text;
}

const plain = (text: string): string => text.toLowerCase().replace(/[-_\s.]/g, "");

/** The one of `names` that was probably meant, or undefined. */
export function nearest(name: string, names: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.max(2, Math.floor(name.length / 3)) + 1;
  for (const candidate of names) {
    const distance = leven(plain(name), plain(candidate));
    // A distance as long as the name itself says that nothing fits.
    if (distance < bestDistance && distance < candidate.length) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

export function suggestion(name: string, names: Iterable<string>): string {
  const close = nearest(name, names);
  return close === undefined ? "" : `; did you mean \`${close}\`?`;
}

/** A fault of the schema, with its path from the root of what was parsed. */
export interface Complaint {
  readonly path: Path;
  readonly message: string;
  /** Which end of `key: value` it is about. */
  readonly about: "key" | "value";
}

/** What was parsed, with what, and where it stands in the file. */
interface Subject {
  readonly schema: z.core.$ZodType;
  readonly value: unknown;
  readonly base: Path;
}

/** Takes zod's issues apart: one complaint for each unknown key. */
export function toComplaints(
  issues: readonly z.core.$ZodIssue[],
  { schema, value, base }: Subject,
): Complaint[] {
  return issues.flatMap((issue): Complaint[] => {
    const inner = toPath(issue.path);
    const path = [...base, ...inner];
    if (issue.code === "unrecognized_keys") {
      const known = knownKeys(schema, value, inner);
      return issue.keys.map((key) => ({
        path: [...path, key],
        message: `unknown key${suggestion(key, known)}`,
        about: "key",
      }));
    }
    // Of `none` or a mapping, who has written a mapping wants to know what is wrong with it.
    const meant =
      issue.code === "invalid_union" ? issue.errors.find((inner) => inner.every(isWithin)) : undefined;
    if (meant) {
      const moved = meant.map((one) => Object.assign({}, one, { path: [...issue.path, ...one.path] }));
      return toComplaints(moved, { schema, value, base });
    }
    return [{ path, message: issue.message, about: issue.code === "invalid_key" ? "key" : "value" }];
  });
}

/** The value as a whole was of the right kind. */
const isWithin = (issue: z.core.$ZodIssue): boolean =>
  issue.path.length > 0 || issue.code === "unrecognized_keys" || issue.code === "custom";

export const toPath = (path: readonly PropertyKey[]): Path =>
  path.map((step) => (typeof step === "number" ? step : String(step)));

const KINDS: Readonly<Record<string, string>> = {
  object: "a mapping",
  record: "a mapping",
  array: "a list",
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  null: "empty",
};

const kindOf = (value: unknown): string => {
  if (value === null) return "empty";
  const type = Array.isArray(value) ? "array" : typeof value;
  return KINDS[type] ?? type;
};

/** zod's issues in this file's words; undefined leaves the wording to zod. A schema's own message comes first. */
export function phrase(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case "invalid_type": {
      const wanted = KINDS[issue.expected] ?? issue.expected;
      if (issue.input === undefined) return "is missing";
      if (issue.expected === "string" && typeof issue.input !== "object")
        return "must be text: put it in quotes";
      return `must be ${wanted}, but is ${kindOf(issue.input)}`;
    }
    case "invalid_value":
      if (issue.input === undefined) return "is missing";
      return oneOf(issue.values, issue.input);
    case "invalid_union":
      return Array.isArray(issue.options) ? `must be one of ${issue.options.join(", ")}` : undefined;
    case "invalid_key":
      return issue.issues?.[0]?.message;
    case "too_small":
      return (issue.origin === "string" || issue.origin === "array") && issue.minimum === 1
        ? "must not be empty"
        : `must be at least ${issue.minimum}`;
    case "too_big":
      return `must be at most ${issue.maximum}`;
    case "custom":
    case "invalid_element":
    case "invalid_format":
    case "not_multiple_of":
    case "unrecognized_keys":
    default:
      return undefined;
  }
}

function oneOf(values: readonly unknown[], input: unknown): string {
  const names = values.map(String);
  const close = typeof input === "string" ? suggestion(input, names) : "";
  return names.length === 1 ? `must be ${names[0]}` : `must be one of ${names.join(", ")}${close}`;
}
