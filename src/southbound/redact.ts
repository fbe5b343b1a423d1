/** Keeps secrets out of errors and logs: vendors echo credentials in error bodies, libraries in messages. */

/** A copy without secrets; strings inside objects and arrays too. Anything else is returned as it is. */
export interface Redact {
  (text: string): string;
  (value: unknown): unknown;
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

  const inText = (text: string): string => {
    const masked = known ? text.replace(known, MASK) : text;
    return masked.replace(SCHEME_TOKEN, `$1 ${MASK}`);
  };

  function redact(text: string): string;
  function redact(value: unknown): unknown;
  function redact(value: unknown): unknown {
    if (typeof value === "string") return inText(value);
    if (Array.isArray(value)) return value.map((item: unknown) => redact(item));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [inText(key), redact(item)]));
  }

  const learn = (secret: string): void => {
    if (learned.has(secret) || secrets.includes(secret)) return;
    learned.add(secret);
    const [oldest] = learned;
    if (learned.size > MAX_LEARNED && oldest !== undefined) learned.delete(oldest);
    known = patternOf([...secrets, ...learned]);
  };
  return Object.assign(redact, { learn });
}

/** Matches every form of every secret; undefined where there is none. */
function patternOf(secrets: readonly string[]): RegExp | undefined {
  // The longest first: a secret may contain another.
  const forms = [...new Set(secrets.flatMap(formsOf))]
    .filter((form) => form !== "")
    .sort((a, b) => b.length - a.length);
  if (forms.length === 0) return undefined;
  return new RegExp(forms.map((form) => escapeRegExp(form)).join("|"), "g");
}
