/**
 * Methods and their params. Mismatch bridged: every method is `a2a.` and camelCase, every params carries
 * `a2a-version`, and where they apply `a2a-extensions` and `tenant`, which 0.3.0 has in a header or not at all (§7).
 *
 * Loss: metadata of tasks/get and tasks/resubscribe has no field. `history_length: 0` (none) cannot be asked for in
 * 0.3.0, where 0 is the whole history; towards the dialect 0 is therefore left out.
 */
import type { AgentMessage, AgentTask, VendorTask } from "../../src/adapter.ts";
import type { MessageSendParams } from "../../src/protocol/params.ts";
import type { TaskState } from "../../src/protocol/states.ts";
import { compact } from "../shared/object.ts";
import { toCanonicalState } from "../shared/state.ts";
import { parseWire } from "../shared/wire.ts";
import { fromCanonicalMessage, toCanonicalMessage } from "./message.ts";
import { fromCanonicalPushConfig, toCanonicalPushConfig } from "./push.ts";
import { toCanonicalTask } from "./task.ts";
import { WireListParams, WireSendParams, WireTaskPage, WireTaskParams } from "./wire.ts";

const VERSION = "1.0";

/** 0.3.0 method to the dialect's; tasks/list is a method of 0.3.0's other transports only. */
export const METHODS = {
  "message/send": "a2a.sendMessage",
  "message/stream": "a2a.sendStreamingMessage",
  "tasks/get": "a2a.getTask",
  "tasks/list": "a2a.listTasks",
  "tasks/cancel": "a2a.cancelTask",
  "tasks/resubscribe": "a2a.subscribeToTask",
  "tasks/pushNotificationConfig/set": "a2a.createTaskPushNotificationConfig",
  "tasks/pushNotificationConfig/get": "a2a.getTaskPushNotificationConfig",
  "tasks/pushNotificationConfig/list": "a2a.listTaskPushNotificationConfigs",
  "tasks/pushNotificationConfig/delete": "a2a.deleteTaskPushNotificationConfig",
  "agent/getAuthenticatedExtendedCard": "a2a.getExtendedAgentCard",
} as const;
export type CanonicalMethod = keyof typeof METHODS;

const CANONICAL = new Map<string, string>(
  Object.entries(METHODS).map(([canonical, method]) => [method, canonical]),
);

/** The 0.3.0 method for one of the dialect's, or undefined for a method it does not have. */
export const toCanonicalMethod = (method: string): string | undefined => CANONICAL.get(method);

/** What belongs into every params: the version, without which a server refuses, the extensions and the tenant. */
export function withProtocol(
  params: object,
  extensions: readonly string[],
  tenant: string | undefined,
): object {
  const uris = extensions.length > 0 ? extensions.join(",") : undefined;
  return compact({ ...params, tenant, "a2a-version": VERSION, "a2a-extensions": uris });
}

export function fromCanonicalSendParams({ message, configuration, metadata }: MessageSendParams) {
  return compact({
    message: fromCanonicalMessage(message),
    configuration:
      configuration &&
      compact({
        accepted_output_modes: configuration.acceptedOutputModes,
        return_immediately: configuration.blocking === false,
        history_length: fromCanonicalHistoryLength(configuration.historyLength),
        push_notification_config:
          configuration.pushNotificationConfig &&
          fromCanonicalPushConfig(configuration.pushNotificationConfig),
      }),
    metadata,
  });
}

/** As MessageSendParams, but the message may lack its id, which the protocol's edge mints. */
export function toCanonicalSendParams(
  value: unknown,
): Omit<MessageSendParams, "message"> & { message: AgentMessage } {
  const { message, configuration, metadata } = parseWire(WireSendParams, value, "params");
  const push = configuration?.push_notification_config ?? configuration?.task_push_notification_config;
  return compact({
    message: toCanonicalMessage(message),
    configuration:
      configuration &&
      compact({
        acceptedOutputModes: configuration.accepted_output_modes,
        blocking: configuration.return_immediately !== true,
        historyLength: toCanonicalHistoryLength(configuration.history_length),
        pushNotificationConfig: push && toCanonicalPushConfig(push),
      }),
    metadata,
  });
}

/** Absent and 0 are the whole history in 0.3.0; here only absent is. */
const fromCanonicalHistoryLength = (length: number | undefined): number | undefined => length || undefined;

/** Loss: 0, no history, becomes the whole one. */
const toCanonicalHistoryLength = (length: number | null | undefined): number | undefined =>
  length || undefined;

export const fromCanonicalGetParams = ({ id, historyLength }: VendorTask) =>
  compact({ id, history_length: fromCanonicalHistoryLength(historyLength) });

export const fromCanonicalCancelParams = ({ id, metadata }: VendorTask) => compact({ id, metadata });

export const fromCanonicalSubscribeParams = ({ id }: VendorTask) => ({ id });

/** Params of getTask, cancelTask and subscribeToTask. */
export function toCanonicalTaskParams(value: unknown) {
  const { id, history_length, metadata } = parseWire(WireTaskParams, value, "params");
  return compact({ id, historyLength: toCanonicalHistoryLength(history_length), metadata });
}

/** tasks/list, as 0.3.0's other transports have it. */
export interface TaskListQuery {
  contextId?: string | undefined;
  state?: TaskState | undefined;
  pageSize?: number | undefined;
  pageToken?: string | undefined;
  historyLength?: number | undefined;
  /** ISO 8601. */
  updatedAfter?: string | undefined;
  includeArtifacts?: boolean | undefined;
}

export const fromCanonicalListParams = (query: TaskListQuery) =>
  compact({
    context_id: query.contextId,
    status: query.state,
    page_size: query.pageSize,
    page_token: query.pageToken,
    history_length: fromCanonicalHistoryLength(query.historyLength),
    status_timestamp_after: query.updatedAfter,
    include_artifacts: query.includeArtifacts,
  });

export function toCanonicalListParams(value: unknown): TaskListQuery {
  const query = parseWire(WireListParams, value, "params");
  return compact({
    contextId: query.context_id,
    state: query.status ? toCanonicalState(query.status) : undefined,
    pageSize: query.page_size,
    pageToken: query.page_token,
    historyLength: toCanonicalHistoryLength(query.history_length),
    updatedAfter: query.status_timestamp_after,
    includeArtifacts: query.include_artifacts,
  });
}

/** One page of a2a.listTasks; an empty token, as official 1.0 ends with, is no token. */
export function toCanonicalTaskPage(result: unknown): { tasks: AgentTask[]; nextPageToken?: string } {
  const { tasks, next_page_token } = parseWire(WireTaskPage, result, "task list");
  return compact({ tasks: (tasks ?? []).map(toCanonicalTask), nextPageToken: next_page_token || undefined });
}
