/** The outbox in the SQLite store: what is due, and what became of it. The tables are described in sqlite-schema.ts. */
import type { DatabaseSync } from "node:sqlite";
import type {
  ClaimExcept,
  EndpointFailure,
  EndpointName,
  FailingEndpoint,
  NotificationRecord,
} from "./push-store.ts";
import {
  DueRow,
  EndpointRow,
  ExpiredRow,
  FailingRow,
  LaneKeyRow,
  LaneRow,
  PendingRow,
  type PushStatements,
} from "./sqlite-push-statements.ts";
import type { TaskKey } from "./store.ts";
import type { WriteQueue } from "./write-queue.ts";
import type { z } from "zod";

/** Lanes or notifications that are given up in one step. */
const STEP = 100;

export interface OutboxOptions {
  readonly db: DatabaseSync;
  readonly queue: WriteQueue;
  readonly statements: PushStatements;
  /** Notifications that may wait in one lane, and dead letters that it keeps. */
  readonly maxPending: number;
}

export class SqliteOutbox {
  readonly #options: OutboxOptions;

  constructor(options: OutboxOptions) {
    this.#options = options;
  }

  /** Whoever had claimed a lane is gone, and failing endpoints are worth an attempt. */
  reset(): void {
    const { outbox, endpoints } = this.#options.statements;
    endpoints.joinClaimed.run();
    outbox.release.run();
    endpoints.unblockAll.run();
  }

  /** To be called within a write: queues the Task for every config of the task. */
  notify({ agent, id }: TaskKey, json: string, now: number): void {
    const { queue, wake, overflow, trim } = this.#sql.outbox;
    const { maxPending } = this.#options;
    queue.run(agent, id, now, json);
    if (overflow.run(agent, id, now, maxPending).changes > 0) trim.run(agent, id, maxPending);
    wake.run(agent, id, now);
    this.#sql.endpoints.joinTask.run(agent, id, now);
  }

  async claim(now: number, limit: number, except: ClaimExcept = {}): Promise<NotificationRecord[]> {
    const heads = (good: boolean, count: number): Head[] => this.#heads(good, { now, count, except });
    const kinds = except.unproven ? [true] : [true, false];
    if (kinds.every((good) => heads(good, 1).length === 0)) return [];
    const claimed: NotificationRecord[] = [];
    await this.#options.queue.write(() => {
      for (const good of kinds) {
        for (let found = heads(good, limit); found.length > 0; found = heads(good, limit - claimed.length)) {
          for (const head of found) this.#take(head, now, claimed);
          if (claimed.length >= limit) return;
        }
      }
    });
    return claimed;
  }

  async delivered(notification: NotificationRecord, now: number): Promise<void> {
    const { id, config } = notification;
    const { outbox, endpoints } = this.#sql;
    await this.#settle(notification, now, (lane) => {
      endpoints.succeeded.run(config.principal, config.origin, now);
      outbox.delivered.run(id);
      if (lane !== undefined) outbox.next.run(lane, now);
    });
  }

  async retry(
    notification: NotificationRecord,
    at: number,
    failure: EndpointFailure,
    now: number,
  ): Promise<void> {
    await this.#settle(notification, now, (lane) => {
      this.#fail(notification.config, failure, now);
      if (lane !== undefined) this.#sql.outbox.retry.run(lane, at);
    });
  }

  async bury(
    notification: NotificationRecord,
    reason: string,
    now: number,
    failure?: EndpointFailure,
  ): Promise<void> {
    const { id, config } = notification;
    const { outbox } = this.#sql;
    await this.#settle(notification, now, (lane) => {
      if (failure) this.#fail(config, failure, now);
      if (lane === undefined) return;
      outbox.bury.run(now, reason, id);
      outbox.trim.run(config.agent, config.taskId, this.#options.maxPending);
      outbox.next.run(lane, now);
    });
  }

  async buryWaiting({ principal, origin }: EndpointName, reason: string, now: number): Promise<number> {
    const { outbox, endpoints } = this.#sql;
    let lanes: z.output<typeof LaneRow>[] = [];
    await this.#options.queue.write(() => {
      lanes = outbox.waiting.all(principal, origin, STEP).map((row) => LaneRow.parse(row));
      for (const { key, agent, taskId } of lanes) {
        outbox.buryLane.run(now, reason, key);
        outbox.rest.run(key);
        outbox.trim.run(agent, taskId, this.#options.maxPending);
      }
      endpoints.refresh.run(principal, origin);
    });
    return lanes.length;
  }

  async expire(queuedBefore: number, failedSince: number, now: number): Promise<number> {
    const { outbox } = this.#sql;
    const rows = outbox.expired.all(queuedBefore, failedSince, STEP).map((row) => ExpiredRow.parse(row));
    if (rows.length === 0) return 0;
    await this.#options.queue.write(() => {
      for (const { id, config, agent, taskId, why } of rows) {
        outbox.bury.run(now, `not delivered in time; last: ${why}`, id);
        outbox.trim.run(agent, taskId, this.#options.maxPending);
        outbox.next.run(config, now);
      }
    });
    return rows.length;
  }

  async nextDue(after = Number.MIN_SAFE_INTEGER): Promise<number | undefined> {
    return DueRow.parse(this.#sql.endpoints.nextDue.get(after)).dueAt ?? undefined;
  }

  async failingEndpoints(limit: number): Promise<FailingEndpoint[]> {
    return this.#sql.endpoints.failing.all(limit).map((row) => FailingRow.parse(row));
  }

  get #sql(): PushStatements {
    if (!this.#options.db.isOpen) throw new Error("The task store is closed");
    return this.#options.statements;
  }

  #heads(
    good: boolean,
    { now, count, except }: { readonly now: number; readonly count: number; readonly except: ClaimExcept },
  ): Head[] {
    const { endpoints = [], origins = [], principals = [] } = except;
    const rows = this.#sql.endpoints.heads.all({
      $good: Number(good),
      $now: now,
      $endpoints: JSON.stringify(endpoints.map(({ principal, origin }) => [principal, origin])),
      $origins: JSON.stringify(origins),
      $principals: JSON.stringify(principals),
      $limit: count,
    });
    return rows.map((row) => EndpointRow.parse(row));
  }

  /** Claims the first lane of an endpoint that is due. */
  #take({ principal, origin, good, ...health }: Head, now: number, claimed: NotificationRecord[]): void {
    const { outbox, endpoints } = this.#sql;
    const lane = LaneRow.optional().parse(outbox.lane.get(principal, origin, now));
    if (lane) {
      const { key, attempts, ...config } = lane;
      const first = PendingRow.optional().parse(outbox.first.get(key));
      if (first) {
        outbox.claim.run(key);
        claimed.push({ ...first, attempts, config, endpoint: { ...health, isGood: good === 1 } });
      } else {
        // The config was made anew while its last notification was on its way.
        outbox.rest.run(key);
      }
    }
    endpoints.refresh.run(principal, origin);
  }

  /** The lane is undefined where the config was deleted while its notification was on its way. */
  async #settle(
    { id, config }: NotificationRecord,
    now: number,
    settle: (lane: number | undefined) => void,
  ): Promise<void> {
    const { outbox, endpoints } = this.#sql;
    await this.#options.queue.write(() => {
      const lane = LaneKeyRow.optional().parse(outbox.configOf.get(id))?.config;
      settle(lane);
      // Its config may be for another origin by now.
      if (lane !== undefined) endpoints.joinLane.run(lane, now);
      endpoints.refresh.run(config.principal, config.origin);
    });
  }

  #fail({ principal, origin }: EndpointName, failure: EndpointFailure, now: number): void {
    const { reason, blockedUntil, isOff } = failure;
    const { refused, silent } = this.#sql.endpoints;
    if (blockedUntil === undefined) refused.run(principal, origin, now, reason, Number(isOff));
    else silent.run(principal, origin, now, reason, Number(isOff), blockedUntil);
  }
}

type Head = z.output<typeof EndpointRow>;
