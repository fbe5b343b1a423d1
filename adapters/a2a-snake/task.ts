/**
 * Tasks and their status. Mismatch bridged: snake_case members, no `kind`; 0.3.0 §6.1–6.3. A send or get result may
 * be bare or wrapped as `{task}` or `{message}`: the dialect leaves it open.
 *
 * Loss: the dialect has no state `unknown`; it is sent as `working`, which claims neither an end nor a question. A
 * state that 0.3.0 does not have becomes `unknown`, its name kept under the extension's metadata key.
 */
import type { AgentReply, AgentStatus, AgentTask } from "../../src/adapter.ts";
import { A2AError } from "../../src/protocol/errors.ts";
import { compact } from "../shared/object.ts";
import { toCanonicalState } from "../shared/state.ts";
import { parseWire } from "../shared/wire.ts";
import { takeMarks, withMarks, type Marks } from "./extras.ts";
import { fromCanonicalMessage, toCanonicalMessage } from "./message.ts";
import { fromCanonicalArtifact, toCanonicalArtifact } from "./parts.ts";
import { WireMessage, WireTask, WireWrapper, type WireStatus } from "./wire.ts";

export function toCanonicalStatus(status: WireStatus | null | undefined): AgentStatus {
  return compact({
    state: toCanonicalState(status?.state),
    message: status?.message && toCanonicalMessage(status.message),
    timestamp: status?.timestamp,
  });
}

export function fromCanonicalStatus(status: AgentStatus, marks: Marks) {
  const state = status.state === "unknown" ? (marks.state ?? "working") : status.state;
  const message = status.message && fromCanonicalMessage(status.message);
  return compact({ ...marks.status, state, message, timestamp: status.timestamp });
}

/** What of a status has no place in 0.3.0: the name of a foreign state, and members beside the known ones. */
export function statusMarks(wire: WireStatus | null | undefined): Marks {
  const { state, message: _message, timestamp: _timestamp, ...status } = wire ?? {};
  const foreign = typeof state === "string" && state !== "unknown" && toCanonicalState(state) === "unknown";
  return foreign ? { status, state } : { status };
}

export function toCanonicalTask(task: WireTask): AgentTask {
  const { kind: _kind, id, context_id, status, artifacts, history, metadata, ...fields } = task;
  return compact({
    kind: "task",
    id,
    contextId: context_id,
    status: toCanonicalStatus(status),
    artifacts: artifacts?.map(toCanonicalArtifact),
    history: history?.map(toCanonicalMessage),
    metadata: withMarks(metadata, { fields, ...statusMarks(status) }),
  });
}

export function fromCanonicalTask(task: AgentTask) {
  const { metadata, marks } = takeMarks(task.metadata);
  return compact({
    ...marks.fields,
    id: task.id,
    context_id: task.contextId,
    status: fromCanonicalStatus(task.status, marks),
    artifacts: task.artifacts?.map(fromCanonicalArtifact),
    history: task.history?.map(fromCanonicalMessage),
    metadata,
  });
}

/** Takes the wrapper off; undefined where the value is neither a Task nor a Message, bare or wrapped. */
export function findReply(value: unknown): AgentReply | undefined {
  const wrapper = WireWrapper.safeParse(value);
  if (!wrapper.success) return undefined;
  const { task, message, role, parts, status } = wrapper.data;
  if (task) return toCanonicalTask(parseWire(WireTask, task, "task"));
  if (typeof message === "object" && message)
    return toCanonicalMessage(parseWire(WireMessage, message, "message"));
  if (status) return toCanonicalTask(parseWire(WireTask, value, "task"));
  if (role || parts) return toCanonicalMessage(parseWire(WireMessage, value, "message"));
  return undefined;
}

/** The result of a2a.sendMessage. */
export function toCanonicalReply(result: unknown): AgentReply {
  const reply = findReply(result);
  if (reply) return reply;
  throw new A2AError("invalid-agent-response", {
    message: "The agent answered with neither a task nor a message",
    data: { stage: "body" },
  });
}

/** The result of a2a.getTask and a2a.cancelTask. */
export function toCanonicalTaskResult(result: unknown): AgentTask {
  const reply = toCanonicalReply(result);
  if (reply.kind === "task") return reply;
  throw new A2AError("invalid-agent-response", {
    message: "The agent answered with a message where a task was asked for",
    data: { stage: "body" },
  });
}

/** A result of a2a.sendMessage, wrapped as official 1.0 wraps it. */
export const fromCanonicalReply = (reply: AgentReply) =>
  reply.kind === "task" ? { task: fromCanonicalTask(reply) } : { message: fromCanonicalMessage(reply) };
