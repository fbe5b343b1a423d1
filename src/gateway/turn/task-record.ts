/** Between the store's records and the tasks of the engine. */
import { z } from "zod";
import type { VendorTask } from "../../adapter.ts";
import { A2AError } from "../../protocol/errors.ts";
import type { StreamEvent, Task } from "../../protocol/model.ts";
import type { TaskRecord, TaskStore } from "../../store/store.ts";
import type { Mint } from "../task/fill-missing.ts";
import { StreamNormalizer } from "../task/normalizer.ts";
import { TaskState } from "../task/state.ts";

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
