/**
 * `${VAR}`, `${VAR:-default}` and `${file:/path}` in the configuration's values; `$${` stands for `${`.
 *
 * YAML gives `{`, `}`, `,` and ` #` a meaning of their own, most of all inside `{ flow: mappings }`. So references are
 * masked with private-use characters, one for one, before the text is parsed: every offset stays, and
 * `{ token: ${TOKEN} }` needs no quotes.
 */
import { errnoOf } from "./errno.ts";

export interface Sources {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Throws where the file cannot be read. */
  readonly readFile: (path: string) => string;
}

export interface Interpolated {
  readonly value: string;
  /** Contents of files that went into the value. */
  readonly secrets: readonly string[];
  /** What could not be resolved; then `value` means nothing. */
  readonly faults: readonly string[];
}

const MASK = 0xe000;
const REFERENCE = /\$?\$\{[^}\r\n]*\}/g;
const MASKED = /[\uE000-\uE07F]/g;
const OPENING = /(\$?)\$\{(?:([^}\r\n]*)(\}))?/g;
const VARIABLE = /^([A-Za-z_]\w*)(?::-(.*))?$/s;

const shift = (text: string, by: number): string => String.fromCharCode(text.charCodeAt(0) + by);

/** Hides every reference from the YAML parser; the length stays. */
export const mask = (text: string): string =>
  text.replace(REFERENCE, (reference) => reference.replace(/[\0-\x7f]/g, (char) => shift(char, MASK)));

/** Undoes `mask`. */
export const unmask = (text: string): string => text.replace(MASKED, (char) => shift(char, -MASK));

export const hasReference = (text: string): boolean => text.includes("${");

/** The files that a value's references name. */
export const filesIn = (text: string): string[] =>
  [...text.matchAll(OPENING)].flatMap(([, escape, reference = ""]) =>
    escape === "" && reference.startsWith("file:") ? [reference.slice("file:".length).trim()] : [],
  );

/** Replaces every reference in one unmasked value; what comes in is not searched again. */
export function interpolate(text: string, sources: Sources): Interpolated {
  const faults: string[] = [];
  const secrets: string[] = [];
  const value = text.replace(OPENING, (whole, escape: string, reference?: string, closing?: string) => {
    if (escape !== "") return whole.slice(1);
    if (reference === undefined || closing === undefined) {
      faults.push("`${` without a `}` on the same line; write `$${` for a literal `${`");
      return "";
    }
    const resolved = reference.startsWith("file:")
      ? fromFile(reference.slice("file:".length).trim(), sources, secrets)
      : fromVariable(reference, sources);
    if ("fault" in resolved) faults.push(resolved.fault);
    return "fault" in resolved ? "" : resolved.value;
  });
  return { value, secrets, faults };
}

type Resolved = { readonly value: string } | { readonly fault: string };

function fromVariable(reference: string, { env }: Sources): Resolved {
  const [, name, fallback] = VARIABLE.exec(reference) ?? [];
  if (name === undefined) {
    return { fault: "is no reference: write `${NAME}`, `${NAME:-default}` or `${file:/path}`" };
  }
  const value = env[name];
  // As in a shell, `:-` also stands in for an empty variable.
  if (fallback !== undefined) return { value: value === undefined || value === "" ? fallback : value };
  if (value !== undefined) return { value };
  return { fault: `needs the environment variable ${name}, which is not set` };
}

function fromFile(path: string, { readFile }: Sources, secrets: string[]): Resolved {
  if (path === "") return { fault: "is no reference: `${file:` needs a path" };
  try {
    // An editor or `echo` leaves a line break that is not part of the secret.
    const value = readFile(path).replace(/[\r\n]+$/, "");
    secrets.push(value);
    return { value };
  } catch (cause) {
    return { fault: `needs the file ${path}, which cannot be read (${errnoOf(cause) ?? "unknown reason"})` };
  }
}
