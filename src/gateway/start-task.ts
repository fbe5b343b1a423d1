/** How a turn's task comes to be: under which ids, and from which record where there is one. */
import type { AgentEvent } from "../adapter.ts";
import type { EngineContext } from "./context.ts";
import type { Identity } from "./identity.ts";
import { LiveTask, type Origin, type VendorIds } from "./live-task.ts";
import type { Turn } from "./turn.ts";

export interface TaskStart {
  readonly context: EngineContext;
  readonly identity: Identity;
  readonly turn: Turn;
  /** The vendor's ids, filled in as it announces them. */
  readonly vendor: VendorIds;
  /** See `LiveTaskOptions`. */
  readonly callback: () => string | undefined;
  onAnnounced(): void;
}

/** @param event what the agent has said first; undefined where the task begins before it has said anything */
export async function startTask(start: TaskStart, event: AgentEvent | undefined): Promise<LiveTask> {
  const { context, turn, vendor, callback } = start;
  const { principal, send, listened, push } = turn;
  const origin = turn.record ?? (await newTask(start, event));
  return await LiveTask.begin(context, origin, {
    principal,
    vendor,
    callback,
    message: send?.message,
    logging: listened,
    push,
    recovered: turn.reason !== undefined,
    onAnnounced: () => start.onAnnounced(),
  });
}

async function newTask(
  { identity, turn, vendor }: TaskStart,
  event: AgentEvent | undefined,
): Promise<Origin> {
  const { principal, newIds } = turn;
  const contextId =
    turn.contextId ?? (await identity.contextId(principal, event?.contextId)) ?? newIds.contextId;
  const owner = { principal, contextId };
  const { id, resumed } = await identity.taskId(owner, vendor.taskId, newIds);
  return resumed ?? { id, contextId };
}
