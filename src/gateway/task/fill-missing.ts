/**
 * Fills in what 0.3.0 wants on every object and a vendor left out: `kind`, messageId, ids, and timestamps (§6.2, §6.4). A
 * vendor's own value always wins, but for ids, which are the gateway's.
 */
import type { AgentMessage, AgentStatus } from "../../adapter.ts";
import type { TaskState } from "./state.ts";
import type { Message, TaskStatus } from "../../protocol/model.ts";

export interface Ids {
  readonly taskId: string;
  readonly contextId: string;
}

/** Where time and randomness come from. */
export interface Mint {
  now(): number;
  newId(): string;
  /** The zone of the agent's times that name none; undefined if it is not known. */
  readonly zone?: TimeZone | undefined;
}

export const inZone = (mint: Mint, timeZone: string | undefined): Mint =>
  timeZone === undefined ? mint : { ...mint, zone: new TimeZone(timeZone) };

export function completeMessage(message: AgentMessage, ids: Ids, mint: Mint): Message {
  const { taskId, contextId } = ids;
  return { ...message, kind: "message", messageId: message.messageId ?? mint.newId(), taskId, contextId };
}

export function completeStatus(status: AgentStatus, ids: Ids, mint: Mint): TaskStatus {
  const timestamp = utcTimestamp(status.timestamp, mint.now(), mint.zone);
  const { message, ...rest } = status;
  if (!message) return { ...rest, timestamp };
  return { ...rest, message: completeMessage(message, ids, mint), timestamp };
}

// Timestamps of agents, in any precision and zone, as 0.3.0 wants them: in UTC with milliseconds (§6.2).
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

// Messages that an agent sends again, in its history or in a status, without an id to know them by.

function sameContent(message: AgentMessage): (known: Message | undefined) => boolean {
  const parts = JSON.stringify(message.parts);
  return (known) => known?.role === message.role && JSON.stringify(known.parts) === parts;
}

/**
 * The same message as it is known already: of one without an id, role and content tell.
 * @param held the message of the status that waits to be sent
 */
export function knownMessage(
  { history, status }: TaskState,
  held: Message | undefined,
  message: AgentMessage,
): Message | undefined {
  const isSame = sameContent(message);
  return [held, status.message].find(isSame) ?? history.findLast(isSame);
}

/** A status message that the vendor's history has told of, under the id that it was given there. */
export function identified(state: TaskState, held: Message | undefined, status: AgentStatus): AgentStatus {
  const { message } = status;
  if (!message || message.messageId !== undefined) return status;
  const isSame = sameContent(message);
  const known = [held, state.history.at(-1)].find(isSame);
  if (!known) return status;
  const { messageId } = known;
  // An id that the vendor has given to another message before would lose this one.
  const owner = state.messageWith(messageId);
  return owner && !isSame(owner) ? status : { ...status, message: { ...message, messageId } };
}
