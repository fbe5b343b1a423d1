import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { EXTENSION } from "../../../adapters/a2a-1.0/preserved.ts";
import { fromCanonicalPart, toCanonicalPart } from "../../../adapters/a2a-1.0/parts.ts";
import { Part } from "../../../src/protocol/model.ts";
import { part, userData } from "./arbitraries.ts";

describe("parts to 0.3.0", () => {
  test.each([
    ["text", { text: "hi" }, { kind: "text", text: "hi" }],
    ["empty text", { text: "" }, { kind: "text", text: "" }],
    [
      "bytes",
      { raw: "AAEC", mediaType: "image/png", filename: "a.png" },
      { kind: "file", file: { bytes: "AAEC", mimeType: "image/png", name: "a.png" } },
    ],
    [
      "a URL",
      { url: "https://files.example/a", mediaType: "text/csv" },
      { kind: "file", file: { uri: "https://files.example/a", mimeType: "text/csv" } },
    ],
    [
      "a camelCase file",
      { url: "https://x", mediaType: "a/b" },
      { kind: "file", file: { uri: "https://x", mimeType: "a/b" } },
    ],
    [
      "a nested file",
      { kind: "file", file: { fileWithBytes: "AAEC", mimeType: "a/b", name: "n" } },
      { kind: "file", file: { bytes: "AAEC", mimeType: "a/b", name: "n" } },
    ],
    ["data", { data: { a_b: 1, aB: 2 } }, { kind: "data", data: { a_b: 1, aB: 2 } }],
    ["null members", { text: "hi", metadata: null, raw: null }, { kind: "text", text: "hi" }],
  ])("%s", (_, wire, canonical) => {
    expect(toCanonicalPart(wire)).toEqual(canonical);
  });

  test("defaults that a server writes out beside the content say nothing", () => {
    expect(toCanonicalPart({ text: "hi", mediaType: "", filename: "" })).toEqual({
      kind: "text",
      text: "hi",
    });
    expect(toCanonicalPart({ text: "", data: { a: 1 }, filename: "" })).toEqual({
      kind: "data",
      data: { a: 1 },
    });
  });

  test("URL-safe base64 without padding becomes standard base64", () => {
    expect(toCanonicalPart({ raw: "-_8" })).toEqual({ kind: "file", file: { bytes: "+/8=" } });
  });

  test.each([[null], [[1, 2]], ["text"], [7], [false]])(
    "data %j, which is no object, is wrapped and comes back",
    (data) => {
      const canonical = toCanonicalPart({ data });
      expect(canonical).toEqual({
        kind: "data",
        data: { value: data },
        metadata: { [EXTENSION]: { wrapped: true } },
      });
      expect(fromCanonicalPart(canonical)).toEqual({ data });
    },
  );

  test("a user's own {value} is not unwrapped", () => {
    expect(fromCanonicalPart({ kind: "data", data: { value: 1 } })).toEqual({ data: { value: 1 } });
  });

  test("mediaType and filename of a text part survive as metadata and come back", () => {
    const wire = { text: "# hi", mediaType: "text/markdown", filename: "a.md", metadata: { a: 1 } };
    const canonical = toCanonicalPart(wire);
    expect(canonical).toEqual({
      kind: "text",
      text: "# hi",
      metadata: { a: 1, [EXTENSION]: { fields: { mediaType: "text/markdown", filename: "a.md" } } },
    });
    expect(fromCanonicalPart(canonical)).toEqual(wire);
  });

  test("a part with bytes and a URL is the bytes; a oneof holds one of them", () => {
    const wire = { raw: "AAEC", url: "https://files.example/a" };
    const canonical = toCanonicalPart(wire);
    expect(canonical).toMatchObject({ kind: "file", file: { bytes: "AAEC" } });
    expect(Part.safeParse(canonical).success).toBe(true);
    expect(fromCanonicalPart(canonical)).toEqual({ raw: "AAEC" });
  });

  test.each([[{ video: { frameRate: 25 } }], [{ text: 5 }], ["bare text"], [null]])(
    "%j, a part of no known kind, is carried whole as data and comes back",
    (wire) => {
      const canonical = toCanonicalPart(wire);
      expect(canonical).toEqual({
        kind: "data",
        data: { value: wire },
        metadata: { [EXTENSION]: { foreign: true } },
      });
      expect(fromCanonicalPart(canonical)).toEqual(wire);
    },
  );
});

describe("round trips", () => {
  test("any canonical part survives the wire", () => {
    fc.assert(
      fc.property(part, (original) => expect(toCanonicalPart(fromCanonicalPart(original))).toEqual(original)),
    );
  });

  test("what a user puts into data and metadata is the same on the wire, keys included", () => {
    fc.assert(
      fc.property(userData, userData, (data, metadata) => {
        const wire = fromCanonicalPart({ kind: "data", data, metadata });
        expect(JSON.stringify(wire)).toBe(JSON.stringify({ metadata, data }));
        const canonical = toCanonicalPart(wire);
        expect(JSON.stringify(canonical)).toBe(JSON.stringify({ kind: "data", data, metadata }));
      }),
    );
  });
});
