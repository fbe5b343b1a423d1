/**
 * Tasks, statuses and artifacts (A2A 0.3.0 §6.1 to §6.3, §6.7). Servers write TASK_STATE_* and CANCELLED, snake_case
 * names, a bare word for the status, a string for its message, and explicit nulls.
 */
import { z } from "zod";
import type { AgentArtifact, AgentStatus, AgentTask, VendorTask } from "../../src/adapter.ts";
import { Artifact, Task, TaskStatus, type Metadata } from "../../src/protocol/model.ts";
import type { TaskQueryParams } from "../../src/protocol/params.ts";
import { compact, isRecord } from "../shared/object.ts";
import { toCanonicalState } from "../shared/state.ts";
import { toCanonicalMessage, toCanonicalMessages, WellFormedMessage } from "./message.ts";
import { EXTENSION, toCanonicalParts, WellFormedPart } from "./parts.ts";
import {
  asList,
  CONTEXT_ID,
  fits,
  isSpelledBy,
  LooseArtifact,
  LooseStatus,
  LooseTask,
  respelled,
} from "./wire.ts";

const TASK = {
  id: ["taskId", "task_id"],
  contextId: CONTEXT_ID,
  status: ["state"],
  history: ["messages"],
} as const;

const STATUS = { message: ["update"], state: ["status"] } as const;

const ARTIFACT = { artifactId: ["artifact_id", "id", "index"], parts: ["content", "text"] } as const;

export const WellFormedStatus = TaskStatus.extend({ message: WellFormedMessage.optional() });

export const WellFormedArtifact = Artifact.extend({ parts: z.array(WellFormedPart) });

export const WellFormedTask = Task.extend({
  status: WellFormedStatus,
  artifacts: z.array(WellFormedArtifact).optional(),
  history: z.array(WellFormedMessage).optional(),
}).refine(isSpelledBy(TASK));

/** An object, or the state alone. */
export function toCanonicalStatus(raw: unknown): AgentStatus {
  const value = isRecord(raw) ? respelled(raw, STATUS) : { state: raw };
  const { state, message: said, ...rest } = LooseStatus.parse(value);
  const message = toCanonicalMessage(said);
  return { ...compact(rest), state: toCanonicalState(state), ...(message && { message }) };
}

/**
 * The metadata of what carries the status, and a state that 0.3.0 does not have, in the vendor's word.
 */
export function keepState(
  metadata: Metadata | null | undefined,
  status: AgentStatus,
  raw: unknown,
): Metadata | undefined {
  const said = isRecord(raw) ? (raw["state"] ?? raw["status"]) : raw;
  const told = typeof said !== "string" || /^(task_state_)?(unknown|unspecified)$/i.test(said);
  if (status.state !== "unknown" || told) return metadata ?? undefined;
  return { ...metadata, [EXTENSION]: { state: said } };
}

/** An object; anything else becomes the one part of an artifact. */
export function toCanonicalArtifact(raw: unknown): AgentArtifact {
  const value = isRecord(raw) ? respelled(raw, ARTIFACT) : { parts: raw };
  const { parts, ...rest } = LooseArtifact.parse(value);
  return { ...compact(rest), parts: toCanonicalParts(parts) };
}

/** `kind` is not looked at: the caller knows, or has inferred, that this is a Task. */
export function toCanonicalTask(raw: Readonly<Record<string, unknown>>): AgentTask {
  if (fits(WellFormedTask, raw)) return raw;
  const task = LooseTask.parse(respelled(raw, TASK));
  const { status: said, artifacts, history, metadata, type: _type, ...rest } = task;
  const status = toCanonicalStatus(said);
  return {
    ...compact({ ...rest, metadata: keepState(metadata, status, said) }),
    kind: "task",
    status,
    ...(artifacts !== undefined &&
      artifacts !== null && { artifacts: asList(artifacts).map(toCanonicalArtifact) }),
    ...(history !== undefined && history !== null && { history: toCanonicalMessages(history) }),
  };
}

/** The parameters of tasks/get; those of tasks/cancel and tasks/resubscribe where no history is asked for. */
export const fromCanonicalTask = ({ id, historyLength, metadata }: VendorTask): TaskQueryParams => ({
  id,
  ...(historyLength !== undefined && { historyLength }),
  ...(metadata && { metadata }),
});
