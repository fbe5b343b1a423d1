/**
 * Params of the methods. Mismatch bridged: `returnImmediately` for `blocking`, `taskPushNotificationConfig` for
 * `pushNotificationConfig`, and a historyLength of 0 that means no history, where 0.3.0 means all of it.
 *
 * Loss: metadata of tasks/get and tasks/resubscribe has no place.
 */
import type { AgentMessage, VendorTask } from "../../src/adapter.ts";
import type { MessageSendParams } from "../../src/protocol/params.ts";
import type { TaskState } from "../../src/protocol/states.ts";
import { compact } from "../shared/object.ts";
import { toCanonicalState } from "../shared/state.ts";
import { parseWire } from "../shared/wire.ts";
import { fromCanonicalMessage, toCanonicalMessage } from "./message.ts";
import { nonEmptyList } from "./parts.ts";
import { fromCanonicalPushConfig, toCanonicalPushConfig } from "./push.ts";
import { STATES } from "./task.ts";
import { WireListParams, WireSendParams, WireTaskParams } from "./wire.ts";

export function fromCanonicalSendParams({ message, configuration, metadata }: MessageSendParams) {
  return compact({
    message: fromCanonicalMessage(message),
    configuration:
      configuration &&
      compact({
        acceptedOutputModes: configuration.acceptedOutputModes,
        returnImmediately: configuration.blocking === false,
        historyLength: configuration.historyLength || undefined,
        taskPushNotificationConfig:
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
  const push = configuration?.taskPushNotificationConfig ?? configuration?.pushNotificationConfig;
  return compact({
    message: toCanonicalMessage(message),
    configuration:
      configuration &&
      compact({
        acceptedOutputModes: nonEmptyList(configuration.acceptedOutputModes),
        blocking: !(configuration.returnImmediately ?? configuration.blocking === false),
        historyLength: configuration.historyLength,
        pushNotificationConfig: push && toCanonicalPushConfig(push),
      }),
    metadata,
  });
}

/** Params of GetTask. The proxy needs the whole task: without a length, the server decides. */
export const fromCanonicalGetParams = ({ id, historyLength }: VendorTask) =>
  compact({ id, historyLength: historyLength || undefined });

export const fromCanonicalCancelParams = ({ id, metadata }: VendorTask) => compact({ id, metadata });

export const fromCanonicalSubscribeParams = ({ id }: VendorTask) => ({ id });

/** Params of GetTask, CancelTask and SubscribeToTask; a historyLength of 0 asks for no history. */
export function toCanonicalTaskParams(value: unknown) {
  const { id, historyLength, metadata } = parseWire(WireTaskParams, value, "params");
  return compact({ id, historyLength, metadata });
}

/** ListTasks, as tasks/list of 0.3.0's other transports has it. */
export interface TaskListQuery {
  contextId?: string | undefined;
  state?: TaskState | undefined;
  pageSize?: number | undefined;
  pageToken?: string | undefined;
  historyLength?: number | undefined;
  /** ISO 8601. */
  statusTimestampAfter?: string | undefined;
  includeArtifacts?: boolean | undefined;
  /** 1.0's page says how many tasks there are. */
  withTotal?: true;
}

export const fromCanonicalListParams = (query: TaskListQuery) =>
  compact({
    contextId: query.contextId,
    status: query.state && STATES[query.state],
    pageSize: query.pageSize,
    pageToken: query.pageToken,
    historyLength: query.historyLength,
    statusTimestampAfter: query.statusTimestampAfter,
    includeArtifacts: query.includeArtifacts,
  });

export function toCanonicalListParams(value: unknown): TaskListQuery {
  const query = parseWire(WireListParams, value, "params");
  const isFiltered = typeof query.status === "string" && !/^(task_state_)?unspecified$/i.test(query.status);
  return compact({
    contextId: query.contextId,
    state: isFiltered ? toCanonicalState(query.status) : undefined,
    pageSize: query.pageSize || undefined,
    pageToken: query.pageToken,
    historyLength: query.historyLength,
    statusTimestampAfter: query.statusTimestampAfter,
    includeArtifacts: query.includeArtifacts,
    withTotal: true,
  });
}
