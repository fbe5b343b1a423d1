/** What becomes of a notification after a failed attempt: arithmetic alone, without clock and chance. */
import type { PushSettings } from "../config/push.ts";
import type { EndpointFailure, EndpointHealth } from "../store/push-store.ts";

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

/** How long to wait after so many failures in a row, ms; half of it is chance, so that what fell together does not rise together. */
function waitAfter(
  failures: number,
  random: number,
  { retryMin, retryMax }: Pick<RetrySettings, "retryMin" | "retryMax">,
): number {
  const wait = Math.min(retryMax, retryMin * 2 ** (failures - 1));
  return Math.ceil(wait / 2 + (wait / 2) * random);
}

/** What a failed attempt means for the endpoint, from how it fared when the attempt began. */
export function endpointFailure(
  { failures, failingSince }: EndpointHealth,
  attempt: {
    readonly now: number;
    readonly random: number;
    readonly reason: string;
    readonly isSilent: boolean;
  },
  settings: RetrySettings & Pick<PushSettings, "offAfter">,
): EndpointFailure {
  const { now, random, reason, isSilent } = attempt;
  const isOff = failingSince !== undefined && now - failingSince >= settings.offAfter;
  // One that is switched off is tried as seldom as may be.
  const wait = isOff ? settings.retryMax : waitAfter(failures + 1, random, settings);
  return { reason, isOff, blockedUntil: isSilent ? now + wait : undefined };
}

/** When to try again, ms since the epoch; undefined where the notification is to be given up. */
export function nextAttempt(attempt: FailedAttempt, settings: RetrySettings): number | undefined {
  const { attempts, queuedAt, now, retryAfter = 0, random } = attempt;
  const { retryMax, maxAge, maxAttempts } = settings;
  const deadline = queuedAt + maxAge;
  if (attempts >= maxAttempts || now >= deadline) return undefined;
  const asked = Math.min(retryMax, Math.max(waitAfter(attempts, random, settings), retryAfter));
  // The last attempt is made at the end, not given up before it.
  return Math.min(deadline, now + Math.ceil(asked));
}
