/**
 * The canonical objects as the 0.3 SDKs write them over HTTP+JSON: ProtoJSON of package a2a.v1, not the JSON of the
 * schema (§3.2.3, §11). It has no `kind` but a wrapper that says which it is, `content` for the parts of a message,
 * ROLE_* and TASK_STATE_* with a CANCELLED of two L, and leaves defaults out.
 *
 * Writing drops what the proto does not have: `referenceTaskIds` and members outside of 0.3.0, on which a strict
 * ProtoJSON reader fails; and TASK_STATE_UNSPECIFIED, the default, stands for `unknown`. `metadata` carries the rest.
 *
 * Reading takes ProtoJSON in camelCase and snake_case and the JSON of the schema, and gives the latter, unvalidated:
 * whatever is none of the three is left as it is, for the schema to say what is wrong with it.
 */
import type {
  Artifact,
  FilePart,
  Message,
  Part,
  StreamEvent,
  Task,
  TaskArtifactUpdateEvent,
  TaskStatus,
  TaskStatusUpdateEvent,
} from "./model.ts";
import { isFields, type Fields } from "./json.ts";
import { camelCased, dropEmpty, mapList, withoutDefaults } from "./proto-json-fields.ts";
import { fromProtoRole, fromProtoState, toProtoRole, toProtoState } from "./proto-enums.ts";

export function toProtoJsonPart(part: Part): Fields {
  const metadata = part.metadata && { metadata: part.metadata };
  switch (part.kind) {
    case "text":
      return { text: part.text, ...metadata };
    case "file":
      return { file: toProtoJsonFile(part.file), ...metadata };
    case "data":
      return { data: { data: part.data }, ...metadata };
    default:
      return part satisfies never;
  }
}

function toProtoJsonFile({ uri, bytes, mimeType, name }: FilePart["file"]): Fields {
  const content = uri === undefined ? { fileWithBytes: bytes } : { fileWithUri: uri };
  return { ...content, ...withoutDefaults({ mimeType, name }) };
}

export function fromProtoJsonPart(value: unknown): unknown {
  if (!isFields(value)) return value;
  const fields = camelCased(value);
  if (isFields(fields["file"])) fields["file"] = fromProtoJsonFile(fields["file"]);
  // 0.1 calls it `type`; a reader of the schema knows what to make of that.
  if (fields["kind"] !== undefined || typeof fields["type"] === "string") return fields;
  const kinds = ["text", "file", "data"].filter((kind) => fields[kind] !== undefined);
  if (kinds.length !== 1) return fields;
  const { data } = fields;
  // The JSON of the schema names the kind; without one, an object around an object is ProtoJSON's DataPart.
  if (isFields(data) && isFields(data["data"]) && Object.keys(data).length === 1)
    fields["data"] = data["data"];
  return { kind: kinds[0], ...fields };
}

function fromProtoJsonFile(value: Fields): Fields {
  const { fileWithUri, fileWithBytes, ...fields } = camelCased(value);
  dropEmpty(fields, ["mimeType", "name"]);
  if (fileWithUri !== undefined) fields["uri"] ??= fileWithUri;
  if (fileWithBytes !== undefined) fields["bytes"] ??= fileWithBytes;
  return fields;
}

export function toProtoJsonMessage(message: Message): Fields {
  const { messageId, contextId, taskId, role, parts, extensions, metadata } = message;
  const content = parts.map(toProtoJsonPart);
  return withoutDefaults({
    messageId,
    contextId,
    taskId,
    role: toProtoRole(role),
    content,
    extensions,
    metadata,
  });
}

export function fromProtoJsonMessage(value: unknown): unknown {
  if (!isFields(value)) return value;
  const { content, ...fields } = camelCased(value);
  fields["kind"] ??= "message";
  fields["role"] = fromProtoRole(fields["role"]);
  fields["parts"] = mapList(fields["parts"] ?? content, fromProtoJsonPart);
  dropEmpty(fields, ["messageId", "taskId", "contextId"]);
  return fields;
}

function toProtoJsonArtifact(artifact: Artifact): Fields {
  const { artifactId, name, description, parts, extensions, metadata } = artifact;
  return withoutDefaults({
    artifactId,
    name,
    description,
    parts: parts.map(toProtoJsonPart),
    extensions,
    metadata,
  });
}

function fromProtoJsonArtifact(value: unknown): unknown {
  if (!isFields(value)) return value;
  const fields = camelCased(value);
  fields["parts"] = mapList(fields["parts"] ?? [], fromProtoJsonPart);
  dropEmpty(fields, ["name", "description"]);
  return fields;
}

function toProtoJsonStatus({ state, message, timestamp }: TaskStatus): Fields {
  return withoutDefaults({
    state: toProtoState(state),
    message: message && toProtoJsonMessage(message),
    timestamp,
  });
}

function fromProtoJsonStatus(value: unknown): unknown {
  if (!isFields(value)) return value;
  // `update` is what the proto's own field is called, and what some writers therefore say.
  const { update, ...fields } = camelCased(value);
  fields["state"] = fromProtoState(fields["state"]);
  const message = fields["message"] ?? update;
  if (message !== undefined) fields["message"] = fromProtoJsonMessage(message);
  return fields;
}

export function toProtoJsonTask(task: Task): Fields {
  const { id, contextId, status, artifacts, history, metadata } = task;
  return withoutDefaults({
    id,
    contextId,
    status: toProtoJsonStatus(status),
    artifacts: artifacts?.map(toProtoJsonArtifact),
    history: history?.map(toProtoJsonMessage),
    metadata,
  });
}

export function fromProtoJsonTask(value: unknown): unknown {
  if (!isFields(value)) return value;
  const fields = camelCased(value);
  fields["kind"] ??= "task";
  fields["status"] = fromProtoJsonStatus(fields["status"]);
  for (const [name, convert] of TASK_LISTS) {
    if (fields[name] !== undefined) fields[name] = mapList(fields[name], convert);
  }
  return fields;
}

const TASK_LISTS = [
  ["artifacts", fromProtoJsonArtifact],
  ["history", fromProtoJsonMessage],
] as const;

function toProtoJsonStatusUpdate(update: TaskStatusUpdateEvent): Fields {
  const { taskId, contextId, status, final, metadata } = update;
  return withoutDefaults({ taskId, contextId, status: toProtoJsonStatus(status), final, metadata });
}

function fromProtoJsonStatusUpdate(value: unknown): unknown {
  if (!isFields(value)) return value;
  const fields = camelCased(value);
  fields["kind"] ??= "status-update";
  fields["status"] = fromProtoJsonStatus(fields["status"]);
  fields["final"] ??= false;
  return fields;
}

function toProtoJsonArtifactUpdate(update: TaskArtifactUpdateEvent): Fields {
  const { taskId, contextId, artifact, append, lastChunk, metadata } = update;
  return withoutDefaults({
    taskId,
    contextId,
    artifact: toProtoJsonArtifact(artifact),
    append,
    lastChunk,
    metadata,
  });
}

function fromProtoJsonArtifactUpdate(value: unknown): unknown {
  if (!isFields(value)) return value;
  const fields = camelCased(value);
  fields["kind"] ??= "artifact-update";
  fields["artifact"] = fromProtoJsonArtifact(fields["artifact"]);
  return fields;
}

/** An event of a stream, or the answer to a message, which is one of the first two. */
export function toProtoJsonResponse(event: StreamEvent): Fields {
  switch (event.kind) {
    case "task":
      return { task: toProtoJsonTask(event) };
    case "message":
      return { message: toProtoJsonMessage(event) };
    case "status-update":
      return { statusUpdate: toProtoJsonStatusUpdate(event) };
    case "artifact-update":
      return { artifactUpdate: toProtoJsonArtifactUpdate(event) };
    default:
      return event satisfies never;
  }
}

export function fromProtoJsonResponse(value: unknown): unknown {
  if (!isFields(value)) return value;
  const { kind, task, message, msg, statusUpdate, artifactUpdate } = camelCased(value);
  if (typeof kind === "string") return READERS.get(kind)?.(value) ?? value;
  if (task !== undefined) return fromProtoJsonTask(task);
  if (message !== undefined || msg !== undefined) return fromProtoJsonMessage(message ?? msg);
  if (statusUpdate !== undefined) return fromProtoJsonStatusUpdate(statusUpdate);
  if (artifactUpdate !== undefined) return fromProtoJsonArtifactUpdate(artifactUpdate);
  return value;
}

const READERS: ReadonlyMap<string, (value: unknown) => unknown> = new Map([
  ["task", fromProtoJsonTask],
  ["message", fromProtoJsonMessage],
  ["status-update", fromProtoJsonStatusUpdate],
  ["artifact-update", fromProtoJsonArtifactUpdate],
]);
