/** Task states of A2A 0.3.0 (§6.3) and what each means for a stream. */
export const TASK_STATES = [
  "submitted",
  "working",
  "input-required",
  "completed",
  "canceled",
  "failed",
  "rejected",
  "auth-required",
  "unknown",
] as const;

export type TaskState = (typeof TASK_STATES)[number];

const TERMINAL: ReadonlySet<TaskState> = new Set(["completed", "canceled", "failed", "rejected"]);
const INTERRUPTED: ReadonlySet<TaskState> = new Set(["input-required", "auth-required"]);

/** The task has ended; nothing can be sent to it any more. */
export const isTerminal = (state: TaskState): boolean => TERMINAL.has(state);

/** The task waits for its client; the stream ends, the task does not. */
export const isInterrupted = (state: TaskState): boolean => INTERRUPTED.has(state);

/** A stream ends in this state: the last event carries it with `final: true`. */
export const isFinal = (state: TaskState): boolean => TERMINAL.has(state) || INTERRUPTED.has(state);
