/** Keeps secrets out of errors and logs: vendors echo credentials in error bodies, libraries in messages. */
import { formsOf, MAY_HAVE, type SecretForms } from "./secret-forms.ts";

/** A copy without secrets; strings inside objects and arrays too. Anything else is returned as it is. */
export interface Redact {
  (text: string): string;
  (value: unknown): unknown;
  /** Only secrets that are known, and too long to be a word: for texts that are to be read, such as cards. */
  known<T>(value: T): T;
  /** One that knows these secrets too. */
  also(secrets: readonly string[]): Redact;
}

/** One that is told of secrets that come up while the proxy runs: tokens, rotated keys. */
export interface Redactor extends Redact {
  learn(secret: string): void;
}

/** Learned secrets that are remembered; by then the oldest have long expired. */
const MAX_LEARNED = 200;
const MASK = "[redacted]";
/** A shorter one may be a word, or a part of one. */
const MIN_KNOWN = 8;
const SCHEME_TOKEN = /\b(Bearer|Basic)(\s+|%20)[\w.~+/%-]{6,}=*/gi;

/** A secret with the forms that it may be found in, which are costly to make. */
interface Secret {
  readonly text: string;
  readonly forms: SecretForms;
}

type Mask = (text: string) => string;

/** Replaces the secrets in all of their forms, and whatever looks like a bearer or basic token. */
export function createRedactor(secrets: readonly string[]): Redactor {
  const configured = secretsOf(secrets);
  const learned = new Map<string, readonly Secret[]>();
  let all = maskOf(configured);
  let long = maskOf(configured.filter(({ text }) => isLong(text)));

  const inText: Mask = (text) => all(text).replace(SCHEME_TOKEN, `$1 ${MASK}`);

  function redact(text: string): string;
  function redact(value: unknown): unknown;
  function redact(value: unknown): unknown {
    return mapTexts(value, inText);
  }

  const learn = (secret: string): void => {
    // Whoever issues tokens could blot out every log with one that is a letter.
    if (!isLong(secret) || learned.has(secret) || secrets.includes(secret)) return;
    learned.set(secret, secretsOf([secret]));
    const [oldest] = learned.keys();
    if (learned.size > MAX_LEARNED && oldest !== undefined) learned.delete(oldest);
    const known = [...configured, ...[...learned.values()].flat()];
    all = maskOf(known);
    long = maskOf(known.filter(({ text }) => isLong(text)));
  };
  // Texts stay texts: the type is the same.
  const knownIn = <T>(value: T): T => mapTexts(value, long) as T;
  const also = (more: readonly string[]): Redact => createRedactor([...secrets, ...learned.keys(), ...more]);
  return Object.assign(redact, { learn, known: knownIn, also });
}

const isLong = (secret: string): boolean => secret.length >= MIN_KNOWN;

/** A copy in which every text, names of members among them, is what `map` makes of it. */
function mapTexts(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === "string") return map(value);
  if (Array.isArray(value)) return value.map((item: unknown) => mapTexts(item, map));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [map(key), mapTexts(item, map)]));
}

/** Of `Bearer KEY` as one value, an echo may hold the key alone. */
const withoutScheme = (secret: string): string[] => {
  const key = /^(?:Bearer|Basic)\s+(\S{4,})$/i.exec(secret)?.[1];
  return key === undefined ? [secret] : [secret, key];
};

const secretsOf = (texts: readonly string[]): Secret[] =>
  [...new Set(texts.flatMap(withoutScheme))]
    .filter((text) => text !== "")
    .map((text) => ({ text, forms: formsOf(text) }));

/** The plain forms come last, since the others are longer. */
const KINDS = ["escaped", "plain"] as const;

/** Masks every form of every secret. */
function maskOf(secrets: readonly Secret[]): Mask {
  // The longest first: a secret may contain another.
  const sorted = secrets.toSorted((a, b) => b.text.length - a.text.length);
  const searches = KINDS.flatMap((kind) => {
    const forms = sorted.flatMap((secret) => secret.forms[kind]);
    if (forms.length === 0) return [];
    return [{ mayMatch: MAY_HAVE[kind], pattern: new RegExp(forms.join("|"), "g") }];
  });
  return (text) =>
    searches.reduce(
      (masked, { mayMatch, pattern }) => (mayMatch(masked) ? masked.replace(pattern, MASK) : masked),
      text,
    );
}
