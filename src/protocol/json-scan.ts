/**
 * Facts about a JSON text without parsing it. `JSON.parse` takes any depth and any number of values, and what it makes of
 * 4 MiB of `[{},{},…]` keeps the process busy for a second. One look at each character comes before it.
 */

export interface JsonBounds {
  /** Objects, arrays, strings, numbers and literals, all levels together. */
  readonly values: number;
  /** Levels of objects and arrays. */
  readonly levels: number;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const SPACE = 0x20;

/** Which of the bounds the text exceeds. Of a text that is no JSON it says something, in the same time. */
export function exceededBound(text: string, { values, levels }: JsonBounds): keyof JsonBounds | undefined {
  let count = 1;
  let level = 0;
  let wasOpened = false;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character <= SPACE) continue;
    if (character === QUOTE) {
      at = endOfString(text, at);
    } else if (character === OPEN_ARRAY || character === OPEN_OBJECT) {
      level += 1;
      // Its first member; those after it have a comma. An empty one has none, and takes it back.
      count += 1;
      if (level > levels) return "levels";
      wasOpened = true;
      continue;
    } else if (character === CLOSE_ARRAY || character === CLOSE_OBJECT) {
      level -= 1;
      if (wasOpened) count -= 1;
    } else if (character === COMMA) {
      count += 1;
    }
    wasOpened = false;
    // Beyond by one may still be an empty array's, and so be taken back.
    if (count > values + 1) return "values";
  }
  return count > values ? "values" : undefined;
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
    if (character === QUOTE) {
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

/** Where the string that begins at `at` has its closing quote; the end of the text where it has none. */
function endOfString(text: string, at: number): number {
  for (let end = at + 1; end < text.length; end++) {
    const character = text.charCodeAt(end);
    if (character === QUOTE) return end;
    if (character === BACKSLASH) end += 1;
  }
  return text.length;
}

/** `\u0069` is six characters for one. */
const LONGEST_ESCAPE = 6;

function isString(text: string, at: number, end: number, value: string): boolean {
  if (end - at - 1 > value.length * LONGEST_ESCAPE) return false;
  const raw = text.slice(at + 1, end);
  return raw === value || (raw.includes("\\") && JSON.parse(`"${raw}"`) === value);
}
