import { describe, expect, test } from "@jest/globals";
import type { AgentArtifactUpdate, AgentEvent, AgentTask } from "../../src/adapter.ts";
import { StreamNormalizer, type NormalizerOptions } from "../../src/gateway/task/normalizer.ts";
import type { NoteRepair } from "../../src/gateway/task/repairs.ts";
import { TaskState } from "../../src/gateway/task/state.ts";
import type { Message, StreamEvent, Task } from "../../src/protocol/model.ts";
import { expectValidStream } from "../support/invariants.ts";
import { countingMint, NOW } from "../support/mint.ts";

const user: Message = {
  kind: "message",
  messageId: "m1",
  role: "user",
  parts: [{ kind: "text", text: "hi" }],
};

interface Options extends NormalizerOptions {
  readonly state?: TaskState;
}

function normalize(events: AgentEvent[], { state: given, ...options }: Options = {}): StreamEvent[] {
  const state = given ?? new TaskState("t", "c", { state: "submitted", timestamp: NOW });
  const normalizer = new StreamNormalizer(state, user, countingMint(), options);
  const sent = events.flatMap((event) => structuredClone(normalizer.push(event)));
  if (normalizer.outcome === "message") {
    const message = normalizer.takeMessage("c");
    return message ? [message] : [];
  }
  if (normalizer.outcome === "unfinished") return [...sent, ...normalizer.conclude("failed", "cut off")];
  return [...sent, ...normalizer.finish()];
}

const chunk = (text: string, more: Partial<AgentArtifactUpdate> = {}, id = "a"): AgentArtifactUpdate => ({
  kind: "artifact-update",
  artifact: { artifactId: id, parts: [{ kind: "text", text }] },
  ...more,
});
const done: AgentEvent = { kind: "status-update", status: { state: "completed" } };
const opening = {
  kind: "task",
  id: "t",
  contextId: "c",
  status: { state: "submitted", timestamp: NOW },
  history: [{ ...user, taskId: "t", contextId: "c" }],
};
const sentChunk = (text: string, append: boolean, id = "a") => ({
  kind: "artifact-update",
  taskId: "t",
  contextId: "c",
  artifact: { artifactId: id, parts: [{ kind: "text", text }] },
  append,
});
const sentFinal = (state = "completed") => ({
  kind: "status-update",
  taskId: "t",
  contextId: "c",
  status: { state, timestamp: NOW },
  final: true,
});

describe("the beginning", () => {
  test("puts a Task before updates of an agent that announces none", () => {
    expect(normalize([chunk("x"), done])).toEqual([opening, sentChunk("x", false), sentFinal()]);
  });

  test("passes the agent's first Task with the client's message in its history", () => {
    const task: AgentTask = { kind: "task", id: "v", status: { state: "working" }, metadata: { a: 1 } };
    expect(normalize([task, done])).toEqual([
      { ...opening, status: { state: "working", timestamp: NOW }, metadata: { a: 1 } },
      sentFinal(),
    ]);
  });

  test("takes a finished Task apart: artifacts as updates, then the final status", () => {
    const task: AgentTask = {
      kind: "task",
      status: { state: "completed", timestamp: "2025-08-27T08:20:43.604369041+08:00" },
      artifacts: [{ artifactId: "a", parts: [{ kind: "text", text: "x" }] }],
    };
    const final = sentFinal();
    final.status.timestamp = "2025-08-27T00:20:43.604Z";
    expect(normalize([task])).toEqual([opening, sentChunk("x", false), final]);
  });

  test("gives a lone Message as it is, with ids", () => {
    expect(normalize([{ kind: "message", role: "agent", parts: [] }])).toEqual([
      { kind: "message", role: "agent", parts: [], messageId: "id-1", contextId: "c" },
    ]);
  });
});

describe("artifacts", () => {
  test("makes the first chunk no append, whatever the agent says", () => {
    const sent = normalize([chunk("a", { append: true }), chunk("b", { append: true }), done]);
    expect(sent.slice(1, 3)).toEqual([sentChunk("a", false), sentChunk("b", true)]);
  });

  test("turns snapshots that grow into the rest each adds, and drops repetitions", () => {
    const sent = normalize([chunk("北"), chunk("北京"), chunk("北京"), chunk("北京晴"), done]);
    expect(sent.slice(1, -1)).toEqual([sentChunk("北", false), sentChunk("京", true), sentChunk("晴", true)]);
  });

  test("replaces where the new content does not begin with the old", () => {
    const sent = normalize([chunk("one"), chunk("two"), done]);
    expect(sent.slice(1, -1)).toEqual([sentChunk("one", false), sentChunk("two", false)]);
  });

  describe("append to an id never seen", () => {
    const append = true;
    const chunks = [chunk("", {}, "x"), chunk("a", { append }, "y"), chunk("b", { append }, "y"), done];

    test("opens an artifact of its own", () => {
      const sent = normalize(chunks);
      expect(sent.slice(2, -1)).toEqual([sentChunk("a", false, "y"), sentChunk("b", true, "y")]);
    });

    test("continues the open artifact of an agent whose ids change, and is noted", () => {
      const noted: unknown[] = [];
      const note: NoteRepair = (...repair) => noted.push(repair);
      const sent = normalize(chunks, { artifactIdsChange: true, note });
      expect(sent.slice(2, -1)).toEqual([sentChunk("a", true, "x"), sentChunk("b", true, "x")]);
      expect(noted).toEqual([["artifact-ids-merged", "x"]]);
    });
  });

  test("opens an artifact of its own for an unknown id of another name, also where ids change", () => {
    const named = (name: string, text: string, id: string): AgentEvent => ({
      kind: "artifact-update",
      append: true,
      artifact: { artifactId: id, name, parts: [{ kind: "text", text }] },
    });
    const chunks = [named("plan", "p", "1"), named("answer", "q", "2"), done];
    const texts = expectValidStream(normalize(chunks, { artifactIdsChange: true }));
    expect([...texts]).toEqual([
      ["1", "p"],
      ["2", "q"],
    ]);
  });

  test("carries what comes after lastChunk under an id of its own", () => {
    const sent = normalize([
      chunk("a", { lastChunk: true }),
      chunk("b", { append: true }),
      chunk("c", { append: true }),
      done,
    ]);
    expect([...expectValidStream(sent)]).toEqual([
      ["a", "a"],
      ["a-2", "bc"],
    ]);
  });

  test("drops the whole text repeated after lastChunk", () => {
    const sent = normalize([chunk("a"), chunk("b", { append: true, lastChunk: true }), chunk("ab"), done]);
    expect([...expectValidStream(sent)]).toEqual([["a", "ab"]]);
  });

  test("sends only the differences of a Task that repeats what was streamed", () => {
    const task: AgentTask = {
      kind: "task",
      status: { state: "completed" },
      artifacts: [
        {
          artifactId: "a",
          parts: [
            { kind: "text", text: "a" },
            { kind: "text", text: "b" },
          ],
        },
        { artifactId: "n", parts: [{ kind: "text", text: "new" }] },
      ],
    };
    const sent = normalize([chunk("a"), task]);
    expect(sent.slice(1)).toEqual([
      sentChunk("a", false),
      sentChunk("b", true),
      sentChunk("new", false, "n"),
      sentFinal(),
    ]);
  });

  test("keeps the text together that came in pieces", () => {
    const state = new TaskState("t", "c", { state: "submitted" });
    normalize([chunk("a"), chunk("b", { append: true }), done], { state });
    expect(state.toTask().artifacts).toEqual([{ artifactId: "a", parts: [{ kind: "text", text: "ab" }] }]);
  });
});

describe("the end", () => {
  test("holds the final status until late artifacts have passed", () => {
    const sent = normalize([chunk("a"), done, chunk("b", { append: true })]);
    expect(sent.slice(1)).toEqual([sentChunk("a", false), sentChunk("b", true), sentFinal()]);
  });

  test("says final once, and never before the end", () => {
    const working: AgentEvent = { kind: "status-update", status: { state: "working" }, final: true };
    const sent = normalize([working, done, done]);
    expect(sent.filter((event) => event.kind === "status-update" && event.final)).toHaveLength(1);
    expectValidStream(sent);
  });

  test("ends on input-required", () => {
    expect(normalize([{ kind: "status-update", status: { state: "input-required" } }])).toEqual([
      opening,
      sentFinal("input-required"),
    ]);
  });

  test("goes on after an interruption that was not the end", () => {
    const sent = normalize([
      { kind: "status-update", status: { state: "input-required" } },
      { kind: "status-update", status: { state: "working" } },
      done,
    ]);
    expect(sent.map((event) => (event.kind === "status-update" ? event.status.state : event.kind))).toEqual([
      "task",
      "input-required",
      "working",
      "completed",
    ]);
    expectValidStream(sent);
  });

  test("keeps the first of two terminal states, and the second's words", () => {
    const state = new TaskState("t", "c", { state: "submitted" });
    const message = {
      kind: "message" as const,
      role: "agent" as const,
      parts: [{ kind: "text" as const, text: "why" }],
    };
    normalize([done, { kind: "status-update", status: { state: "failed", message } }], { state });
    expect(state.status.state).toBe("completed");
    expect(state.status.message?.parts).toEqual(message.parts);
  });

  test("fails a stream that was cut off, and says so", () => {
    const last = normalize([chunk("a")]).at(-1);
    expect(last).toMatchObject({
      final: true,
      status: { state: "failed", message: { parts: [{ text: "cut off" }] } },
    });
  });

  test("makes a Message after a Task the message of the completed status", () => {
    const sent = normalize([
      { kind: "task", status: { state: "working" } },
      { kind: "message", role: "agent", parts: [{ kind: "text", text: "answer" }] },
    ]);
    expect(sent.at(-1)).toMatchObject({
      status: { state: "completed", message: { parts: [{ text: "answer" }] } },
    });
  });

  test("moves a replaced status message to the history", () => {
    const state = new TaskState("t", "c", { state: "submitted" });
    const message = {
      kind: "message" as const,
      role: "agent" as const,
      parts: [{ kind: "text" as const, text: "thinking" }],
    };
    normalize([{ kind: "status-update", status: { state: "working", message } }, done], { state });
    expect(state.history.map(({ parts }) => parts)).toEqual([user.parts, message.parts]);
  });
});

describe("a later turn", () => {
  test("begins with the Task as it was, and only adds to it", () => {
    const before: Task = {
      kind: "task",
      id: "t",
      contextId: "c",
      status: { state: "submitted", timestamp: NOW },
      history: [{ ...user, messageId: "m0" }],
      artifacts: [{ artifactId: "a", parts: [{ kind: "text", text: "old" }] }],
    };
    const sent = normalize(
      [
        {
          kind: "task",
          id: "t",
          status: { state: "completed" },
          artifacts: [{ artifactId: "a", parts: [{ kind: "text", text: "old, new" }] }],
        },
      ],
      { state: TaskState.fromTask(before) },
    );
    expect(sent).toEqual([
      {
        ...before,
        history: [
          { ...user, messageId: "m0" },
          { ...user, taskId: "t", contextId: "c" },
        ],
      },
      sentChunk(", new", true),
      sentFinal(),
    ]);
  });
});
