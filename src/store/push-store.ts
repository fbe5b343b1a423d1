/**
 * Push notification configs and the outbox they fill. A config is a lane: its notifications are delivered one at a
 * time, in the order in which they were recorded, and a lane never waits for another.
 */
import type { TaskKey } from "./store.ts";

/** A client's wish to be told of a task at a URL. */
export interface PushConfigRecord {
  readonly agent: string;
  readonly taskId: string;
  /** Unique within the task. */
  readonly id: string;
  /** The owner of the task. */
  readonly principal: string;
  /** Of the webhook; webhooks of one origin share a place in the queue. */
  readonly origin: string;
  /** The PushNotificationConfig, secrets included. */
  readonly json: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

/** A state of a task on its way to a webhook. */
export interface NotificationRecord {
  /** Random; the same in every attempt. */
  readonly id: string;
  readonly config: PushConfigRecord;
  /** When it was recorded, or replayed, ms since the epoch. */
  readonly queuedAt: number;
  /** Failed attempts so far. */
  readonly attempts: number;
  /** The Task as it was recorded. */
  readonly json: string;
}

/** A notification that was given up. */
export interface DeadLetter {
  readonly id: string;
  readonly agent: string;
  readonly taskId: string;
  readonly configId: string;
  readonly origin: string;
  readonly queuedAt: number;
  readonly deadAt: number;
  readonly reason: string;
}

export interface PushStore {
  /** Inserts or replaces the config of that id, whose lane is due then if anything waits in it; false where the task has `limit` others already. */
  putConfig(record: PushConfigRecord, limit: number): Promise<boolean>;
  getConfig(task: TaskKey, id: string): Promise<PushConfigRecord | undefined>;
  /** All configs of the task, in the order in which they were made. */
  listConfigs(task: TaskKey): Promise<PushConfigRecord[]>;
  /** Also deletes what has not been delivered to it. */
  deleteConfig(task: TaskKey, id: string): Promise<void>;
  /** Whether the task has any config. */
  isWatched(task: TaskKey): Promise<boolean>;

  /**
   * Takes the first notification of each of at most `limit` lanes that are due, leaving out those to the origins
   * in `except`. The lane is the caller's until it says what came of the notification, or the store is opened anew.
   */
  claim(now: number, limit: number, except: readonly string[]): Promise<NotificationRecord[]>;
  /** It has arrived: it is deleted, and the lane's next is due. */
  delivered(notification: NotificationRecord, now: number): Promise<void>;
  /** It is due again at `at`, and the lane waits for it. */
  retry(notification: NotificationRecord, at: number): Promise<void>;
  /** It is given up: it becomes a dead letter, of which a lane keeps the youngest, and the lane's next is due. */
  bury(notification: NotificationRecord, reason: string, now: number): Promise<void>;
  /** When the next lane that nobody has taken is due; undefined where none is. */
  nextDue(): Promise<number | undefined>;

  /** The oldest dead letters. */
  deadLetters(limit: number): Promise<DeadLetter[]>;
  /** Queues a dead letter again, before what is younger; false where there is none of that id. */
  replay(id: string, now: number): Promise<boolean>;
  /** Deletes a dead letter; false where there is none of that id. */
  drop(id: string): Promise<boolean>;
  /** Deletes dead letters given up before then; returns how many. */
  sweepDeadLetters(before: number): Promise<number>;
}
