/** Waits with a limit. Timers keep nothing alive: the proxy ends when its servers and connections have. */

/** Node's longest timer, ms; a longer one would fire at once. */
const LONGEST = 2 ** 31 - 1;

export const startTimer = (ms: number, fire: () => void): NodeJS.Timeout =>
  setTimeout(fire, Math.min(ms, LONGEST)).unref();

/** Waits for `until` to settle, at most `ms`; resolves with whether it did. */
export async function settlesWithin(ms: number, until: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = startTimer(ms, () => resolve(false));
    const settled = (): void => {
      clearTimeout(timer);
      resolve(true);
    };
    until.then(settled, settled);
  });
}
