/**
 * The task store in one SQLite file.
 *
 * The file belongs to one process at a time. Two gateways over one file would each take the other's running tasks
 * for the remains of a crash, so the file is locked for as long as it is open, and a second process is refused with
 * a clear message. The lock goes with its process, however that ends.
 */
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { z } from "zod";
import { isFinal } from "../protocol/states.ts";
import { pageOf } from "./sqlite-list.ts";
import { SqlitePush } from "./sqlite-push.ts";
import { EventLog } from "./event-log.ts";
import { migrate } from "./sqlite-schema.ts";
import type { Statements } from "./sqlite-statements.ts";
import { ContextRow, OwnerRow, prepareStatements, TaskRow } from "./sqlite-statements.ts";
import { sweepContexts, sweepTasks } from "./sqlite-sweep.ts";
import type { ContextRecord, StoredEvent, TaskKey, TaskQuery, TaskRecord, TaskStore } from "./store.ts";
import { Checkpoints, MAX_LOG_PAGES } from "./checkpoints.ts";
import { WriteQueue } from "./write-queue.ts";

/** How long opening waits for the process before us to let go of the file, ms. It blocks, so not long. */
const LOCK_TIMEOUT = 1000;

/** What the write-ahead log is cut back to after a burst, bytes. */
const WAL_SIZE = 64 * 1024 * 1024;

export interface SqliteStoreOptions {
  /** A file, made with its folders where there is none; or `:memory:`. */
  readonly path: string;
  /** What a resolved write survives: `normal` a crash of the process, `full` also one of the machine. */
  readonly synchronous: "normal" | "full";
  /** The longest an appended event stays uncommitted, ms; 25 by default. */
  readonly flushInterval?: number | undefined;
  /** Notifications that may wait for one webhook of a task, and dead letters of it; 100 by default. */
  readonly maxPending?: number | undefined;
  /** Hears of events that could not be written, and of checkpoints that failed; a process warning by default. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** Rejects with an Error that names the file and says what is wrong with it. */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<TaskStore> {
  const { path, synchronous, flushInterval = 25, maxPending = 100, onError = warn } = options;
  let db: DatabaseSync | undefined;
  try {
    if (path !== ":memory:") await mkdir(dirname(path), { recursive: true });
    db = new DatabaseSync(path, { timeout: LOCK_TIMEOUT });
    // Locked for good by the first access, so the WAL needs no shared-memory file. Nothing else before the check
    // that the file is ours: another program's is left as it is.
    db.exec("PRAGMA locking_mode = EXCLUSIVE");
    migrate(db);
    db.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = ${synchronous};
      PRAGMA wal_autocheckpoint = ${MAX_LOG_PAGES};
      PRAGMA journal_size_limit = ${WAL_SIZE};`);
    const checkpoints = path === ":memory:" ? undefined : new Checkpoints({ db, path, onError });
    const queue = new WriteQueue(db, checkpoints);
    const statements = prepareStatements(db);
    const log = new EventLog({ statements, queue, flushInterval, onError });
    const push = new SqlitePush(db, queue, maxPending);
    return new SqliteStore(db, { queue, statements, log, push, checkpoints });
  } catch (error) {
    db?.close();
    throw new Error(`Cannot open the task store ${path}: ${reason(error)}`, { cause: error });
  }
}

interface Parts {
  readonly queue: WriteQueue;
  readonly statements: Statements;
  readonly log: EventLog;
  readonly push: SqlitePush;
  readonly checkpoints: Checkpoints | undefined;
}

class SqliteStore implements TaskStore {
  readonly push: SqlitePush;
  readonly #db: DatabaseSync;
  readonly #queue: WriteQueue;
  readonly #statements: Statements;
  readonly #log: EventLog;
  readonly #checkpoints: Checkpoints | undefined;
  /** Stops a sweep that is under way. */
  readonly #closing = new AbortController();

  constructor(db: DatabaseSync, { queue, statements, log, push, checkpoints }: Parts) {
    this.push = push;
    this.#db = db;
    this.#queue = queue;
    this.#statements = statements;
    this.#log = log;
    this.#checkpoints = checkpoints;
  }

  get #sql(): Statements {
    this.#assertOpen();
    return this.#statements;
  }

  #assertOpen(): void {
    if (!this.#db.isOpen) throw new Error("The task store is closed");
  }

  async putTask(record: TaskRecord, { notify }: { notify: boolean } = { notify: false }): Promise<boolean> {
    const { putTask } = this.#sql;
    const put = (): unknown =>
      putTask.run(
        record.agent,
        record.id,
        record.principal,
        record.contextId,
        record.vendorTaskId ?? null,
        record.vendorContextId ?? null,
        record.callback ?? null,
        record.state,
        isFinal(record.state) ? 1 : 0,
        record.lastEvent,
        record.createdAt,
        record.updatedAt,
        record.json,
      );
    this.#log.write(record);
    let isQueued = false;
    await this.#queue.write(() => {
      isQueued = notify && this.push.hasConfigs(record);
      if (isQueued) this.#together(() => this.push.notify(record, record.json, record.updatedAt), put);
      else put();
    });
    return isQueued;
  }

  /** Within a write: all of the steps or, when one fails, none. */
  #together(...steps: readonly (() => unknown)[]): void {
    this.#db.exec("SAVEPOINT together");
    try {
      for (const step of steps) step();
      this.#db.exec("RELEASE together");
    } catch (error) {
      // After a full disk and the like the whole transaction is gone already.
      if (this.#db.isTransaction) this.#db.exec("ROLLBACK TO together; RELEASE together");
      throw error;
    }
  }

  async getTask({ agent, id }: TaskKey): Promise<TaskRecord | undefined> {
    return TaskRow.optional().parse(this.#sql.getTask.get(agent, id));
  }

  async getTaskByVendorId(agent: string, vendorTaskId: string): Promise<TaskRecord | undefined> {
    return TaskRow.optional().parse(this.#sql.getTaskByVendorId.get(agent, vendorTaskId));
  }

  async contextOwner(agent: string, contextId: string): Promise<string | undefined> {
    return OwnerRow.parse(this.#sql.contextOwner.get(agent, contextId)).principal ?? undefined;
  }

  appendEvent(key: TaskKey, event: StoredEvent): void {
    this.#assertOpen();
    this.#log.append(key, event);
  }

  async eventsAfter(key: TaskKey, after: number, limit: number): Promise<StoredEvent[]> {
    this.#assertOpen();
    return this.#log.after(key, after, limit);
  }

  async putContext(record: ContextRecord): Promise<void> {
    const { putContext } = this.#sql;
    const { agent, principal, contextId, vendorContextId, updatedAt } = record;
    await this.#queue.write(() => putContext.run(agent, principal, contextId, vendorContextId, updatedAt));
  }

  async getContext(agent: string, principal: string, contextId: string): Promise<ContextRecord | undefined> {
    return ContextRow.optional().parse(this.#sql.getContext.get(agent, principal, contextId));
  }

  async listTasks(query: TaskQuery): Promise<TaskRecord[]> {
    const records: TaskRecord[] = [];
    let length = 0;
    for (const row of pageOf(this.#sql, query)) {
      const record = TaskRow.parse(row);
      records.push(record);
      length += record.json.length;
      if (length >= query.maxLength) break;
    }
    return records;
  }

  async unfinishedTasks(): Promise<TaskRecord[]> {
    return this.#sql.unfinishedTasks.all().map((row) => TaskRow.parse(row));
  }

  async sweep(before: number): Promise<number> {
    const { signal } = this.#closing;
    this.#log.writeAll();
    const swept = await sweepTasks(this.#sql, this.#queue, before, signal);
    await sweepContexts(this.#statements, this.#queue, before, signal);
    return swept;
  }

  async flush(): Promise<void> {
    this.#log.writeAll();
    await this.#queue.flush();
  }

  async close(): Promise<void> {
    if (!this.#db.isOpen) return;
    this.#closing.abort();
    try {
      await this.flush();
    } finally {
      this.#db.close();
      await this.#checkpoints?.close();
    }
  }
}

const warn = (error: unknown): void =>
  process.emitWarning(`The task store could not write: ${reason(error)}`);

/** SQLite's primary result codes that an operator can do something about. */
const REASONS: Readonly<Record<number, string>> = {
  5: "it is in use by another process",
  8: "it cannot be written",
  11: "it is damaged",
  13: "the disk is full",
  14: "it cannot be opened as a file",
  26: "it is not an SQLite database",
};

/** Told by its fields: such errors are not always of the caller's realm, so `instanceof` would not do. */
const Failure = z.object({ message: z.string(), errcode: z.number().optional() });

function reason(error: unknown): string {
  const { data: failure } = Failure.safeParse(error);
  if (failure === undefined) return String(error);
  // The upper bits of SQLite's code only refine the primary one.
  return REASONS[(failure.errcode ?? 0) & 0xff] ?? failure.message;
}
