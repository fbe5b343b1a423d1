/**
 * Group commit. A commit costs far more than a write, so all writes of one turn of the event loop share a
 * transaction: the first write opens it, each is executed at once (which lets reads see it at once), and the promises
 * given out for them settle together when it has been committed at the end of the turn.
 */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Checkpoints } from "./checkpoints.ts";
import type { SqliteHealth } from "./sqlite-health.ts";

/** One transaction. */
interface Group {
  writes: number;
  readonly committed: PromiseWithResolvers<void>;
  readonly immediate: NodeJS.Immediate;
}

export class WriteQueue {
  readonly #db: DatabaseSync;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #checkpoints: Checkpoints | undefined;
  readonly #health: SqliteHealth | undefined;
  #group: Group | undefined;
  #lost = 0;

  /** @param parts `checkpoints` absent: left to SQLite; `health` absent: errors are SQLite's own */
  constructor(
    db: DatabaseSync,
    parts: { checkpoints?: Checkpoints | undefined; health?: SqliteHealth } = {},
  ) {
    this.#db = db;
    this.#checkpoints = parts.checkpoints;
    this.#health = parts.health;
    this.#begin = db.prepare("BEGIN IMMEDIATE");
    this.#commit = db.prepare("COMMIT");
  }

  /** Transactions that were lost so far: a write that was executed when it was another number is not there. */
  get lost(): number {
    return this.#lost;
  }

  /**
   * Executes the write and resolves when it, and everything before it, is committed. Rejects when it fails, or when
   * the transaction does; other writes are then unharmed or, respectively, rejected as well.
   */
  async write(run: () => void): Promise<void> {
    const group = (this.#group ??= this.#open());
    group.writes += 1;
    try {
      run();
    } catch (error) {
      // SQLite undoes a failed statement alone, except after a full disk and the like: then all of it is gone.
      if (!this.#db.isTransaction) this.#lose(group, error);
      throw this.#failed(error);
    }
    // While writing fails, each for itself: what finds room does not fail with what finds none.
    if (this.#health?.outage) this.#close(group);
    await group.committed.promise;
  }

  /** Commits what there is, now: nothing is left open when it returns. */
  async flush(): Promise<void> {
    const group = this.#group;
    if (group === undefined) return;
    this.#close(group);
    await group.committed.promise;
  }

  #open(): Group {
    this.#checkpoints?.between();
    try {
      this.#begin.run();
    } catch (error) {
      throw this.#failed(error);
    }
    const committed = Promise.withResolvers<void>();
    // Waiters see the rejection; a group without any must not bring the process down.
    committed.promise.catch(() => undefined);
    const group: Group = { writes: 0, committed, immediate: setImmediate(() => this.#close(group)) };
    return group;
  }

  #close(group: Group): void {
    if (this.#group !== group) return;
    try {
      this.#commit.run();
    } catch (error) {
      this.#lose(group, error);
      return;
    }
    this.#end(group);
    group.committed.resolve();
    this.#checkpoints?.committed(group.writes);
  }

  #lose(group: Group, error: unknown): void {
    this.#lost += 1;
    this.#end(group);
    group.committed.reject(this.#failed(error));
    // A COMMIT can fail and leave the transaction open; the next group needs a new one.
    if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
  }

  #end(group: Group): void {
    this.#group = undefined;
    clearImmediate(group.immediate);
  }

  #failed(error: unknown): unknown {
    return this.#health ? this.#health.failed(error) : error;
  }
}
