/**
 * Fills in what 0.3.0 wants on every object and a vendor left out: `kind`, messageId, ids, and timestamps in UTC with
 * milliseconds (§6.2, §6.4). A vendor's own value always wins, but for ids, which are the gateway's.
 */
import type { AgentMessage, AgentStatus } from "../adapter.ts";
import type { Message, TaskStatus } from "../protocol/model.ts";

export interface Ids {
  readonly taskId: string;
  readonly contextId: string;
}

/** Where time and randomness come from. */
export interface Mint {
  now(): number;
  newId(): string;
}

const UTC_MILLIS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const ZONED = /(?:Z|[+-]\d\d:?\d\d)$/i;

/** ISO 8601 in any precision and zone (none: UTC) to UTC milliseconds; what is no time becomes `now`. */
export function utcTimestamp(raw: unknown, now: number): string {
  if (typeof raw === "string") {
    if (UTC_MILLIS.test(raw)) return raw;
    const time = Date.parse(ZONED.test(raw) ? raw : `${raw}Z`);
    if (!Number.isNaN(time)) return new Date(time).toISOString();
  }
  return new Date(now).toISOString();
}

export function completeMessage(message: AgentMessage, ids: Ids, mint: Mint): Message {
  const { taskId, contextId } = ids;
  return { ...message, kind: "message", messageId: message.messageId ?? mint.newId(), taskId, contextId };
}

export function completeStatus(status: AgentStatus, ids: Ids, mint: Mint): TaskStatus {
  const timestamp = utcTimestamp(status.timestamp, mint.now());
  const { message, ...rest } = status;
  if (!message) return { ...rest, timestamp };
  return { ...rest, message: completeMessage(message, ids, mint), timestamp };
}
