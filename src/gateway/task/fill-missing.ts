/**
 * Fills in what 0.3.0 wants on every object and a vendor left out: `kind`, messageId, ids, and timestamps (§6.2, §6.4). A
 * vendor's own value always wins, but for ids, which are the gateway's.
 */
import type { AgentMessage, AgentStatus } from "../../adapter.ts";
import type { Message, TaskStatus } from "../../protocol/model.ts";
import { TimeZone, utcTimestamp } from "./timestamps.ts";

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
