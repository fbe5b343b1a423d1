/** What becomes of a notification after a failed attempt: arithmetic alone, without clock and chance. */
import type { PushSettings } from "../config/push.ts";

export type RetrySettings = Pick<PushSettings, "retryMin" | "retryMax" | "maxAge" | "maxAttempts">;

export interface FailedAttempt {
  /** Failed attempts, this one included. */
  readonly attempts: number;
  readonly queuedAt: number;
  readonly now: number;
  /** How long the webhook asks to be left alone, ms. */
  readonly retryAfter?: number | undefined;
  /** In [0, 1). */
  readonly random: number;
}

/** When to try again, ms since the epoch; undefined where the notification is to be given up. */
export function nextAttempt(attempt: FailedAttempt, settings: RetrySettings): number | undefined {
  const { attempts, queuedAt, now, retryAfter = 0, random } = attempt;
  const { retryMin, retryMax, maxAge, maxAttempts } = settings;
  const deadline = queuedAt + maxAge;
  if (attempts >= maxAttempts || now >= deadline) return undefined;
  const wait = Math.min(retryMax, retryMin * 2 ** (attempts - 1));
  // Half of it is chance, so that webhooks that fell together are not called together.
  const jittered = wait / 2 + (wait / 2) * random;
  const asked = Math.min(retryMax, Math.max(jittered, retryAfter));
  // The last attempt is made at the end, not given up before it.
  return Math.min(deadline, now + Math.ceil(asked));
}
