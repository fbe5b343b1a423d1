/** Push configs, the outbox they fill and its dead letters in the SQLite store. */
import type { DatabaseSync } from "node:sqlite";
import type { DeadLetter, PushConfigRecord, PushStore } from "./push-store.ts";
import { SqliteOutbox } from "./sqlite-outbox.ts";
import {
  ConfigRow,
  CountRow,
  LaneKeyRow,
  LetterRow,
  preparePush,
  type PushStatements,
} from "./sqlite-push-statements.ts";
import type { TaskKey } from "./store.ts";
import type { WriteQueue } from "./write-queue.ts";

/** Rows deleted in one step. */
const STEP = 200;

export class SqlitePush implements PushStore {
  readonly #db: DatabaseSync;
  readonly #queue: WriteQueue;
  readonly #statements: PushStatements;
  readonly #outbox: SqliteOutbox;
  readonly claim: PushStore["claim"] = (...args) => this.#outbox.claim(...args);
  readonly delivered: PushStore["delivered"] = (...args) => this.#outbox.delivered(...args);
  readonly retry: PushStore["retry"] = (...args) => this.#outbox.retry(...args);
  readonly bury: PushStore["bury"] = (...args) => this.#outbox.bury(...args);
  readonly buryWaiting: PushStore["buryWaiting"] = (...args) => this.#outbox.buryWaiting(...args);
  readonly expire: PushStore["expire"] = (...args) => this.#outbox.expire(...args);
  readonly nextDue: PushStore["nextDue"] = (...args) => this.#outbox.nextDue(...args);
  readonly failingEndpoints: PushStore["failingEndpoints"] = (limit) => this.#outbox.failingEndpoints(limit);

  /** @param options `maxPending` notifications may wait in one lane; `beside` a proxy that may have claimed lanes */
  constructor(
    db: DatabaseSync,
    queue: WriteQueue,
    { maxPending, beside = false }: { readonly maxPending: number; readonly beside?: boolean | undefined },
  ) {
    this.#db = db;
    this.#queue = queue;
    this.#statements = preparePush(db);
    this.#outbox = new SqliteOutbox({ db, queue, statements: this.#statements, maxPending });
    if (!beside) this.#outbox.reset();
  }

  get #sql(): PushStatements {
    if (!this.#db.isOpen) throw new Error("The task store is closed");
    return this.#statements;
  }

  /** To be called within a write: queues the Task for every config of the task. */
  notify(task: TaskKey, json: string, now: number): void {
    this.#outbox.notify(task, json, now);
  }

  async putConfig(record: PushConfigRecord, limit: number): Promise<boolean> {
    let isKept = false;
    await this.#queue.write(() => {
      isKept = this.keep(record, limit);
    });
    return isKept;
  }

  /** `putConfig` for use within a write. */
  keep(record: PushConfigRecord, limit: number): boolean {
    const { configs, endpoints } = this.#sql;
    const { agent, taskId, id, principal, origin, dialect = null, json, createdAt } = record;
    if (CountRow.parse(configs.countOthers.get(agent, taskId, id)).count >= limit) return false;
    const before = ConfigRow.optional().parse(configs.getConfig.get(agent, taskId, id));
    configs.putConfig.run(agent, taskId, id, principal, origin, dialect, json, createdAt);
    endpoints.joinTask.run(agent, taskId, createdAt);
    if (before) endpoints.refresh.run(before.principal, before.origin);
    return true;
  }

  async getConfig(task: TaskKey, id: string): Promise<PushConfigRecord | undefined> {
    return ConfigRow.optional().parse(this.#sql.configs.getConfig.get(task.agent, task.id, id));
  }

  async listConfigs({ agent, id }: TaskKey): Promise<PushConfigRecord[]> {
    return this.#sql.configs.listConfigs.all(agent, id).map((row) => ConfigRow.parse(row));
  }

  async deleteConfig({ agent, id: taskId }: TaskKey, id: string): Promise<void> {
    const { deleteNotifications, deleteConfig } = this.#sql.configs;
    await this.#queue.write(() => {
      deleteNotifications.run(agent, taskId, id);
      deleteConfig.run(agent, taskId, id);
    });
  }

  async isWatched(task: TaskKey): Promise<boolean> {
    return this.hasConfigs(task);
  }

  /** `isWatched` for use within a write. */
  hasConfigs({ agent, id }: TaskKey): boolean {
    return this.#sql.configs.isWatched.get(agent, id) !== undefined;
  }

  async deadLetters(limit: number): Promise<DeadLetter[]> {
    return this.#sql.letters.list.all(limit).map((row) => LetterRow.parse(row));
  }

  async replay(id: string, now: number): Promise<boolean> {
    const { letters, endpoints } = this.#sql;
    const lane = LaneKeyRow.optional().parse(letters.laneOf.get(id));
    if (!lane) return false;
    await this.#queue.write(() => {
      letters.replay.run(now, id);
      letters.wakeLane.run(lane.config, now);
      // Whoever replays thinks it worth an attempt.
      endpoints.unblock.run(lane.config);
      endpoints.joinLane.run(lane.config, now);
    });
    return true;
  }

  async drop(id: string): Promise<boolean> {
    const { drop } = this.#sql.letters;
    let dropped = false;
    await this.#queue.write(() => {
      dropped = drop.run(id).changes === 1;
    });
    return dropped;
  }

  async sweepDeadLetters(before: number): Promise<number> {
    const { letters, endpoints } = this.#sql;
    await this.#inSteps(() => endpoints.forget.run(before, STEP).changes);
    return this.#inSteps(() => letters.sweep.run(before, STEP).changes);
  }

  /** Deletes until less than a step is left; returns how many rows. */
  async #inSteps(step: () => number | bigint): Promise<number> {
    let all = 0;
    for (;;) {
      if (!this.#db.isOpen) return all;
      let deleted = 0;
      await this.#queue.write(() => {
        deleted = Number(step());
      });
      all += deleted;
      if (deleted < STEP) return all;
    }
  }
}
