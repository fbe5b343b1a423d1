/**
 * Push notification configs and the outbox they fill. A config is a lane: its notifications are delivered one at a
 * time, in the order in which they were recorded, and a lane never waits for another. Lanes of one principal to one
 * origin are an endpoint: they share how it fares.
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
  /** In which it was made, and in which notifications are written; undefined: 0.3.0. */
  readonly dialect?: string | undefined;
  /** The PushNotificationConfig, secrets included. */
  readonly json: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

/** The webhooks of one principal at one origin. */
export interface EndpointName {
  readonly principal: string;
  readonly origin: string;
}

/** How an endpoint fares. */
export interface EndpointHealth {
  /** The last attempt arrived; false before the first. */
  readonly isGood: boolean;
  /** Attempts in a row that found no answer. */
  readonly failures: number;
  /** When the first attempt failed since the last that arrived; undefined where none has. */
  readonly failingSince: number | undefined;
  /** Since when it is switched off. */
  readonly offAt: number | undefined;
}

/** What a failed attempt means for the endpoint. */
export interface EndpointFailure {
  readonly reason: string;
  /** Nothing is tried there until then; undefined where the endpoint has answered, though not as it should. */
  readonly blockedUntil?: number | undefined;
  /** It is switched off: what waits for it is to be given up. */
  readonly isOff: boolean;
}

/** An endpoint that has failed since its last success. */
export interface FailingEndpoint extends EndpointName {
  readonly failingSince: number;
  readonly offAt: number | undefined;
  readonly reason: string;
}

/** What not to take. */
export interface ClaimExcept {
  readonly endpoints?: readonly EndpointName[];
  readonly origins?: readonly string[];
  readonly principals?: readonly string[];
  /** Those whose last attempt has not arrived. */
  readonly unproven?: boolean;
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
  /** When it was claimed. */
  readonly endpoint: EndpointHealth;
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
   * Takes the first notification of each of at most `limit` lanes that are due: of each principal in turn, and first to
   * endpoints that are good. The lane is the caller's until it says what came of the notification, or the store is opened anew.
   */
  claim(now: number, limit: number, except?: ClaimExcept): Promise<NotificationRecord[]>;
  /** It has arrived: it is deleted, and the lane's next is due. */
  delivered(notification: NotificationRecord, now: number): Promise<void>;
  /** It is due again at `at`, and the lane waits for it. */
  retry(notification: NotificationRecord, at: number, failure: EndpointFailure, now: number): Promise<void>;
  /** It is given up: it becomes a dead letter, of which a lane keeps the youngest, and the lane's next is due. */
  bury(
    notification: NotificationRecord,
    reason: string,
    now: number,
    failure?: EndpointFailure,
  ): Promise<void>;
  /** Gives up what waits for an endpoint, some of it; returns for how many lanes. */
  buryWaiting(endpoint: EndpointName, reason: string, now: number): Promise<number>;
  /**
   * Gives up, some of, what was queued before then and waits for an endpoint that has failed since `failedSince`;
   * returns how many.
   */
  expire(queuedBefore: number, failedSince: number, now: number): Promise<number>;
  /** When an endpoint becomes due, later than `after`; undefined where none will. */
  nextDue(after?: number): Promise<number | undefined>;
  /** Those that have failed longest first. */
  failingEndpoints(limit: number): Promise<FailingEndpoint[]>;

  /** The oldest dead letters. */
  deadLetters(limit: number): Promise<DeadLetter[]>;
  /** Queues a dead letter again, before what is younger; false where there is none of that id. */
  replay(id: string, now: number): Promise<boolean>;
  /** Deletes a dead letter; false where there is none of that id. */
  drop(id: string): Promise<boolean>;
  /** Deletes dead letters given up before then, and forgets endpoints not used since; returns how many letters. */
  sweepDeadLetters(before: number): Promise<number>;
}
