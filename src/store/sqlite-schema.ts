/**
 * The tables of the SQLite store, as migrations: a file says with `user_version` how many of them it has had, and
 * opening it applies the rest. A migration that was released is never edited; a change is a new one at the end.
 */
import type { DatabaseSync } from "node:sqlite";
import { LIST_INDEXES } from "./sqlite-list.ts";

/** "a2ap": tells our files from another program's. */
const APPLICATION_ID = 0x61_32_61_70;

/**
 * `finished` is `state` reduced to what queries ask: the task is terminal or interrupted. As a column of its own it
 * lets two partial indexes hold the few running tasks, and those a sweep may take, whatever states there will be.
 * Tasks and contexts keep the order in which they were made in `key`: the first to use a context owns it.
 * Documents are in no index, so that a lookup reads a few small pages, however many rows there are.
 */
const TABLES = `
  CREATE TABLE tasks (
    key INTEGER PRIMARY KEY,
    agent TEXT NOT NULL,
    id TEXT NOT NULL,
    principal TEXT NOT NULL,
    context_id TEXT NOT NULL,
    vendor_task_id TEXT,
    vendor_context_id TEXT,
    state TEXT NOT NULL,
    finished INTEGER NOT NULL,
    last_event INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    json TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX tasks_by_id ON tasks (agent, id);
  CREATE INDEX tasks_by_vendor_id ON tasks (agent, vendor_task_id) WHERE vendor_task_id IS NOT NULL;
  CREATE INDEX tasks_by_context ON tasks (agent, context_id);
  CREATE INDEX tasks_unfinished ON tasks (created_at) WHERE finished = 0;
  CREATE INDEX tasks_finished ON tasks (updated_at) WHERE finished = 1;

  CREATE TABLE events (
    agent TEXT NOT NULL,
    task_id TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    json TEXT NOT NULL,
    PRIMARY KEY (agent, task_id, sequence)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE contexts (
    key INTEGER PRIMARY KEY,
    agent TEXT NOT NULL,
    principal TEXT NOT NULL,
    context_id TEXT NOT NULL,
    vendor_context_id TEXT NOT NULL,
    updated_at INTEGER NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX contexts_by_id ON contexts (agent, context_id, principal);
  CREATE INDEX contexts_by_age ON contexts (updated_at);
`;

/**
 * `due_at` is when the config's first pending notification is to be sent, null where it has none; `attempts` are
 * those of that notification. Keeping both here makes a config a lane: there is one thing to claim, so order needs no
 * sorting and a lane's length costs nothing.
 */
const PUSH_TABLES = `
  CREATE TABLE push_configs (
    key INTEGER PRIMARY KEY,
    agent TEXT NOT NULL,
    task_id TEXT NOT NULL,
    id TEXT NOT NULL,
    principal TEXT NOT NULL,
    origin TEXT NOT NULL,
    json TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    claimed INTEGER NOT NULL DEFAULT 0,
    due_at INTEGER
  ) STRICT;
  CREATE UNIQUE INDEX push_configs_by_id ON push_configs (agent, task_id, id);
  CREATE INDEX push_configs_due ON push_configs (due_at, origin) WHERE due_at IS NOT NULL AND claimed = 0;
  CREATE INDEX push_configs_claimed ON push_configs (claimed) WHERE claimed = 1;

  CREATE TABLE notifications (
    key INTEGER PRIMARY KEY,
    config INTEGER NOT NULL,
    id TEXT NOT NULL,
    queued_at INTEGER NOT NULL,
    dead_at INTEGER,
    reason TEXT,
    json TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX notifications_by_id ON notifications (id);
  CREATE INDEX notifications_by_config ON notifications (config, key);
  CREATE INDEX notifications_pending ON notifications (config, key) WHERE dead_at IS NULL;
  CREATE INDEX notifications_dead ON notifications (dead_at) WHERE dead_at IS NOT NULL;
`;

/** A vendor's own id of a context belongs to whoever has the context. */
const VENDOR_CONTEXT_INDEX = "CREATE INDEX contexts_by_vendor_id ON contexts (agent, vendor_context_id);";

/** Where a vendor calls while it works on the task: digests only. */
const CALLBACK_COLUMN = "ALTER TABLE tasks ADD COLUMN callback TEXT;";

/**
 * Every index over ids, which have no order, has each task dirty another page. So a vendor's id is in one only where
 * it is not the task's own, and one index tells whose a context is and lists its tasks.
 */
const FEWER_INDEXES = `
  DROP INDEX tasks_by_vendor_id;
  CREATE INDEX tasks_by_vendor_id ON tasks (agent, vendor_task_id) WHERE vendor_task_id <> id;
  DROP INDEX tasks_by_context;
  DROP INDEX tasks_by_context_and_age;
  CREATE INDEX tasks_by_context ON tasks (agent, context_id, principal, updated_at, id, state);
`;

/**
 * An endpoint is what one principal has of webhooks at one origin, and the queue that its configs share: so that one that
 * hangs is known as such, and passed over by one entry of an index, whatever waits for it. `due_at` may be too early,
 * never too late; null where nothing waits. `good`: the last attempt arrived. `failures`: attempts in a row without an
 * answer, after which nothing is tried until `blocked_until`; `failing_since`: the first attempt since the last that arrived.
 */
const ENDPOINTS = `
  CREATE TABLE push_endpoints (
    key INTEGER PRIMARY KEY,
    principal TEXT NOT NULL,
    origin TEXT NOT NULL,
    good INTEGER NOT NULL DEFAULT 0,
    failures INTEGER NOT NULL DEFAULT 0,
    failing_since INTEGER,
    failed_at INTEGER,
    blocked_until INTEGER NOT NULL DEFAULT 0,
    off_at INTEGER,
    reason TEXT,
    used_at INTEGER NOT NULL,
    due_at INTEGER
  ) STRICT;
  CREATE UNIQUE INDEX push_endpoints_by_name ON push_endpoints (principal, origin);
  CREATE INDEX push_endpoints_due ON push_endpoints (good, principal, due_at) WHERE due_at IS NOT NULL;
  CREATE INDEX push_endpoints_next ON push_endpoints (due_at) WHERE due_at IS NOT NULL;
  CREATE INDEX push_endpoints_idle ON push_endpoints (used_at) WHERE due_at IS NULL;
  CREATE INDEX push_endpoints_failing ON push_endpoints (failing_since) WHERE failing_since IS NOT NULL;
  DROP INDEX push_configs_due;
  CREATE INDEX push_configs_due ON push_configs (principal, origin, due_at) WHERE due_at IS NOT NULL AND claimed = 0;
  CREATE INDEX notifications_by_age ON notifications (queued_at) WHERE dead_at IS NULL;
  INSERT INTO push_endpoints (principal, origin, used_at, due_at)
    SELECT principal, origin, max(due_at), min(due_at) FROM push_configs WHERE due_at IS NOT NULL
    GROUP BY principal, origin;
`;

/** Null: 0.3.0, which all were made in before. */
const PUSH_DIALECT = "ALTER TABLE push_configs ADD COLUMN dialect TEXT;";

export const MIGRATIONS: readonly string[] = [
  TABLES,
  PUSH_TABLES,
  LIST_INDEXES,
  VENDOR_CONTEXT_INDEX,
  CALLBACK_COLUMN,
  FEWER_INDEXES,
  ENDPOINTS,
  PUSH_DIALECT,
];

/**
 * Brings the database to the newest schema, all of it or, when a step fails, none. Throws for a file of another
 * program and for one that a newer release of this one has written.
 */
export function migrate(db: DatabaseSync, migrations: readonly string[] = MIGRATIONS): void {
  // Taken even when there is nothing to do: a file that cannot be written is better found now than at the first task.
  db.exec("BEGIN IMMEDIATE");
  try {
    for (const step of migrations.slice(versionOf(db, migrations))) db.exec(step);
    db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${migrations.length}; COMMIT`);
  } catch (error) {
    if (db.isTransaction) db.exec("ROLLBACK");
    throw error;
  }
}

/**
 * Throws for the database of another program, and for one that a newer release of this one has written.
 * @param exactly throws as well where migrations are missing
 */
export function requireOurs(db: DatabaseSync, exactly = false): void {
  const version = versionOf(db, MIGRATIONS);
  if (exactly && version < MIGRATIONS.length) {
    throw new Error("it is of an older release; start the proxy of this release first, which converts it");
  }
}

/** How many migrations the file has had; throws where that cannot be. */
function versionOf(db: DatabaseSync, migrations: readonly string[]): number {
  const owner = numberOf(db, "SELECT application_id AS value FROM pragma_application_id");
  const tables = numberOf(db, "SELECT count(*) AS value FROM sqlite_schema");
  if (owner !== APPLICATION_ID && (owner !== 0 || tables > 0)) {
    throw new Error("it is the database of another program");
  }
  const version = numberOf(db, "SELECT user_version AS value FROM pragma_user_version");
  if (version > migrations.length) {
    throw new Error(
      `its schema is version ${version}, newer than the version ${migrations.length} this release knows`,
    );
  }
  return version;
}

const numberOf = (db: DatabaseSync, sql: string): number => Number(db.prepare(sql).get()?.["value"]);
