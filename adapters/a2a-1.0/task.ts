/**
 * Tasks and their status. Mismatch bridged: no `kind`, TASK_STATE_* for the states; 0.3.0 §6.1–6.3. A result is wrapped
 * (`{task}` or `{message}`) or bare, depending on the method; hybrids mix that up, so both are read everywhere.
 *
 * Loss: a state that 0.3.0 does not have becomes `unknown`, its name preserved under the extension's metadata key.
 */
import type { AgentReply, AgentStatus, AgentTask } from "../../src/adapter.ts";
import { A2AError } from "../../src/protocol/errors.ts";
import type { TaskState } from "../../src/protocol/states.ts";
import { compact } from "../shared/object.ts";
import { toCanonicalState } from "../shared/state.ts";
import { parseWire } from "../shared/wire.ts";
import { fromCanonicalMessage, toCanonicalMessage } from "./message.ts";
import { fromCanonicalArtifact, toCanonicalArtifact } from "./parts.ts";
import { attachPreserved, extractPreserved, type Preserved } from "./preserved.ts";
import { WireMessage, WireResponse, WireTask, type WireStatus } from "./wire.ts";

/** The names of TaskState in `lf.a2a.v1`. */
export const STATES: Readonly<Record<TaskState, string>> = {
  submitted: "TASK_STATE_SUBMITTED",
  working: "TASK_STATE_WORKING",
  "input-required": "TASK_STATE_INPUT_REQUIRED",
  completed: "TASK_STATE_COMPLETED",
  canceled: "TASK_STATE_CANCELED",
  failed: "TASK_STATE_FAILED",
  rejected: "TASK_STATE_REJECTED",
  "auth-required": "TASK_STATE_AUTH_REQUIRED",
  unknown: "TASK_STATE_UNSPECIFIED",
};

export function toCanonicalStatus(status: WireStatus | null | undefined): AgentStatus {
  return compact({
    state: toCanonicalState(status?.state),
    message: status?.message && toCanonicalMessage(status.message),
    timestamp: status?.timestamp,
  });
}

export function fromCanonicalStatus(status: AgentStatus, preserved: Preserved) {
  const state = status.state === "unknown" && preserved.state ? preserved.state : STATES[status.state];
  const message = status.message && fromCanonicalMessage(status.message);
  return compact({ ...preserved.status, state, message, timestamp: status.timestamp });
}

/** What of a status has no place in 0.3.0: the name of a foreign state, and members beside the known ones. */
export function preservedOfStatus(wire: WireStatus | null | undefined): Preserved {
  const { state, message: _message, timestamp: _timestamp, ...status } = wire ?? {};
  const isForeign =
    typeof state === "string" &&
    !/^(task_state_)?(unknown|unspecified)$/i.test(state) &&
    toCanonicalState(state) === "unknown";
  return isForeign ? { status, state } : { status };
}

function toCanonicalTask(task: WireTask): AgentTask {
  const { kind: _kind, id, contextId, status, artifacts, history, metadata, ...fields } = task;
  return compact({
    kind: "task",
    id,
    contextId,
    status: toCanonicalStatus(status),
    artifacts: artifacts?.map(toCanonicalArtifact),
    history: history?.map(toCanonicalMessage),
    metadata: attachPreserved(metadata, { fields, ...preservedOfStatus(status) }),
  });
}

export function fromCanonicalTask(task: AgentTask) {
  const { metadata, preserved } = extractPreserved(task.metadata);
  return compact({
    ...preserved.fields,
    id: task.id,
    contextId: task.contextId,
    status: fromCanonicalStatus(task.status, preserved),
    artifacts: task.artifacts?.map(fromCanonicalArtifact),
    history: task.history?.map(fromCanonicalMessage),
    metadata,
  });
}

/** Takes the wrapper off; undefined if the value is neither a Task nor a Message, bare or wrapped. */
export function findReply(value: unknown): AgentReply | undefined {
  const response = WireResponse.safeParse(value);
  if (!response.success) return undefined;
  const { task, message, role, parts, status } = response.data;
  if (task) return toCanonicalTask(parseWire(WireTask, task, "task"));
  if (typeof message === "object" && message)
    return toCanonicalMessage(parseWire(WireMessage, message, "message"));
  if (status) return toCanonicalTask(parseWire(WireTask, value, "task"));
  if (role || parts) return toCanonicalMessage(parseWire(WireMessage, value, "message"));
  return undefined;
}

/** The result of SendMessage. */
export function toCanonicalReply(result: unknown): AgentReply {
  const reply = findReply(result);
  if (reply) return reply;
  throw new A2AError("invalid-agent-response", {
    message: "The agent answered with neither a task nor a message",
    data: { stage: "body" },
  });
}

/** The result of GetTask and CancelTask. */
export function toCanonicalTaskResult(result: unknown): AgentTask {
  const reply = toCanonicalReply(result);
  if (reply.kind === "task") return reply;
  throw new A2AError("invalid-agent-response", {
    message: "The agent answered with a message, although it was asked for a task",
    data: { stage: "body" },
  });
}

/** SendMessageResponse. */
export const fromCanonicalReply = (reply: AgentReply) =>
  reply.kind === "task" ? { task: fromCanonicalTask(reply) } : { message: fromCanonicalMessage(reply) };
