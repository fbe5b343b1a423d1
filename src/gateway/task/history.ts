/** `historyLength` (§7.1.2, §7.3.1): absent or 0 is the whole history, N its last N messages. */
import type { Task } from "../../protocol/model.ts";

export function withHistoryLength(task: Task, historyLength: number | undefined): Task {
  if (!historyLength || !task.history || task.history.length <= historyLength) return task;
  return { ...task, history: task.history.slice(-historyLength) };
}
