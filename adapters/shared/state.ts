/** Task states as they are found on the wire, to the canonical nine. */
import { TASK_STATES, type TaskState } from "../../src/protocol/states.ts";

const CANONICAL: ReadonlyMap<string, TaskState> = new Map(TASK_STATES.map((state) => [state, state]));

/** Spellings that differ by more than case, prefix and separator. */
const SYNONYMS: ReadonlyMap<string, TaskState> = new Map([
  ["cancelled", "canceled"],
  ["pending", "submitted"],
  ["running", "working"],
  ["in-progress", "working"],
  ["success", "completed"],
  ["succeeded", "completed"],
  ["done", "completed"],
  ["error", "failed"],
  ["unspecified", "unknown"],
]);

/** `TASK_STATE_INPUT_REQUIRED`, `input_required`, `CANCELLED` …; whatever is not recognised is `unknown`. */
export function toCanonicalState(raw: unknown): TaskState {
  if (typeof raw !== "string") return "unknown";
  const exact = CANONICAL.get(raw);
  if (exact) return exact;
  const plain = raw
    .trim()
    .toLowerCase()
    .replaceAll("_", "-")
    .replace(/^task-state-/, "");
  return CANONICAL.get(plain) ?? SYNONYMS.get(plain) ?? "unknown";
}
