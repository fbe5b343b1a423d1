/**
 * tasks/resubscribe (§7.9) with exact resume: an SSE event's id is its place in the task's log, and a client that comes
 * back with it gets what follows that place, from the log, also after a restart of the proxy.
 *
 * Where the place is not in the log any more (its events were deleted, or lost in a crash before they were on disk),
 * the client gets the Task as it is, marked, and what follows.
 */
import type { TaskRecord, TaskStore } from "../../store/store.ts";
import { EventFeed } from "../feed/event-feed.ts";
import { EVENTS_LOST } from "../task/repairs.ts";
import type { Message, Task } from "../../protocol/model.ts";
import type { OutgoingEvent, Subscription } from "../gateway.ts";
import { loggedEvent, storedTask } from "./stored-tasks.ts";
import type { TurnRunner } from "./turn-runner.ts";

/** Events read at once. */
const PAGE = 1000;

export interface Resumption {
  readonly store: TaskStore;
  readonly record: TaskRecord;
  /** The turn under way, if any. */
  readonly run: TurnRunner | undefined;
  /** The last event the client has seen. */
  readonly after: number | undefined;
}

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
