/**
 * Whether the store can be written. A full or read-only disk is no reason to end anything: whoever must not go on
 * without the write waits here for the next attempt, and the store itself finds out when writing works again.
 */
import { setImmediate } from "node:timers/promises";
import { z } from "zod";
import type { StoreHealth } from "./store.ts";
import { A2AError } from "../protocol/errors.ts";

/** SQLite's primary result codes that tell of the disk or the file, not of the statement; in words for the operator. */
const REASONS: Readonly<Record<number, string>> = {
  3: "access is denied",
  5: "it is in use by another process",
  6: "it is in use",
  7: "there is not enough memory",
  8: "it cannot be written",
  10: "the disk reports an error",
  11: "it is damaged",
  13: "the disk is full",
  14: "it cannot be opened as a file",
  15: "it cannot be locked",
  26: "it is not an SQLite database",
};

/** Told by its fields: such errors are not always of the caller's realm, so `instanceof` would not do. */
const Failure = z.object({ message: z.string(), errcode: z.number().optional() });

/** What the disk or the file has to do with a failure; undefined where it has nothing. */
function outageOf(error: unknown): string | undefined {
  // The upper bits of SQLite's code only refine the primary one.
  return REASONS[(Failure.safeParse(error).data?.errcode ?? 0) & 0xff];
}

/** A failure in words for the operator. */
export const reasonOf = (error: unknown): string =>
  outageOf(error) ?? Failure.safeParse(error).data?.message ?? String(error);

export interface SqliteHealthOptions {
  /** The store's file. */
  readonly path: string;
  /** Between two attempts to write, ms. */
  readonly retryInterval: number;
  /** Told once of each trouble that begins, with what the operator should know. */
  readonly onTrouble: (error: Error) => void;
  /** Told once when all is well again. */
  readonly onRecovery: () => void;
}

export class SqliteHealth implements StoreHealth {
  readonly #options: SqliteHealthOptions;
  #outage: Error | undefined;
  #misplaced: Error | undefined;
  #timer: NodeJS.Timeout | undefined;
  #attempt: PromiseWithResolvers<void> | undefined;
  #isGivenUp = false;
  /** Something has failed since the last attempt. */
  #hasFailed = false;
  /** Writes something that takes room; rejects where that fails, which has been reported here. */
  probe: () => Promise<void> = async () => undefined;

  constructor(options: SqliteHealthOptions) {
    this.#options = options;
  }

  get trouble(): string | undefined {
    return (this.#outage ?? this.#misplaced)?.message;
  }

  /** Writing fails. */
  get outage(): boolean {
    return this.#outage !== undefined;
  }

  /** Says what has become of the file, which can be written all the same; undefined where nothing has. */
  set fileProblem(problem: string | undefined) {
    if (problem === undefined) {
      const isOver = this.#misplaced !== undefined && this.#outage === undefined;
      this.#misplaced = undefined;
      if (isOver) this.#options.onRecovery();
    } else if (this.#misplaced === undefined) {
      this.#misplaced = new Error(this.#describe(problem));
      this.#options.onTrouble(this.#misplaced);
    }
  }

  /** Whether the disk or the file is the cause. */
  isOutage(error: unknown): boolean {
    return outageOf(error) !== undefined;
  }

  /** A write has failed; gives the error to reject it with: `store-unavailable` where the disk or the file is the cause. */
  failed(error: unknown): unknown {
    const reason = outageOf(error);
    if (reason === undefined) return error;
    this.#hasFailed = true;
    if (this.#outage === undefined) this.#begin(new Error(this.#describe(reason), { cause: error }));
    return new A2AError("store-unavailable", { cause: this.#outage });
  }

  /** A read has failed; gives the error to reject it with, which names the file. */
  unreadable(error: unknown): unknown {
    const reason = outageOf(error);
    return reason === undefined ? error : new Error(this.#describe(reason), { cause: error });
  }

  async nextAttempt(): Promise<void> {
    if (this.#isGivenUp) throw new A2AError("store-unavailable", { cause: this.#outage });
    if (this.#outage === undefined) return;
    this.#attempt ??= Promise.withResolvers<void>();
    await this.#attempt.promise;
  }

  giveUp(): void {
    this.#isGivenUp = true;
    this.#attempt?.reject(new A2AError("store-unavailable", { cause: this.#outage }));
    this.#attempt = undefined;
  }

  close(): void {
    clearInterval(this.#timer);
    this.giveUp();
  }

  #describe(reason: string): string {
    return `The task store ${this.#options.path}: ${reason}`;
  }

  #begin(outage: Error): void {
    this.#outage = outage;
    this.#timer = setInterval(() => void this.#tryAgain(), this.#options.retryInterval).unref();
    this.#options.onTrouble(outage);
  }

  /** Whoever waits goes first; where all of that and the probe succeed, the outage is over. */
  async #tryAgain(): Promise<void> {
    this.#hasFailed = false;
    this.#releaseWaiting();
    await setImmediate();
    await this.probe().catch(() => undefined);
    if (this.#hasFailed || this.#outage === undefined || this.#isGivenUp) return;
    this.#outage = undefined;
    clearInterval(this.#timer);
    this.#releaseWaiting();
    if (this.#misplaced === undefined) this.#options.onRecovery();
  }

  #releaseWaiting(): void {
    this.#attempt?.resolve();
    this.#attempt = undefined;
  }
}
