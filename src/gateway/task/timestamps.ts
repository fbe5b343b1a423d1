/** Timestamps of agents, in any precision and zone, as 0.3.0 wants them: in UTC with milliseconds (§6.2). */
const UTC_MILLIS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const ZONED = /(?:Z|[+-]\d\d:?\d\d)$/i;

/** The zone of an agent that writes local times. */
export class TimeZone {
  readonly #format: Intl.DateTimeFormat;

  /** @param name an IANA name such as `Asia/Shanghai`, or an offset such as `+08:00`; throws a RangeError if it is neither */
  constructor(name: string) {
    this.#format = new Intl.DateTimeFormat("en-US", {
      timeZone: name,
      calendar: "gregory",
      numberingSystem: "latn",
      hourCycle: "h23",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
    });
  }

  /** The time at which clocks in this zone show what clocks in UTC show at `shown`, ms. */
  toUtc(shown: number): number {
    // The offset at the time that is looked for may not be the one at `shown`, if clocks are changed between the two.
    const guess = shown - this.#offset(shown);
    return shown - this.#offset(guess);
  }

  /** By how much clocks here are ahead of UTC, ms. */
  #offset(time: number): number {
    const whole = time - (((time % 1000) + 1000) % 1000);
    const part = new Map(this.#format.formatToParts(whole).map(({ type, value }) => [type, Number(value)]));
    const of = (type: Intl.DateTimeFormatPartTypes): number => part.get(type) ?? 0;
    const shown = Date.UTC(of("year"), of("month") - 1, of("day"), of("hour"), of("minute"), of("second"));
    return shown - whole;
  }
}

/**
 * What is no time becomes `now`. A time without a zone is one in `zone` or, if that is not known, in UTC; if that lies in
 * the future, the agent's clock is in another zone, and `now` is nearer to the truth.
 */
export function utcTimestamp(raw: unknown, now: number, zone?: TimeZone): string {
  if (typeof raw !== "string") return iso(now);
  if (UTC_MILLIS.test(raw)) return raw;
  const isZoned = ZONED.test(raw);
  const time = Date.parse(isZoned ? raw : `${raw}Z`);
  if (Number.isNaN(time)) return iso(now);
  if (isZoned) return iso(time);
  return iso(zone ? zone.toUtc(time) : Math.min(time, now));
}

const iso = (time: number): string => new Date(time).toISOString();
