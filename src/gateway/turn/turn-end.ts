/** How this side ends a turn that the agent has not ended. */
import { A2AError } from "../../protocol/errors.ts";
import type { EngineContext } from "../context.ts";
import type { PublishedTask } from "./published-task.ts";
import type { TurnEnd } from "./turn.ts";

/** Ends the task in a state that says why. */
export async function concludeTask(
  { log }: EngineContext,
  task: PublishedTask,
  end: TurnEnd,
  fault: A2AError,
): Promise<void> {
  const level = fault.isOwnFault ? "error" : "info";
  if (end.state === "canceled") log.debug({ taskId: task.state.id }, end.text);
  else log[level]({ err: fault, taskId: task.state.id }, "a task ended without the agent's word");
  await task.conclude(end.state, end.text);
}

/** Leaves the task as it is in the store, for the next start to recover; streams of it end without a final event. */
export async function suspendTask({ log }: EngineContext, task: PublishedTask): Promise<void> {
  await task.publish();
  await task.persist();
  log.info({ taskId: task.state.id }, "left a running task to the next start");
  task.feed.breakOff(new A2AError("shutting-down"));
}
