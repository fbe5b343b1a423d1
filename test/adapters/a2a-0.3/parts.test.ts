import { describe, expect, test } from "@jest/globals";
import { toCanonicalPart, toCanonicalParts } from "../../../adapters/a2a-0.3/parts.ts";

describe("a part that is right", () => {
  test.each([
    { kind: "text", text: "hi", metadata: { a: 1 }, "x-extra": true },
    { kind: "file", file: { bytes: "aGk=", mimeType: "text/plain", name: "a.txt", "x-size": 2 } },
    { kind: "file", file: { uri: "https://example.com/a" } },
    { kind: "data", data: { context_id: "the user's own", nested: { state: "CANCELLED" } } },
  ])("is returned as the same object: %j", (part) => {
    expect(toCanonicalPart(part)).toBe(part);
  });
});

describe("a part that is told by something else than kind", () => {
  test.each([
    ["type", { type: "text", text: "hi" }, { kind: "text", text: "hi" }],
    ["a class name", { kind: "TextPart", text: "hi" }, { kind: "text", text: "hi" }],
    ["its text", { text: "hi", metadata: null }, { kind: "text", text: "hi" }],
    ["its data", { data: { a: 1 } }, { kind: "data", data: { a: 1 } }],
    ["being a string", "hi", { kind: "text", text: "hi" }],
    ["its file", { file: { uri: "u" } }, { kind: "file", file: { uri: "u" } }],
    ["bytes", { bytes: "aGk=", mimeType: "a/b" }, { kind: "file", file: { bytes: "aGk=", mimeType: "a/b" } }],
    ["raw", { raw: "aGk=", mediaType: "a/b" }, { kind: "file", file: { bytes: "aGk=", mimeType: "a/b" } }],
    ["url", { url: "u", filename: "n" }, { kind: "file", file: { uri: "u", name: "n" } }],
    ["the REST binding's data", { data: { data: { a: 1 } } }, { kind: "data", data: { a: 1 } }],
  ])("%s", (_by, raw, part) => {
    expect(toCanonicalPart(raw)).toEqual(part);
  });

  test("keeps unknown fields and metadata", () => {
    expect(toCanonicalPart({ type: "text", text: "hi", metadata: { a: 1 }, extra: 2 })).toEqual({
      kind: "text",
      text: "hi",
      metadata: { a: 1 },
      extra: 2,
    });
  });
});

describe("a file", () => {
  test.each([
    ["data for bytes", { data: "aGk=" }, { bytes: "aGk=" }],
    ["fileWithBytes", { fileWithBytes: "aGk=" }, { bytes: "aGk=" }],
    ["file_with_uri", { file_with_uri: "u" }, { uri: "u" }],
    ["mime", { uri: "u", mime: "a/b" }, { uri: "u", mimeType: "a/b" }],
    ["mime_type", { uri: "u", mime_type: "a/b" }, { uri: "u", mimeType: "a/b" }],
    ["null beside the other place", { uri: "u", bytes: null, name: null }, { uri: "u" }],
    ["an empty string beside the other place", { uri: "u", bytes: "" }, { uri: "u" }],
    ["unpadded base64", { bytes: "aGk" }, { bytes: "aGk=" }],
    ["URL-safe base64", { bytes: "_-8=" }, { bytes: "/+8=" }],
    ["wrapped base64", { bytes: "aG\r\nk=" }, { bytes: "aGk=" }],
  ])("with %s", (_what, file, canonical) => {
    expect(toCanonicalPart({ kind: "file", file })).toEqual({ kind: "file", file: canonical });
  });

  test("that is just a URI", () => {
    expect(toCanonicalPart({ kind: "file", file: "https://e.com/a" })).toEqual({
      kind: "file",
      file: { uri: "https://e.com/a" },
    });
  });

  test("with both bytes and a URI keeps the bytes, and the URI in the metadata", () => {
    const raw = { kind: "file", file: { bytes: "aGk=", uri: "u" }, metadata: { a: 1 } };
    expect(toCanonicalPart(raw)).toEqual({
      kind: "file",
      file: { bytes: "aGk=" },
      metadata: { a: 1, "urn:a2a-compat-proxy:a2a-0.3": { uri: "u" } },
    });
  });

  test.each([
    { kind: "file", file: { bytes: "not base64!" } },
    { kind: "file", file: { bytes: "abcde" } },
    { kind: "file", file: {} },
    { kind: "file" },
  ])("that has no content anyone could read is kept whole as data: %j", (raw) => {
    expect(toCanonicalPart(raw)).toEqual({ kind: "data", data: raw });
  });
});

describe("what is no part of 0.3.0", () => {
  test.each([
    [
      { kind: "citation", url: "u", title: "t" },
      { kind: "citation", url: "u", title: "t" },
    ],
    [{ nothing: "known" }, { nothing: "known" }],
    [7, { value: 7 }],
    [null, { value: null }],
  ])("is kept whole as data: %j", (raw, data) => {
    expect(toCanonicalPart(raw)).toEqual({ kind: "data", data });
  });

  test.each([
    [[1, 2], { value: [1, 2] }],
    ["text", { value: "text" }],
    [null, { value: null }],
  ])("data that is no object goes under value: %j", (data, canonical) => {
    expect(toCanonicalPart({ kind: "data", data })).toEqual({ kind: "data", data: canonical });
  });

  test("a text that is an object is its JSON", () => {
    expect(toCanonicalPart({ kind: "text", text: { a: 1 } })).toEqual({ kind: "text", text: '{"a":1}' });
  });
});

test.each([
  [undefined, []],
  [null, []],
  ["hi", [{ kind: "text", text: "hi" }]],
  [{ text: "hi" }, [{ kind: "text", text: "hi" }]],
])("parts may be absent or single: %j", (raw, parts) => {
  expect(toCanonicalParts(raw)).toEqual(parts);
});

test("bytes that are almost nothing but padding are no base64, however long", () => {
  const bytes = `${"=".repeat(4_000_000)}x`;
  expect(toCanonicalPart({ kind: "file", file: { bytes } })).toEqual({
    kind: "data",
    data: { kind: "file", file: { bytes } },
  });
});
