/**
 * Methods and their params. In 0.1 the client mints the task's id and names the session around the message; in 0.3.0
 * (§7.1) both ids are the message's own and a new task has none.
 *
 * historyLength: in 0.1 absent, null and 0 mean none; in 0.3.0 absent and 0 mean all, and none cannot be said. The
 * gateway keeps the history itself, so tasks/send asks for none, and tasks/get for as many as the client did.
 * Lossy towards the wire: `blocking`, and a push config's id.
 */
import type { z } from "zod";
import type { AgentMessage, Call, VendorTask } from "../../src/adapter.ts";
import type { JsonRpcMethods } from "../../src/dialect.ts";
import type {
  MessageSendParams,
  PushNotificationConfig,
  TaskQueryParams,
} from "../../src/protocol/params.ts";
import { compact } from "../shared/object.ts";
import { fromCanonicalMessage, toCanonicalMessage } from "./message.ts";
import { fromCanonicalModes, toCanonicalModes } from "./modes.ts";
import type { WirePushConfig, WireSendParams, WireTaskParams } from "./wire.ts";

export const JSONRPC = {
  send: "tasks/send",
  stream: "tasks/sendSubscribe",
  getTask: "tasks/get",
  cancelTask: "tasks/cancel",
  resubscribe: "tasks/resubscribe",
  setPush: "tasks/pushNotification/set",
  getPush: "tasks/pushNotification/get",
} as const satisfies JsonRpcMethods;

type PushConfig = z.infer<typeof PushNotificationConfig>;

type OfferedIds = Pick<Call, "newTaskId" | "newContextId">;

/** A task goes on under its own id and session; a new one gets the ids that the gateway offers. */
export const mintedIds = ({ message }: MessageSendParams, { newTaskId, newContextId }: OfferedIds) => ({
  id: message.taskId ?? newTaskId,
  sessionId: message.contextId ?? newContextId,
});

export function fromCanonicalSendParams(params: MessageSendParams, offered: OfferedIds): WireSendParams {
  const { message, configuration, metadata } = params;
  const { acceptedOutputModes: modes, pushNotificationConfig: push } = configuration ?? {};
  return compact({
    ...mintedIds(params, offered),
    message: fromCanonicalMessage(message),
    acceptedOutputModes: modes?.length ? fromCanonicalModes(modes) : undefined,
    pushNotification: push && fromCanonicalPushConfig(push),
    metadata,
  });
}

/** What a 0.1 client sends, for an agent of 0.3.0; the id is the client's, whether or not the task exists yet. */
export function toCanonicalSendParams(
  wire: WireSendParams,
): Omit<MessageSendParams, "message"> & { message: AgentMessage } {
  const { id, sessionId, message, acceptedOutputModes: modes, pushNotification: push, historyLength } = wire;
  const configuration = compact({
    acceptedOutputModes: modes?.length ? toCanonicalModes(modes) : undefined,
    historyLength: historyLength || undefined,
    pushNotificationConfig: push ? toCanonicalPushConfig(push) : undefined,
  });
  return compact({
    message: compact({ ...toCanonicalMessage(message), taskId: id, contextId: sessionId }),
    configuration: Object.keys(configuration).length > 0 ? configuration : undefined,
    metadata: wire.metadata,
  });
}

/** Params of tasks/get, tasks/cancel and tasks/resubscribe. */
export function fromCanonicalTaskParams({ id, historyLength, metadata }: VendorTask): WireTaskParams {
  return compact({ id, historyLength: historyLength || undefined, metadata });
}

export function toCanonicalTaskParams({ id, historyLength, metadata }: WireTaskParams): TaskQueryParams {
  return compact({ id, historyLength: historyLength || undefined, metadata });
}

export function fromCanonicalPushConfig({ url, token, authentication }: PushConfig): WirePushConfig {
  return compact({ url, token, authentication: authentication ? compact(authentication) : undefined });
}

export function toCanonicalPushConfig({ url, token, authentication }: WirePushConfig): PushConfig {
  const { schemes, credentials } = authentication ?? {};
  const needed = schemes ? compact({ schemes, credentials }) : undefined;
  return compact({ url, token, authentication: needed });
}
