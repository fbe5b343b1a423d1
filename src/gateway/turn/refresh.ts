/** What the agent knows of an interrupted task, which may have gone on there without this client, or have been lost. */
import type { AgentStatusUpdate, AgentTask, VendorTask } from "../../adapter.ts";
import { A2AError } from "../../protocol/errors.ts";
import type { TaskRecord } from "../../store/store.ts";
import type { EngineContext } from "../context.ts";
import { ask, type CallContext } from "../agent/agent-call.ts";

/** The agent says that it does not know the task. */
export const isForgotten = (error: unknown): boolean =>
  error instanceof A2AError && error.code === "task-not-found";

/** The end of a task that the agent does not know any more. */
export const FORGOTTEN: AgentStatusUpdate = {
  kind: "status-update",
  status: {
    state: "failed",
    message: {
      kind: "message",
      role: "agent",
      parts: [{ kind: "text", text: "The agent no longer knows this task" }],
    },
  },
};

/** The agent's report if the task has gone on or is lost; undefined if neither, or if the agent cannot be asked. */
export async function newsOf(
  context: EngineContext,
  record: TaskRecord,
  vendorTask: VendorTask | undefined,
  extras: CallContext,
): Promise<AgentTask | AgentStatusUpdate | undefined> {
  const { backend, log } = context;
  if (!vendorTask) return undefined;
  try {
    const report = await ask(context, extras, async (call) => backend.getTask?.(vendorTask, call));
    if (!report) return undefined;
    const { state } = report.status;
    return state === record.state || state === "unknown" ? undefined : report;
  } catch (error) {
    if (isForgotten(error)) return FORGOTTEN;
    log.debug({ err: error, taskId: record.id }, "the agent could not be asked for the task");
    return undefined;
  }
}
