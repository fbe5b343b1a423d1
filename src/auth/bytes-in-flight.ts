/**
 * How much memory the bodies of requests may take, all together: each has a limit of its own, but a thousand that
 * arrive byte by byte, or wait for a silent agent, have it a thousand times. A caller may hold as much as is left for
 * the others: one alone up to half of it, two a third each. So none can take it all.
 */
import { A2AError } from "../protocol/errors.ts";

/** About what a JSON value takes, besides its text. */
const BYTES_PER_VALUE = 64;

/** What one request holds. */
export interface HeldBytes {
  /** Counts bytes that have arrived; throws `overloaded` if there is no room for them. */
  readonly take: (bytes: number) => void;
  /** Counts the values that the body consists of, likewise. */
  readonly takeValues: (values: number) => void;
  /** Gives everything back. */
  readonly release: () => void;
}

export class BytesInFlight {
  readonly #limit: number;
  #all = 0;
  /** By principal; those that hold nothing are not in it. */
  readonly #byCaller = new Map<string, number>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** For a request that is about to be read. */
  open(principal: string): HeldBytes {
    let held = 0;
    const add = (bytes: number): void => {
      held += bytes;
      this.#all += bytes;
      const own = (this.#byCaller.get(principal) ?? 0) + bytes;
      if (own > 0) this.#byCaller.set(principal, own);
      else this.#byCaller.delete(principal);
    };
    const take = (bytes: number): void => {
      const own = this.#byCaller.get(principal) ?? 0;
      if (own + bytes > this.#limit - this.#all - bytes) throw new A2AError("overloaded");
      add(bytes);
    };
    return { take, takeValues: (values) => take(values * BYTES_PER_VALUE), release: () => add(-held) };
  }
}
