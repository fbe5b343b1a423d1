/** What is made uniform by hand, for speed, is what the slow and obvious way makes. */
import { expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { escapeLineBreaks, escapeLongText } from "../../src/protocol/json.ts";
import { standardBase64 } from "../../src/protocol/text.ts";

const characters = fc.constantFrom(
  "\u0085",
  "\u2028",
  "\u2029",
  "\u2027",
  "\u0084",
  "\u00c2",
  "a",
  "中",
  "😀",
  '"',
  "\\",
);

test("NEL, LS and PS are escaped, and nothing else is touched", () => {
  fc.assert(
    fc.property(fc.string({ unit: characters }), (text) => {
      const escaped = escapeLineBreaks(JSON.stringify(text));
      expect(escaped).not.toMatch(/[\u0085\u2028\u2029]/);
      expect(JSON.parse(escaped)).toBe(text);
      if (!/[\u0085\u2028\u2029]/.test(text)) expect(escaped).toBe(JSON.stringify(text));
    }),
    { numRuns: 500 },
  );
});

test("base64 is the same content in every alphabet, with or without line breaks and padding", () => {
  const bytes = fc.uint8Array({ maxLength: 100 }).map((array) => Buffer.from(array));
  fc.assert(
    fc.property(bytes, fc.boolean(), fc.boolean(), fc.nat(30), (content, isUrl, isPadded, width) => {
      const standard = content.toString("base64");
      const spelled = isUrl ? standard.replaceAll("+", "-").replaceAll("/", "_") : standard;
      const padded = isPadded ? spelled : spelled.replaceAll("=", "");
      const lines = padded.match(new RegExp(`.{1,${width + 1}}`, "g")) ?? [];
      expect(standardBase64(lines.join("\r\n"))).toBe(standard);
    }),
    { numRuns: 500 },
  );
});

test.each(["A", "AAAAA", "=AAA", "A=AA", "AA=A", "AAA*", "AAA中", "AA\0A"])("%j is not base64", (text) => {
  expect(standardBase64(text)).toBeUndefined();
});

test("a long text is escaped in slices, with pauses, and no character is parted", async () => {
  const pieces = ["\u2028", "a", "\u{1F30D}", "\u4e2d", "\u0085"];
  const text = Array.from({ length: 400_001 }, (_, index) => pieces[(index * 7) % 5]).join("");
  for (const shifted of [text, `x${text}`]) {
    let pauses = 0;
    const json = JSON.stringify(shifted);
    const escaped = await escapeLongText(json, () => Promise.resolve((pauses += 1)));
    expect(escaped === escapeLineBreaks(json)).toBe(true);
    expect(JSON.parse(escaped) === shifted).toBe(true);
    expect(pauses).toBeGreaterThan(1);
  }
});
