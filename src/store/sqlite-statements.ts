/** The statements of the SQLite store, prepared once, and what its rows mean. */
import type { DatabaseSync } from "node:sqlite";
import { z } from "zod";
import { TASK_STATES } from "../protocol/states.ts";
import { prepareList } from "./sqlite-list.ts";

const TASK_COLUMNS = `agent, id, principal, context_id AS contextId, vendor_task_id AS vendorTaskId,
  vendor_context_id AS vendorContextId, callback, state, last_event AS lastEvent, created_at AS createdAt,
  updated_at AS updatedAt, json`;

const optionalText = z
  .string()
  .nullable()
  .transform((text) => text ?? undefined);

/** A row of TASK_COLUMNS to a TaskRecord. */
export const TaskRow = z.object({
  agent: z.string(),
  id: z.string(),
  principal: z.string(),
  contextId: z.string(),
  vendorTaskId: optionalText,
  vendorContextId: optionalText,
  callback: optionalText,
  state: z.enum(TASK_STATES),
  lastEvent: z.number(),
  createdAt: z.number(),
  updatedAt: z.number(),
  json: z.string(),
});

export const ContextRow = z.object({
  agent: z.string(),
  principal: z.string(),
  contextId: z.string(),
  vendorContextId: z.string(),
  updatedAt: z.number(),
});

export const OwnerRow = z.object({ principal: z.string().nullable() });

export const SizeRow = z.object({ size: z.number() });
export const CountRow = z.object({ count: z.number() });

export const SweptTaskRow = z.object({ key: z.number(), agent: z.string(), id: z.string() });

export const SweptContextRow = z.object({ key: z.number(), updatedAt: z.number() });

export type Statements = ReturnType<typeof prepareStatements>;

export function prepareStatements(db: DatabaseSync) {
  return {
    // Updates in place rather than replacing, which would give the row a new key.
    putTask: db.prepare(`
      INSERT INTO tasks (agent, id, principal, context_id, vendor_task_id, vendor_context_id, callback, state,
        finished, last_event, created_at, updated_at, json)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (agent, id) DO UPDATE SET principal = excluded.principal, context_id = excluded.context_id,
        vendor_task_id = excluded.vendor_task_id, vendor_context_id = excluded.vendor_context_id,
        callback = excluded.callback, state = excluded.state, finished = excluded.finished, last_event = excluded.last_event,
        created_at = excluded.created_at, updated_at = excluded.updated_at, json = excluded.json`),
    getTask: db.prepare(`SELECT ${TASK_COLUMNS} FROM tasks WHERE agent = ? AND id = ?`),
    // Of those under another name than the vendor's the newest; else the one that has the vendor's id as its own.
    getTaskByVendorId: db.prepare(`
      SELECT * FROM (
        SELECT ${TASK_COLUMNS} FROM tasks WHERE agent = ?1 AND vendor_task_id = ?2 AND vendor_task_id <> id
        ORDER BY key DESC LIMIT 1)
      UNION ALL
      SELECT ${TASK_COLUMNS} FROM tasks WHERE agent = ?1 AND id = ?2
      LIMIT 1`),
    unfinishedTasks: db.prepare(
      `SELECT ${TASK_COLUMNS} FROM tasks WHERE finished = 0 ORDER BY created_at, key`,
    ),
    // Whoever used it first. Mostly nobody did, or one alone, and then the index tells by its first and its last entry.
    contextOwner: db.prepare(`
      SELECT CASE
        WHEN EXISTS (SELECT 1 FROM tasks WHERE agent = ?1 AND context_id = ?2) THEN (
          SELECT CASE WHEN first = last THEN first ELSE (
              SELECT principal FROM tasks WHERE agent = ?1 AND context_id = ?2 ORDER BY key LIMIT 1) END
            FROM (SELECT
              (SELECT min(principal) FROM tasks WHERE agent = ?1 AND context_id = ?2) AS first,
              (SELECT max(principal) FROM tasks WHERE agent = ?1 AND context_id = ?2) AS last))
        ELSE coalesce(
          (SELECT principal FROM contexts WHERE agent = ?1 AND context_id = ?2 ORDER BY key LIMIT 1),
          (SELECT principal FROM contexts WHERE agent = ?1 AND vendor_context_id = ?2 ORDER BY key LIMIT 1))
        END AS principal`),
    // A row that was written before a transaction was lost is written again.
    putEvents: db.prepare(`
      INSERT INTO events (agent, task_id, sequence, json) VALUES (?, ?, ?, ?)
      ON CONFLICT (agent, task_id, sequence) DO UPDATE SET json = excluded.json`),
    eventsAfter: db.prepare(`
      SELECT sequence, json FROM events WHERE agent = ? AND task_id = ? AND sequence > ? ORDER BY sequence`),
    // By its length alone, which does not read the text.
    logSize: db.prepare(`
      SELECT coalesce(sum(octet_length(json)), 0) AS size FROM events WHERE agent = ? AND task_id = ?`),
    dropEvents: db.prepare("DELETE FROM events WHERE agent = ? AND task_id = ? AND sequence <= ?"),
    putContext: db.prepare(`
      INSERT INTO contexts (agent, principal, context_id, vendor_context_id, updated_at) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (agent, context_id, principal) DO UPDATE SET vendor_context_id = excluded.vendor_context_id,
        updated_at = excluded.updated_at`),
    getContext: db.prepare(`
      SELECT agent, principal, context_id AS contextId, vendor_context_id AS vendorContextId,
        updated_at AS updatedAt
      FROM contexts WHERE agent = ? AND principal = ? AND context_id = ?`),
    ...prepareList(db, TASK_COLUMNS),
    ...prepareSweep(db),
  };
}

/** Every one takes a limit or a single row. */
const prepareSweep = (db: DatabaseSync) => ({
  // A task whose webhooks have not been told yet is kept; how long that may take is bounded.
  oldTasks: db.prepare(`
    SELECT key, agent, id FROM tasks WHERE finished = 1 AND updated_at < ? AND NOT EXISTS (
      SELECT 1 FROM push_configs WHERE push_configs.agent = tasks.agent AND push_configs.task_id = tasks.id
        AND due_at IS NOT NULL)
    ORDER BY updated_at LIMIT ?`),
  deleteTask: db.prepare("DELETE FROM tasks WHERE key = ?"),
  deleteNotificationsOf: db.prepare(`
    DELETE FROM notifications WHERE config IN (SELECT key FROM push_configs WHERE agent = ? AND task_id = ?)`),
  deletePushConfigsOf: db.prepare("DELETE FROM push_configs WHERE agent = ? AND task_id = ?"),
  deleteEvents: db.prepare(`
    DELETE FROM events WHERE agent = ?1 AND task_id = ?2 AND sequence IN (
      SELECT sequence FROM events WHERE agent = ?1 AND task_id = ?2 ORDER BY sequence LIMIT ?3)`),
  oldContexts: db.prepare(`
    SELECT key, updated_at AS updatedAt FROM contexts WHERE updated_at < ?1 AND (updated_at, key) > (?2, ?3)
    ORDER BY updated_at, key LIMIT ?4`),
  deleteUnusedContext: db.prepare(`
    DELETE FROM contexts WHERE key = ? AND NOT EXISTS (
      SELECT 1 FROM tasks WHERE tasks.agent = contexts.agent AND tasks.context_id = contexts.context_id)`),
});
