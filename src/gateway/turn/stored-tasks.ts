/** Tasks as the store has them: read, brought up to date from their log, listed. */
import { z } from "zod";
import type { VendorTask } from "../../adapter.ts";
import type { Mint } from "../task/fill-missing.ts";
import { StreamNormalizer } from "../task/normalizer.ts";
import { TaskState, withHistoryLength } from "../task/state.ts";
import { A2AError } from "../../protocol/errors.ts";
import type { ListTasksParams, TaskPage } from "../../protocol/list-params.ts";
import type { StreamEvent, Task } from "../../protocol/model.ts";
import { TASK_STATES, type TaskState as State, isFinal } from "../../protocol/states.ts";
import type { TaskQuery, TaskRecord, TaskStore } from "../../store/store.ts";

/** Events replayed at once. */
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
export const loggedEvent = (json: string): StreamEvent => parse(LoggedEvent, json);

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
