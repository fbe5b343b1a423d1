/** Which task a message may go on with (§7.1, and the choices in docs/behaviour.md). */
import { A2AError } from "../../protocol/errors.ts";
import type { Message } from "../../protocol/model.ts";
import { isTerminal } from "../../protocol/states.ts";
import type { TaskRecord } from "../../store/store.ts";

/** Throws where the message cannot be sent to the task; `isRunning`: a turn of it is under way. */
export function requireContinuable(message: Message, record: TaskRecord, isRunning: boolean): void {
  if (message.contextId !== undefined && message.contextId !== record.contextId) {
    throw invalid("message.contextId", "The task belongs to another context");
  }
  if (isRunning) throw stillWorking();
  if (isTerminal(record.state)) {
    throw invalid("message.taskId", `The task is ${record.state}; send the message without taskId`);
  }
}

/** Throws if the task has ended. */
export function requireCancelable({ state }: TaskRecord): void {
  if (isTerminal(state)) throw new A2AError("task-not-cancelable");
}

export const stillWorking = (): A2AError =>
  new A2AError("unsupported-operation", {
    message: "The task is still working; a message can be sent to it once it is input-required",
  });

const invalid = (path: string, message: string): A2AError =>
  new A2AError("invalid-params", { message, data: { path } });
