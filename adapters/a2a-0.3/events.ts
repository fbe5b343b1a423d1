/**
 * What message/send answers and message/stream carries (A2A 0.3.0 §7.1, §7.2.1): Task, Message, status-update,
 * artifact-update. Servers leave out `kind`, spell it otherwise, or wrap the object under its name as the REST binding
 * does (`{statusUpdate: {…}}`); the shape tells then.
 */
import { z } from "zod";
import type { AgentArtifactUpdate, AgentEvent, AgentReply, AgentStatusUpdate } from "../../src/adapter.ts";
import { TaskArtifactUpdateEvent, TaskStatusUpdateEvent } from "../../src/protocol/model.ts";
import { compact, isRecord } from "../shared/object.ts";
import { toCanonicalMessage, WellFormedMessage } from "./message.ts";
import {
  keepState,
  toCanonicalArtifact,
  toCanonicalStatus,
  toCanonicalTask,
  WellFormedArtifact,
  WellFormedStatus,
  WellFormedTask,
} from "./task.ts";
import { CONTEXT_ID, fits, isSpelledBy, LooseArtifactUpdate, LooseStatusUpdate, respelled } from "./wire.ts";

type Kind = AgentEvent["kind"];
type Raw = Readonly<Record<string, unknown>>;

/** Every spelling of a kind once letters alone are left, in lower case. */
const KINDS: ReadonlyMap<string, Kind> = new Map([
  ["task", "task"],
  ["message", "message"],
  ["msg", "message"],
  ["statusupdate", "status-update"],
  ["taskstatusupdate", "status-update"],
  ["taskstatusupdateevent", "status-update"],
  ["artifactupdate", "artifact-update"],
  ["taskartifactupdate", "artifact-update"],
  ["taskartifactupdateevent", "artifact-update"],
]);

const kindOf = (name: string): Kind | undefined => KINDS.get(name.toLowerCase().replaceAll(/[^a-z]/g, ""));

const STATUS_UPDATE = {
  taskId: ["task_id", "id"],
  contextId: CONTEXT_ID,
  status: ["state"],
  final: ["isFinal", "is_final"],
} as const;

const ARTIFACT_UPDATE = {
  taskId: ["task_id", "id"],
  contextId: CONTEXT_ID,
  lastChunk: ["last_chunk"],
} as const;

const WellFormedEvent = z.discriminatedUnion("kind", [
  WellFormedTask,
  WellFormedMessage,
  TaskStatusUpdateEvent.extend({ status: WellFormedStatus }),
  TaskArtifactUpdateEvent.extend({ artifact: WellFormedArtifact }).refine(isSpelledBy(ARTIFACT_UPDATE)),
]);

/** `{task}`, `{message}`, `{statusUpdate}`, `{artifactUpdate}`: the object within, with its kind. */
function unwrapped(raw: Raw): { kind: Kind; value: Raw } | undefined {
  if (said(raw) !== undefined || ["status", "state", "artifact", "parts"].some((name) => raw[name] != null)) {
    return undefined;
  }
  for (const [name, value] of Object.entries(raw)) {
    const kind = kindOf(name);
    if (kind && isRecord(value)) return { kind, value };
  }
  return undefined;
}

/** `kind`, or 0.1's word for it. */
function said(raw: Raw): Kind | undefined {
  const name = raw["kind"] ?? raw["type"];
  return typeof name === "string" ? kindOf(name) : undefined;
}

function inferred(raw: Raw): Kind | undefined {
  if (isRecord(raw["artifact"])) return "artifact-update";
  const status = raw["status"] ?? raw["state"];
  const final = raw["final"] ?? raw["isFinal"] ?? raw["is_final"];
  if (final !== undefined && status !== undefined) return "status-update";
  if (Array.isArray(raw["artifacts"]) || Array.isArray(raw["history"])) return "task";
  if (isRecord(status) || typeof status === "string")
    return raw["id"] === undefined ? "status-update" : "task";
  const hasText = raw["parts"] ?? raw["content"] ?? (raw["role"] && raw["text"]);
  return hasText === undefined || hasText === null ? undefined : "message";
}

function toCanonicalStatusUpdate(raw: Raw): AgentStatusUpdate {
  const update = LooseStatusUpdate.parse(respelled(raw, STATUS_UPDATE));
  const { status: told, metadata, type: _type, ...rest } = update;
  const status = toCanonicalStatus(told);
  const kept = keepState(metadata, status, told);
  return { ...compact({ ...rest, metadata: kept }), kind: "status-update", status };
}

function toCanonicalArtifactUpdate(raw: Raw): AgentArtifactUpdate {
  const update = LooseArtifactUpdate.parse(respelled(raw, ARTIFACT_UPDATE));
  const { artifact, type: _type, ...rest } = update;
  return { ...compact(rest), kind: "artifact-update", artifact: toCanonicalArtifact(artifact) };
}

function build(kind: Kind, raw: Raw): AgentEvent | undefined {
  switch (kind) {
    case "task":
      return toCanonicalTask(raw);
    case "message":
      return toCanonicalMessage(raw);
    case "status-update":
      return toCanonicalStatusUpdate(raw);
    case "artifact-update":
      return toCanonicalArtifactUpdate(raw);
    default:
      return kind satisfies never;
  }
}

/** One event of a stream, the same object where it is right; undefined where the value is none. */
export function toCanonicalEvent(raw: unknown): AgentEvent | undefined {
  if (fits(WellFormedEvent, raw)) return raw;
  if (typeof raw === "string" && raw !== "") return toCanonicalMessage(raw);
  if (!isRecord(raw)) return undefined;
  const inner = unwrapped(raw);
  if (inner) return fits(WellFormedEvent, inner.value) ? inner.value : build(inner.kind, inner.value);
  const kind = said(raw) ?? inferred(raw);
  return kind && build(kind, raw);
}

/** The answer of message/send, tasks/get or tasks/cancel; an update in place of the Task is read as a Task. */
export function toCanonicalReply(raw: unknown): AgentReply | undefined {
  const event = toCanonicalEvent(raw);
  if (event?.kind !== "status-update" && event?.kind !== "artifact-update") return event;
  const { taskId, contextId, metadata } = event;
  const about = compact({ id: taskId, contextId, metadata });
  if (event.kind === "status-update") return { ...about, kind: "task", status: event.status };
  // A whole answer that is nothing but an artifact: the work is done.
  return { ...about, kind: "task", status: { state: "completed" }, artifacts: [event.artifact] };
}
