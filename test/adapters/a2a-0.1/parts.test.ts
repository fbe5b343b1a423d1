import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import {
  fromCanonicalPart,
  fromCanonicalParts,
  toCanonicalPart,
  toCanonicalParts,
} from "../../../adapters/a2a-0.1/parts.ts";
import { Part } from "../../../src/protocol/model.ts";
import { part } from "./arbitraries.ts";

const EXTENSION = "urn:a2a-compat-proxy:a2a-0.1";

describe("a part from the wire", () => {
  test.each([
    ["type", { type: "text", text: "hi" }],
    ["no discriminator", { text: "hi" }],
    ["kind, as later versions say", { kind: "text", text: "hi" }],
    ["explicit nulls", { type: "text", text: "hi", metadata: null }],
    ["nothing but the string", "hi"],
  ])("is text with %s", (_title, wire) => {
    expect(toCanonicalPart(wire)).toEqual({ kind: "text", text: "hi" });
  });

  test("keeps its metadata", () => {
    expect(toCanonicalPart({ type: "text", text: "hi", metadata: { a: 1 } })).toEqual({
      kind: "text",
      text: "hi",
      metadata: { a: 1 },
    });
  });

  test("may be a file by uri, its nulls gone", () => {
    const file = { name: null, mimeType: "image/png", bytes: null, uri: "https://example.com/a.png" };
    expect(toCanonicalPart({ type: "file", file, metadata: null })).toEqual({
      kind: "file",
      file: { mimeType: "image/png", uri: "https://example.com/a.png" },
    });
  });

  test("may be a file without a type", () => {
    expect(toCanonicalPart({ file: { name: "a", bytes: "AAAA" } })).toEqual({
      kind: "file",
      file: { name: "a", bytes: "AAAA" },
    });
  });

  test("keeps the bytes of a file that has a uri as well, and the uri in metadata", () => {
    const wire = { type: "file", file: { bytes: "AAAA", uri: "https://example.com/a" } };
    const canonical = toCanonicalPart(wire);
    expect(canonical).toEqual({
      kind: "file",
      file: { bytes: "AAAA" },
      metadata: { [EXTENSION]: { file: { uri: "https://example.com/a" } } },
    });
    expect(fromCanonicalPart(canonical)).toEqual(wire);
  });

  test("keeps fields that the dialect does not know", () => {
    const wire = { type: "data", data: { a: null }, confidence: 0.5 };
    const canonical = toCanonicalPart(wire);
    expect(canonical).toEqual({
      kind: "data",
      data: { a: null },
      metadata: { [EXTENSION]: { confidence: 0.5 } },
    });
    expect(fromCanonicalPart(canonical)).toEqual(wire);
  });

  test.each([
    ["a type of its own", { type: "function_call", name: "f", parameters: [] }],
    ["a file without content", { type: "file", file: { name: "a", bytes: null, uri: null } }],
    ["bytes that are no base64", { type: "file", file: { bytes: "%%%" } }],
    ["data that is no object", { type: "data", data: [1, 2] }],
  ])("becomes data, whole, with %s", (_title, wire) => {
    const canonical = toCanonicalPart(wire);
    expect(canonical).toEqual({ kind: "data", data: wire, metadata: { [EXTENSION]: { verbatim: true } } });
    expect(fromCanonicalPart(canonical)).toEqual(wire);
  });

  test("becomes data if it is no object at all", () => {
    expect(toCanonicalPart(7)).toEqual({
      kind: "data",
      data: { value: 7 },
      metadata: { [EXTENSION]: { verbatim: true } },
    });
  });

  test("is a valid 0.3.0 part, whatever it is", () => {
    fc.assert(
      fc.property(fc.anything(), (raw) => {
        expect(Part.safeParse(toCanonicalPart(raw)).success).toBe(true);
      }),
    );
  });
});

describe("a part to the wire", () => {
  test("says type", () => {
    expect(fromCanonicalPart({ kind: "text", text: "tell me a joke" })).toEqual({
      type: "text",
      text: "tell me a joke",
    });
  });

  test("comes back as it was", () => {
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        expect(toCanonicalParts(fromCanonicalParts(parts))).toEqual(parts);
      }),
    );
  });
});
