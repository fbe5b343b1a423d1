/** The task store in one SQLite file, which belongs to one proxy at a time. */
import { A2AError } from "../protocol/errors.ts";
import { isFinal } from "../protocol/states.ts";
import { Checkpoints } from "./checkpoints.ts";
import { EventLog } from "./event-log.ts";
import { SqliteFile, type SqliteFileOptions } from "./sqlite-file.ts";
import { reasonOf, SqliteHealth } from "./sqlite-health.ts";
import { countOf, pageOf } from "./sqlite-list.ts";
import { SqlitePush } from "./sqlite-push.ts";
import type { Statements } from "./sqlite-statements.ts";
import { ContextRow, CountRow, OwnerRow, prepareStatements, SizeRow, TaskRow } from "./sqlite-statements.ts";
import { sweepContexts, sweepTasks } from "./sqlite-sweep.ts";
import type {
  ContextRecord,
  PutOptions,
  StoredEvent,
  TaskFilter,
  TaskKey,
  TaskQuery,
  TaskRecord,
  TaskStore,
} from "./store.ts";
import { WriteQueue } from "./write-queue.ts";

/** Characters of events that may wait to be written. */
const MAX_UNCOMMITTED = 8 * 1024 * 1024;

export interface SqliteStoreOptions extends SqliteFileOptions {
  /** The longest an appended event stays uncommitted, ms; 25 by default. */
  readonly flushInterval?: number | undefined;
  /** Between two attempts to write while that fails, ms; 1000 by default. */
  readonly retryInterval?: number | undefined;
  /** Notifications that may wait for one webhook of a task, and dead letters of it; 100 by default. */
  readonly maxPending?: number | undefined;
  /** Hears of events that can never be written, and of checkpoints that failed; a process warning by default. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Hears once of each trouble with the disk or the file; as `onError` by default. */
  readonly onTrouble?: ((error: Error) => void) | undefined;
  /** Hears once when all is well again. */
  readonly onRecovery?: (() => void) | undefined;
}

/** Rejects with an Error that names the file and says what is wrong with it. */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<TaskStore> {
  const { path, flushInterval = 25, retryInterval = 1000, maxPending = 100, onError = warn } = options;
  let file: SqliteFile | undefined;
  try {
    file = await SqliteFile.open(options);
    const { db } = file;
    const { onTrouble = onError, onRecovery } = options;
    const recovered = (): void => {
      log.writeAll();
      onRecovery?.();
    };
    const health = new SqliteHealth({ path, retryInterval, onTrouble, onRecovery: recovered });
    const onFailure = (error: unknown): void => {
      if (!health.isOutage(error)) onError(error);
    };
    const checkpoints = path === ":memory:" ? undefined : new Checkpoints({ db, path, onError: onFailure });
    const queue = new WriteQueue(db, { checkpoints, health });
    const statements = prepareStatements(db);
    const maxUncommitted = MAX_UNCOMMITTED;
    const log = new EventLog({ statements, queue, health, flushInterval, maxUncommitted, onError });
    const push = new SqlitePush(db, queue, { maxPending, beside: options.beside });
    const damage = options.beside ? undefined : file.damage();
    if (damage !== undefined) onError(new Error(`The task store ${path}: it is damaged: ${damage}`));
    await file.watch((problem) => {
      health.fileProblem = problem;
    });
    const isDurable = path !== ":memory:";
    return new SqliteStore(file, { isDurable, health, queue, statements, log, push, checkpoints });
  } catch (error) {
    file?.close();
    throw new Error(`Cannot open the task store ${path}: ${reasonOf(error)}`, { cause: error });
  }
}

interface Parts {
  readonly isDurable: boolean;
  readonly health: SqliteHealth;
  readonly queue: WriteQueue;
  readonly statements: Statements;
  readonly log: EventLog;
  readonly push: SqlitePush;
  readonly checkpoints: Checkpoints | undefined;
}

class SqliteStore implements TaskStore {
  readonly push: SqlitePush;
  readonly health: SqliteHealth;
  readonly isDurable: boolean;
  readonly #file: SqliteFile;
  readonly #queue: WriteQueue;
  readonly #statements: Statements;
  readonly #log: EventLog;
  readonly #checkpoints: Checkpoints | undefined;
  /** Stops a sweep that is under way. */
  readonly #closing = new AbortController();

  constructor(file: SqliteFile, { isDurable, health, queue, statements, log, push, checkpoints }: Parts) {
    this.isDurable = isDurable;
    this.push = push;
    this.health = health;
    health.probe = () => this.#probe();
    this.#file = file;
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
    if (!this.#file.db.isOpen) throw new Error("The task store is closed");
  }

  async putTask(record: TaskRecord, options: PutOptions = { notify: false }): Promise<boolean> {
    const { notify, pushConfig } = options;
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
    let isQueued = false;
    let logged = (): void => undefined;
    // Together with the events that led to it: a log that has the end of a task has a record of it.
    await this.#queue.write(() => {
      logged = this.#log.put(record);
      isQueued = notify && (pushConfig !== undefined || this.push.hasConfigs(record));
      const steps = [put];
      if (isQueued) steps.unshift(() => this.push.notify(record, record.json, record.updatedAt));
      if (pushConfig) steps.unshift(() => this.push.keep(pushConfig.config, pushConfig.limit));
      if (steps.length > 1) this.#together(...steps);
      else put();
    });
    logged();
    return isQueued;
  }

  /** Within a write: all of the steps or, when one fails, none. */
  #together(...steps: readonly (() => unknown)[]): void {
    const { db } = this.#file;
    db.exec("SAVEPOINT together");
    try {
      for (const step of steps) step();
      db.exec("RELEASE together");
    } catch (error) {
      // After a full disk and the like the whole transaction is gone already.
      if (db.isTransaction) db.exec("ROLLBACK TO together; RELEASE together");
      throw error;
    }
  }

  async getTask({ agent, id }: TaskKey): Promise<TaskRecord | undefined> {
    return this.#read((sql) => TaskRow.optional().parse(sql.getTask.get(agent, id)));
  }

  async getTaskByVendorId(agent: string, vendorTaskId: string): Promise<TaskRecord | undefined> {
    return this.#read((sql) => TaskRow.optional().parse(sql.getTaskByVendorId.get(agent, vendorTaskId)));
  }

  async contextOwner(agent: string, contextId: string): Promise<string | undefined> {
    return this.#read((sql) => OwnerRow.parse(sql.contextOwner.get(agent, contextId)).principal ?? undefined);
  }

  appendEvent(key: TaskKey, event: StoredEvent): void {
    this.#assertOpen();
    this.#log.append(key, event);
  }

  async eventsAfter(key: TaskKey, after: number, limit: number): Promise<StoredEvent[]> {
    return this.#read(() => this.#log.after(key, after, limit));
  }

  async logSize({ agent, id }: TaskKey): Promise<number> {
    return this.#read((sql) => SizeRow.parse(sql.logSize.get(agent, id)).size);
  }

  async dropEvents({ agent, id }: TaskKey, upTo: number): Promise<void> {
    const { dropEvents } = this.#sql;
    await this.#queue.write(() => dropEvents.run(agent, id, upTo));
  }

  room(): Promise<void> | undefined {
    return this.#log.room();
  }

  async putContext(record: ContextRecord): Promise<void> {
    const { putContext } = this.#sql;
    const { agent, principal, contextId, vendorContextId, updatedAt } = record;
    await this.#queue.write(() => putContext.run(agent, principal, contextId, vendorContextId, updatedAt));
  }

  async getContext(agent: string, principal: string, contextId: string): Promise<ContextRecord | undefined> {
    return this.#read((sql) => ContextRow.optional().parse(sql.getContext.get(agent, principal, contextId)));
  }

  async listTasks(query: TaskQuery): Promise<TaskRecord[]> {
    return this.#read((sql) => {
      const records: TaskRecord[] = [];
      let length = 0;
      for (const row of pageOf(sql, query)) {
        const record = TaskRow.parse(row);
        records.push(record);
        length += record.json.length;
        if (length >= query.maxLength) break;
      }
      return records;
    });
  }

  async countTasks(filter: TaskFilter): Promise<number> {
    return this.#read((sql) => CountRow.parse(countOf(sql, filter)).count);
  }

  async unfinishedTasks(): Promise<TaskRecord[]> {
    return this.#read((sql) => sql.unfinishedTasks.all().map((row) => TaskRow.parse(row)));
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
    if (this.#log.isWaiting) throw new A2AError("store-unavailable");
  }

  async close(): Promise<void> {
    if (!this.#file.db.isOpen) return;
    this.#closing.abort();
    try {
      await this.flush();
    } finally {
      // Of whoever has written since.
      this.#queue.flush().catch(() => undefined);
      this.health.close();
      this.#file.close();
      await this.#checkpoints?.close();
    }
  }

  /** What is thrown names the file, where the disk or the file is the cause. */
  #read<T>(read: (sql: Statements) => T): T {
    const sql = this.#sql;
    try {
      return read(sql);
    } catch (error) {
      throw this.health.unreadable(error);
    }
  }

  /** Writes what waits, and something that takes room, of which nothing stays. */
  async #probe(): Promise<void> {
    if (!this.#file.db.isOpen) return;
    const { putEvents, deleteEvents } = this.#statements;
    this.#log.writeAll();
    await this.#queue.write(() => putEvents.run("", "", 1, PROBE));
    await this.#queue.write(() => deleteEvents.run("", "", 1));
  }
}

/** Takes about as much room as a task. */
const PROBE = "x".repeat(64 * 1024);

const warn = (error: unknown): void =>
  process.emitWarning(`The task store could not write: ${reasonOf(error)}`);
