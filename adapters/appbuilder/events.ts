/**
 * Events of a stream, one at a time (0.3.0 §7.2.2, §7.2.3); what depends on the events before is stream.ts's business.
 * An artifact-update that is only work on the way becomes a `working` status, and keeps the artifact in its metadata.
 */
import type { AgentArtifactUpdate, AgentEvent, AgentStatusUpdate } from "../../src/adapter.ts";
import type { Part } from "../../src/protocol/model.ts";
import type { TaskState } from "../../src/protocol/states.ts";
import { compact, isRecord } from "../shared/object.ts";
import {
  fromCanonicalArtifact,
  fromCanonicalMetadata,
  toCanonicalArtifact,
  toCanonicalMetadata,
} from "./artifact.ts";
import { fromCanonicalMessage } from "./message.ts";
import { fromCanonicalPart } from "./parts.ts";
import {
  fromCanonicalStatus,
  fromCanonicalTask,
  toAgentMessage,
  toCanonicalState,
  toCanonicalStatus,
} from "./task.ts";
import {
  EXTENSION,
  WireArtifact,
  type WireArtifactUpdate,
  type WireResult,
  type WireStatusUpdate,
} from "./wire.ts";

/** A state that 0.3.0 does not know is `unknown`, and kept beside the vendor's metadata. */
export function toCanonicalStatusUpdate(wire: WireStatusUpdate): AgentStatusUpdate {
  const { state } = wire.status;
  const isNew = state && state !== "unknown" && toCanonicalState(state) === "unknown";
  const metadata = isNew ? { ...wire.metadata, state } : wire.metadata;
  return compact({
    ...wire,
    status: toCanonicalStatus(wire.status),
    metadata: toCanonicalMetadata(metadata),
  });
}

/** @param parts the content, where it has been read already */
export function toCanonicalArtifactUpdate(wire: WireArtifactUpdate, parts?: Part[]): AgentArtifactUpdate {
  return compact({
    ...wire,
    artifact: toCanonicalArtifact(wire.artifact, parts),
    metadata: toCanonicalMetadata(wire.metadata),
  });
}

/** The status that stands for an artifact-update which carries no piece of the answer. */
export function toCanonicalProgress(
  wire: WireArtifactUpdate,
  state: TaskState,
  content: { parts: Part[]; thought: boolean },
): AgentStatusUpdate {
  const { taskId, contextId, artifact } = wire;
  const { parts: _parts, ...origin } = artifact;
  const message = content.parts.length > 0 ? toAgentMessage(content.parts, content.thought) : undefined;
  return compact({
    kind: "status-update" as const,
    taskId,
    contextId,
    status: compact({ state, message }),
    metadata: { [EXTENSION]: { ...wire.metadata, artifact: compact(origin) } },
  });
}

export function fromCanonicalArtifactUpdate(update: AgentArtifactUpdate): WireArtifactUpdate {
  return compact({
    ...update,
    artifact: fromCanonicalArtifact(update.artifact),
    metadata: fromCanonicalMetadata(update.metadata),
  });
}

/** A status that AppBuilder itself has sent as an artifact-update becomes one again. */
export function fromCanonicalStatusUpdate(update: AgentStatusUpdate): WireStatusUpdate | WireArtifactUpdate {
  const { artifact: origin, ...metadata } = fromCanonicalMetadata(update.metadata) ?? {};
  const { taskId, contextId, status } = update;
  if (isRecord(origin)) {
    const artifact = WireArtifact.parse({ ...origin, parts: [] });
    artifact.parts = (status.message?.parts ?? []).map(fromCanonicalPart);
    return compact({ kind: "artifact-update", taskId, contextId, artifact, append: true, metadata });
  }
  const own = Object.keys(metadata).length > 0 ? metadata : undefined;
  return compact({ ...update, status: fromCanonicalStatus(status), metadata: own });
}

export function fromCanonicalEvent(event: AgentEvent): WireResult {
  switch (event.kind) {
    case "task":
      return fromCanonicalTask(event);
    case "message":
      return fromCanonicalMessage(event);
    case "status-update":
      return fromCanonicalStatusUpdate(event);
    case "artifact-update":
      return fromCanonicalArtifactUpdate(event);
    default:
      return event satisfies never;
  }
}
