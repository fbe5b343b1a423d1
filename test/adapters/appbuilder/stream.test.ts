import { describe, expect, test } from "@jest/globals";
import { createEventTranslator } from "../../../adapters/appbuilder/stream.ts";
import { EXTENSION } from "../../../adapters/appbuilder/wire.ts";
import type { AgentEvent } from "../../../src/adapter.ts";
import type { Part } from "../../../src/protocol/model.ts";

const text = (value: string) => ({ kind: "text", text: value });
const ids = { taskId: "t1", contextId: "c1" };

interface Chunk {
  id?: string;
  name?: string;
  parts?: object[];
  metadata?: object;
  append?: boolean;
  lastChunk?: boolean;
  outer?: object;
}

const update = ({ id = "a1", name = "/chat/summary", parts = [], metadata, outer, ...flags }: Chunk) => ({
  ...ids,
  kind: "artifact-update",
  artifact: { artifactId: id, name, parts, metadata: { type: "text", ...metadata } },
  append: true,
  metadata: outer,
  ...flags,
});
const chunk = (value: string, more: Chunk = {}) => update({ parts: [text(value)], ...more });
const status = (state: string) => ({ ...ids, kind: "status-update", status: { state } });
const interrupt = (value: string) => chunk(value, { id: "i1", metadata: { event: { status: "interrupt" } } });

function translate(...results: unknown[]): AgentEvent[] {
  const translator = createEventTranslator();
  return [...results.flatMap((result) => translator.translate(result)), ...translator.end()];
}

/** What matters of an event: artifact id, append and text, or state and text. */
function outline(events: AgentEvent[]): unknown[] {
  const join = (parts: Part[] = []) =>
    parts.map((part) => (part.kind === "text" ? part.text : part.kind)).join("|");
  return events.map((event) => {
    if (event.kind === "artifact-update") {
      return [event.artifact.artifactId, event.append, join(event.artifact.parts)];
    }
    return event.kind === "status-update"
      ? [event.status.state, join(event.status.message?.parts)]
      : event.kind;
  });
}

describe("chunks", () => {
  test("the first of each artifact is not appended, whatever it says", () => {
    expect(
      outline(translate(chunk("a"), chunk("x", { id: "a2" }), chunk("b"), chunk("y", { id: "a2" }))),
    ).toEqual([
      ["a1", false, "a"],
      ["a2", false, "x"],
      ["a1", true, "b"],
      ["a2", true, "y"],
    ]);
  });

  test("an empty first chunk does not count", () => {
    expect(outline(translate(update({}), chunk("a"), chunk("b")))).toEqual([
      ["working", ""],
      ["a1", false, "a"],
      ["a1", true, "b"],
    ]);
  });

  test("append: false is passed on, and no text takes nothing away", () => {
    const append = false;
    expect(
      outline(translate(chunk("北", { append }), chunk("北京", { append }), chunk("null", { append }))),
    ).toEqual([
      ["a1", false, "北"],
      ["a1", false, "北京"],
      ["working", ""],
    ]);
  });

  test("an empty last chunk closes its artifact", () => {
    const lastChunk = true;
    expect(outline(translate(update({ lastChunk }), chunk("a"), update({ lastChunk })))).toEqual([
      ["working", ""],
      ["a1", false, "a"],
      ["a1", true, ""],
    ]);
  });

  test("a chunk without an artifact id follows the one before", () => {
    const bare = (value: string) => {
      const { artifact, ...rest } = chunk(value);
      return { ...rest, artifact: { ...artifact, artifactId: undefined } };
    };
    expect(outline(translate(bare("a"), bare("b")))).toEqual([
      [undefined, false, "a"],
      [undefined, true, "b"],
    ]);
  });
});

describe("metadata", () => {
  test("of artifact and event is kept whole, each under its key", () => {
    const metadata = { type: "text", event: { id: "e1", odd: null }, usage: { tokens: 3 } };
    const outer = { trace_id: "x", user_id: { odd: true } };
    expect(translate(chunk("a", { metadata, outer }))).toEqual([
      {
        ...ids,
        kind: "artifact-update",
        artifact: {
          artifactId: "a1",
          name: "/chat/summary",
          parts: [text("a")],
          metadata: { [EXTENSION]: metadata },
        },
        append: false,
        metadata: { [EXTENSION]: outer },
      },
    ]);
  });

  test("of an artifact that goes out as a status is kept on the event", () => {
    const metadata = { type: "text", event: { name: "/thought/plan" } };
    const [event] = translate(chunk("想", { name: "/thought/plan", metadata, outer: { trace_id: "x" } }));
    expect(event).toEqual({
      ...ids,
      kind: "status-update",
      status: {
        state: "working",
        message: { kind: "message", role: "agent", parts: [text("想")], metadata: { thought: true } },
      },
      metadata: {
        [EXTENSION]: { trace_id: "x", artifact: { artifactId: "a1", name: "/thought/plan", metadata } },
      },
    });
  });
});

describe("references", () => {
  const reference = (title: string, id = "a1") =>
    update({ id, metadata: { type: "references", text: { title } } });

  test("are one growing list, apart from the text that shares their artifact id", () => {
    const events = translate(chunk("a"), reference("x"), chunk("b"), reference("y"));
    expect(outline(events)).toEqual([
      ["a1", false, "a"],
      ["a1.references", false, "data|[1] x"],
      ["a1", true, "b"],
      ["a1.references", false, "data|[1] x\n[2] y"],
    ]);
  });

  test("keep their artifact id where they came first, and leave the text another", () => {
    expect(outline(translate(reference("x"), chunk("a"), reference("y", "a2")))).toEqual([
      ["a1", false, "data|[1] x"],
      ["a1.main", false, "a"],
      ["a1", false, "data|[1] x\n[2] y"],
    ]);
  });

  test("that repeat are not listed twice", () => {
    expect(outline(translate(reference("x"), reference("x")))).toEqual([
      ["a1", false, "data|[1] x"],
      ["working", ""],
    ]);
  });
});

describe("an interrupt", () => {
  test("is what the task waits for", () => {
    expect(outline(translate(chunk("a"), interrupt("Which city?")))).toEqual([
      ["a1", false, "a"],
      ["input-required", "Which city?"],
    ]);
  });

  test("may also be said of the dialogue", () => {
    expect(outline(translate(chunk("Which?", { outer: { status: "interrupt" } })))).toEqual([
      ["input-required", "Which?"],
    ]);
  });

  test("is said again at the end where work was reported after it", () => {
    expect(outline(translate(interrupt("Which?"), update({})))).toEqual([
      ["input-required", "Which?"],
      ["working", ""],
      ["input-required", "Which?"],
    ]);
  });

  test("asks in one message what came in two events", () => {
    expect(outline(translate(interrupt("Which"), interrupt(" city?"))).at(-1)).toEqual([
      "input-required",
      "Which| city?",
    ]);
  });

  test("yields to the vendor's own word", () => {
    expect(outline(translate(interrupt("Which?"), status("completed"))).at(-1)).toEqual(["completed", ""]);
    expect(outline(translate(interrupt("Which?"), status("input-required"))).at(-1)).toEqual([
      "input-required",
      "Which?",
    ]);
  });
});

describe("an event in error", () => {
  const error = update({ metadata: { event: { status: "error", error_message: "timed out" } } });

  test("is not the task's failure", () => {
    expect(outline(translate(error, chunk("a"), status("completed")))).toEqual([
      ["working", "timed out"],
      ["a1", false, "a"],
      ["completed", ""],
    ]);
  });

  test("explains the task's failure, where there is one", () => {
    expect(outline(translate(error, status("failed")))).toEqual([
      ["working", "timed out"],
      ["failed", "timed out"],
    ]);
  });
});

describe("the end", () => {
  test("without a final status is left to the gateway", () => {
    expect(outline(translate(chunk("a")))).toEqual([["a1", false, "a"]]);
  });

  test("is taken as said where the answer was declared complete", () => {
    expect(outline(translate(chunk("a", { outer: { is_completion: true } })))).toEqual([
      ["a1", false, "a"],
      ["completed", ""],
    ]);
  });

  test("is not said twice", () => {
    const done = chunk("a", { outer: { is_completion: true } });
    expect(outline(translate(done, status("completed"))).slice(1)).toEqual([["completed", ""]]);
  });
});

describe("other results", () => {
  test("a task goes before its chunks, which are appended to its artifacts", () => {
    const task = { kind: "task", id: "t1", status: { state: "working" }, artifacts: [chunk("a").artifact] };
    const reference = update({ metadata: { type: "references", text: { title: "x" } } });
    expect(outline(translate(task, reference, chunk("b"), status("completed")))).toEqual([
      "task",
      ["a1.references", false, "data|[1] x"],
      ["a1", true, "b"],
      ["completed", ""],
    ]);
  });

  test("a message is a message", () => {
    expect(outline(translate({ kind: "message", role: "agent", parts: [] }))).toEqual(["message"]);
  });

  test("what is none of the four is kept as a sign of life, what is nothing is passed over", () => {
    expect(translate({ odd: 1 }, null, "pong")).toEqual([
      {
        kind: "status-update",
        status: { state: "working" },
        metadata: { [EXTENSION]: { result: { odd: 1 } } },
      },
    ]);
  });
});
