/** Compares with an expectation in which `<any>`, `<any:NAME>` and `<time>` stand for values that vary. */
import { expect } from "@jest/globals";

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Fails unless `actual` is what `expected` describes. */
export function expectMatch(actual: unknown, expected: unknown): void {
  const names = new Map<string, unknown>();
  expect(actual).toEqual(fill(actual, expected, names));
}

/** The expectation with its placeholders replaced by the actual values they may stand for. */
function fill(actual: unknown, expected: unknown, names: Map<string, unknown>): unknown {
  if (typeof expected === "string") return fillString(actual, expected, names);
  if (Array.isArray(expected)) {
    return expected.map((item: unknown, index) =>
      fill(Array.isArray(actual) ? actual[index] : undefined, item, names),
    );
  }
  if (typeof expected !== "object" || expected === null) return expected;
  const record = new Map<string, unknown>(
    typeof actual === "object" && actual !== null ? Object.entries(actual) : [],
  );
  return Object.fromEntries(
    Object.entries(expected).map(([key, value]) => [key, fill(record.get(key), value, names)]),
  );
}

function fillString(actual: unknown, expected: string, names: Map<string, unknown>): unknown {
  if (expected === "<time>") return typeof actual === "string" && TIME.test(actual) ? actual : expected;
  if (!/^<any(?::\w+)?>$/.test(expected)) return expected;
  if (typeof actual !== "string" || actual === "") return expected;
  if (expected === "<any>") return actual;
  if (!names.has(expected)) names.set(expected, actual);
  return names.get(expected);
}
