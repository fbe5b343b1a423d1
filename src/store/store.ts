/**
 * What the gateway keeps between requests and across restarts. One file per engine implements it.
 * Writes are grouped: a promise resolves once its write, and every write made before it, is on disk.
 */
import type { TaskState } from "../protocol/states.ts";
import type { PushConfigRecord, PushStore } from "./push-store.ts";

export interface TaskKey {
  /** The agent's name in the configuration. */
  readonly agent: string;
  /** The task's id as clients know it. */
  readonly id: string;
}

export interface TaskRecord extends TaskKey {
  /** Who made the task; another principal does not see it. */
  readonly principal: string;
  readonly contextId: string;
  /** The vendor's own ids, where they are known; undefined until the vendor has announced them. */
  readonly vendorTaskId?: string | undefined;
  readonly vendorContextId?: string | undefined;
  /** By what the callback is known that the vendor has, while the task runs. */
  readonly callback?: string | undefined;
  readonly state: TaskState;
  /** Sequence number of the last event that `task` includes; 0 before the first. */
  readonly lastEvent: number;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly updatedAt: number;
  /** The canonical Task, serialized once by the caller. */
  readonly json: string;
}

/** Which tasks are meant: all conditions hold. */
export interface TaskFilter {
  readonly agent: string;
  readonly principal: string;
  readonly contextId?: string | undefined;
  /** As they are in the records. */
  readonly states?: readonly TaskState[] | undefined;
  /** Tasks whose records are of this time or later, ms since the epoch, and running ones, whose records lag behind. */
  readonly updatedSince?: number | undefined;
}

/** Which tasks to list. */
export interface TaskQuery extends TaskFilter {
  /** The task that the list goes on after: only older ones, or of the same time and a lesser id. */
  readonly after?: { readonly updatedAt: number; readonly id: string } | undefined;
  /** Most records, at least 1. */
  readonly limit: number;
  /** The list ends with the record whose `json`, with those before it, reaches this many characters. */
  readonly maxLength: number;
}

/** One event of a task as it went to clients: `json` is the StreamEvent. */
export interface StoredEvent {
  /** 1, 2, 3, … within the task, over all its turns. */
  readonly sequence: number;
  readonly json: string;
}

export interface ContextRecord {
  readonly agent: string;
  readonly principal: string;
  /** As clients know it. */
  readonly contextId: string;
  /** The vendor's session or conversation for it. */
  readonly vendorContextId: string;
  readonly updatedAt: number;
}

/**
 * Whether what is written can be kept. Where it cannot, writes reject with `store-unavailable`, nothing of them is
 * done, and the store finds out by itself when they can be made again.
 */
export interface StoreHealth {
  /** What the operator should know; undefined while all is well. New work should not begin meanwhile. */
  readonly trouble: string | undefined;
  /**
   * Resolves when a write that was rejected is worth another attempt, at once where there is no trouble. Rejects with
   * `store-unavailable` once `giveUp` was called.
   */
  nextAttempt(): Promise<void>;
  /** Nobody waits for another attempt from now on. */
  giveUp(): void;
}

/** What is written together with a task. */
export interface PutOptions {
  readonly notify: boolean;
  /** Left out if the task has `limit` others. */
  readonly pushConfig?: { readonly config: PushConfigRecord; readonly limit: number } | undefined;
}

export interface TaskStore {
  readonly health: StoreHealth;
  /** What is written is there at the next start of the proxy. */
  readonly isDurable: boolean;
  /** Push notification configs, and what is on its way to them. */
  readonly push: PushStore;
  /**
   * Inserts or replaces the record. Resolves when it and all events of the task are durable. In the same transaction,
   * `pushConfig` is added to the task's, and with `notify` the record's Task is queued for every push config of the task;
   * resolves with whether there was one.
   */
  putTask(record: TaskRecord, options?: PutOptions): Promise<boolean>;
  getTask(key: TaskKey): Promise<TaskRecord | undefined>;
  /** The record that stands for a vendor's task, or else the one that has its id as its own, whoever owns it. */
  getTaskByVendorId(agent: string, vendorTaskId: string): Promise<TaskRecord | undefined>;
  /**
   * The principal that owns the context by a task or a context record in it, under the id that clients know or, failing
   * that, the vendor's; undefined where nobody does.
   */
  contextOwner(agent: string, contextId: string): Promise<string | undefined>;
  /**
   * Adds to the task's event log, whose sequences ascend; `json` is one line. Returns at once; written in groups, at
   * the latest with the task's next `putTask` or after `flushInterval`; where that fails, kept in memory until it succeeds.
   */
  appendEvent(key: TaskKey, event: StoredEvent): void;
  /** Undefined, or where too many events wait to be written, a promise that resolves when more can be appended. */
  room(): Promise<void> | undefined;
  /** Bytes of the task's event log, as far as it is written. */
  logSize(key: TaskKey): Promise<number>;
  /** Deletes events up to this sequence; of those written together with later ones the last may stay. */
  dropEvents(key: TaskKey, upTo: number): Promise<void>;
  /** Events with a sequence greater than `after`, ascending, at most `limit`; sees what was just appended. */
  eventsAfter(key: TaskKey, after: number, limit: number): Promise<StoredEvent[]>;
  putContext(record: ContextRecord): Promise<void>;
  getContext(agent: string, principal: string, contextId: string): Promise<ContextRecord | undefined>;
  /** By `updatedAt` and, within it, `id`, both descending; as fast for the millionth task as for the first. */
  listTasks(query: TaskQuery): Promise<TaskRecord[]>;
  /** How many tasks all pages hold; reads an index and no documents, but as many of its rows as the principal has tasks. */
  countTasks(filter: TaskFilter): Promise<number>;
  /** Every task in neither a terminal nor an interrupted state: what a crash has left running. */
  unfinishedTasks(): Promise<TaskRecord[]>;
  /**
   * Deletes tasks in a terminal or interrupted state, with their events and push configs, and contexts without a
   * task, not updated since `before` (ms since the epoch); returns how many tasks. A task with undelivered
   * notifications stays.
   */
  sweep(before: number): Promise<number>;
  /** Resolves when everything written so far is durable. */
  flush(): Promise<void>;
  close(): Promise<void>;
}
