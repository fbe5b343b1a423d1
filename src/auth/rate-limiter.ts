/** How much one caller may ask for, counted in this process. */
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import type { RateLimits } from "../config/auth.ts";
import { A2AError } from "../protocol/errors.ts";

/** Takes a point; rejects with `too-many-requests`, which has this `data` and says when to come back. */
export async function consume(
  limiter: RateLimiterMemory,
  key: string,
  data: Record<string, unknown>,
): Promise<void> {
  try {
    await limiter.consume(key);
  } catch (thrown) {
    if (!(thrown instanceof RateLimiterRes)) throw thrown;
    const seconds = Math.max(1, Math.ceil(thrown.msBeforeNext / 1_000));
    throw new A2AError("too-many-requests", {
      headers: { "Retry-After": String(seconds) },
      data: { ...data, retryAfter: seconds },
    });
  }
}

export class RateLimiter {
  readonly #limits: RateLimits;
  readonly #calls: RateLimiterMemory | undefined;
  /** By principal; those without an open stream are not in it. */
  readonly #streams = new Map<string, number>();

  constructor(limits: RateLimits) {
    this.#limits = limits;
    const { calls, per } = limits;
    if (calls !== undefined) this.#calls = new RateLimiterMemory({ points: calls, duration: per / 1_000 });
  }

  /** Counts a call; rejects with `too-many-requests`, which says when to come back. */
  async count(principal: string, agent: string): Promise<void> {
    const { calls: limit, per } = this.#limits;
    // An agent's name holds no line break.
    if (this.#calls) await consume(this.#calls, `${agent}\n${principal}`, { agent, limit, per });
  }

  /** Counts a stream in; throws `too-many-requests`. Whoever took a place gives it back, once, by what is returned. */
  enterStream(principal: string): () => void {
    const limit = this.#limits.streams;
    if (limit === undefined) return () => {};
    const open = this.#streams.get(principal) ?? 0;
    if (open >= limit) throw new A2AError("too-many-requests", { data: { streams: limit } });
    this.#streams.set(principal, open + 1);
    return () => {
      const rest = (this.#streams.get(principal) ?? 0) - 1;
      if (rest > 0) this.#streams.set(principal, rest);
      else this.#streams.delete(principal);
    };
  }
}
