/**
 * Turns whatever sequence of events an agent sends into a correct 0.3.0 stream (§7.2): one Task first, then updates,
 * one `final: true` at the end. Pure but for the ids and times it is given; knows nothing of sockets, stores, clients.
 */
import type {
  AgentArtifactUpdate,
  AgentEvent,
  AgentMessage,
  AgentStatusUpdate,
  AgentTask,
} from "../../adapter.ts";
import type { Message, StreamEvent, TaskStatus, TaskStatusUpdateEvent } from "../../protocol/model.ts";
import { isFinal, isTerminal, type TaskState as State } from "../../protocol/states.ts";
import { ArtifactAssembler } from "./artifact-assembler.ts";
import { completeMessage, completeStatus, type Mint, identified, knownMessage } from "./fill-missing.ts";
import { EVENTS_LOST, noteNothing, type NoteRepair } from "./repairs.ts";
import type { TaskState } from "./state.ts";

/** How the agent's stream stands when it has ended. */
export type Outcome =
  /** A final state was announced: `finish` sends it. */
  | "final"
  /** Nothing but one Message came: it is the answer. */
  | "message"
  /** A Task, and last a Message without a state: the answer, if the agent cannot tell more. */
  | "replied"
  /** Nothing came at all. */
  | "empty"
  /** Events, but no final state. */
  | "unfinished";

export interface NormalizerOptions {
  readonly note?: NoteRepair;
  /** The vendor's artifact ids change from chunk to chunk. */
  readonly artifactIdsChange?: boolean;
}

export class StreamNormalizer {
  readonly state: TaskState;
  readonly artifacts: ArtifactAssembler;
  readonly #mint: Mint;
  readonly #note: NoteRepair;
  /** The task existed before this turn. */
  readonly #continued: boolean;
  #opened: boolean;
  #finished = false;
  /** A final status waits here until the stream has ended, so that nothing follows it. */
  #held: TaskStatusUpdateEvent | undefined;
  /** A Message waits here until it is known whether it is the whole answer. */
  #reply: AgentMessage | undefined;

  /**
   * @param state the task with its final ids; its status is `submitted` for a new turn
   * @param message the client's message of this turn; undefined where a task is followed whose stream was opened before
   */
  constructor(
    state: TaskState,
    message: Message | undefined,
    mint: Mint,
    { note = noteNothing, artifactIdsChange: idsChange = false }: NormalizerOptions = {},
  ) {
    this.state = state;
    this.#mint = mint;
    this.#note = note;
    const isFollowed = message === undefined;
    this.#continued = isFollowed || state.history.length > 0;
    this.#opened = isFollowed;
    const ids = this.#ids;
    this.artifacts = new ArtifactAssembler(state, { ids, mint, note, idsChange, isFollowed });
    if (message) state.addMessage({ ...message, ...this.#ids });
  }

  get opened(): boolean {
    return this.#opened;
  }

  /** A final state is waiting to be sent. */
  get held(): State | undefined {
    return this.#held?.status.state;
  }

  get finished(): boolean {
    return this.#finished;
  }

  /** The events to send for one event of the agent, in order; none, one or several. */
  push(event: AgentEvent): StreamEvent[] {
    switch (event.kind) {
      case "message": {
        const before = this.#reply ? this.#flushReply() : [];
        this.#reply = event;
        return before;
      }
      case "task":
        return [...this.#flushReply(), ...this.#task(event)];
      case "status-update":
        return [...this.#flushReply(), ...this.open(), ...this.#status(event)];
      case "artifact-update":
        return this.#artifactUpdate(event);
      default:
        return event satisfies never;
    }
  }

  /** Sends the Task without waiting for the agent to announce one. */
  open(): StreamEvent[] {
    if (this.#opened) return [];
    this.#opened = true;
    return [this.state.toTask()];
  }

  /** How the stream stands now that the agent has ended it. */
  get outcome(): Outcome {
    if (this.#held) return "final";
    if (this.#reply) return this.#opened || this.#continued ? "replied" : "message";
    return this.#opened ? "unfinished" : "empty";
  }

  /** The lone Message, completed; only for the outcome `message`. */
  takeMessage(contextId: string): Message | undefined {
    if (!this.#reply) return undefined;
    const { taskId: _taskId, ...reply } = completeMessage(this.#reply, this.#ids, this.#mint);
    this.#finished = true;
    return { ...reply, contextId, ...this.#lostMark(reply) };
  }

  /** Ends the stream in the state that waits; for `replied`, completed with the Message as its status message. */
  finish(): StreamEvent[] {
    if (this.#finished) return [];
    const events: StreamEvent[] = [];
    if (!this.#held && this.#reply) {
      const status = { state: "completed" as const, message: this.#reply };
      this.#reply = undefined;
      events.push(...this.open(), ...this.#status({ kind: "status-update", status }));
    }
    if (!this.#held) return events;
    if (this.#reply) events.push(...this.#lastWords(this.#held.status, this.#reply));
    const mark = this.#lostMark(this.#held);
    const last = { ...this.#held, ...mark, final: true };
    this.state.setStatus(last.status);
    this.state.absorb(mark);
    this.#held = undefined;
    this.#finished = true;
    events.push(last);
    return events;
  }

  /** Ends the stream in a state the agent did not announce; a state that waits wins. */
  conclude(state: "failed" | "canceled", text: string): StreamEvent[] {
    if (this.#held) return this.finish();
    const message: AgentMessage = { kind: "message", role: "agent", parts: [{ kind: "text", text }] };
    const events = this.push({ kind: "status-update", status: { state, message } });
    events.push(...this.finish());
    return events;
  }

  /** Keeps what comes after the end: in the task, for nobody's stream any more. */
  late(event: AgentEvent): void {
    switch (event.kind) {
      case "message":
        this.state.addMessage(completeMessage(event, this.#ids, this.#mint));
        break;
      case "task":
        this.state.absorb(event.metadata ? { metadata: event.metadata } : {});
        for (const message of event.history ?? []) this.#remember(message);
        this.artifacts.applySnapshot(event.artifacts ?? [], isFinal(event.status.state));
        break;
      case "status-update":
        if (event.status.message) {
          this.state.addMessage(completeMessage(event.status.message, this.#ids, this.#mint));
        }
        break;
      case "artifact-update":
        this.artifacts.accept(event);
        break;
      default:
        event satisfies never;
    }
  }

  /** Metadata that says that events are missing, where they are. */
  #lostMark({ metadata }: Pick<AgentMessage, "metadata">): Pick<Message, "metadata"> {
    if (this.artifacts.continuity.level === "whole") return {};
    this.#note("events-lost");
    return { metadata: { ...metadata, ...EVENTS_LOST } };
  }

  get #ids() {
    return { taskId: this.state.id, contextId: this.state.contextId };
  }

  /** A Message after the final state belongs to it, or goes before it where that state has a message of its own. */
  #lastWords(final: TaskStatus, reply: AgentMessage): StreamEvent[] {
    this.#reply = undefined;
    const message = completeMessage(reply, this.#ids, this.#mint);
    if (!final.message) {
      final.message = message;
      return [];
    }
    const status = completeStatus({ state: "working" }, this.#ids, this.#mint);
    return [
      this.#send({ kind: "status-update", ...this.#ids, status: { ...status, message }, final: false }),
    ];
  }

  /** A Message that turned out not to be the whole answer is what the agent says while it works. */
  #flushReply(): StreamEvent[] {
    const message = this.#reply;
    if (!message) return [];
    this.#reply = undefined;
    return [
      ...this.open(),
      ...this.#status({ kind: "status-update", status: { state: "working", message } }),
    ];
  }

  #task(task: AgentTask): StreamEvent[] {
    const { id: _id, contextId: _contextId, status, artifacts = [], history = [], ...rest } = task;
    this.state.absorb(rest);
    for (const message of history) this.#remember(message);
    const first = !this.#opened;
    const running = !isFinal(status.state);
    const events: StreamEvent[] = [];
    if (first && running && !this.#continued) {
      this.state.status = completeStatus(status, this.#ids, this.#mint);
      this.artifacts.applySnapshot(artifacts, false);
      return this.open();
    }
    events.push(...this.open(), ...this.artifacts.applySnapshot(artifacts, !running));
    if (first || this.#isNews(task)) events.push(...this.#status({ kind: "status-update", status }));
    return events;
  }

  /** Whether a repeated Task says more of the status than is known. */
  #isNews({ status }: AgentTask): boolean {
    const known = this.#held?.status ?? this.state.status;
    if (status.state !== known.state) return !isTerminal(known.state);
    const text = JSON.stringify(status.message?.parts);
    return text !== undefined && text !== JSON.stringify(known.message?.parts);
  }

  /** Adds a message of the vendor's history, unless it is the client's own or was seen. */
  #remember(message: AgentMessage): void {
    if (message.messageId === undefined && knownMessage(this.state, this.#held?.status.message, message))
      return;
    this.state.addMessage(completeMessage(message, this.#ids, this.#mint));
  }

  #status(update: AgentStatusUpdate): StreamEvent[] {
    const status = completeStatus(
      identified(this.state, this.#held?.status.message, update.status),
      this.#ids,
      this.#mint,
    );
    const event: TaskStatusUpdateEvent = { ...update, ...this.#ids, status, final: false };
    // Some agents repeat a bare state as a sign of life, for hours.
    const isBare = status.state === this.state.status.state && !status.message && !update.metadata;
    if (!this.#held && isBare && !isFinal(status.state)) return [];
    if (!isFinal(status.state)) return [...this.#resume(), this.#send(event)];
    if (!this.#held) {
      this.#held = event;
      return [];
    }
    if (isTerminal(this.#held.status.state)) {
      // The first terminal state stands; what a later one says is kept as a message.
      if (status.message && !this.#held.status.message) this.#held.status.message = status.message;
      else if (status.message) this.state.addMessage(status.message);
      return [];
    }
    const before = this.#held;
    const isRepeated = !status.message || status.message.messageId === before.status.message?.messageId;
    if (before.status.state === status.state && isRepeated) return [];
    this.#held = event;
    return [this.#send(before)];
  }

  /** Work after an interruption: the interruption is sent, and was not the end. */
  #resume(): StreamEvent[] {
    const held = this.#held;
    if (!held || isTerminal(held.status.state)) return [];
    this.#held = undefined;
    return [this.#send(held)];
  }

  #send(event: TaskStatusUpdateEvent): StreamEvent {
    this.state.setStatus(event.status);
    return event;
  }

  #artifactUpdate(update: AgentArtifactUpdate): StreamEvent[] {
    const before = this.#reply || !this.#opened ? [...this.#flushReply(), ...this.open()] : [];
    const event = this.artifacts.accept(update);
    if (event) before.push(event);
    return before;
  }
}
