/** Keeps secrets out of errors and logs: vendors echo credentials in error bodies, libraries in messages. */

/** A copy without secrets; strings inside objects and arrays too. Anything else is returned as it is. */
export interface Redact {
  (text: string): string;
  (value: unknown): unknown;
}

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
export function createRedactor(secrets: readonly string[]): Redact {
  // The longest first: a secret may contain another.
  const forms = [...new Set(secrets.flatMap(formsOf))]
    .filter((form) => form !== "")
    .sort((a, b) => b.length - a.length);
  const known = new RegExp(forms.map((form) => escapeRegExp(form)).join("|"), "g");

  const inText = (text: string): string => {
    const masked = forms.length === 0 ? text : text.replace(known, MASK);
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
  return redact;
}
