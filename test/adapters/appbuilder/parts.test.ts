import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { fromCanonicalPart, toCanonicalPart, toCanonicalParts } from "../../../adapters/appbuilder/parts.ts";
import { WirePart } from "../../../adapters/appbuilder/wire.ts";
import { part } from "./arbitraries.ts";

const read = (wire: unknown) => toCanonicalPart(WirePart.parse(wire));

test("every part survives the way to AppBuilder and back", () => {
  fc.assert(
    fc.property(part, (canonical) => {
      const wire: unknown = JSON.parse(JSON.stringify(fromCanonicalPart(canonical)));
      expect(read(wire)).toEqual(canonical);
    }),
  );
});

describe("toCanonicalPart", () => {
  test("takes a part with a file for a FilePart although its kind is text", () => {
    const wire = { kind: "text", file: { name: "a.csv", mime: "text/csv", uri: "https://x.example/a" } };
    expect(read(wire)).toEqual({
      kind: "file",
      file: { name: "a.csv", mimeType: "text/csv", uri: "https://x.example/a" },
    });
  });

  test.each([
    [
      { mime: "jpeg", bytes: "AAAA" },
      { mimeType: "image/jpeg", bytes: "AAAA" },
    ],
    [
      { mime: "mp3", bytes: "AAAA" },
      { mimeType: "audio/mpeg", bytes: "AAAA" },
    ],
    [
      { uri: "https://x.example/a.png?x=1.pdf" },
      { mimeType: "image/png", uri: "https://x.example/a.png?x=1.pdf" },
    ],
    [
      { mime: "", mimeType: "text/csv", uri: "u" },
      { mimeType: "text/csv", uri: "u" },
    ],
    [
      { mime: "strange", uri: "u" },
      { mimeType: "strange", uri: "u" },
    ],
    [{ bytes: "data:image/png;base64,AA\nAA" }, { bytes: "AAAA" }],
    [
      { name: "a.csv", uri: "https://x.example/a.bin" },
      { name: "a.csv", mimeType: "text/csv", uri: "https://x.example/a.bin" },
    ],
    [
      { mime: "text/html", mimeType: "text/csv", uri: "u" },
      { mimeType: "text/csv", uri: "u" },
    ],
  ])("reads the file %j", (wire, file) => {
    expect(read({ kind: "file", file: wire })).toEqual({ kind: "file", file });
  });

  test("prefers the uri where a file has both, and drops the bytes", () => {
    const wire = { kind: "file", file: { uri: "https://x.example/a", bytes: "AAAA" } };
    expect(read(wire)).toEqual({ kind: "file", file: { uri: "https://x.example/a" } });
  });

  test("keeps a file with neither uri nor base64 as data", () => {
    const file = { name: "a.txt", bytes: "not base64!" };
    expect(read({ kind: "file", file })).toEqual({ kind: "data", data: { file } });
  });

  test("wraps data that is no object", () => {
    expect(read({ kind: "data", data: [1, 2] })).toEqual({ kind: "data", data: { value: [1, 2] } });
  });

  test("drops parts without content", () => {
    const wires = [{ kind: "text", text: null }, { kind: "text" }, { kind: "text", text: "a" }];
    expect(toCanonicalParts(wires.map((wire) => WirePart.parse(wire)))).toEqual([
      { kind: "text", text: "a" },
    ]);
  });
});

test("a file is written with both names of its MIME type", () => {
  const file = { name: "a.csv", mimeType: "text/csv", bytes: "AAAA" };
  expect(fromCanonicalPart({ kind: "file", file })).toEqual({
    kind: "file",
    file: { name: "a.csv", mime: "text/csv", mimeType: "text/csv", bytes: "AAAA" },
  });
});
