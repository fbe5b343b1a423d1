/**
 * The forms in which a secret turns up where it was echoed: as it is, or as URLs, JSON, HTML, base64 and hex dumps write
 * it. Encoders differ in what they encode (.NET and Java write `%2b`, some write every letter as `%41`), so each character is
 * matched in all of its spellings. Every pattern has a bounded size, and no two ways to match the same text.
 */

/** Shorter secrets would have base64 so short that it occurs by chance. */
const MIN_ENCODED = 6;
/** Characters of a form in which every one is encoded; what follows in that encoding is masked with them. */
const MAX_ENCODED = 32;

/**
 * Sources of regular expressions, by what a text must have for them to match: most texts need not be searched for most
 * forms. The plain ones are nothing but characters, which V8 searches for all at once, however many there are.
 */
export interface SecretForms {
  readonly plain: readonly string[];
  readonly escaped: readonly string[];
}

/** Whether a text may have a form of that kind. */
export const MAY_HAVE: Readonly<Record<keyof SecretForms, (text: string) => boolean>> = {
  escaped: (text) => /[%&\\]/.test(text),
  plain: () => true,
};

export function formsOf(secret: string): SecretForms {
  const literal = escapeRegExp(secret);
  const mixed = runs(secret).map(anySpelling).join("");
  const escaped = mixed === literal ? [] : [mixed];
  if (secret.length < MIN_ENCODED) return { plain: [literal], escaped };
  const base64 = base64Forms(secret);
  return {
    plain: [...new Set([secret, ...base64, ...base64.map(base64url), ...hexForms(secret)])].map(escapeRegExp),
    escaped: [...escaped, ...wholeForms(secret), ...base64.filter(hasSpecial).map(escapedBase64)],
  };
}

const escapeRegExp = (text: string): string => text.replaceAll(/[$()*+.?[\\\]^{|}/-]/g, "\\$&");

/** Hexadecimal digits in either case. */
const anyCase = (hex: string): string =>
  hex.replaceAll(/[a-f]/gi, (digit) => `[${digit.toLowerCase()}${digit.toUpperCase()}]`);

/** Each character; backslashes that follow each other are one, since escaping doubles them. */
const runs = (text: string): string[] => text.match(/\\+|[^]/gu) ?? [];

const NAMED: Readonly<Record<string, string>> = {
  "&": "amp",
  "<": "lt",
  ">": "gt",
  '"': "quot",
  "'": "apos",
  "/": "sol",
  "+": "plus",
  "=": "equals",
  "\\": "bsol",
};

const percent = (char: string): string =>
  [...Buffer.from(char)].map((byte) => `%${anyCase(byte.toString(16).padStart(2, "0"))}`).join("");

function entity(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  const named = NAMED[char];
  const numbers = `#0{0,5}${code}|#[xX]0{0,4}${anyCase(code.toString(16))}`;
  return `&(?:${named === undefined ? numbers : `${numbers}|${named}`});`;
}

/** Once in JSON, or twice, as where JSON is quoted in JSON. */
const unicode = (char: string): string =>
  Array.from(
    { length: char.length },
    (_, at) => `\\\\{1,2}u${anyCase(char.charCodeAt(at).toString(16).padStart(4, "0"))}`,
  ).join("");

/** As it is, or as one of the encodings has it; what none of them touches unless it encodes everything is as it is. */
function anySpelling(run: string): string {
  if (/^[\w.-]$/.test(run)) return escapeRegExp(run);
  const [char = ""] = run;
  const forms = [percent(char), entity(char), unicode(char)];
  if (char === "\\") {
    const { length } = run;
    return `(?:\\\\{${length},${4 * length}}|(?:${forms.join("|")}){${length}})`;
  }
  const literal = escapeRegExp(run);
  if (run === " ") forms.push("\\+");
  if (run === "/" || run === '"') return `(?:${forms.join("|")}|\\\\{0,3}${literal})`;
  return `(?:${forms.join("|")}|${literal})`;
}

/** With every character encoded, and what follows in the same encoding. */
function wholeForms(secret: string): string[] {
  const start = Array.from(secret).slice(0, MAX_ENCODED);
  const all = (encode: (char: string) => string, one: string): string =>
    `${start.map(encode).join("")}(?:${one})*`;
  return [
    all(percent, "%[\\da-fA-F]{2}"),
    all(entity, "&#[xX]?[\\da-fA-F]{1,8};"),
    all(unicode, "\\\\{1,2}u[\\da-fA-F]{4}"),
  ];
}

function hexForms(secret: string): string[] {
  const hex = Buffer.from(secret).toString("hex");
  return [hex, hex.toUpperCase()];
}

/** What base64 of any text that contains the secret must contain: it depends on the offset modulo three. */
const base64Forms = (secret: string): string[] =>
  [0, 1, 2].map((offset) => {
    const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]);
    return bytes.subarray(offset === 0 ? 0 : 3, bytes.length - (bytes.length % 3)).toString("base64");
  });

const hasSpecial = (base64: string): boolean => /[+/]/.test(base64);

const base64url = (base64: string): string => base64.replaceAll("+", "-").replaceAll("/", "_");

/** As it stands in URLs and JSON. */
const escapedBase64 = (base64: string): string =>
  base64.replaceAll("/", "(?:%2[fF]|\\\\{0,3}\\/)").replaceAll("+", "(?:\\+|%2[bB])");
