/** Completes a task whose stream may have lost events from the agent's own record, before the task's end is told. */
import type { AgentTask, VendorTask } from "../../adapter.ts";
import { isFinal } from "../../protocol/states.ts";
import type { EngineContext } from "../context.ts";
import type { PublishedTask } from "./published-task.ts";
import { isTransient, isUnsupported, MAX_POLL_FAILURES, type AgentCalls } from "../agent/agent-calls.ts";

/** If the record cannot be read, the end of the task is marked (events-lost.ts). */
export async function fillGaps(
  { agent, log }: EngineContext,
  task: PublishedTask,
  calls: AgentCalls,
  vendorTask: VendorTask | undefined,
): Promise<void> {
  const { held, artifacts } = task.normalizer;
  // A Task that was put together from a damaged stream is no record, although it may show the end.
  const isDamagedAnswer = calls.losses.isDamaged && calls.mode === "send";
  if (calls.losses.take() || isDamagedAnswer) artifacts.broke();
  if (!held || artifacts.continuity.level === "whole" || !vendorTask) return;
  try {
    const record = await endedRecord(calls, vendorTask, agent.timeouts.poll);
    if (record) await task.take(record);
  } catch (error) {
    if (isUnsupported(error) && !calls.losses.isDamaged) artifacts.continuity.trust();
    log.debug({ err: error, taskId: task.state.id }, "the agent's record cannot be read");
  }
}

/** Asks for the record until it shows the task's end, as polling does; undefined if it does not. */
async function endedRecord(
  calls: AgentCalls,
  vendorTask: VendorTask,
  poll: number,
): Promise<AgentTask | undefined> {
  for (let attempt = 1; ; attempt++) {
    const isLast = attempt >= MAX_POLL_FAILURES;
    try {
      const record = await calls.report(vendorTask);
      if (isFinal(record.status.state)) return record;
      if (isLast) return undefined;
    } catch (error) {
      if (isLast || !isTransient(error)) throw error;
    }
    await calls.pause(poll);
  }
}
