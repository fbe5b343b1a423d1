/** tasks/cancel (§7.4) at the agent, where it has it, and its end in the run. */
import type { AgentEvent, VendorTask } from "../../adapter.ts";
import { A2AError } from "../../protocol/errors.ts";
import { isFinal } from "../../protocol/states.ts";
import { agentFault } from "../agent/fault.ts";
import type { EngineContext } from "../context.ts";
import { ask, type CallContext } from "../agent/agent-call.ts";
import type { TurnRunner } from "./turn-runner.ts";
import { isUnsupported } from "../agent/agent-calls.ts";

/** The agent's own answer; undefined where it has no such method or does not know the task. */
export async function cancelAtVendor(
  context: EngineContext,
  task: VendorTask | undefined,
  extras: CallContext,
): Promise<AgentEvent | undefined> {
  const { backend } = context;
  if (!task) return undefined;
  try {
    return await ask(context, extras, async (call) => backend.cancelTask?.(task, call));
  } catch (error) {
    if (isUnsupported(error)) return undefined;
    const fault = agentFault(error, context);
    if (fault.code === "task-not-found") return undefined;
    throw fault;
  }
}

/** Ends the run in the state that the agent has answered; canceled where it has answered none. */
export async function endCanceled(
  context: EngineContext,
  run: TurnRunner,
  report: AgentEvent | undefined,
): Promise<void> {
  const end = { state: "canceled" as const, text: "Canceled by the client" };
  const { deadlines, agent, store } = context;
  if (report?.kind === "task") await run.take(report);
  if (report?.kind !== "task" || isFinal(report.status.state)) {
    const isStored = await deadlines.wait(agent.timeouts.request, run.stop(end));
    if (!isStored && store.health.trouble !== undefined) throw new A2AError("store-unavailable");
    return;
  }
  // The agent has accepted the cancellation and will say so on its stream.
  await deadlines.wait(agent.timeouts.request, run.done);
}
