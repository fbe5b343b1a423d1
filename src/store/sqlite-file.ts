/**
 * The database file as a file: opened with its settings, locked against a second proxy, and looked after while it is
 * open.
 *
 * Two gateways over one file would each take the other's running tasks for the remains of a crash. So a proxy holds a
 * lock beside the file for as long as it runs; the lock goes with its process, however that ends. SQLite's own exclusive mode
 * would do as well, but it would also keep out what may be there: a backup, the commands, `sqlite3`.
 */
import { realpath, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { MAX_LOG_PAGES } from "./checkpoints.ts";
import { makeDatabaseFile, makeFolderOf } from "./private-files.ts";
import { migrate, requireOurs } from "./sqlite-schema.ts";

/** How long opening waits for the process before us to let go of the file, ms. It blocks, so not long. */
const LOCK_TIMEOUT = 1000;

/** How long a write may wait for a command that is writing to the same file, ms. It blocks. */
const BUSY_TIMEOUT = 250;

/** What the write-ahead log is cut back to after a burst, bytes. */
const WAL_SIZE = 64 * 1024 * 1024;

/** What is checked when it is opened, bytes: a gigabyte takes a second where it is in memory already. */
const MAX_CHECKED = 256 * 1024 * 1024;

/** Between two looks at whether the file is still where it was, ms. */
const LOOK_INTERVAL = 2_000;

export interface SqliteFileOptions {
  /** A file, made with its folders where there is none; or `:memory:`. */
  readonly path: string;
  /** What a resolved write survives: `normal` a crash of the process, `full` also one of the machine. */
  readonly synchronous: "normal" | "full";
  /** What the file may grow to, bytes; absent: what the disk holds. */
  readonly maxSize?: number | undefined;
  /** Opened beside a proxy that may be running: without the lock, and only as that proxy has it. */
  readonly beside?: boolean | undefined;
}

export class SqliteFile {
  readonly db: DatabaseSync;
  readonly #path: string;
  #lock: DatabaseSync | undefined;
  #timer: NodeJS.Timeout | undefined;

  private constructor(path: string) {
    this.#path = path;
    this.db = new DatabaseSync(path, { timeout: LOCK_TIMEOUT });
  }

  static async open({ path, synchronous, maxSize, beside = false }: SqliteFileOptions): Promise<SqliteFile> {
    const isFile = path !== ":memory:";
    if (isFile && !beside) {
      makeFolderOf(path);
      makeDatabaseFile(path);
    }
    const file = new SqliteFile(path);
    try {
      // Nothing is written before the check that the file is ours: another program's is left as it is.
      requireOurs(file.db);
      if (isFile && !beside) file.#lock = lock(`${await realpathOf(path)}-lock`);
      if (!beside) migrate(file.db);
      else requireOurs(file.db, true);
      file.db.exec(`
        PRAGMA busy_timeout = ${BUSY_TIMEOUT};
        PRAGMA journal_mode = WAL;
        PRAGMA synchronous = ${synchronous};
        PRAGMA wal_autocheckpoint = ${MAX_LOG_PAGES};
        PRAGMA journal_size_limit = ${WAL_SIZE};`);
      if (maxSize !== undefined) file.#limitSize(maxSize);
      return file;
    } catch (error) {
      file.close();
      throw error;
    }
  }

  /** Says now and then what has become of the file, until it is closed; undefined where it is where it was. */
  async watch(onProblem: (problem: string | undefined) => void): Promise<void> {
    if (this.#path === ":memory:") return;
    const before = await stat(this.#path);
    const look = async (): Promise<void> => {
      const now = await stat(this.#path).catch(() => undefined);
      if (!this.db.isOpen) return;
      if (now === undefined) onProblem("the file is gone; what is written will be lost with this process");
      else if (now.ino !== before.ino || now.dev !== before.dev)
        onProblem("the file was replaced; what is written will be lost with this process");
      else onProblem(undefined);
    };
    this.#timer = setInterval(() => void look(), LOOK_INTERVAL).unref();
  }

  /** What is wrong with the file, as far as a look at all of its pages tells; undefined where it is too large for that. */
  damage(): string | undefined {
    const size = this.#number("page_count") * this.#number("page_size");
    if (size > MAX_CHECKED) return undefined;
    const found = this.db.prepare("PRAGMA quick_check(1)").get()?.["quick_check"];
    return found === "ok" ? undefined : String(found);
  }

  #limitSize(maxSize: number): void {
    this.db.exec(`PRAGMA max_page_count = ${Math.max(1, Math.floor(maxSize / this.#number("page_size")))}`);
  }

  #number(pragma: string): number {
    return Number(this.db.prepare(`PRAGMA ${pragma}`).get()?.[pragma]);
  }

  close(): void {
    clearInterval(this.#timer);
    if (this.db.isOpen) this.db.close();
    if (this.#lock?.isOpen) this.#lock.close();
  }
}

function lock(path: string): DatabaseSync {
  makeDatabaseFile(path);
  makeDatabaseFile(path);
  const db = new DatabaseSync(path, { timeout: LOCK_TIMEOUT });
  try {
    // An empty database; that it is locked is all there is to it.
    db.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** One place for the lock, whatever link the file is opened by. */
async function realpathOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    return join(await realpath(dirname(path)), basename(path));
  }
}
