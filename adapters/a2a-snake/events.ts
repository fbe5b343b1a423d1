/**
 * Stream events. Mismatch bridged: wrappers are `statusUpdate`, `artifactUpdate` around snake_case bodies, or in
 * snake_case, or absent (a webhook body is the bare event); the chunk flags stand on the event or inside the
 * artifact; there is no `final` (0.3.0 §7.2.2): the gateway derives it from the state.
 */
import type { AgentArtifactUpdate, AgentEvent, AgentStatusUpdate } from "../../src/adapter.ts";
import { compact } from "../shared/object.ts";
import { parseWire } from "../shared/wire.ts";
import { takeMarks, withMarks } from "./extras.ts";
import { fromCanonicalArtifact, toCanonicalArtifact } from "./parts.ts";
import {
  findReply,
  fromCanonicalReply,
  fromCanonicalStatus,
  statusMarks,
  toCanonicalStatus,
} from "./task.ts";
import { WireArtifactUpdate, WireStatusUpdate, WireWrapper } from "./wire.ts";

/** Undefined where the value is no event of this dialect, such as a keep-alive object. */
export function toCanonicalEvent(value: unknown): AgentEvent | undefined {
  const wrapper = WireWrapper.safeParse(value);
  if (!wrapper.success) return undefined;
  const { status_update, artifact_update, artifact, status } = wrapper.data;
  if (status_update) return toCanonicalStatusUpdate(parse(WireStatusUpdate, status_update));
  if (artifact_update) return toCanonicalArtifactUpdate(parse(WireArtifactUpdate, artifact_update));
  if (artifact) return toCanonicalArtifactUpdate(parse(WireArtifactUpdate, value));
  if (status && isBareUpdate(wrapper.data)) return toCanonicalStatusUpdate(parse(WireStatusUpdate, value));
  return findReply(value);
}

const parse = <T>(schema: Parameters<typeof parseWire<T>>[0], value: unknown): T =>
  parseWire(schema, value, "event");

/** A bare Task and a bare status update both have a `status`; a Task's id is called `id`, an update's `task_id`. */
const isBareUpdate = (event: Record<string, unknown>): boolean =>
  "task_id" in event || "taskId" in event || !("id" in event);

function toCanonicalStatusUpdate(update: WireStatusUpdate): AgentStatusUpdate {
  const { kind: _kind, task_id, context_id, status, final, metadata, ...fields } = update;
  return compact({
    kind: "status-update",
    taskId: task_id,
    contextId: context_id,
    status: toCanonicalStatus(status),
    final,
    metadata: withMarks(metadata, { fields, ...statusMarks(status) }),
  });
}

/** A flag on the event wins over the one inside the artifact. */
function toCanonicalArtifactUpdate(update: WireArtifactUpdate): AgentArtifactUpdate {
  const { kind: _kind, task_id, context_id, artifact, append, last_chunk, metadata, ...fields } = update;
  return compact({
    kind: "artifact-update",
    taskId: task_id,
    contextId: context_id,
    artifact: toCanonicalArtifact(artifact),
    append: append ?? artifact.append,
    lastChunk: last_chunk ?? artifact.last_chunk,
    metadata: withMarks(metadata, { fields }),
  });
}

/** The event in its wrapper: its name in camelCase and its body in snake_case, as the dialect's streams have it. */
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
  const { metadata, marks } = takeMarks(update.metadata);
  return compact({
    ...marks.fields,
    task_id: update.taskId,
    context_id: update.contextId,
    status: fromCanonicalStatus(update.status, marks),
    metadata,
  });
}

function fromCanonicalArtifactUpdate(update: AgentArtifactUpdate) {
  const { metadata, marks } = takeMarks(update.metadata);
  return compact({
    ...marks.fields,
    task_id: update.taskId,
    context_id: update.contextId,
    artifact: fromCanonicalArtifact(update.artifact),
    append: update.append,
    last_chunk: update.lastChunk,
    metadata,
  });
}
