/** A task as the sum of its events: grows in place, so that a chunk costs its own length and not the artifact's. */
import { appendParts, growth, joinParts, sizeOf, weight } from "./parts.ts";
import type { Artifact, Message, Metadata, StreamEvent, Task, TaskStatus } from "../../protocol/model.ts";

/** An artifact under construction; `parts` belongs to the state. */
interface GrowingArtifact {
  fields: Artifact;
  /** `lastChunk` was sent: nothing may follow. */
  closed: boolean;
}

/** What an artifact or a message takes besides its parts and metadata. */
const ENTRY = 100;
const entrySize = ({ parts, metadata }: Message | Artifact): number =>
  ENTRY + weight(metadata) + sizeOf(parts);

const isThought = ({ metadata }: Message): boolean => metadata?.["thought"] === true;

export class TaskState {
  readonly id: string;
  readonly contextId: string;
  status: TaskStatus;
  metadata: Metadata | undefined;
  readonly history: Message[] = [];
  readonly #artifacts = new Map<string, GrowingArtifact>();
  readonly #messageIds = new Set<string>();
  readonly #maxHistory: number;
  /** Fields of the Task that 0.3.0 does not name. */
  #extra: Record<string, unknown> = {};
  /** Approximate size of all artifacts and messages, UTF-16 units. */
  size = 0;

  constructor(id: string, contextId: string, status: TaskStatus, maxHistory = Number.POSITIVE_INFINITY) {
    this.id = id;
    this.contextId = contextId;
    this.status = status;
    this.#maxHistory = maxHistory;
  }

  static fromTask(task: Task, maxHistory?: number): TaskState {
    const state = new TaskState(task.id, task.contextId, task.status, maxHistory);
    state.absorb(task);
    for (const message of task.history ?? []) state.addMessage(message);
    for (const artifact of task.artifacts ?? []) state.replaceArtifact(artifact);
    return state;
  }

  /** Takes over metadata and unknown fields of a vendor's Task; later values win. */
  absorb(task: Partial<Task>): void {
    const { kind: _kind, id: _id, contextId: _c, status: _s, artifacts: _a, history: _h, ...rest } = task;
    const { metadata, ...extra } = rest;
    this.size += growth(this.metadata, metadata);
    if (metadata) this.metadata = { ...this.metadata, ...metadata };
    this.#extra = { ...this.#extra, ...extra };
  }

  /** Replays an event that was sent to clients; used to rebuild the task from its log. */
  apply(event: StreamEvent): void {
    switch (event.kind) {
      case "task":
        this.setStatus(event.status);
        this.absorb(event);
        for (const message of event.history ?? []) this.addMessage(message);
        break;
      case "message":
        this.addMessage(event);
        break;
      case "status-update":
        this.setStatus(event.status);
        break;
      case "artifact-update":
        if (event.append) this.appendArtifact(event.artifact);
        else this.replaceArtifact(event.artifact);
        if (event.lastChunk) this.close(event.artifact.artifactId);
        break;
      default:
        event satisfies never;
    }
  }

  /**
   * The message of the status that is replaced moves to the history, so that none is lost. Thoughts that an agent
   * streams piece by piece become one message there, as an artifact's text does.
   */
  setStatus(status: TaskStatus): void {
    const before = this.status.message;
    this.status = status;
    if (!before) return;
    const last = this.history.at(-1);
    if (isThought(before) && last && isThought(last) && last.role === before.role) {
      this.#messageIds.add(before.messageId);
      this.size += entrySize(before);
      const joined = { ...last, parts: joinParts(last.parts) };
      appendParts(joined.parts, before.parts);
      this.history[this.history.length - 1] = joined;
    } else {
      this.addMessage(before);
    }
  }

  /** Adds a message unless one with its id is there; the oldest go once the limit is passed. */
  addMessage(message: Message): void {
    if (this.#messageIds.has(message.messageId)) return;
    this.#messageIds.add(message.messageId);
    this.history.push(message);
    this.size += entrySize(message);
    if (this.history.length <= this.#maxHistory) return;
    const oldest = this.history.shift();
    if (!oldest) return;
    this.#messageIds.delete(oldest.messageId);
    this.size -= entrySize(oldest);
  }

  /** The message of the history, or of the status, that has this id. */
  messageWith(id: string): Message | undefined {
    const hasId = (message: Message | undefined): boolean => message?.messageId === id;
    return this.history.findLast(hasId) ?? (hasId(this.status.message) ? this.status.message : undefined);
  }

  artifact(id: string): Artifact | undefined {
    return this.#artifacts.get(id)?.fields;
  }

  isClosed(id: string): boolean {
    return this.#artifacts.get(id)?.closed ?? false;
  }

  close(id: string): void {
    const artifact = this.#artifacts.get(id);
    if (artifact) artifact.closed = true;
  }

  get artifactIds(): IterableIterator<string> {
    return this.#artifacts.keys();
  }

  replaceArtifact(artifact: Artifact): void {
    const known = this.#artifacts.get(artifact.artifactId);
    if (known) this.size -= entrySize(known.fields);
    this.size += entrySize(artifact);
    const fields = { ...artifact, parts: joinParts(artifact.parts) };
    this.#artifacts.set(artifact.artifactId, { fields, closed: false });
  }

  appendArtifact(chunk: Artifact): void {
    const known = this.#artifacts.get(chunk.artifactId);
    if (!known) {
      this.replaceArtifact(chunk);
      return;
    }
    const { fields } = known;
    this.size += sizeOf(chunk.parts) + growth(fields.metadata, chunk.metadata);
    appendParts(fields.parts, chunk.parts);
    const { parts: _parts, metadata, ...rest } = chunk;
    Object.assign(fields, rest);
    if (metadata) fields.metadata = { ...fields.metadata, ...metadata };
  }

  /** The Task as it is now; what comes later does not change it. */
  toTask(): Task {
    const artifacts: Artifact[] = [];
    for (const { fields } of this.#artifacts.values()) {
      artifacts.push({ ...fields, parts: joinParts(fields.parts) });
    }
    return {
      ...this.#extra,
      kind: "task",
      id: this.id,
      contextId: this.contextId,
      status: this.status,
      history: [...this.history],
      ...(artifacts.length > 0 ? { artifacts } : {}),
      ...(this.metadata ? { metadata: this.metadata } : {}),
    };
  }
}

/** `historyLength` (§7.1.2, §7.3.1): absent is the whole history, 0 none of it, N its last N messages. */
export function withHistoryLength(task: Task, historyLength: number | undefined): Task {
  if (historyLength === undefined || !task.history || task.history.length <= historyLength) return task;
  const { history, ...rest } = task;
  return historyLength === 0 ? rest : { ...rest, history: history.slice(-historyLength) };
}
