import { expect, test } from "@jest/globals";
import { CardRevalidation } from "../../src/southbound/card-revalidation.ts";

const URL_OF_CARD = "https://vendor.example/card";
const card = { name: "Planner" };

test("a card with an ETag is asked for by it, at its own URL only, and a 304 stands for it", () => {
  const memory = new CardRevalidation();
  expect(memory.conditionFor(URL_OF_CARD)).toEqual({});
  memory.note(card, { statusCode: 200, headers: { etag: '"1"' } }, URL_OF_CARD);
  expect(memory.conditionFor(URL_OF_CARD)).toEqual({ "if-none-match": '"1"' });
  expect(memory.conditionFor("https://vendor.example/other")).toEqual({});
  const same = { statusCode: 304, headers: {} };
  expect(memory.unchanged(same, URL_OF_CARD)).toEqual({ card });
  expect(memory.unchanged({ statusCode: 200, headers: {} }, URL_OF_CARD)).toBeUndefined();
  memory.note(card, same, URL_OF_CARD);
  expect(memory.conditionFor(URL_OF_CARD)).toEqual({ "if-none-match": '"1"' });
  memory.note({ ...card }, { statusCode: 200, headers: {} }, URL_OF_CARD);
  expect(memory.conditionFor(URL_OF_CARD)).toEqual({});
});

test.each([
  [undefined, undefined],
  ["public", undefined],
  ["max-age=60", 60_000],
  ['public, Max-Age="5"', 5_000],
  ["no-cache", 0],
  ["max-age=60, no-store", 0],
])("Cache-Control %p allows %p ms", (told, age) => {
  const memory = new CardRevalidation();
  const headers = told === undefined ? {} : { "cache-control": told };
  memory.note(card, { statusCode: 200, headers }, URL_OF_CARD);
  expect(memory.maxAge).toBe(age);
});
