/**
 * A value that is fetched once for all who want it at the same time, and kept for a while: the vendor's card, which
 * some dialects need before each call; where an issuer has its keys.
 */
import { abortable } from "./abortable.ts";

export interface Cached<T> {
  /**
   * The value as it was at most `maxAge` ago, or earlier where it cannot be fetched now. Rejects with the fetch's
   * error, also of a moment ago, or the signal's reason.
   */
  get(signal: AbortSignal): Promise<T>;
  /** The value as it is now; a fetch that runs already is joined. */
  refresh(signal: AbortSignal): Promise<T>;
}

export interface CachedOptions {
  /** How long a failure is kept, ms: callers in a row do not each wait for an agent that is not there. */
  readonly failureAge?: number;
  /** ms. */
  readonly now?: () => number;
}

const FAILURE_AGE = 15_000;

/**
 * @param load fetches the value; its signal is nobody's, so that one caller who leaves does not fail the others. It
 *   must end by a timeout of its own.
 * @param maxAge ms
 */
export function cached<T>(
  load: (signal: AbortSignal) => Promise<T>,
  maxAge: number,
  { failureAge = FAILURE_AGE, now = () => performance.now() }: CachedOptions = {},
): Cached<T> {
  const forever = new AbortController().signal;
  let running: Promise<T> | undefined;
  let known: { readonly value: T } | undefined;
  let failure: unknown;
  let until = Number.NEGATIVE_INFINITY;

  const fetch = async (): Promise<T> => {
    try {
      const value = await load(forever);
      known = { value };
      until = now() + maxAge;
      return value;
    } catch (error) {
      failure = error;
      until = now() + failureAge;
      throw error;
    }
  };
  const refresh = (signal: AbortSignal): Promise<T> => {
    running ??= fetch().finally(() => {
      running = undefined;
    });
    return abortable(running, signal);
  };
  const get = async (signal: AbortSignal): Promise<T> => {
    if (now() >= until) {
      await refresh(signal).catch((error: unknown) => {
        if (signal.aborted || !known) throw error;
      });
    }
    if (known) return known.value;
    throw failure;
  };
  return { get, refresh };
}
