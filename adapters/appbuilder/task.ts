/**
 * Tasks and their status. A Task is documented, but never seen in a stream; its artifacts are also spelled `aritfacts`.
 */
import type { AgentMessage, AgentStatus, AgentTask } from "../../src/adapter.ts";
import type { Part } from "../../src/protocol/model.ts";
import { isFinal, type TaskState } from "../../src/protocol/states.ts";
import { compact } from "../shared/object.ts";
import { toCanonicalState as toSharedState } from "../shared/state.ts";
import {
  fromCanonicalArtifact,
  fromCanonicalMetadata,
  toCanonicalArtifact,
  toCanonicalMetadata,
} from "./artifact.ts";
import { toCanonicalContent } from "./content.ts";
import { fromCanonicalMessage, toCanonicalMessage } from "./message.ts";
import type { WireStatus, WireTask } from "./wire.ts";

/** Event and dialogue statuses, in case one stands where a task state belongs. */
const STATES: ReadonlyMap<unknown, TaskState> = new Map([
  ["preparing", "working"],
  ["interrupt", "input-required"],
]);

export const toCanonicalState = (raw: unknown): TaskState => STATES.get(raw) ?? toSharedState(raw);

/** The timestamp (nanoseconds, +08:00) stays as it is: the gateway brings every vendor's to UTC milliseconds. */
export function toCanonicalStatus(wire: WireStatus | null | undefined): AgentStatus {
  const message = wire?.message ? toCanonicalMessage(wire.message) : undefined;
  return compact({ ...wire, state: toCanonicalState(wire?.state), message });
}

export function fromCanonicalStatus(status: AgentStatus): WireStatus {
  return compact({ ...status, message: status.message && fromCanonicalMessage(status.message) });
}

/** Something the agent says on the way, or asks; `thought` marks its thinking. */
export function toAgentMessage(parts: Part[], thought: boolean): AgentMessage {
  return compact({
    kind: "message" as const,
    role: "agent" as const,
    parts,
    metadata: thought ? { thought } : undefined,
  });
}

/**
 * Artifacts that are work on the way (thinking, plans, calls) become messages of the history, in their order; an
 * interrupt among them is what an unfinished task waits for.
 */
export function toCanonicalTask(wire: WireTask): AgentTask {
  const { aritfacts, ...rest } = wire;
  const history = (wire.history ?? []).map(toCanonicalMessage);
  const artifacts = [];
  const asked: Part[] = [];
  let interrupted = false;
  for (const artifact of wire.artifacts ?? aritfacts ?? []) {
    const { parts, eventStatus, working, thought } = toCanonicalContent(artifact, false);
    if (eventStatus === "interrupt") {
      interrupted = true;
      asked.push(...parts);
    } else if (!working) artifacts.push(toCanonicalArtifact(artifact, parts));
    else if (parts.length > 0) history.push(toAgentMessage(parts, thought));
  }
  let status = toCanonicalStatus(wire.status);
  const message = asked.length > 0 ? toAgentMessage(asked, false) : undefined;
  if (interrupted && !isFinal(status.state))
    status = compact({ ...status, state: "input-required", message });
  else if (message) history.push(message);
  return compact({
    ...rest,
    kind: "task" as const,
    status,
    artifacts: artifacts.length > 0 ? artifacts : undefined,
    history: history.length > 0 ? history : undefined,
    metadata: toCanonicalMetadata(wire.metadata),
  });
}

export function fromCanonicalTask(task: AgentTask): WireTask {
  const { history, artifacts, metadata, ...rest } = task;
  return compact({
    ...rest,
    status: fromCanonicalStatus(task.status),
    history: history?.map(fromCanonicalMessage),
    artifacts: artifacts?.map(fromCanonicalArtifact),
    metadata: fromCanonicalMetadata(metadata),
  });
}
