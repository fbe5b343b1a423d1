/**
 * Group commit. A commit costs far more than a write, so all writes of one turn of the event loop share a
 * transaction: the first write opens it, each is executed at once (which lets reads see it at once), and the promises
 * given out for them settle together when it has been committed at the end of the turn. Writes nobody waits for may
 * stay open a little longer.
 */
import type { DatabaseSync } from "node:sqlite";

export interface WriteQueueOptions {
  /** The longest a write that nobody waits for stays uncommitted, ms. */
  readonly flushInterval: number;
  /** Hears of writes that nobody waits for and that were lost. */
  readonly onError: (error: unknown) => void;
}

/** One transaction. */
interface Group {
  readonly committed: PromiseWithResolvers<void>;
  readonly timer: NodeJS.Timeout;
  /** Set as soon as somebody waits. */
  immediate?: NodeJS.Immediate;
  /** It holds writes that nobody waits for. */
  unattended: boolean;
}

export class WriteQueue {
  readonly #db: DatabaseSync;
  readonly #options: WriteQueueOptions;
  #group: Group | undefined;

  constructor(db: DatabaseSync, options: WriteQueueOptions) {
    this.#db = db;
    this.#options = options;
  }

  /**
   * Executes the write and resolves when it, and everything before it, is committed. Rejects when it fails, or when
   * the transaction does; other writes are then unharmed or, respectively, rejected as well.
   */
  async write(run: () => void): Promise<void> {
    const group = this.#execute(run);
    group.immediate ??= setImmediate(() => this.#commit(group));
    await group.committed.promise;
  }

  /** Executes a write nobody waits for; it is committed with the next `write`, or after the interval. */
  writeSoon(run: () => void): void {
    try {
      this.#execute(run).unattended = true;
    } catch (error) {
      this.#options.onError(error);
    }
  }

  /** Commits what there is, now. */
  async flush(): Promise<void> {
    const group = this.#group;
    if (group === undefined) return;
    this.#commit(group);
    await group.committed.promise;
  }

  #execute(run: () => void): Group {
    this.#group ??= this.#begin();
    const group = this.#group;
    try {
      run();
    } catch (error) {
      // SQLite undoes a failed statement alone, except after a full disk and the like: then all of it is gone.
      if (!this.#db.isTransaction) this.#lose(group, error);
      throw error;
    }
    return group;
  }

  #begin(): Group {
    this.#db.exec("BEGIN IMMEDIATE");
    const committed = Promise.withResolvers<void>();
    // Waiters see the rejection; a group without any must not bring the process down.
    committed.promise.catch(() => undefined);
    const group: Group = {
      committed,
      timer: setTimeout(() => this.#commit(group), this.#options.flushInterval),
      unattended: false,
    };
    return group;
  }

  #commit(group: Group): void {
    if (this.#group !== group) return;
    try {
      this.#db.exec("COMMIT");
    } catch (error) {
      this.#lose(group, error);
      return;
    }
    this.#end(group);
    group.committed.resolve();
  }

  #lose(group: Group, error: unknown): void {
    this.#end(group);
    group.committed.reject(error);
    // A COMMIT can fail and leave the transaction open; the next group needs a new one.
    if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
    if (group.unattended) this.#options.onError(error);
  }

  #end(group: Group): void {
    this.#group = undefined;
    clearTimeout(group.timer);
    if (group.immediate !== undefined) clearImmediate(group.immediate);
  }
}
