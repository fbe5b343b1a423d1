import { describe, expect, test } from "@jest/globals";
import { joinParts } from "../../src/gateway/task/parts.ts";
import { readSnapshot } from "../../src/gateway/task/parts.ts";
import type { Part } from "../../src/protocol/model.ts";

const parts = (...texts: string[]): Part[] => texts.map((text) => ({ kind: "text", text }));
const read = (known: string[], told: string[], resumed: string[] = []) => {
  const { parts: whole, ...rest } = readSnapshot(
    joinParts(parts(...known)),
    parts(...told),
    parts(...resumed),
  );
  return [whole.map((part) => (part.kind === "text" ? part.text : part.kind)).join("|"), rest];
};

describe("a snapshot", () => {
  test.each([
    ["that goes on adds the rest", ["a ", "b "], ["a ", "b ", "c "], [], "a b c ", { isCertain: true }],
    ["that is older adds nothing", ["a ", "b "], ["a "], [], "a b ", { isCertain: false }],
    ["without parts adds nothing", ["a "], [], [], "a ", { isCertain: false }],
    [
      "that contradicts replaces",
      ["a ", "b "],
      ["x "],
      [],
      "x ",
      { isCertain: true, repair: "artifact-replaced" },
    ],
    [
      "that fills a hole replaces",
      ["a ", "c "],
      ["a ", "b ", "c "],
      ["c "],
      "a b c ",
      { isCertain: true, repair: "artifact-replaced" },
    ],
    [
      "of chunks that were stored twice after a hole counts them once",
      ["a ", "c ", "d "],
      ["a ", "b ", "c ", "c ", "d ", "d "],
      ["c ", "d "],
      "a b c d ",
      { isCertain: true, repair: "stored-twice" },
    ],
    [
      "of chunks that two writers stored, one behind the other, counts them once",
      ["c ", "d ", "e "],
      ["b ", "c ", "d ", "c ", "e ", "d ", "e "],
      ["c ", "d ", "e "],
      "b c d e ",
      { isCertain: true, repair: "stored-twice" },
    ],
    [
      "that may be doubled, or say the same again, is not certain",
      ["a ", "b "],
      ["a ", "b ", "b "],
      ["b "],
      "a b ",
      { isCertain: false, repair: "stored-twice" },
    ],
    [
      "of a whole artifact whose end is stored twice adds nothing",
      ["a ", "b ", "c "],
      ["a ", "b ", "b ", "c ", "c "],
      [],
      "a b c ",
      { isCertain: true, repair: "stored-twice" },
    ],
  ])("%s", (_title, known, told, resumed, whole, rest) => {
    expect(read(known, told, resumed)).toEqual([whole, rest]);
  });

  test("compares other parts than text by their content", () => {
    const file: Part = { kind: "file", file: { uri: "https://a.example/1" } };
    const data: Part = { kind: "data", data: { n: 1 } };
    expect(readSnapshot([file], [file, data, data], [data]).parts).toEqual([file, data]);
    expect(readSnapshot([file], [data]).repair).toBe("artifact-replaced");
  });
});
