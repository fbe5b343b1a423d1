/**
 * Stream events (StreamResponse). Mismatch bridged: the member's name says what an event is, and there is no `final`
 * (0.3.0 §7.2.2): the gateway derives it from the state. Hybrids send events bare, as 0.3 does, and drafts put the
 * chunk flags inside the artifact; both are read.
 */
import type { AgentArtifactUpdate, AgentEvent, AgentStatusUpdate } from "../../src/adapter.ts";
import { compact } from "../shared/object.ts";
import { parseWire } from "../shared/wire.ts";
import { fromCanonicalArtifact, toCanonicalArtifact } from "./parts.ts";
import { attachPreserved, extractPreserved } from "./preserved.ts";
import {
  findReply,
  fromCanonicalReply,
  fromCanonicalStatus,
  preservedOfStatus,
  toCanonicalStatus,
} from "./task.ts";
import { WireArtifactUpdate, WireResponse, WireStatusUpdate } from "./wire.ts";

/** Undefined if the value is no event, such as a keep-alive object. */
export function toCanonicalEvent(value: unknown): AgentEvent | undefined {
  const response = WireResponse.safeParse(value);
  if (!response.success) return undefined;
  const { statusUpdate, artifactUpdate, artifact, status } = response.data;
  if (statusUpdate) return toCanonicalStatusUpdate(parse(WireStatusUpdate, statusUpdate));
  if (artifactUpdate) return toCanonicalArtifactUpdate(parse(WireArtifactUpdate, artifactUpdate));
  if (artifact) return toCanonicalArtifactUpdate(parse(WireArtifactUpdate, value));
  if (status && isBareUpdate(response.data)) return toCanonicalStatusUpdate(parse(WireStatusUpdate, value));
  return findReply(value);
}

const parse = <T>(schema: Parameters<typeof parseWire<T>>[0], value: unknown): T =>
  parseWire(schema, value, "event");

/** A bare Task and a bare status update both have a `status`; a Task's id is called `id`, an update's `taskId`. */
const isBareUpdate = (event: Record<string, unknown>): boolean =>
  "taskId" in event || "task_id" in event || !("id" in event);

function toCanonicalStatusUpdate(update: WireStatusUpdate): AgentStatusUpdate {
  const { kind: _kind, taskId, contextId, status, final, metadata, ...fields } = update;
  return compact({
    kind: "status-update",
    taskId,
    contextId,
    status: toCanonicalStatus(status),
    final,
    metadata: attachPreserved(metadata, { fields, ...preservedOfStatus(status) }),
  });
}

/** A flag on the event wins over the one inside the artifact. */
function toCanonicalArtifactUpdate(update: WireArtifactUpdate): AgentArtifactUpdate {
  const { kind: _kind, taskId, contextId, artifact, append, lastChunk, metadata, ...fields } = update;
  return compact({
    kind: "artifact-update",
    taskId,
    contextId,
    artifact: toCanonicalArtifact(artifact),
    append: append ?? artifact.append,
    lastChunk: lastChunk ?? artifact.lastChunk,
    metadata: attachPreserved(metadata, { fields }),
  });
}

/** StreamResponse, and the body of a push notification. */
export function fromCanonicalEvent(event: AgentEvent) {
  switch (event.kind) {
    case "task":
    case "message":
      return fromCanonicalReply(event);
    case "status-update":
      return { statusUpdate: fromCanonicalStatusUpdate(event) };
    case "artifact-update":
      return { artifactUpdate: fromCanonicalArtifactUpdate(event) };
    default:
      return event satisfies never;
  }
}

/** Loss: `final` is not sent; a reader derives it from the state. */
function fromCanonicalStatusUpdate(update: AgentStatusUpdate) {
  const { metadata, preserved } = extractPreserved(update.metadata);
  return compact({
    ...preserved.fields,
    taskId: update.taskId,
    contextId: update.contextId,
    status: fromCanonicalStatus(update.status, preserved),
    metadata,
  });
}

/** Flags that are false are left out, as ProtoJSON does. */
function fromCanonicalArtifactUpdate(update: AgentArtifactUpdate) {
  const { metadata, preserved } = extractPreserved(update.metadata);
  return compact({
    ...preserved.fields,
    taskId: update.taskId,
    contextId: update.contextId,
    artifact: fromCanonicalArtifact(update.artifact),
    append: update.append || undefined,
    lastChunk: update.lastChunk || undefined,
    metadata,
  });
}
