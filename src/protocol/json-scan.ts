/**
 * Facts about a JSON text without parsing it. `JSON.parse` takes any depth and any number of values, and what it makes of
 * 4 MiB of `[{},{},…]` keeps the process busy for a second. One look at each character comes before it.
 */

export interface JsonBounds {
  /** Objects, arrays, strings, numbers and literals, all levels together. */
  readonly values: number;
  /** Levels of objects and arrays. */
  readonly levels: number;
  /** Characters of a number: the time to make one of millions of digits grows faster than they do. */
  readonly digits: number;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const SPACE = 0x20;

/**
 * The number of values in the text, or else which of the bounds it exceeds. Of a text that is no JSON it says something, in the
 * same time.
 */
export function countValues(text: string, { values, levels, digits }: JsonBounds): number | keyof JsonBounds {
  let count = 1;
  let level = 0;
  let wasOpened = false;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === OPEN_ARRAY || character === OPEN_OBJECT) {
      level += 1;
      // Its first member; those after it have a comma. An empty one has none, and takes it back.
      count += 1;
      if (level > levels) return "levels";
      wasOpened = true;
      continue;
    }
    if (character === CLOSE_ARRAY || character === CLOSE_OBJECT) {
      level -= 1;
      if (level < 0) return count;
      if (wasOpened) count -= 1;
    } else if (character === COMMA) {
      count += 1;
    } else if (character === QUOTE) {
      at = endOfString(text, at);
    } else {
      const begin = at;
      const isSpace = character <= SPACE;
      at = isSpace ? endOfSpace(text, at) : endOfWord(text, at);
      if (isSpace) continue;
      // The colon before a number counts as one of its characters.
      if (at - begin > digits) return "digits";
    }
    wasOpened = false;
    // Beyond by one may still be an empty array's, and so be taken back.
    if (count > values + 1) return "values";
  }
  return count > values ? "values" : count;
}

/** A number, after the name it has: what `JSON.parse` makes of it may be another one. */
const NUMBER = /[ \t\n\r]*:[ \t\n\r]*(-?\d[\d.eE+-]*)?/y;

/**
 * The characters of a number that the object which `text` is has under `name`, as JSON.parse sees it: of several, the
 * last one counts. Undefined where that is no number.
 */
export function numberAsWritten(text: string, name: string): string | undefined {
  let found: string | undefined;
  let level = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (isInWord(character)) {
      at = endOfWord(text, at);
    } else if (character === QUOTE) {
      const end = endOfString(text, at);
      if (level === 1 && isString(text, at, end, name)) {
        NUMBER.lastIndex = end + 1;
        const match = NUMBER.exec(text);
        // Without a colon it is no name but a value.
        if (match) found = match[1];
      }
      at = end;
    } else if (character === OPEN_ARRAY || character === OPEN_OBJECT) level += 1;
    else if (character === CLOSE_ARRAY || character === CLOSE_OBJECT) level -= 1;
  }
  return found;
}

/** Strings of up to so many characters are looked at one by one. */
const SHORT = 256;

/**
 * Where the string that begins at `at` has its closing quote; the end of the text where it has none. A long run without
 * escapes, such as a file's base64, is passed over by `indexOf`, which is ten times as fast.
 */
function endOfString(text: string, at: number): number {
  let plain = 0;
  for (let end = at + 1; end < text.length; end++) {
    const character = text.charCodeAt(end);
    if (character === QUOTE) return end;
    if (character === BACKSLASH) {
      end += 1;
      plain = 0;
    } else if (++plain === SHORT) {
      end = endOfRun(text, end) - 1;
      plain = 0;
    }
  }
  return text.length;
}

/** Characters that are passed over at once. */
const RUN = 64 * 1024;

/** The first quote or backslash at or after `at`, or the end of a run without them. */
function endOfRun(text: string, at: number): number {
  const run = text.slice(at, at + RUN);
  const [quote, backslash] = [run.indexOf('"'), run.indexOf("\\")];
  const found = [quote, backslash].filter((index) => index >= 0);
  return at + (found.length > 0 ? Math.min(...found) : run.length);
}

// Loops of their own, which the engine makes several times as fast as one that looks at each character from all sides.

function endOfSpace(text: string, at: number): number {
  let end = at;
  while (end + 1 < text.length && text.charCodeAt(end + 1) <= SPACE) end += 1;
  return end;
}

/** The last character of a number or a literal. */
function endOfWord(text: string, at: number): number {
  let end = at;
  while (end + 1 < text.length && isInWord(text.charCodeAt(end + 1))) end += 1;
  return end;
}

/** Digits, letters, signs and points: no delimiter of JSON is one of these. */
const isInWord = (character: number): boolean =>
  (character > COMMA && character < OPEN_ARRAY) || (character > CLOSE_ARRAY && character < OPEN_OBJECT);

/** `\u0069` is six characters for one. */
const LONGEST_ESCAPE = 6;

function isString(text: string, at: number, end: number, value: string): boolean {
  if (end - at - 1 > value.length * LONGEST_ESCAPE) return false;
  const raw = text.slice(at + 1, end);
  return raw === value || (raw.includes("\\") && JSON.parse(`"${raw}"`) === value);
}
