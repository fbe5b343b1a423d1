/**
 * Tasks and their status: `sessionId` is 0.3.0's contextId (§6.1), there is no `kind`, and states stop at seven.
 * An empty `history` says only that none was asked for, so it is left out. A state that is not recognised is
 * `unknown`, with what the vendor said under `status` in the metadata's extension key.
 * Lossy towards the wire: `rejected` becomes `failed`, `auth-required` becomes `input-required`.
 */
import type { AgentStatus, AgentTask } from "../../src/adapter.ts";
import type { Task } from "../../src/protocol/model.ts";
import type { TaskState } from "../../src/protocol/states.ts";
import { compact, isRecord } from "../shared/object.ts";
import { toCanonicalState } from "../shared/state.ts";
import {
  type ArtifactMode,
  type KeyedArtifact,
  fromCanonicalArtifact,
  toCanonicalArtifacts,
} from "./artifact.ts";
import { ArtifactIndexes } from "./artifact-indexes.ts";
import { splitExtras, withExtras } from "./extras.ts";
import { fromCanonicalMessage, toCanonicalMessage } from "./message.ts";
import type { WireStatus, WireTask } from "./wire.ts";

/** A task whose artifacts have their ids. */
export type KeyedTask = Omit<AgentTask, "artifacts"> & { artifacts?: KeyedArtifact[] | undefined };

type WireState = Exclude<TaskState, "rejected" | "auth-required">;

const WIRE_STATES: Readonly<Record<TaskState, WireState>> = {
  submitted: "submitted",
  working: "working",
  "input-required": "input-required",
  completed: "completed",
  canceled: "canceled",
  failed: "failed",
  /** The nearest of the seven: it has ended, and without a result. */
  rejected: "failed",
  /** The nearest of the seven: the client has to act before it goes on. */
  "auth-required": "input-required",
  unknown: "unknown",
};

export const fromCanonicalState = (state: TaskState): WireState => WIRE_STATES[state];

/** The status, and what of it 0.3.0 has no place for; it goes into the metadata of the task or event around it. */
export function toCanonicalStatus(wire: WireStatus): {
  status: AgentStatus;
  extras: Record<string, unknown>;
} {
  const { state: raw, message, timestamp, ...rest } = wire;
  const state = toCanonicalState(raw);
  const status = compact({ state, message: message ? toCanonicalMessage(message) : undefined, timestamp });
  const more = compact({ ...rest, state: state === "unknown" && raw !== "unknown" ? raw : undefined });
  return { status, extras: Object.keys(more).length > 0 ? { status: more } : {} };
}

/** @param more what `toCanonicalStatus` gave as the extras' `status` */
export function fromCanonicalStatus(status: AgentStatus, more: unknown): WireStatus {
  const extras = isRecord(more) ? more : {};
  const state =
    status.state === "unknown" ? (extras["state"] ?? "unknown") : fromCanonicalState(status.state);
  const message = status.message ? fromCanonicalMessage(status.message) : undefined;
  return { ...extras, state, ...compact({ message, timestamp: status.timestamp }) };
}

export function toCanonicalTask(task: WireTask, mode: ArtifactMode): KeyedTask {
  const { id, sessionId, status: wire, artifacts, history, metadata, kind: _kind, ...rest } = task;
  const { status, extras } = toCanonicalStatus(wire);
  return compact({
    kind: "task" as const,
    id,
    contextId: sessionId,
    status,
    artifacts: artifacts?.length ? toCanonicalArtifacts(artifacts, mode) : undefined,
    history: history?.length ? history.map(toCanonicalMessage) : undefined,
    metadata: withExtras(metadata, { ...rest, ...extras }),
  });
}

export function fromCanonicalTask(task: Task | KeyedTask): WireTask {
  const { metadata, extras } = splitExtras(task.metadata);
  const { status: more, ...rest } = extras;
  const indexes = new ArtifactIndexes();
  return compact({
    ...rest,
    id: task.id,
    sessionId: task.contextId,
    status: fromCanonicalStatus(task.status, more),
    artifacts: task.artifacts?.map((artifact) => fromCanonicalArtifact(artifact, indexes)),
    history: task.history?.map(fromCanonicalMessage),
    metadata,
  });
}
