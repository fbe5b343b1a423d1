/**
 * Stream events and replies: 0.1 has no `kind`, names the task `id`, sends no Task first and no context (0.3.0 §7.2).
 * What an object is follows from its members. The chunk flags move from the artifact to its event.
 * Lossy: `final` on an artifact event, which some servers set, has no place in 0.3.0 and is dropped: where the stream
 * ends after it without a final status, the gateway asks tasks/get. Towards the wire: contextId.
 */
import type {
  AgentArtifactUpdate,
  AgentEvent,
  AgentReply,
  AgentStatusUpdate,
  AgentTask,
} from "../../src/adapter.ts";
import type { TaskArtifactUpdateEvent } from "../../src/protocol/model.ts";
import { compact, isRecord } from "../shared/object.ts";
import { parseWire } from "../shared/wire.ts";
import {
  type ArtifactMode,
  type KeyedArtifact,
  fromCanonicalArtifact,
  isAppended,
  toCanonicalArtifact,
} from "./artifact.ts";
import type { ArtifactIds } from "./artifact-ids.ts";
import type { ArtifactIndexes } from "./artifact-indexes.ts";
import { splitExtras, withExtras } from "./extras.ts";
import { toCanonicalMessage } from "./message.ts";
import { fromCanonicalStatus, toCanonicalStatus, toCanonicalTask } from "./task.ts";
import { WireArtifactEvent, WireMessage, type WireSendParams, WireStatusEvent, WireTask } from "./wire.ts";

/** A status event always says `final`; a Task never does, and has one of these. */
function isTask(value: Record<string, unknown>): boolean {
  if (value["kind"] === "task") return true;
  return !("final" in value) && ("sessionId" in value || "artifacts" in value || "history" in value);
}

/**
 * One value of a stream; undefined where it is nothing that this dialect knows.
 * @param ids of the stream
 */
export function toCanonicalEvent(
  value: unknown,
  mode: ArtifactMode,
  ids: ArtifactIds,
): AgentEvent | undefined {
  if (!isRecord(value)) return undefined;
  if ("artifact" in value) {
    return toCanonicalArtifactUpdate(parseWire(WireArtifactEvent, value, "artifact event"), mode, ids);
  }
  if ("status" in value) {
    if (isTask(value)) return toCanonicalReply(value, mode);
    return toCanonicalStatusUpdate(parseWire(WireStatusEvent, value, "status event"));
  }
  return "role" in value ? toCanonicalReply(value, mode) : undefined;
}

/** The answer to tasks/send: a Task, or from some servers a bare message. */
export function toCanonicalReply(value: unknown, mode: ArtifactMode): AgentReply {
  if (isRecord(value) && "role" in value && !("status" in value)) {
    return toCanonicalMessage(parseWire(WireMessage, value, "message"));
  }
  return toCanonicalTaskReply(value, mode);
}

/** The answer to tasks/get and tasks/cancel. */
export const toCanonicalTaskReply = (value: unknown, mode: ArtifactMode): AgentTask =>
  toCanonicalTask(parseWire(WireTask, value, "task"), mode);

type MintedIds = Pick<WireSendParams, "id" | "sessionId">;

/**
 * Names the task and session that the client minted where the vendor does not repeat them: stream events never name
 * the session. The gateway then knows both, for later turns and calls.
 */
export function withMintedIds(event: AgentReply, ids: MintedIds): AgentReply;
export function withMintedIds(event: AgentEvent, ids: MintedIds): AgentEvent;
export function withMintedIds(event: AgentEvent, ids: MintedIds): AgentEvent {
  const contextId = event.contextId ?? ids.sessionId ?? undefined;
  switch (event.kind) {
    case "task":
      return { ...event, id: event.id ?? ids.id, contextId };
    case "message":
      // A bare message is not a task's: the server keeps none.
      return { ...event, contextId };
    case "status-update":
    case "artifact-update":
      return { ...event, taskId: event.taskId ?? ids.id, contextId };
    default:
      return event satisfies never;
  }
}

function toCanonicalStatusUpdate(event: WireStatusEvent): AgentStatusUpdate {
  const { id, sessionId, status: wire, final, metadata, kind: _kind, ...rest } = event;
  const { status, extras } = toCanonicalStatus(wire);
  return compact({
    kind: "status-update" as const,
    taskId: id,
    contextId: sessionId,
    status,
    final,
    metadata: withExtras(metadata, { ...rest, ...extras }),
  });
}

export function fromCanonicalStatusUpdate(event: AgentStatusUpdate): WireStatusEvent {
  const { metadata, extras } = splitExtras(event.metadata);
  const { status: more, ...rest } = extras;
  const status = fromCanonicalStatus(event.status, more);
  return compact({ ...rest, id: event.taskId, status, final: event.final ?? false, metadata });
}

function toCanonicalArtifactUpdate(
  event: WireArtifactEvent,
  mode: ArtifactMode,
  ids: ArtifactIds,
): AgentArtifactUpdate {
  const { id, sessionId, artifact, metadata, final: _final, kind: _kind, ...extras } = event;
  return compact({
    kind: "artifact-update" as const,
    taskId: id,
    contextId: sessionId,
    artifact: toCanonicalArtifact(artifact, ids, mode),
    append: isAppended(artifact, mode),
    lastChunk: artifact.lastChunk,
    metadata: withExtras(metadata, extras),
  });
}

/** @param indexes of the stream */
export function fromCanonicalArtifactUpdate(
  event: TaskArtifactUpdateEvent | (AgentArtifactUpdate & { artifact: KeyedArtifact }),
  indexes: ArtifactIndexes,
): WireArtifactEvent {
  const { metadata, extras } = splitExtras(event.metadata);
  const { append, lastChunk } = event;
  const artifact = compact({ ...fromCanonicalArtifact(event.artifact, indexes), append, lastChunk });
  return compact({ ...extras, id: event.taskId, artifact, metadata });
}
