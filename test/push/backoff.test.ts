import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { nextAttempt } from "../../src/push/backoff.ts";

const settings = { retryMin: 1000, retryMax: 60_000, maxAge: 600_000, maxAttempts: 20 };
const first = { attempts: 1, queuedAt: 0, now: 0, random: 0 };

describe("the next attempt", () => {
  test("comes after twice the wait each time, half of it by chance, up to the longest", () => {
    const waits = [1, 2, 3, 10].map((attempts) =>
      [0, 0.999_999].map((random) => nextAttempt({ ...first, attempts, random }, settings)),
    );
    expect(waits).toEqual([
      [500, 1000],
      [1000, 2000],
      [2000, 4000],
      [30_000, 60_000],
    ]);
  });

  test("waits as long as the webhook asks, but not longer than the longest", () => {
    expect(nextAttempt({ ...first, retryAfter: 5000 }, settings)).toBe(5000);
    expect(nextAttempt({ ...first, retryAfter: 1e9 }, settings)).toBe(60_000);
  });

  test("is the last at the end of the time, and then there is none", () => {
    const late = { ...first, attempts: 10, random: 0.5 };
    expect(nextAttempt({ ...late, now: 590_000 }, settings)).toBe(600_000);
    expect(nextAttempt({ ...late, now: 600_000 }, settings)).toBeUndefined();
  });

  test("is not made once too many have failed", () => {
    expect(nextAttempt({ ...first, attempts: 19 }, settings)).toBeDefined();
    expect(nextAttempt({ ...first, attempts: 20 }, settings)).toBeUndefined();
  });

  test("never lies in the past, nor beyond the time allowed", () => {
    const attempt = fc.record({
      attempts: fc.integer({ min: 1, max: 5000 }),
      queuedAt: fc.nat(1000),
      now: fc.integer({ min: 1000, max: 1_000_000 }),
      retryAfter: fc.option(fc.nat(), { nil: undefined }),
      random: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    });
    fc.assert(
      fc.property(attempt, (attempt) => {
        const at = nextAttempt(attempt, { ...settings, maxAttempts: 5000 });
        if (at === undefined) return;
        expect(at).toBeGreaterThan(attempt.now);
        expect(at).toBeLessThanOrEqual(attempt.queuedAt + settings.maxAge);
      }),
    );
  });
});
