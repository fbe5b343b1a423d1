/**
 * Methods, and their params as agents get them (client-params.ts has those of clients). In 0.1 the client mints the task's id and names the session around the message; in 0.3.0
 * (§7.1) both ids are the message's own and a new task has none.
 *
 * historyLength: in 0.1 absent, null and 0 mean none; in 0.3.0 absent and 0 mean all, and none cannot be said. The
 * gateway keeps the history itself, so tasks/send asks for none, and tasks/get for as many as the client did.
 * Lossy towards the wire: `blocking`, and a push config's id.
 */
import type { z } from "zod";
import type { Call, VendorTask } from "../../src/adapter.ts";
import type { JsonRpcMethods } from "../../src/dialect.ts";
import type { MessageSendParams, PushNotificationConfig } from "../../src/protocol/params.ts";
import { compact } from "../shared/object.ts";
import { fromCanonicalMessage } from "./message.ts";
import { fromCanonicalModes } from "./modes.ts";
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

/** Params of tasks/get, tasks/cancel and tasks/resubscribe. */
export function fromCanonicalTaskParams({ id, historyLength, metadata }: VendorTask): WireTaskParams {
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
