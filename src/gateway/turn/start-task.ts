/** How a turn's task comes to be: under which ids, and from which record where there is one. */
import type { AgentEvent } from "../../adapter.ts";
import type { EngineContext } from "../context.ts";
import type { IdMapper } from "./id-mapper.ts";
import type { Lease } from "./leases.ts";
import { PublishedTask, type Origin } from "./published-task.ts";
import type { Turn } from "./turn.ts";
import type { VendorIds } from "./id-mapper.ts";

export interface TaskStart {
  readonly context: EngineContext;
  readonly ids: IdMapper;
  readonly turn: Turn;
  readonly vendor: VendorIds;
  /** See `PublishedTaskOptions`. */
  readonly callback: () => string | undefined;
  readonly takeLoss: () => boolean;
  onAnnounced(lease: Lease): void;
}

/** A task that a turn runs, and the lease that makes it the turn's own. */
export interface StartedTask {
  readonly task: PublishedTask;
  readonly lease: Lease;
}

/** @param event what the agent has said first; undefined where the task begins before it has said anything */
export async function startTask(start: TaskStart, event: AgentEvent | undefined): Promise<StartedTask> {
  const { context, ids, turn, vendor, callback, takeLoss } = start;
  const { principal, send, listened, push, existing } = turn;
  const { lease, origin } = existing
    ? { lease: existing.lease, origin: existing.record }
    : await newTask(start, event);
  try {
    const task = await PublishedTask.begin(context, origin, {
      principal,
      vendor,
      callback,
      takeLoss,
      message: send?.message,
      logging: listened,
      push,
      recovered: turn.reason !== undefined,
      onAnnounced: () => start.onAnnounced(lease),
    });
    return { task, lease };
  } catch (error) {
    ids.release(lease);
    throw error;
  }
}

async function newTask(
  { ids, turn, vendor }: TaskStart,
  event: AgentEvent | undefined,
): Promise<{ lease: Lease; origin: Origin }> {
  const { principal, newIds } = turn;
  const contextId = turn.contextId ?? (await ids.contextId(principal, event?.contextId)) ?? newIds.contextId;
  const { lease, resumed } = await ids.lease({ principal, contextId }, vendor.taskId, newIds);
  return { lease, origin: resumed ?? { id: lease.taskId, contextId } };
}
