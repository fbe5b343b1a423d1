/** `historyLength` (§7.1.2, §7.3.1): absent is the whole history, 0 none of it, N its last N messages. */
import type { Task } from "../../protocol/model.ts";

export function withHistoryLength(task: Task, historyLength: number | undefined): Task {
  if (historyLength === undefined || !task.history || task.history.length <= historyLength) return task;
  const { history, ...rest } = task;
  return historyLength === 0 ? rest : { ...rest, history: history.slice(-historyLength) };
}
