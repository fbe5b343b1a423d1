/** The statements of push configs and the outbox, prepared once, and what their rows mean. */
import type { DatabaseSync } from "node:sqlite";
import { z } from "zod";

const CONFIG_COLUMNS = `agent, task_id AS taskId, id, principal, origin, dialect, json, created_at AS createdAt`;

/** A column that may be null. */
const optional = <T extends z.ZodType>(value: T) => value.nullable().transform((given) => given ?? undefined);
const optionalTime = optional(z.number());

const CONFIG_FIELDS = {
  agent: z.string(),
  taskId: z.string(),
  id: z.string(),
  principal: z.string(),
  origin: z.string(),
  dialect: optional(z.string()),
  json: z.string(),
  createdAt: z.number(),
};

export const ConfigRow = z.object(CONFIG_FIELDS);
export const LaneRow = z.object({ ...CONFIG_FIELDS, key: z.number(), attempts: z.number() });
export const PendingRow = z.object({ id: z.string(), queuedAt: z.number(), json: z.string() });
export const CountRow = z.object({ count: z.number() });
export const DueRow = z.object({ dueAt: z.number().nullable() });
export const LaneKeyRow = z.object({ config: z.number() });
export const ExpiredRow = z.object({
  id: z.string(),
  config: z.number(),
  agent: z.string(),
  taskId: z.string(),
  why: z.string(),
});
export const EndpointRow = z.object({
  principal: z.string(),
  origin: z.string(),
  good: z.number(),
  failures: z.number(),
  failingSince: optionalTime,
  offAt: optionalTime,
});
export const FailingRow = z.object({
  principal: z.string(),
  origin: z.string(),
  failingSince: z.number(),
  offAt: optionalTime,
  reason: z.string(),
});
export const LetterRow = z.object({
  id: z.string(),
  agent: z.string(),
  taskId: z.string(),
  configId: z.string(),
  origin: z.string(),
  queuedAt: z.number(),
  deadAt: z.number(),
  reason: z.string(),
});

const KEY_OF = "(SELECT key FROM push_configs WHERE agent = ?1 AND task_id = ?2 AND id = ?3)";
const FIRST_OF = (column: string): string =>
  `(SELECT ${column} FROM notifications WHERE config = push_configs.key AND dead_at IS NULL ORDER BY key LIMIT 1)`;

/** Those of one config, by agent, task and id. */
const prepareConfigs = (db: DatabaseSync) => ({
  putConfig: db.prepare(`
    INSERT INTO push_configs (agent, task_id, id, principal, origin, dialect, json, created_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (agent, task_id, id) DO UPDATE SET principal = excluded.principal, origin = excluded.origin,
      dialect = excluded.dialect, json = excluded.json, created_at = excluded.created_at, attempts = 0,
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
  lane: db.prepare(`
    SELECT key, ${CONFIG_COLUMNS}, attempts FROM push_configs
    WHERE principal = ? AND origin = ? AND due_at <= ? AND due_at IS NOT NULL AND claimed = 0
    ORDER BY due_at LIMIT 1`),
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
  // The dead letters of a task's lanes beyond the limit.
  trim: db.prepare(`
    DELETE FROM notifications WHERE key IN (
      SELECT older.key FROM push_configs JOIN notifications AS older ON older.config = push_configs.key
      WHERE agent = ?1 AND task_id = ?2 AND older.dead_at IS NOT NULL
        AND older.key <= (SELECT newer.key FROM notifications AS newer
          WHERE newer.config = push_configs.key AND newer.dead_at IS NOT NULL
          ORDER BY newer.key DESC LIMIT 1 OFFSET ?3))`),
  waiting: db.prepare(`
    SELECT key, ${CONFIG_COLUMNS}, attempts FROM push_configs
    WHERE principal = ? AND origin = ? AND due_at IS NOT NULL AND claimed = 0 ORDER BY due_at LIMIT ?`),
  buryLane: db.prepare(
    "UPDATE notifications SET dead_at = ?, reason = ? WHERE config = ? AND dead_at IS NULL",
  ),
  // What is on its way is not given up.
  expired: db.prepare(`
    SELECT notifications.id, push_configs.key AS config, agent, task_id AS taskId, why FROM notifications
    JOIN push_configs ON push_configs.key = notifications.config
    JOIN (SELECT principal AS p, origin AS o, reason AS why FROM push_endpoints
      WHERE failing_since IS NOT NULL AND failed_at >= ?2) ON p = principal AND o = origin
    WHERE dead_at IS NULL AND queued_at <= ?1 AND claimed = 0 ORDER BY queued_at LIMIT ?3`),
});

/** Endpoints that are due, and good or not: of each principal the one that has waited longest. */
const heads = (db: DatabaseSync) =>
  db.prepare(`
    WITH RECURSIVE principals (name) AS (
      SELECT min(principal) FROM push_endpoints WHERE good = $good AND due_at IS NOT NULL
      UNION ALL
      SELECT (SELECT min(principal) FROM push_endpoints
        WHERE good = $good AND due_at IS NOT NULL AND principal > name) FROM principals WHERE name IS NOT NULL)
    SELECT principal, origin, good, failures, failing_since AS failingSince, off_at AS offAt
    FROM principals JOIN push_endpoints ON key = (
      SELECT key FROM push_endpoints WHERE good = $good AND principal = name AND due_at <= $now AND due_at IS NOT NULL
        AND origin NOT IN (SELECT value ->> 1 FROM json_each($endpoints) WHERE value ->> 0 = name)
        AND origin NOT IN (SELECT value FROM json_each($origins))
      ORDER BY due_at LIMIT 1)
    WHERE name NOT IN (SELECT value FROM json_each($principals)) ORDER BY due_at LIMIT $limit`);

/** `due_at` from the lanes, and not before the endpoint may be tried again. */
const JOIN_QUEUE = `ON CONFLICT (principal, origin) DO UPDATE SET used_at = excluded.used_at,
  due_at = max(blocked_until, min(ifnull(due_at, excluded.due_at), excluded.due_at))`;

const prepareEndpoints = (db: DatabaseSync) => ({
  heads: heads(db),
  /** The lanes of a task wait. */
  joinTask: db.prepare(`
    INSERT INTO push_endpoints (principal, origin, used_at, due_at)
    SELECT principal, origin, ?3, min(due_at) FROM push_configs
    WHERE agent = ?1 AND task_id = ?2 AND due_at IS NOT NULL AND claimed = 0 GROUP BY principal, origin ${JOIN_QUEUE}`),
  /** A lane waits. */
  joinLane: db.prepare(`
    INSERT INTO push_endpoints (principal, origin, used_at, due_at)
    SELECT principal, origin, ?2, due_at FROM push_configs
    WHERE key = ?1 AND due_at IS NOT NULL AND claimed = 0 ${JOIN_QUEUE}`),
  /** Those of lanes that were claimed, when nobody has them any more. */
  joinClaimed: db.prepare(`
    INSERT INTO push_endpoints (principal, origin, used_at, due_at)
    SELECT principal, origin, min(due_at), min(due_at) FROM push_configs
    WHERE claimed = 1 AND due_at IS NOT NULL GROUP BY principal, origin ${JOIN_QUEUE}`),
  refresh: db.prepare(`
    UPDATE push_endpoints SET due_at = (
      SELECT max(push_endpoints.blocked_until, lanes.due_at) FROM push_configs AS lanes
      WHERE lanes.principal = ?1 AND lanes.origin = ?2 AND lanes.due_at IS NOT NULL AND lanes.claimed = 0
      ORDER BY lanes.due_at LIMIT 1)
    WHERE principal = ?1 AND origin = ?2`),
  succeeded: db.prepare(`
    UPDATE push_endpoints SET good = 1, failures = 0, failing_since = NULL, failed_at = NULL, blocked_until = 0,
      off_at = NULL, reason = NULL, used_at = ?3 WHERE principal = ?1 AND origin = ?2`),
  /** It has answered, though not as it should. */
  refused: db.prepare(`
    UPDATE push_endpoints SET failures = 0, blocked_until = 0, failing_since = ifnull(failing_since, ?3),
      failed_at = ?3, reason = ?4, off_at = iif(?5, ifnull(off_at, ?3), NULL) WHERE principal = ?1 AND origin = ?2`),
  silent: db.prepare(`
    UPDATE push_endpoints SET good = 0, failures = failures + 1, blocked_until = ?6,
      failing_since = ifnull(failing_since, ?3), failed_at = ?3, reason = ?4, off_at = iif(?5, ifnull(off_at, ?3), NULL)
    WHERE principal = ?1 AND origin = ?2`),
  unblock: db.prepare(`
    UPDATE push_endpoints SET blocked_until = 0 WHERE (principal, origin) =
      (SELECT principal, origin FROM push_configs WHERE key = ?)`),
  unblockAll: db.prepare(`
    UPDATE push_endpoints SET blocked_until = 0, due_at = iif(due_at IS NULL, NULL, 0) WHERE failing_since IS NOT NULL`),
  nextDue: db.prepare(
    "SELECT min(due_at) AS dueAt FROM push_endpoints WHERE due_at > ? AND due_at IS NOT NULL",
  ),
  failing: db.prepare(`
    SELECT principal, origin, failing_since AS failingSince, off_at AS offAt, reason FROM push_endpoints
    WHERE failing_since IS NOT NULL ORDER BY failing_since LIMIT ?`),
  forget: db.prepare(`
    DELETE FROM push_endpoints WHERE key IN (
      SELECT key FROM push_endpoints WHERE due_at IS NULL AND used_at < ? LIMIT ?)`),
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
  endpoints: prepareEndpoints(db),
  letters: prepareLetters(db),
});

export type PushStatements = ReturnType<typeof preparePush>;
