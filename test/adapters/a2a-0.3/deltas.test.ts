import { expect, test } from "@jest/globals";
import { answerFromStatuses, withAnswer } from "../../../adapters/a2a-0.3/deltas.ts";
import type { AgentEvent, AgentMessage, AgentStatusUpdate, AgentTask } from "../../../src/adapter.ts";

const ids = { taskId: "t", contextId: "c" };
const text = (text: string) => ({ kind: "text" as const, text });

const working = (words: string): AgentStatusUpdate => ({
  kind: "status-update",
  ...ids,
  status: { state: "working", message: { kind: "message", role: "agent", parts: [text(words)] } },
});
/** The state, which the first piece leaves behind. */
const started: AgentEvent = { kind: "status-update", ...ids, status: { state: "working" } };
const whole = (words: string): AgentEvent => ({
  kind: "artifact-update",
  ...ids,
  artifact: { artifactId: "a", name: "answer", parts: [text(words)] },
  lastChunk: true,
});
const chunk = (words: string, append: boolean): AgentEvent => ({
  kind: "artifact-update",
  ...ids,
  artifact: { parts: [text(words)] },
  append,
});

async function* stream(events: readonly AgentEvent[]): AsyncGenerator<AgentEvent> {
  yield* events;
}
const answered = (...events: AgentEvent[]) => Array.fromAsync(answerFromStatuses(stream(events)));

test("the pieces are chunks, and the whole that repeats them only closes the artifact", async () => {
  expect(await answered(working("Hel"), working("lo"), whole("Hello\n"))).toEqual([
    started,
    chunk("Hel", false),
    chunk("lo", true),
    {
      kind: "artifact-update",
      ...ids,
      artifact: { name: "answer", parts: [] },
      append: true,
      lastChunk: true,
    },
  ]);
});

test("the whole may repeat the last part of the pieces alone", async () => {
  const events = await answered(working("Let me look. "), working("Hello"), whole("Hello"));
  expect(events.at(-1)).toMatchObject({ artifact: { parts: [] }, append: true });
});

test("pieces after the whole begin another artifact", async () => {
  const events = await answered(working("Hello"), whole("Hello"), working("More"));
  expect(events.at(-1)).toEqual(chunk("More", false));
});

test("an artifact that says something else is passed on whole", async () => {
  expect(await answered(working("Hel"), whole("Goodbye"))).toEqual([
    started,
    chunk("Hel", false),
    whole("Goodbye"),
  ]);
});

test("an artifact without text before it is passed on whole", async () => {
  expect(await answered(whole("Hello"))).toEqual([whole("Hello")]);
});

test("statuses in other states, without a message or with more than text stay statuses", async () => {
  const events: AgentEvent[] = [
    { ...working("Where to?"), status: { ...working("Where to?").status, state: "input-required" } },
    { kind: "status-update", ...ids, status: { state: "working" } },
    {
      kind: "status-update",
      ...ids,
      status: {
        state: "working",
        message: { kind: "message", role: "agent", parts: [text("a"), { kind: "data", data: {} }] },
      },
    },
    { kind: "task", id: "t", status: { state: "completed" } },
  ];
  expect(await answered(...events)).toEqual(events);
});

/** The text of the chunks, as a client puts it together, by artifact. */
async function answerOf(...events: AgentEvent[]): Promise<string[]> {
  const answers: string[] = [];
  for (const event of await answered(...events)) {
    if (event.kind !== "artifact-update") continue;
    const said = event.artifact.parts.map((part) => (part.kind === "text" ? part.text : "")).join("");
    answers.push((event.append ? (answers.pop() ?? "") : "") + said);
  }
  return answers;
}

const agent = (words: string): AgentMessage => ({ kind: "message", role: "agent", parts: [text(words)] });
const user: AgentMessage = { ...agent("hi"), role: "user" };
const snapshot = (state: AgentTask["status"]["state"], words?: string, more = {}): AgentTask => ({
  kind: "task",
  id: "t",
  status: { state, ...(words !== undefined && { message: agent(words) }) },
  ...more,
});

test("statuses that say everything so far add what is new (LangGraph)", async () => {
  const said = ["你好，", "你好，世界 ", "你好，世界 🌍", "你好，世界 🌍"];
  expect(await answerOf(...said.map(working))).toEqual(["你好，世界 🌍"]);
});

test("a status that says the whole again adds nothing, and the next message begins after it (ADK)", async () => {
  const said = ["Let ", "me look.", "Let me look.", "The ", "answer", "The answer"];
  expect(await answerOf(...said.map(working))).toEqual(["Let me look.The answer"]);
});

test("a piece that begins like the text so far is a piece, once pieces were sent", async () => {
  const said = ["1", "2", "12", "3", "33", "."];
  expect(await answerOf(...said.map(working))).toEqual(["12333."]);
});

test("what reports an error stays a status (ADK)", async () => {
  const marked: AgentEvent = { ...working("boom"), metadata: { adk_error_code: "MALFORMED" } };
  const within: AgentEvent = {
    ...working("boom"),
    status: { state: "working", message: { ...agent("boom"), metadata: { error: true } } },
  };
  expect(await answered(working("before "), marked, within)).toEqual([
    started,
    chunk("before ", false),
    marked,
    within,
  ]);
});

test("a Task that is sent again and again, grown, adds what is new (VoltAgent)", async () => {
  const events = [
    snapshot("submitted"),
    ...["Hel", "Hello", "Hello you"].map((said) => snapshot("working", said)),
  ];
  expect(await answerOf(...events, snapshot("completed", "Hello you"))).toEqual(["Hello you"]);
  expect((await answered(...events)).filter(({ kind }) => kind === "task")).toEqual([
    snapshot("submitted"),
    ...Array(3).fill(snapshot("working")),
  ]);
});

test("a Task that lists the pieces again after the artifact adds nothing", async () => {
  const history = [user, agent("Hel"), agent("lo")];
  const artifacts = [{ artifactId: "a", name: "answer", parts: [text("Hello\n")] }];
  const events = [working("Hel"), working("lo"), whole("Hello\n")];
  expect(await answerOf(...events, snapshot("completed", undefined, { history, artifacts }))).toEqual([
    "Hello",
  ]);
});

test("pieces after another artifact are an artifact of their own", async () => {
  expect(await answerOf(working("Hel"), whole("Goodbye"), working("lo"))).toEqual(["Hel", "Goodbye", "lo"]);
});

test("a resumed stream goes on with the answer", async () => {
  const events = await Array.fromAsync(answerFromStatuses(stream([working("lo")]), true));
  expect(events).toEqual([started, chunk("lo", true)]);
});

test("an answer to message/send has the pieces of its history as an artifact (Gemini CLI)", () => {
  const before = [user, agent("of an earlier turn"), user];
  const history = [...before, agent("Grüße, "), agent("北京 "), agent("!")];
  expect(withAnswer(snapshot("input-required", undefined, { history }))).toEqual(
    snapshot("input-required", undefined, {
      history: before,
      artifacts: [{ parts: [text("Grüße, 北京 !")] }],
    }),
  );
});

test("an answer to message/send whose artifact repeats the pieces has it once, without the agent's id", () => {
  const history = [user, agent("Hel"), agent("lo")];
  const artifacts = [{ artifactId: "a", name: "answer", parts: [text("Hello\n")] }];
  expect(withAnswer(snapshot("completed", undefined, { history, artifacts }))).toMatchObject({
    history: [user],
    artifacts: [{ name: "answer", parts: [text("Hello\n")] }],
  });
});

test("what a task has failed with is no part of its answer", () => {
  const history = [user, agent("before "), agent("boom")];
  expect(withAnswer(snapshot("failed", "boom", { history }))).toEqual(
    snapshot("failed", "boom", { history: [user, agent("boom")], artifacts: [{ parts: [text("before ")] }] }),
  );
});

test("a Task or Message without such pieces stays as it is", () => {
  const task = snapshot("completed", "done", { history: [agent("earlier"), user] });
  expect(withAnswer(task)).toBe(task);
  const message = agent("hi");
  expect(withAnswer(message)).toBe(message);
});
