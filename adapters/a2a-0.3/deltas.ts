/**
 * Some servers send the answer twice: piece by piece as `working` status messages, then whole as an artifact. Both are
 * what 0.3.0 calls them, a status and a result, so by default both pass as they are. With `workingText: answer` the
 * text of the statuses becomes the answer artifact, in streams as in Tasks, and the whole that repeats it is left out.
 * The answer's artifact has no id of the vendor's, so that a Task and a stream tell of the same one.
 */
import type {
  AgentArtifact,
  AgentArtifactUpdate,
  AgentEvent,
  AgentMessage,
  AgentReply,
  AgentStatusUpdate,
  AgentTask,
} from "../../src/adapter.ts";
import type { Metadata, Part } from "../../src/protocol/model.ts";
import { mapped } from "../../src/southbound/values.ts";
import { compact } from "../shared/object.ts";
import { AnswerText } from "./answer-text.ts";

const textOf = (parts: readonly Part[]): string =>
  parts.map((part) => (part.kind === "text" ? part.text : "")).join("");

/** A status that reports an error, as the ADK does with `adk_error_code`, is no part of the answer. */
const reportsError = (metadata: Metadata | undefined): boolean =>
  Object.entries(metadata ?? {}).some(([key, value]) => /error/i.test(key) && Boolean(value));

const isPiece = (message: AgentMessage | undefined): message is AgentMessage =>
  message?.role === "agent" &&
  message.parts.length > 0 &&
  message.parts.every((part) => part.kind === "text") &&
  !reportsError(message.metadata);

const repeats = (artifact: AgentArtifact, text: string): boolean => {
  const said = textOf(artifact.parts).trimEnd();
  return said !== "" && text.trimEnd().endsWith(said);
};

/** The task without the messages that are pieces of its answer, and these, in order. */
function taken(task: AgentTask): { pieces: AgentMessage[]; rest: AgentTask } {
  const { history = [], status } = task;
  const begin = history.findLastIndex(({ role }) => role === "user") + 1;
  // What a task has failed with is no part of its answer.
  const failure = status.state === "failed" ? textOf(status.message?.parts ?? []) : undefined;
  const isTaken = (message: AgentMessage | undefined): message is AgentMessage =>
    isPiece(message) && textOf(message.parts) !== failure;
  const said = history.slice(begin);
  const last = status.state === "working" && isTaken(status.message) ? status.message : undefined;
  const pieces = [...said.filter(isTaken), ...(last ? [last] : [])];
  if (pieces.length === 0) return { pieces, rest: task };
  const { message: _message, ...bare } = status;
  const kept = [...history.slice(0, begin), ...said.filter((message) => !isTaken(message))];
  const rest = { ...task, status: last ? bare : status, ...(task.history && { history: kept }) };
  return { pieces, rest };
}

/** The artifact under an id of the gateway's. */
const unnamed = ({ artifactId: _id, ...artifact }: AgentArtifact): AgentArtifact => artifact;

/** The Task with the text of its `working` statuses as an artifact. */
export function withAnswer(reply: AgentReply): AgentReply;
export function withAnswer(reply: AgentTask): AgentTask;
export function withAnswer(reply: AgentReply): AgentReply {
  if (reply.kind === "message") return reply;
  const { pieces, rest } = taken(reply);
  if (pieces.length === 0) return reply;
  const answer = new AnswerText();
  for (const { parts } of pieces) answer.add(textOf(parts));
  const { artifacts = [] } = rest;
  const place = artifacts.findIndex((artifact) => repeats(artifact, answer.text));
  const repeated = artifacts[place];
  if (repeated) return { ...rest, artifacts: artifacts.with(place, unnamed(repeated)) };
  return { ...rest, artifacts: [{ parts: [{ kind: "text", text: answer.text }] }, ...artifacts] };
}

type About = Pick<AgentStatusUpdate, "taskId" | "contextId" | "metadata">;

/** A stream's statuses to chunks of the answer. Holds the text since the last artifact, to know its repetition by. */
export class AnswerReader {
  #answer = new AnswerText();
  /** The answer's artifact is the last that was sent. */
  #isOpen: boolean;
  #isWorking = false;
  /** What was said before the last artifact that repeated it. */
  #ended = "";

  constructor(isResumed = false) {
    this.#isOpen = isResumed;
  }

  /** What becomes of the event. */
  read(event: AgentEvent): AgentEvent[] {
    switch (event.kind) {
      case "status-update":
        return this.#status(event);
      case "artifact-update":
        return [this.#artifact(event)];
      case "task":
        return this.#task(event);
      case "message":
        return [event];
      default:
        return event satisfies never;
    }
  }

  #status(event: AgentStatusUpdate): AgentEvent[] {
    const { status, metadata, taskId, contextId } = event;
    const { state, message, ...rest } = status;
    const isAnswer = state === "working" && isPiece(message) && !reportsError(metadata);
    const wasWorking = this.#isWorking;
    this.#isWorking = state === "working";
    if (!isAnswer) return [event];
    const ids = compact({ taskId, contextId });
    const working: AgentEvent = { kind: "status-update", ...ids, status: { state, ...rest } };
    return [
      ...(wasWorking ? [] : [working]),
      ...this.#chunk(message.parts, { ...ids, metadata }, message.metadata),
    ];
  }

  /** The text that the parts add, as a chunk; a timestamp and a message id have no place there. */
  #chunk(parts: Part[], about: About, metadata?: Metadata): AgentEvent[] {
    const text = textOf(parts);
    const added = this.#answer.add(text);
    if (added === "") return [];
    return [this.#send(added === text ? parts : [{ kind: "text", text: added }], about, metadata)];
  }

  #send(parts: Part[], about: About, metadata?: Metadata): AgentEvent {
    const append = this.#isOpen;
    this.#isOpen = true;
    const artifact = { ...compact({ metadata }), parts };
    return { ...compact(about), kind: "artifact-update", artifact, append };
  }

  #artifact(event: AgentArtifactUpdate): AgentEvent {
    const { artifact } = event;
    const isRepeated = this.#isOpen && repeats(artifact, this.#answer.text);
    this.#isOpen = false;
    if (!isRepeated) return event;
    this.#ended += this.#answer.text;
    this.#answer = new AnswerText();
    const parts = artifact.parts.filter((part) => part.kind !== "text");
    return { ...event, artifact: { ...unnamed(artifact), parts }, append: true, lastChunk: true };
  }

  /** Some agents send the whole Task again and again. */
  #task(task: AgentTask): AgentEvent[] {
    this.#isWorking = task.status.state === "working";
    const { pieces, rest } = taken(task);
    const told = new AnswerText();
    for (const { parts } of pieces) told.add(textOf(parts));
    const known = this.#ended + this.#answer.text;
    const about = compact({ taskId: task.id, contextId: task.contextId });
    const isNews = told.text.startsWith(known) && told.text !== known;
    if (isNews && this.#ended === "") this.#answer = told;
    const chunk = isNews && this.#send([{ kind: "text", text: told.text.slice(known.length) }], about);
    const artifacts = rest.artifacts?.map((artifact) =>
      repeats(artifact, known) ? unnamed(artifact) : artifact,
    );
    return [artifacts ? { ...rest, artifacts } : rest, ...(chunk ? [chunk] : [])];
  }
}

/** @param isResumed the stream goes on with an answer that has begun before */
export function answerFromStatuses(
  events: AsyncIterable<AgentEvent>,
  isResumed = false,
): AsyncIterable<AgentEvent> {
  const reader = new AnswerReader(isResumed);
  return mapped(events, { value: (event) => reader.read(event) });
}
