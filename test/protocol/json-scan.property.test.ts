/** What is said of a JSON text without parsing it is what parsing it would say. */
import { expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { countValues, numberAsWritten } from "../../src/protocol/json-scan.ts";

/** A value and its JSON, with any white space, and strings full of what has a meaning outside of them. */
const values = fc.jsonValue({
  stringUnit: fc.constantFrom("[", "]", "{", "}", ",", ":", '"', "\\", "a", "\u4e2d", "\n"),
});
const spaces = fc.constantFrom("", " ", "\t", "\n  ");
const texts = fc.tuple(values, spaces).map(([value, space]) => JSON.stringify(value, undefined, space));

function valuesIn(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce((sum: number, inner) => sum + valuesIn(inner), 1);
}

function levelsOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(levelsOf));
}

test("values and levels are counted as they are", () => {
  fc.assert(
    fc.property(values, spaces, (value, space) => {
      const text = JSON.stringify(value, undefined, space);
      const [count, levels] = [valuesIn(value), levelsOf(value)];
      const digits = 1000;
      expect(countValues(text, { values: count, levels, digits })).toBe(count);
      expect(countValues(text, { values: count - 1, levels, digits })).toBe("values");
      if (levels > 0) expect(countValues(text, { values: count, levels: levels - 1, digits })).toBe("levels");
    }),
    { numRuns: 500 },
  );
});

test("a number of too many digits is told before it is made", () => {
  const bounds = { values: 10, levels: 3, digits: 20 };
  expect(countValues(`{"a":${"1".repeat(20)}}`, bounds)).toBe(2);
  expect(countValues(`{"a":${"1".repeat(21)}}`, bounds)).toBe("digits");
  expect(countValues(`{"a":"${"1".repeat(100)}"}`, bounds)).toBe(2);
});

const ids = fc.constantFrom(
  "1.5",
  "-0",
  "1e400",
  "12345678901234567890",
  '"1.5"',
  "null",
  "{}",
  '["id"]',
  '"id"',
);
/** Names that are `id`, also by escapes, and others; twice the same counts as JSON.parse has it. */
const names = fc.constantFrom('"id"', '"\\u0069d"', '"i\\u0064"', '"Id"', '"id "', '"i\\\\d"', '"\\"id"');
const members = fc
  .array(fc.tuple(names, fc.constantFrom(":", " : ", "\n:\t"), fc.oneof(ids, texts)))
  .map((all) => `{ ${all.map((member) => member.join("")).join(" , ")} }`);

/** Slow, but by the engine itself. */
function byReviver(text: string): string | undefined {
  const sources = new WeakMap<object, string | undefined>();
  const root: unknown = JSON.parse(
    text,
    function (this: object, key, value: unknown, context?: { source?: string }) {
      if (key === "id") sources.set(this, typeof value === "number" ? context?.source : undefined);
      return value;
    },
  );
  return sources.get(Object(root));
}

test("a number at the top is found as it was written, wherever else there is one", () => {
  fc.assert(
    fc.property(members, (text) => expect(numberAsWritten(text, "id")).toBe(byReviver(text))),
    { numRuns: 1_000 },
  );
});
