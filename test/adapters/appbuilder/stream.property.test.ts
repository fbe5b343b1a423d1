import { expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { createEventTranslator } from "../../../adapters/appbuilder/stream.ts";
import type { AgentEvent } from "../../../src/adapter.ts";
import { Part } from "../../../src/protocol/model.ts";

function translate(results: readonly unknown[]): AgentEvent[] {
  const translator = createEventTranslator();
  return [...results.flatMap((result) => translator.translate(result)), ...translator.end()];
}

interface Delta {
  readonly id: string;
  readonly value: string;
  readonly type: string;
}

const delta: fc.Arbitrary<Delta> = fc.record({
  id: fc.constantFrom("a1", "a2"),
  value: fc.string({ minLength: 1 }).filter((value) => value !== '""'),
  type: fc.constantFrom("text", "oral_text"),
});

const chunk = ({ id: artifactId, value, type }: Delta) => ({
  kind: "artifact-update",
  artifact: { artifactId, name: "/chat/summary", parts: [{ kind: "text", text: value }], metadata: { type } },
  append: true,
});

/** The whole text of each artifact, sorted. */
function textsOf(events: readonly AgentEvent[]): string[] {
  const texts = new Map<string, string>();
  for (const event of events) {
    if (event.kind !== "artifact-update") continue;
    const { artifactId = "", parts } = event.artifact;
    const before = event.append ? (texts.get(artifactId) ?? "") : "";
    texts.set(artifactId, before + parts.map((part) => (part.kind === "text" ? part.text : "")).join(""));
  }
  return [...texts.values()].toSorted();
}

test("no text of a stream of deltas is lost or doubled", () => {
  fc.assert(
    fc.property(fc.array(delta), (deltas) => {
      const wanted = new Map<string, string>();
      for (const { id, value, type } of deltas) {
        wanted.set(`${id} ${type}`, (wanted.get(`${id} ${type}`) ?? "") + value);
      }
      expect(textsOf(translate(deltas.map(chunk)))).toEqual([...wanted.values()].toSorted());
    }),
  );
});

const value = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(null, "", '""', "a", {}, []) },
  fc.jsonValue(),
);
const maybe = (arbitrary: fc.Arbitrary<unknown>) => fc.oneof({ weight: 4, arbitrary }, value);
const record = (fields: Record<string, fc.Arbitrary<unknown>>) =>
  maybe(fc.record(fields, { requiredKeys: [] }));
const status = fc.constantFrom("preparing", "running", "done", "error", "interrupt", "success");
const TYPES =
  "text oral_text code files image urls references chart json function_call plan browser progress new";
const type = fc.constantFrom(...TYPES.split(" "));
const file = record({
  name: value,
  mime: maybe(fc.constant("jpeg")),
  uri: value,
  bytes: maybe(fc.constant("AAAA")),
});
const part = record({ kind: value, text: value, data: value, file, metadata: value });
const content = record({
  info: value,
  code: value,
  url: value,
  base64: value,
  mime_type: value,
  filename: value,
  data: value,
  goal: value,
  tasks: fc.array(record({ name: value, status: value })),
  screenshot: file,
  result: value,
});
const metadata = record({
  type: maybe(type),
  text: content,
  text_raw: content,
  raw_data: content,
  visible_scope: value,
  event: record({ name: value, status: maybe(status), error_message: value }),
});
const artifact = record({ artifactId: value, name: value, parts: maybe(fc.array(part)), metadata });
const anyResult = record({
  kind: maybe(fc.constantFrom("task", "message", "status-update", "artifact-update")),
  id: value,
  artifact,
  artifacts: maybe(fc.array(artifact)),
  parts: maybe(fc.array(part)),
  append: value,
  status: record({ state: maybe(status), timestamp: value, message: value }),
  taskId: value,
  final: value,
  metadata: record({ status: maybe(status), is_completion: value }),
});

const partsOf = (event: AgentEvent): Part[] => {
  switch (event.kind) {
    case "artifact-update":
      return event.artifact.parts;
    case "status-update":
      return event.status.message?.parts ?? [];
    case "message":
      return event.parts;
    case "task":
      return (event.artifacts ?? []).flatMap(({ parts }) => parts);
    default:
      return event satisfies never;
  }
};

test("whatever arrives, nothing breaks, and the parts are those of 0.3.0", () => {
  fc.assert(
    fc.property(fc.array(anyResult, { maxLength: 6 }), (results) => {
      for (const event of translate(results)) {
        for (const each of partsOf(event)) {
          expect(Part.safeParse(each).error).toBeUndefined();
        }
      }
    }),
    { numRuns: 500 },
  );
});
