/** `Retry-After` (RFC 9110 §10.2.3) is a number of seconds or a date. */

/** The wait from `now` in ms; undefined if there is none, or it is over. */
export function retryAfterOf(value: string | readonly string[] | undefined, now: number): number | undefined {
  if (typeof value !== "string") return undefined;
  const wait = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isFinite(wait) && wait > 0 ? wait : undefined;
}
