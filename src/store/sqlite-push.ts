/** Push configs and the outbox in the SQLite store; the tables are described in sqlite-schema.ts. */
import type { DatabaseSync } from "node:sqlite";
import { z } from "zod";
import type { DeadLetter, NotificationRecord, PushConfigRecord, PushStore } from "./push-store.ts";
import type { TaskKey } from "./store.ts";
import type { WriteQueue } from "./write-queue.ts";

const CONFIG_COLUMNS = `agent, task_id AS taskId, id, principal, origin, json, created_at AS createdAt`;

const CONFIG_FIELDS = {
  agent: z.string(),
  taskId: z.string(),
  id: z.string(),
  principal: z.string(),
  origin: z.string(),
  json: z.string(),
  createdAt: z.number(),
};

const ConfigRow = z.object(CONFIG_FIELDS);
const LaneRow = z.object({ ...CONFIG_FIELDS, key: z.number(), attempts: z.number() });
const PendingRow = z.object({ id: z.string(), queuedAt: z.number(), json: z.string() });
const CountRow = z.object({ count: z.number() });
const DueRow = z.object({ dueAt: z.number().nullable() });
const LetterRow = z.object({
  id: z.string(),
  agent: z.string(),
  taskId: z.string(),
  configId: z.string(),
  origin: z.string(),
  queuedAt: z.number(),
  deadAt: z.number(),
  reason: z.string(),
});
const LaneKeyRow = z.object({ config: z.number() });

/** Dead letters deleted in one step. */
const STEP = 200;

const KEY_OF = "(SELECT key FROM push_configs WHERE agent = ?1 AND task_id = ?2 AND id = ?3)";
const FIRST_OF = (column: string): string =>
  `(SELECT ${column} FROM notifications WHERE config = push_configs.key AND dead_at IS NULL ORDER BY key LIMIT 1)`;

/** Those of one config, by agent, task and id. */
const prepareConfigs = (db: DatabaseSync) => ({
  putConfig: db.prepare(`
    INSERT INTO push_configs (agent, task_id, id, principal, origin, json, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (agent, task_id, id) DO UPDATE SET principal = excluded.principal, origin = excluded.origin,
      json = excluded.json, created_at = excluded.created_at, attempts = 0,
      due_at = min(due_at, excluded.created_at)`),
  getConfig: db.prepare(
    `SELECT ${CONFIG_COLUMNS} FROM push_configs WHERE agent = ? AND task_id = ? AND id = ?`,
  ),
  listConfigs: db.prepare(
    `SELECT ${CONFIG_COLUMNS} FROM push_configs WHERE agent = ? AND task_id = ? ORDER BY key`,
  ),
  countOthers: db.prepare(
    "SELECT count(*) AS count FROM push_configs WHERE agent = ? AND task_id = ? AND id <> ?",
  ),
  isWatched: db.prepare("SELECT 1 FROM push_configs WHERE agent = ? AND task_id = ? LIMIT 1"),
  deleteNotifications: db.prepare(`DELETE FROM notifications WHERE config = ${KEY_OF}`),
  deleteConfig: db.prepare("DELETE FROM push_configs WHERE agent = ? AND task_id = ? AND id = ?"),
});

const prepareOutbox = (db: DatabaseSync) => ({
  queue: db.prepare(`
    INSERT INTO notifications (config, id, queued_at, json)
    SELECT key, lower(hex(randomblob(16))), ?3, ?4 FROM push_configs WHERE agent = ?1 AND task_id = ?2`),
  wake: db.prepare(`
    UPDATE push_configs SET due_at = ?3, attempts = 0 WHERE agent = ?1 AND task_id = ?2 AND due_at IS NULL`),
  // What is beyond the limit gives way to what is newer. The first may be on its way just now.
  overflow: db.prepare(`
    UPDATE notifications SET dead_at = ?3, reason = 'too many were waiting' WHERE key IN (
      SELECT older.key FROM push_configs JOIN notifications AS older ON older.config = push_configs.key
      WHERE agent = ?1 AND task_id = ?2 AND older.dead_at IS NULL
        AND older.key <= (SELECT newer.key FROM notifications AS newer
          WHERE newer.config = push_configs.key AND newer.dead_at IS NULL ORDER BY newer.key DESC LIMIT 1 OFFSET ?4)
        AND (claimed = 0 OR older.key > ${FIRST_OF("key")}))`),
  due: db.prepare(`
    SELECT key, ${CONFIG_COLUMNS}, attempts FROM push_configs
    WHERE due_at <= ? AND claimed = 0 AND origin NOT IN (SELECT value FROM json_each(?)) ORDER BY due_at LIMIT ?`),
  first: db.prepare(`
    SELECT id, queued_at AS queuedAt, json FROM notifications WHERE config = ? AND dead_at IS NULL
    ORDER BY key LIMIT 1`),
  claim: db.prepare("UPDATE push_configs SET claimed = 1 WHERE key = ?"),
  rest: db.prepare("UPDATE push_configs SET due_at = NULL WHERE key = ?"),
  release: db.prepare("UPDATE push_configs SET claimed = 0 WHERE claimed = 1"),
  delivered: db.prepare("DELETE FROM notifications WHERE id = ?"),
  bury: db.prepare("UPDATE notifications SET dead_at = ?, reason = ? WHERE id = ?"),
  // By the notification, which is gone with its config: one of the same id that came after it is another lane.
  configOf: db.prepare("SELECT config FROM notifications WHERE id = ?"),
  retry: db.prepare(`
    UPDATE push_configs SET claimed = 0, due_at = ?2, attempts = attempts + 1 WHERE key = ?1`),
  next: db.prepare(`
    UPDATE push_configs SET claimed = 0, attempts = 0,
      due_at = CASE WHEN ${FIRST_OF("key")} IS NULL THEN NULL ELSE ?2 END WHERE key = ?1`),
  trim: db.prepare(`
    DELETE FROM notifications WHERE key IN (
      SELECT older.key FROM push_configs JOIN notifications AS older ON older.config = push_configs.key
      WHERE agent = ?1 AND task_id = ?2 AND older.dead_at IS NOT NULL
        AND older.key <= (SELECT newer.key FROM notifications AS newer
          WHERE newer.config = push_configs.key AND newer.dead_at IS NOT NULL
          ORDER BY newer.key DESC LIMIT 1 OFFSET ?3))`),
  nextDue: db.prepare(
    "SELECT min(due_at) AS dueAt FROM push_configs WHERE due_at IS NOT NULL AND claimed = 0",
  ),
});

const prepareLetters = (db: DatabaseSync) => ({
  list: db.prepare(`
    SELECT n.id, agent, task_id AS taskId, c.id AS configId, origin, queued_at AS queuedAt, dead_at AS deadAt, reason
    FROM notifications AS n JOIN push_configs AS c ON c.key = n.config WHERE dead_at IS NOT NULL
    ORDER BY dead_at, n.key LIMIT ?`),
  laneOf: db.prepare("SELECT config FROM notifications WHERE id = ? AND dead_at IS NOT NULL"),
  replay: db.prepare("UPDATE notifications SET dead_at = NULL, reason = NULL, queued_at = ? WHERE id = ?"),
  // A lane that is being delivered goes on with it by itself; one that waits need not any more.
  wakeLane: db.prepare("UPDATE push_configs SET due_at = ?2, attempts = 0 WHERE key = ?1 AND claimed = 0"),
  drop: db.prepare("DELETE FROM notifications WHERE id = ? AND dead_at IS NOT NULL"),
  sweep: db.prepare(`
    DELETE FROM notifications WHERE key IN (SELECT key FROM notifications WHERE dead_at < ? LIMIT ?)`),
});

/** All of them, for the test that every row is reached by an index. */
export const preparePush = (db: DatabaseSync) => ({
  configs: prepareConfigs(db),
  outbox: prepareOutbox(db),
  letters: prepareLetters(db),
});

export class SqlitePush implements PushStore {
  readonly #db: DatabaseSync;
  readonly #queue: WriteQueue;
  readonly #statements: ReturnType<typeof preparePush>;
  readonly #maxPending: number;

  /** @param options `maxPending` notifications may wait in one lane; `beside` a proxy that may have claimed lanes */
  constructor(
    db: DatabaseSync,
    queue: WriteQueue,
    { maxPending, beside = false }: { readonly maxPending: number; readonly beside?: boolean | undefined },
  ) {
    this.#db = db;
    this.#queue = queue;
    this.#statements = preparePush(db);
    this.#maxPending = maxPending;
    // Whoever had claimed a lane is gone: the file is this process's alone.
    if (!beside) this.#statements.outbox.release.run();
  }

  get #sql(): ReturnType<typeof preparePush> {
    if (!this.#db.isOpen) throw new Error("The task store is closed");
    return this.#statements;
  }

  /** To be called within a write: queues the Task for every config of the task. */
  notify({ agent, id }: TaskKey, json: string, now: number): void {
    const { queue, wake, overflow, trim } = this.#sql.outbox;
    queue.run(agent, id, now, json);
    if (overflow.run(agent, id, now, this.#maxPending).changes > 0) trim.run(agent, id, this.#maxPending);
    wake.run(agent, id, now);
  }

  async putConfig(record: PushConfigRecord, limit: number): Promise<boolean> {
    const { putConfig, countOthers } = this.#sql.configs;
    const { agent, taskId, id, principal, origin, json, createdAt } = record;
    if (CountRow.parse(countOthers.get(agent, taskId, id)).count >= limit) return false;
    await this.#queue.write(() => putConfig.run(agent, taskId, id, principal, origin, json, createdAt));
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

  async claim(now: number, limit: number, except: readonly string[]): Promise<NotificationRecord[]> {
    const { due, first, claim, rest } = this.#sql.outbox;
    const lanes = due.all(now, JSON.stringify(except), limit).map((row) => LaneRow.parse(row));
    if (lanes.length === 0) return [];
    const claimed: NotificationRecord[] = [];
    await this.#queue.write(() => {
      for (const { key, attempts, ...config } of lanes) {
        const head = PendingRow.optional().parse(first.get(key));
        // The config was made anew while its last notification was on its way.
        if (!head) {
          rest.run(key);
          continue;
        }
        claim.run(key);
        claimed.push({ ...head, attempts, config });
      }
    });
    return claimed;
  }

  async delivered({ id }: NotificationRecord, now: number): Promise<void> {
    const { delivered, next } = this.#sql.outbox;
    await this.#inLane(id, (lane) => {
      delivered.run(id);
      next.run(lane, now);
    });
  }

  async retry({ id }: NotificationRecord, at: number): Promise<void> {
    const { retry } = this.#sql.outbox;
    await this.#inLane(id, (lane) => retry.run(lane, at));
  }

  async bury({ id, config }: NotificationRecord, reason: string, now: number): Promise<void> {
    const { bury, next, trim } = this.#sql.outbox;
    await this.#inLane(id, (lane) => {
      bury.run(now, reason, id);
      trim.run(config.agent, config.taskId, this.#maxPending);
      next.run(lane, now);
    });
  }

  /** Nothing where the config was deleted while its notification was on its way. */
  async #inLane(id: string, settle: (lane: number) => unknown): Promise<void> {
    await this.#queue.write(() => {
      const lane = LaneKeyRow.optional().parse(this.#sql.outbox.configOf.get(id));
      if (lane) settle(lane.config);
    });
  }

  async nextDue(): Promise<number | undefined> {
    return DueRow.parse(this.#sql.outbox.nextDue.get()).dueAt ?? undefined;
  }

  async deadLetters(limit: number): Promise<DeadLetter[]> {
    return this.#sql.letters.list.all(limit).map((row) => LetterRow.parse(row));
  }

  async replay(id: string, now: number): Promise<boolean> {
    const { laneOf, replay, wakeLane } = this.#sql.letters;
    const lane = LaneKeyRow.optional().parse(laneOf.get(id));
    if (!lane) return false;
    await this.#queue.write(() => {
      replay.run(now, id);
      wakeLane.run(lane.config, now);
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
    let swept = 0;
    for (;;) {
      const { sweep } = this.#sql.letters;
      let deleted = 0;
      await this.#queue.write(() => {
        deleted = Number(sweep.run(before, STEP).changes);
      });
      swept += deleted;
      if (deleted < STEP) return swept;
    }
  }
}
