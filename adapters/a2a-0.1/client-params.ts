/**
 * Params as clients of A2A 0.1 send them, to those of 0.3.0, which are then checked and repaired like any client's. Only the
 * members that 0.1 names are read, and what only the proxy writes into metadata is left out: see
 * src/protocol/client-members.ts. The client has chosen the task's id, also of a task that does not exist yet.
 *
 * historyLength: absent, null and 0 mean none.
 */
import type { z } from "zod";
import { withoutOwnKeys } from "../../src/protocol/client-members.ts";
import { A2AError } from "../../src/protocol/errors.ts";
import type { MethodName } from "../../src/protocol/methods.ts";
import { compact, isRecord } from "../shared/object.ts";
import { toCanonicalModes } from "./modes.ts";
import { toCanonicalPushConfig } from "./params.ts";
import { WireSendParams, WireTaskParams, WireTaskPushConfig, type WireMessage } from "./wire.ts";

/** Throws `invalid-params` with the path of what does not fit. */
function read<T>(schema: z.ZodType<T>, params: unknown): T {
  const parsed = schema.safeParse(params);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const data = { path: issue?.path.join(".") ?? "", reason: issue?.message ?? "invalid" };
  throw new A2AError("invalid-params", { data });
}

type Metadata = Record<string, unknown> | null | undefined;
const sentMetadata = (metadata: Metadata) => (metadata ? withoutOwnKeys(metadata) : undefined);

/** One that is no object is refused with the other params. */
function sentPart(part: unknown): unknown {
  if (!isRecord(part)) return part;
  const { type, kind, text, file, data, metadata } = part;
  const own = isRecord(metadata) ? sentMetadata(metadata) : metadata;
  return compact({ type: type ?? kind, text, file, data, metadata: own });
}

function sentParts(parts: unknown): unknown {
  return Array.isArray(parts) ? parts.map(sentPart) : parts;
}

function sentMessage({ role, parts, data, metadata }: WireMessage) {
  return { role, parts: sentParts(parts ?? data), metadata: sentMetadata(metadata) };
}

function sendParams(params: unknown) {
  const {
    id,
    sessionId,
    message,
    acceptedOutputModes: modes,
    pushNotification,
    historyLength,
    metadata,
  } = read(WireSendParams, params);
  return compact({
    message: compact({ ...sentMessage(message), taskId: id, contextId: sessionId }),
    configuration: compact({
      acceptedOutputModes: modes?.length ? toCanonicalModes(modes) : undefined,
      historyLength: historyLength ?? 0,
      pushNotificationConfig: pushNotification && toCanonicalPushConfig(pushNotification),
    }),
    metadata: sentMetadata(metadata),
  });
}

function taskParams(params: unknown) {
  const { id, historyLength, metadata } = read(WireTaskParams, params);
  return compact({ id, historyLength: historyLength ?? 0, metadata: sentMetadata(metadata) });
}

export function toParams(method: MethodName, params: unknown): unknown {
  switch (method) {
    case "send":
    case "stream":
      return sendParams(params);
    case "getTask":
    case "cancelTask":
    case "resubscribe":
      return taskParams(params);
    case "getPush":
      return { id: read(WireTaskParams, params).id };
    case "setPush": {
      const { id, pushNotificationConfig } = read(WireTaskPushConfig, params);
      return { taskId: id, pushNotificationConfig: toCanonicalPushConfig(pushNotificationConfig) };
    }
    case "listTasks":
    case "listPush":
    case "deletePush":
    case "extendedCard":
      throw new A2AError("method-not-found");
    default:
      return method satisfies never;
  }
}

/** The task that params in 0.3.0's form are about, by the id that the client has for it. */
export function taskIn(params: unknown): string | undefined {
  if (!isRecord(params)) return undefined;
  const { id, taskId, message } = params;
  const found = id ?? taskId ?? (isRecord(message) ? message["taskId"] : undefined);
  return typeof found === "string" ? found : undefined;
}
