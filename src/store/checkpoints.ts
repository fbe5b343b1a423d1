/**
 * Moves the write-ahead log into the database (a checkpoint) so that the process waits for the disk as little as need
 * be. SQLite syncs the log before it copies it, which takes most of the time; done beforehand, in the background, it
 * leaves SQLite next to nothing to sync.
 */
import { open, type FileHandle } from "node:fs/promises";
import type { DatabaseSync, StatementSync } from "node:sqlite";

/**
 * Writes after which a checkpoint is due; that of a task makes about five pages of 4 KiB in the log. Few, since everybody
 * waits while it moves what has come together.
 */
const WRITES = 50;

/** The least time between two, ms: each has a price of its own, and under load more comes together for it. */
const INTERVAL = 100;

/**
 * Pages of 4 KiB after which SQLite makes a checkpoint by itself, within a commit: where the disk does not keep up, or
 * writes are large.
 */
export const MAX_LOG_PAGES = 8000;

export interface CheckpointOptions {
  readonly db: DatabaseSync;
  /** Of the database, which is no `:memory:`. */
  readonly path: string;
  /** Hears of checkpoints that failed; the log keeps what they did not move. */
  readonly onError: (error: unknown) => void;
}

export class Checkpoints {
  readonly #options: CheckpointOptions;
  readonly #checkpoint: StatementSync;
  #log: FileHandle | undefined;
  /** Since the last checkpoint. */
  #writes = 0;
  /** When the last one ended, on the monotonic clock, ms. */
  #endedAt = 0;
  #phase: "idle" | "syncing" | "due" = "idle";

  constructor(options: CheckpointOptions) {
    this.#options = options;
    this.#checkpoint = options.db.prepare("PRAGMA wal_checkpoint(PASSIVE)");
  }

  /** A transaction of so many writes has been committed. */
  committed(writes: number): void {
    this.#writes += writes;
    if (this.#writes < WRITES || this.#phase !== "idle") return;
    if (performance.now() - this.#endedAt >= INTERVAL) void this.#sync();
  }

  /** Makes the checkpoint that is due; for whoever knows that there is no transaction just now. */
  between(): void {
    const { db, onError } = this.#options;
    if (this.#phase !== "due" || !db.isOpen || db.isTransaction) return;
    this.#phase = "idle";
    this.#writes = 0;
    try {
      this.#checkpoint.get();
    } catch (error) {
      onError(error);
    }
    this.#endedAt = performance.now();
  }

  async close(): Promise<void> {
    await this.#log?.close();
  }

  async #sync(): Promise<void> {
    const { db, path } = this.#options;
    this.#phase = "syncing";
    try {
      this.#log ??= await open(`${path}-wal`, "r");
      await this.#log.datasync();
    } catch {
      // The checkpoint syncs the log itself, and says what is wrong with the disk.
    }
    this.#phase = "due";
    if (db.isOpen) this.between();
    else await this.close();
  }
}
