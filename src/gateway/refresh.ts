/** What the agent knows of an interrupted task, which may have gone on there without this client. */
import type { AgentTask, VendorTask } from "../adapter.ts";
import type { TaskRecord } from "../store/store.ts";
import type { EngineContext } from "./context.ts";
import { ask, type CallExtras } from "./open-call.ts";

/** The agent's report if the task has gone on; undefined if it has not, or the agent cannot be asked. */
export async function newsOf(
  context: EngineContext,
  record: TaskRecord,
  vendorTask: VendorTask | undefined,
  extras: CallExtras,
): Promise<AgentTask | undefined> {
  const { backend, log } = context;
  if (!vendorTask) return undefined;
  try {
    const report = await ask(context, extras, async (call) => backend.getTask?.(vendorTask, call));
    if (!report) return undefined;
    const { state } = report.status;
    return state === record.state || state === "unknown" ? undefined : report;
  } catch (error) {
    log.debug({ err: error, taskId: record.id }, "the agent could not be asked for the task");
    return undefined;
  }
}
