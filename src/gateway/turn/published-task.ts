/**
 * A task while a turn of it runs: the normalizer that keeps its stream in order, the feed that carries it to
 * listeners, and its record in the store, always in this order: state, store, wire.
 */
import type { AgentEvent } from "../../adapter.ts";
import { A2AError } from "../../protocol/errors.ts";
import type { Message, Metadata, StreamEvent, Task, TaskStatus } from "../../protocol/model.ts";
import { isFinal } from "../../protocol/states.ts";
import type { TaskRecord } from "../../store/store.ts";
import { untilStored } from "../../store/until-stored.ts";
import type { AgentCalls } from "../agent/agent-calls.ts";
import type { EngineContext, OutgoingEvent } from "../gateway.ts";
import { EventFeed } from "../feed/event-feed.ts";
import { StreamNormalizer } from "../task/normalizer.ts";
import { pushConfigRecord, type CheckedPushConfig } from "../push/push-configs.ts";
import { restoreState, storedTask } from "./stored-tasks.ts";
import { logRepairs } from "../task/repairs.ts";
import { TaskState } from "../task/state.ts";
import type { VendorIds } from "./id-mapper.ts";

export interface PublishedTaskOptions {
  readonly principal: string;
  readonly vendor: VendorIds;
  /** The turn's calls to the agent: whether they have lost events, and the callback that the agent has meanwhile. */
  readonly calls: Pick<AgentCalls, "losses" | "callbackDigest">;
  /** The client's message of this turn; undefined where the task is merely followed. */
  readonly message: Message | undefined;
  /** Events are written to the log: somebody listens. */
  readonly logging: boolean;
  /** The task was left running by a crash, which may have lost the end of its log. */
  readonly recovered: boolean;
  /** Where to tell of the task from its first state on. */
  readonly push: CheckedPushConfig | undefined;
  /** Called once, when the store and thereby clients know of the task. */
  onAnnounced(): void;
}

/** More events than a crash can lose of one task. */
const CRASH_GAP = 1_000_000;

/** Where the task comes from: a record, or new ids. */
export type Origin = TaskRecord | { readonly id: string; readonly contextId: string };

const isRecord = (origin: Origin): origin is TaskRecord => "json" in origin;

export class PublishedTask {
  readonly normalizer: StreamNormalizer;
  readonly feed: EventFeed;
  /** The task's last event before this turn. */
  readonly before: number;
  readonly #context: EngineContext;
  readonly #options: PublishedTaskOptions;
  readonly #createdAt: number;
  #logging: boolean;
  #announced = false;
  /** The status that webhooks have been told of, as far as they want to know; undefined before the first. */
  #notified: TaskStatus | undefined;
  #push: CheckedPushConfig | undefined;
  /** The vendor's task id as it was last written down. */
  #keptId: string | undefined;
  /** What is told of the task while its end is not stored. */
  #beforeEnd: { readonly status: TaskStatus; readonly sequence: number } | undefined;

  static async begin(
    context: EngineContext,
    origin: Origin,
    options: PublishedTaskOptions,
  ): Promise<PublishedTask> {
    const { store, mint, agent } = context;
    const status = { state: "submitted" as const, timestamp: new Date(mint.now()).toISOString() };
    if (!isRecord(origin)) {
      const state = new TaskState(origin.id, origin.contextId, status, agent.limits.history);
      const task = new PublishedTask(context, options, state, {
        before: 0,
        logged: 0,
        createdAt: mint.now(),
      });
      task.#push = options.push;
      task.#logging ||= options.push !== undefined;
      return task;
    }
    const { state, lastEvent } = await restoreState(store, origin, agent.limits.history);
    if (options.message) state.setStatus(status);
    // Numbers that a lost event may have had are not used again: a client that saw it gets the Task instead.
    const before = options.recovered ? lastEvent + CRASH_GAP : lastEvent;
    const logged = await store.logSize(origin);
    const task = new PublishedTask(context, options, state, { before, logged, createdAt: origin.createdAt });
    // Of what was only logged, webhooks have not been told.
    task.#notified = storedTask(origin).status;
    task.#push = options.push;
    task.#logging ||= options.push !== undefined || (await store.push.isWatched(origin));
    return task;
  }

  private constructor(
    context: EngineContext,
    options: PublishedTaskOptions,
    state: TaskState,
    { before, logged, createdAt }: { before: number; logged: number; createdAt: number },
  ) {
    const { agent, store, mint } = context;
    this.#context = context;
    this.#options = options;
    this.#logging = options.logging;
    this.#createdAt = createdAt;
    this.before = before;
    this.feed = new EventFeed({ agent: agent.name, id: state.id }, store, agent.limits, {
      last: before,
      bytes: logged,
    });
    this.normalizer = new StreamNormalizer(state, options.message, mint, {
      note: logRepairs(context.log, state.id),
      artifactIdsChange: context.backend.artifactIds === "changing",
    });
  }

  get state(): TaskState {
    return this.normalizer.state;
  }

  /** Applies what the agent says and passes it on; a promise only where there is something to wait for. */
  take(event: AgentEvent): Promise<void> | undefined {
    if (this.normalizer.finished) return undefined;
    if (this.#options.calls.losses.take()) this.normalizer.artifacts.broke();
    const events = this.normalizer.push(event);
    const emitted = this.#logging ? this.#emit(events) : undefined;
    return this.state.size <= this.#context.agent.limits.task ? emitted : this.#refuse(emitted);
  }

  async #refuse(emitted: Promise<void> | undefined): Promise<never> {
    await emitted;
    const { task } = this.#context.agent.limits;
    throw new A2AError("invalid-agent-response", {
      message: "The task is larger than the configured limit",
      data: { limit: "task", bytes: task },
    });
  }

  /** Makes the task known to clients, also before the agent has announced it. */
  async publish(): Promise<void> {
    this.#logging = true;
    await this.#emit(this.normalizer.open());
  }

  /** The Task as it is now, as the first event of a new listener; `mark` is added to its metadata. */
  opening(mark: Metadata = {}): OutgoingEvent {
    this.#logging = true;
    const task = this.toTask();
    const marked = Object.keys(mark).length > 0 ? { ...task, metadata: { ...task.metadata, ...mark } } : task;
    const sequence = this.#beforeEnd?.sequence ?? this.feed.sequence;
    return { sequence, json: JSON.stringify(marked), last: false };
  }

  /** The Task as clients may know it: without an end that is not stored. */
  toTask(): Task {
    const task = this.state.toTask();
    if (!this.#beforeEnd) return task;
    const { status } = this.#beforeEnd;
    const history = task.history?.filter(({ messageId }) => messageId !== status.message?.messageId);
    return { ...task, status, ...(history && { history }) };
  }

  /** Clients know of the task. */
  get announced(): boolean {
    return this.#announced;
  }

  /** Writes the task down, where it is written down already, after the vendor was given a callback. */
  async keepCallback(): Promise<void> {
    if (this.#announced) await this.persist();
  }

  /** Leaves the task as it is in the store, for the next start to recover; streams of it end without a final event. */
  async suspend(): Promise<void> {
    await this.publish();
    await this.persist();
    this.#context.log.info({ taskId: this.state.id }, "left a running task to the next start");
    this.feed.breakOff(new A2AError("shutting-down"));
  }

  /** Ends the turn in the state that the agent announced. */
  finish(): Promise<void> {
    return this.#close(() => this.normalizer.finish());
  }

  /** Ends the turn in a state that the agent did not announce. */
  conclude(state: "failed" | "canceled", text: string): Promise<void> {
    return this.#close(() => this.normalizer.conclude(state, text));
  }

  /**
   * Writes the task down as it is now, and where its status is news, in the same transaction, queues it for webhooks.
   * Waits for a store that cannot be written.
   */
  async persist(): Promise<void> {
    const record = this.#record();
    await untilStored(this.#context.store.health, () => this.#write(record));
  }

  async #write(record: TaskRecord): Promise<void> {
    const { push, store } = this.#context;
    this.#keptId = record.vendorTaskId;
    const notify = push !== undefined && this.#isNews;
    const { status } = this.state;
    const inline = push && this.#push;
    const pushConfig = inline && { config: pushConfigRecord(record, inline), limit: push.configsPerTask };
    const isQueued = await store.putTask(record, { notify, pushConfig });
    if (this.#push === inline) this.#push = undefined;
    if (notify) this.#notified = status;
    if (isQueued) push?.wake();
  }

  /** A state that webhooks do not know, or a message in the one they know. */
  get #isNews(): boolean {
    const { state, message } = this.state.status;
    const known = this.#notified;
    return state !== known?.state || (message && message.messageId !== known.message?.messageId) === true;
  }

  /** Tells webhooks of what has changed on the way, if there are any. */
  async #notify(): Promise<void> {
    const { store, agent } = this.#context;
    if (await store.push.isWatched({ agent: agent.name, id: this.state.id })) await this.persist();
  }

  #record(): TaskRecord {
    const { agent, mint } = this.#context;
    const { principal, vendor, calls } = this.#options;
    const { state } = this;
    return {
      agent: agent.name,
      id: state.id,
      principal,
      contextId: state.contextId,
      vendorTaskId: vendor.taskId,
      vendorContextId: vendor.contextId,
      callback: isFinal(state.status.state) ? undefined : calls.callbackDigest,
      state: state.status.state,
      lastEvent: this.feed.sequence,
      createdAt: this.#createdAt,
      updatedAt: mint.now(),
      json: JSON.stringify(state.toTask()),
    };
  }

  #emit(events: readonly StreamEvent[]): Promise<void> | undefined {
    for (const event of events) this.feed.append(event, false);
    const stored = this.#storedFirst(events);
    if (stored) return stored.then(() => this.feed.release());
    this.feed.release();
    return undefined;
  }

  /**
   * What has to be in the store before anybody hears of the events, if anything has: that there is the task; the id by which
   * the agent can be asked for it after a crash; what the log no longer says; and what webhooks are to be told.
   */
  #storedFirst(events: readonly StreamEvent[]): Promise<void> | undefined {
    if (!this.#announced && this.normalizer.opened) {
      // What nobody knows of need not wait for a store that cannot be written.
      return this.#write(this.#record()).then(() => this.#announce());
    }
    if (this.#announced && this.#options.vendor.taskId !== this.#keptId) return this.persist();
    if (this.feed.isLogFull) return this.feed.cutLog(() => this.persist());
    const { push } = this.#context;
    if (push && events.some(({ kind }) => kind === "status-update") && this.#isNews) return this.#notify();
    return undefined;
  }

  /** The end is told once it is stored, however long that takes. */
  async #close(end: () => readonly StreamEvent[]): Promise<void> {
    this.#beforeEnd ??= { status: this.state.status, sequence: this.feed.sequence };
    const events = end();
    if (this.#logging) for (const event of events) this.feed.append(event, event === events.at(-1));
    // A turn that nobody heard leaves its sum in the log of the turns before it, so that the log has no hole.
    else if (this.before > 0) this.feed.append(this.state.toTask(), true);
    await this.persist();
    this.#beforeEnd = undefined;
    this.#announce();
    this.feed.end();
  }

  #announce(): void {
    if (this.#announced) return;
    this.#announced = true;
    this.#options.onAnnounced();
  }
}
