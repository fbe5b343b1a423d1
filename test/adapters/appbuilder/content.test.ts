import { describe, expect, test } from "@jest/globals";
import {
  fromCanonicalContent,
  toCanonicalContent,
  toCanonicalReferences,
} from "../../../adapters/appbuilder/content.ts";
import { EXTENSION, WireArtifact } from "../../../adapters/appbuilder/wire.ts";

const content = (artifact: object, append = true) => toCanonicalContent(WireArtifact.parse(artifact), append);
const typed = (type: string, text: unknown) => content({ metadata: { type, text } });
const text = (value: string) => ({ kind: "text", text: value });
const data = (value: object) => ({ kind: "data", data: value });

describe("the parts of each type", () => {
  const PLAN = {
    goal: "g",
    tasks: [
      { id: "1", name: "n", status: "running" },
      { id: "2", name: "m" },
    ],
  };
  const CALL = { thought: "t", name: "f", arguments: { a: 1 } };
  const BROWSER = {
    query: "q",
    result: { answer: "a" },
    screenshot: { url: "https://x.example/s", mime_type: "png" },
  };
  const PROGRESS = { progress: 0.5, step: "s", message: "half" };

  test.each([
    ["text", { info: "a" }, [text("a")]],
    ["oral_text", { info: "a" }, [text("a")]],
    ["reasoning_content", { info: "a" }, [text("a")]],
    ["code", { code: "x = 1" }, [text("x = 1")]],
    [
      "files",
      { filename: "a.pdf", url: "https://x.example/1", file_id: "f" },
      [
        {
          kind: "file",
          file: { name: "a.pdf", mimeType: "application/pdf", uri: "https://x.example/1" },
          metadata: { [EXTENSION]: { file_id: "f" } },
        },
      ],
    ],
    ["files", { file_id: "f" }, [data({ file_id: "f" })]],
    [
      "image",
      { url: "", base64: "AAAA", mime_type: "jpeg" },
      [{ kind: "file", file: { mimeType: "image/jpeg", bytes: "AAAA" } }],
    ],
    [
      "audio",
      { filename: "a", url: "https://x.example/a", base64: "AAAA", mime_type: "mp3" },
      [{ kind: "file", file: { name: "a", mimeType: "audio/mpeg", uri: "https://x.example/a" } }],
    ],
    ["urls", { url: "https://x.example" }, [text("https://x.example"), data({ url: "https://x.example" })]],
    ["references", { title: "t", url: "u" }, [data({ title: "t", url: "u" })]],
    [
      "references",
      { references: [{ title: "t" }, { title: "v" }] },
      [data({ title: "t" }), data({ title: "v" })],
    ],
    ["chart", { type: "bar", data: '{"x":[1]}' }, [data({ type: "bar", data: { x: [1] } })]],
    ["json", { data: '{"a":1}' }, [data({ a: 1 })]],
    ["json", { data: "[1]" }, [data({ value: [1] })]],
    ["json", { data: "not JSON" }, [data({ value: "not JSON" })]],
    ["function_call", CALL, [data(CALL)]],
    ["plan", PLAN, [text("g\n1. n (running)\n2. m"), data(PLAN)]],
    [
      "browser",
      BROWSER,
      [
        text("a"),
        { kind: "file", file: { mimeType: "image/png", uri: "https://x.example/s" } },
        data(BROWSER),
      ],
    ],
    ["progress", PROGRESS, [text("half"), data(PROGRESS)]],
    ["never_heard_of", { a: 1 }, [data({ a: 1 })]],
    ["text", "a string", [text("a string")]],
    ["code", '{"looks": "like JSON"}', [text('{"looks": "like JSON"}')]],
    ["chart", '{"type":"pie"}', [data({ type: "pie" })]],
  ])("%s %j", (type, value, parts) => {
    expect(typed(type, value).parts).toEqual(parts);
  });

  test("a structure that comes as a DataPart is read like metadata.text", () => {
    const parts = [{ kind: "data", data: { goal: "g", tasks: [] } }];
    expect(content({ parts, metadata: { type: "plan" } }).parts).toEqual([
      text("g"),
      data({ goal: "g", tasks: [] }),
    ]);
  });

  test("a DataPart of an unknown type keeps its own metadata", () => {
    const parts = [{ kind: "data", data: { a: 1 }, metadata: { b: 2 } }];
    expect(content({ parts, metadata: { type: "never_heard_of" } }).parts).toEqual(parts);
  });
});

describe("where content is looked for", () => {
  const all = { type: "text", text: { info: "2" }, text_raw: { info: "3" }, raw_data: { info: "4" } };

  test("in parts first", () => {
    expect(content({ parts: [text("1")], metadata: all }).parts).toEqual([text("1")]);
  });

  test.each([
    ["metadata.text", {}, "2"],
    ["text_raw", { text: { info: "" } }, "3"],
    ["raw_data", { text: null, text_raw: {} }, "4"],
  ])("then in %s", (_where, metadata, found) => {
    expect(content({ parts: [], metadata: { ...all, ...metadata } }).parts).toEqual([text(found)]);
  });

  test("nowhere else", () => {
    expect(content({ parts: [], metadata: { type: "text", text_raw: { info: "" } } }).parts).toEqual([]);
    expect(content({}).parts).toEqual([]);
  });
});

describe("text that says nothing", () => {
  test.each([null, "", '""'])("%j is dropped from deltas", (nothing) => {
    expect(content({ parts: [{ kind: "text", text: nothing }], metadata: { type: "text" } }).parts).toEqual(
      [],
    );
  });

  test.each([null, "", '""', "null"])("%j is dropped from snapshots", (nothing) => {
    const artifact = { parts: [{ kind: "text", text: nothing }], metadata: { type: "text" } };
    expect(content(artifact, false).parts).toEqual([]);
  });

  test('a delta of "null" may be a word of the answer, and of "" a piece of code', () => {
    expect(content({ parts: [text("null")], metadata: { type: "text" } }).parts).toEqual([text("null")]);
    expect(content({ parts: [text('""')], metadata: { type: "code" } }).parts).toEqual([text('""')]);
  });
});

describe("what is work on the way", () => {
  test.each([
    [{ metadata: { type: "plan" } }, { working: true, thought: false }],
    [{ metadata: { type: "function_call" } }, { working: true, thought: false }],
    [{ metadata: { type: "progress" } }, { working: true, thought: false }],
    [{ metadata: { type: "reasoning_content" } }, { working: true, thought: true }],
    [
      { name: "/thought/plan", metadata: { type: "text" } },
      { working: true, thought: true },
    ],
    [{ metadata: { type: "text", event: { name: "/thought/x" } } }, { working: true, thought: true }],
    [{ metadata: { type: "text", visible_scope: "llm" } }, { working: true, thought: false }],
    [{ metadata: { type: "text", visible_scope: "user" } }, { working: false, thought: false }],
    [
      { name: "/chat/chat_agent", metadata: { type: "text" } },
      { working: false, thought: false },
    ],
  ])("%j", (artifact, expected) => {
    expect(content(artifact)).toMatchObject(expected);
  });
});

test("references are numbered in their order", () => {
  expect(toCanonicalReferences([{ title: "t", url: "u" }, { content: "c" }])).toEqual([
    data({ references: [{ title: "t", url: "u" }, { content: "c" }] }),
    text("[1] t u\n[2]"),
  ]);
});

test.each([
  [[{ kind: "text" as const, text: "a" }], { type: "text", text: { info: "a" } }],
  [[{ kind: "data" as const, data: { a: 1 } }], { type: "json", text: { data: '{"a":1}' } }],
  [
    [{ kind: "file" as const, file: { name: "a.png", uri: "u", mimeType: "image/png" } }],
    { type: "image", text: { filename: "a.png", url: "u", mime_type: "image/png" } },
  ],
  [[{ kind: "file" as const, file: { bytes: "AAAA" } }], { type: "files", text: {} }],
  [[], { type: "text", text: { info: "" } }],
])("an artifact of %j from elsewhere gets the metadata AppBuilder would give it", (parts, metadata) => {
  expect(fromCanonicalContent(parts, "/chat/summary")).toEqual({
    ...metadata,
    visible_scope: "all",
    event: { name: "/chat/summary", status: "running" },
  });
});
