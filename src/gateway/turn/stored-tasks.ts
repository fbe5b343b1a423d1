/** Tasks as the store has them: read, brought up to date from their log, listed, and followed by who comes back. */
import { z } from "zod";
import type { VendorTask } from "../../adapter.ts";
import { EventFeed } from "../feed/event-feed.ts";
import type { OutgoingEvent, Subscription } from "../gateway.ts";
import type { Mint } from "../task/fill-missing.ts";
import { StreamNormalizer } from "../task/normalizer.ts";
import { EVENTS_LOST } from "../task/repairs.ts";
import { TaskState, withHistoryLength } from "../task/state.ts";
import type { TurnRunner } from "./turn-runner.ts";
import { A2AError } from "../../protocol/errors.ts";
import type { ListTasksParams, TaskPage } from "../../protocol/list-params.ts";
import type { Message, StreamEvent, Task } from "../../protocol/model.ts";
import { TASK_STATES, type TaskState as State, isFinal } from "../../protocol/states.ts";
import type { TaskQuery, TaskRecord, TaskStore } from "../../store/store.ts";

/** Events read at once. */
const PAGE = 1000;

const KINDS: ReadonlySet<unknown> = new Set(["task", "message", "status-update", "artifact-update"]);
const kindOf = (value: unknown): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, "kind") : undefined;

// What the engine wrote itself is not checked again member by member: a vendor's oddity that went out to clients must
// not keep its task from being read.
const StoredTask = z.custom<Task>((value) => kindOf(value) === "task");
const LoggedEvent = z.custom<StreamEvent>((value) => KINDS.has(kindOf(value)));

function parse<T>(schema: z.ZodType<T>, json: string): T {
  const parsed = schema.safeParse(JSON.parse(json));
  if (parsed.success) return parsed.data;
  throw new A2AError("internal-error", { message: "A stored task is damaged", cause: parsed.error });
}

/** The task as it was last stored. */
export const storedTask = (record: TaskRecord): Task => parse(StoredTask, record.json);

/** An event as it was logged. */
const loggedEvent = (json: string): StreamEvent => parse(LoggedEvent, json);

/** The task with all events that were logged since it was last stored. */
export async function restoreState(
  store: TaskStore,
  record: TaskRecord,
  maxHistory: number,
): Promise<{ state: TaskState; lastEvent: number }> {
  const state = TaskState.fromTask(storedTask(record), maxHistory);
  let { lastEvent } = record;
  for (;;) {
    const events = await store.eventsAfter(record, lastEvent, PAGE);
    for (const event of events) {
      state.apply(loggedEvent(event.json));
      lastEvent = event.sequence;
    }
    if (events.length < PAGE) return { state, lastEvent };
  }
}

/** Ends a task that was left running for an agent that is not served any more. */
export async function failUnserved(
  store: TaskStore,
  record: TaskRecord,
  mint: Mint,
  notify: boolean,
): Promise<void> {
  const { state, lastEvent } = await restoreState(store, record, Number.POSITIVE_INFINITY);
  const normalizer = new StreamNormalizer(state, undefined, mint);
  normalizer.conclude("failed", "The proxy was restarted without the agent that worked on this task");
  const json = JSON.stringify(state.toTask());
  const { state: ended } = state.status;
  const failed = { ...record, callback: undefined, state: ended, lastEvent, updatedAt: mint.now(), json };
  await store.putTask(failed, { notify });
}

/** The vendor's own task behind the record, where it has told its id. */
export const vendorTaskOf = ({ vendorTaskId, vendorContextId }: TaskRecord): VendorTask | undefined =>
  vendorTaskId === undefined ? undefined : { id: vendorTaskId, contextId: vendorContextId };

/** Where a page begins, and how many tasks were counted for the first page: those after it are spared the counting. */
type Place = NonNullable<TaskQuery["after"]> & { readonly total?: number | undefined };

interface TaskLister {
  readonly agent: string;
  readonly store: TaskStore;
  /** The task as it is now, where a turn of it is under way: its record lags behind. */
  readonly live: (id: string) => Task | undefined;
}

/** Documents read for one page, characters: a page ends early rather than hold more than this and one task. */
const PAGE_LENGTH = 8 * 1024 * 1024;

/**
 * Listing a principal's tasks, newest first. 0.3.0 names the method for HTTP+JSON and gRPC (§3.5.6) and leaves open
 * what it answers; the shape is 1.0's. A total is counted only if it is asked for: it costs more than the page.
 */
export async function listTasks(
  { agent, store, live }: TaskLister,
  params: ListTasksParams,
  principal: string,
): Promise<TaskPage> {
  const { contextId, pageSize, pageToken, historyLength, includeArtifacts } = params;
  const { statusTimestampAfter: since, withTotal } = params;
  const states = params.states && new Set(params.states);
  const filter = { agent, principal, contextId, states: states && storedStates(states), updatedSince: since };
  const after = pageToken === undefined ? undefined : placeOf(pageToken);
  const records = await store.listTasks({ ...filter, after, limit: pageSize, maxLength: PAGE_LENGTH });
  const totalSize = withTotal ? (after?.total ?? (await store.countTasks(filter))) : undefined;
  const tasks: Task[] = [];
  let length = 0;
  for (const record of records) {
    length += record.json.length;
    const task = withHistoryLength(live(record.id) ?? storedTask(record), historyLength);
    if (states?.has(task.status.state) === false) continue;
    if (since !== undefined && record.updatedAt < since && timeOf(task) < since) continue;
    const { artifacts: _artifacts, ...rest } = task;
    tasks.push(includeArtifacts ? task : rest);
  }
  const last = records.at(-1);
  const isWhole = records.length < pageSize && length < PAGE_LENGTH;
  const nextPageToken = last && !isWhole ? tokenOf({ ...last, total: totalSize }) : "";
  return { tasks, nextPageToken, pageSize, ...(totalSize !== undefined && { totalSize }) };
}

/** When the status was made, in ms since the epoch; 0 if it does not say. */
const timeOf = ({ status: { timestamp } }: Task): number => Date.parse(timestamp ?? "") || 0;

/** A running task's record says the state in which the task became known, not the one that it is in. */
function storedStates(states: ReadonlySet<State>): State[] {
  const isRunning = [...states].some((state) => !isFinal(state));
  return TASK_STATES.filter((state) => states.has(state) || (isRunning && !isFinal(state)));
}

const tokenOf = ({ updatedAt, id, total }: Place): string => {
  const counted = total === undefined ? "" : `/${total}`;
  return Buffer.from(`${updatedAt}${counted} ${id}`).toString("base64url");
};

const PLACE = /^(?<updatedAt>\d{1,15})(?:\/(?<total>\d{1,9}))? (?<id>.+)$/s;

function placeOf(token: string): Place {
  const { updatedAt, total, id } = PLACE.exec(Buffer.from(token, "base64url").toString())?.groups ?? {};
  if (updatedAt !== undefined && id !== undefined) {
    return { updatedAt: Number(updatedAt), id, total: total === undefined ? undefined : Number(total) };
  }
  throw new A2AError("invalid-params", {
    data: { path: "pageToken", reason: "is not one that was given out" },
  });
}

export interface Resumption {
  readonly store: TaskStore;
  readonly record: TaskRecord;
  /** The turn under way, if any. */
  readonly run: TurnRunner | undefined;
  /** The last event the client has seen. */
  readonly after: number | undefined;
}

/**
 * tasks/resubscribe (§7.9) with exact resume: an SSE event's id is its place in the task's log, and a client that comes
 * back with it gets what follows that place, from the log, also after a restart of the proxy.
 *
 * Where the place is not in the log any more (its events were deleted, or lost in a crash before they were on disk),
 * the client gets the Task as it is, marked, and what follows.
 */
export async function resume({ store, record, run, after }: Resumption): Promise<Subscription> {
  const isInLog = after !== undefined && (await hasEvent(store, record, after));
  if (run?.task) {
    const { feed, before } = run.task;
    // A turn opens with the whole Task: nothing before it is missing from what follows.
    if (isInLog) return feed.subscribeAfter(run.opens ? Math.max(after, before) : after);
    const mark = after === undefined ? undefined : EVENTS_LOST;
    return feed.subscribe(run.task.opening(mark));
  }
  if (isInLog) {
    const begin = await lastOpening(store, record, after);
    return EventFeed.ended(record, store, record.lastEvent).subscribeAfter(begin);
  }
  const task = storedTask(record);
  const metadata = { ...task.metadata, ...EVENTS_LOST };
  return once(after === undefined ? task : { ...task, metadata }, record.lastEvent);
}

async function hasEvent(store: TaskStore, record: TaskRecord, sequence: number): Promise<boolean> {
  // Before the first event a client has seen nothing, and misses nothing where the log begins with that, or with a Task.
  if (sequence === 0) {
    const [first] = await store.eventsAfter(record, 0, 1);
    return first === undefined || first.sequence === 1 || loggedEvent(first.json).kind === "task";
  }
  const [event] = await store.eventsAfter(record, sequence - 1, 1);
  return event?.sequence === sequence;
}

/** Where to begin so that nothing after `after` is missed: before the last opening that follows it, if any does. */
async function lastOpening(store: TaskStore, record: TaskRecord, after: number): Promise<number> {
  let begin = after;
  let cursor = after;
  for (;;) {
    const page = await store.eventsAfter(record, cursor, PAGE);
    for (const { sequence, json } of page) {
      if (loggedEvent(json).kind === "task") begin = sequence - 1;
      cursor = sequence;
    }
    if (page.length < PAGE) return begin;
  }
}

/**
 * A subscription that holds one event: a Message, or a task that is not running.
 * @param sequence of the last event that a Task includes
 */
export function once(event: Task | Message, sequence?: number): Subscription {
  let pending: OutgoingEvent[] = [{ sequence, json: JSON.stringify(event), last: true }];
  return {
    taskId: event.kind === "task" ? event.id : undefined,
    next: () => {
      const events = pending;
      pending = [];
      return Promise.resolve(events.length > 0 ? events : undefined);
    },
    close: () => {
      pending = [];
    },
  };
}
