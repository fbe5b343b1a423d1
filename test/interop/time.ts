/** The time that the whole profile may take. What has not begun when it is over is skipped. */

/** ms, installations included. */
const ALL = 12 * 60_000;
const UNTIL = "A2A_INTEROP_UNTIL";

/** Called once, before the workers begin. */
export function begin(): void {
  process.env[UNTIL] = String(Date.now() + ALL);
}

/** ms that a step may take which would take `most`; 0 if there is no time left. */
export function timeFor(most: number): number {
  const until = Number(process.env[UNTIL] ?? Date.now() + ALL);
  return Math.max(0, Math.min(most, until - Date.now()));
}
