/** Keeps secrets out of errors and logs: vendors echo credentials in error bodies, libraries in messages. */

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
/** Shorter ones would make encoded forms so short that they occur by chance. */
const MIN_ENCODED = 6;
/** A shorter one may be a word, or a part of one. */
const MIN_KNOWN = 8;
const SCHEME_TOKEN = /\b(Bearer|Basic)(\s+|%20)[\w.~+/%-]{6,}=*/gi;

const escapeRegExp = (text: string): string => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, "\\$&");

/** What base64 of any text that contains the secret must contain: it depends on the offset modulo three. */
function base64Forms(secret: string): string[] {
  return [0, 1, 2].map((offset) => {
    const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]);
    const whole = bytes.subarray(offset === 0 ? 0 : 3, bytes.length - (bytes.length % 3));
    return whole.toString("base64");
  });
}

function formsOf(secret: string): string[] {
  const encoded = encodeURIComponent(secret);
  const forms = [secret, encoded, encoded.replaceAll("%20", "+"), JSON.stringify(secret).slice(1, -1)];
  return secret.length < MIN_ENCODED ? forms : [...forms, ...base64Forms(secret)];
}

/**
 * Replaces the secrets as they are, URL-encoded, JSON-escaped and in base64 (Basic credentials), and whatever looks
 * like a bearer or basic token.
 */
export function createRedactor(secrets: readonly string[]): Redactor {
  const learned = new Set<string>();
  let known = patternOf(secrets);
  let long = patternOf(secrets.filter(isLong));

  const inText = (text: string): string => {
    const masked = known ? text.replace(known, MASK) : text;
    return masked.replace(SCHEME_TOKEN, `$1 ${MASK}`);
  };

  function redact(text: string): string;
  function redact(value: unknown): unknown;
  function redact(value: unknown): unknown {
    return mapTexts(value, inText);
  }

  const learn = (secret: string): void => {
    // Whoever issues tokens could blot out every log with one that is a letter.
    if (!isLong(secret) || learned.has(secret) || secrets.includes(secret)) return;
    learned.add(secret);
    const [oldest] = learned;
    if (learned.size > MAX_LEARNED && oldest !== undefined) learned.delete(oldest);
    known = patternOf([...secrets, ...learned]);
    long = patternOf([...secrets.filter(isLong), ...learned]);
  };
  // Texts stay texts: the type is the same.
  const knownIn = <T>(value: T): T =>
    mapTexts(value, (text) => (long ? text.replace(long, MASK) : text)) as T;
  const also = (more: readonly string[]): Redact => createRedactor([...secrets, ...learned, ...more]);
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

/** Matches every form of every secret; undefined where there is none. */
function patternOf(secrets: readonly string[]): RegExp | undefined {
  // The longest first: a secret may contain another.
  const forms = [...new Set(secrets.flatMap(withoutScheme).flatMap(formsOf))]
    .filter((form) => form !== "")
    .sort((a, b) => b.length - a.length);
  if (forms.length === 0) return undefined;
  return new RegExp(forms.map((form) => escapeRegExp(form)).join("|"), "g");
}
