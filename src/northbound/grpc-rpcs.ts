/**
 * The RPCs of `a2a.v1.A2AService` and the methods of 0.3.0 behind them (§11): how a request becomes params, and a result
 * the response. Messages are ProtoJSON here, as grpc-codec.ts reads and writes them.
 */
import { A2AError } from "../protocol/errors.ts";
import type { ProtoMessage } from "../protocol/grpc-codec.ts";
import { fromProtoJsonSendRequest, fromProtoJsonSetPushRequest } from "../protocol/proto-json-params.ts";

export interface Rpc {
  readonly name: string;
  /** As the method table names it. */
  readonly method: string;
  params(request: ProtoMessage): unknown;
}

const TASK = /^tasks\/(.+)$/s;
const CONFIG = /^tasks\/(.+)\/pushNotificationConfigs\/([^/]+)$/s;

/** Protobuf leaves 0 out, which means the whole history here, as it does in 0.3.0. */
export const RPCS: readonly Rpc[] = [
  { name: "SendMessage", method: "message/send", params: fromProtoJsonSendRequest },
  { name: "SendStreamingMessage", method: "message/stream", params: fromProtoJsonSendRequest },
  {
    name: "GetTask",
    method: "tasks/get",
    params: ({ name, historyLength }) => ({ id: taskOf("name", name), historyLength }),
  },
  { name: "CancelTask", method: "tasks/cancel", params: ({ name }) => ({ id: taskOf("name", name) }) },
  {
    name: "TaskSubscription",
    method: "tasks/resubscribe",
    params: ({ name }) => ({ id: taskOf("name", name) }),
  },
  {
    name: "CreateTaskPushNotificationConfig",
    method: "tasks/pushNotificationConfig/set",
    params: (request) => fromProtoJsonSetPushRequest(request, taskOf("parent", request["parent"])),
  },
  {
    name: "GetTaskPushNotificationConfig",
    method: "tasks/pushNotificationConfig/get",
    params: ({ name }) => configOf(name),
  },
  {
    name: "ListTaskPushNotificationConfig",
    method: "tasks/pushNotificationConfig/list",
    params: ({ parent }) => ({ id: taskOf("parent", parent) }),
  },
  {
    name: "DeleteTaskPushNotificationConfig",
    method: "tasks/pushNotificationConfig/delete",
    params: ({ name }) => configOf(name),
  },
  { name: "GetAgentCard", method: "agent/getAuthenticatedExtendedCard", params: () => undefined },
];

function taskOf(field: string, name: unknown): string {
  const [, id] = TASK.exec(typeof name === "string" ? name : "") ?? [];
  if (id !== undefined) return id;
  throw new A2AError("invalid-params", { data: { path: field, reason: "must be tasks/{id}" } });
}

function configOf(name: unknown): { id: string; pushNotificationConfigId: string } {
  const [, id, configId] = CONFIG.exec(typeof name === "string" ? name : "") ?? [];
  if (id !== undefined && configId !== undefined) return { id, pushNotificationConfigId: configId };
  const reason = "must be tasks/{id}/pushNotificationConfigs/{id}";
  throw new A2AError("invalid-params", { data: { path: "name", reason } });
}
