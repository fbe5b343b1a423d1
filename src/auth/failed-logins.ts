/**
 * How often one address may present invalid credentials. Beyond it such requests are refused with 429 rather than
 * 401. Good credentials are good from any address: whoever shares one with others cannot lock them out.
 */
import { RateLimiterMemory } from "rate-limiter-flexible";
import type { RateLimits } from "../config/auth.ts";
import { consume } from "./rate-limiter.ts";
import type { Presented } from "./scheme.ts";
import { sourceOf, trustOf } from "./source.ts";

export class FailedLogins {
  readonly #limiter: RateLimiterMemory | undefined;
  readonly #limits: RateLimits;
  readonly #isTrusted: ReturnType<typeof trustOf>;

  /** @param trusted reverse proxies, as `server.trustProxy` names them */
  constructor(limits: RateLimits, trusted: readonly string[]) {
    this.#limits = limits;
    this.#isTrusted = trustOf(trusted);
    const { failedLogins: points = 0, per } = limits;
    if (points > 0) this.#limiter = new RateLimiterMemory({ points, duration: per / 1_000 });
  }

  /** Counts a failure; rejects with `too-many-requests`, which says when to come back. */
  async count(presented: Presented): Promise<void> {
    if (this.#limiter === undefined) return;
    const { failedLogins: limit, per } = this.#limits;
    await consume(this.#limiter, sourceOf(presented, this.#isTrusted), {
      reason: "too many requests from this address had invalid credentials",
      limit,
      per,
    });
  }
}
