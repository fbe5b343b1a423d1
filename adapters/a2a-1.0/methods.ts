/** The methods of A2A 1.0 on its bindings: names over JSON-RPC (and gRPC, where they are the same), routes over HTTP+JSON. */
import type { JsonRpcMethods, RestRoute } from "../../src/dialect.ts";
import type { MethodName } from "../../src/protocol/methods.ts";
import type { GrpcService } from "../../src/protocol/grpc-codec.ts";

export const JSONRPC = {
  send: "SendMessage",
  stream: "SendStreamingMessage",
  getTask: "GetTask",
  listTasks: "ListTasks",
  cancelTask: "CancelTask",
  resubscribe: "SubscribeToTask",
  setPush: "CreateTaskPushNotificationConfig",
  getPush: "GetTaskPushNotificationConfig",
  listPush: "ListTaskPushNotificationConfigs",
  deletePush: "DeleteTaskPushNotificationConfig",
  extendedCard: "GetExtendedAgentCard",
} as const satisfies JsonRpcMethods & Readonly<Record<MethodName, string>>;

/** Its RPCs have the names above. */
export const GRPC: GrpcService = { name: "lf.a2a.v1.A2AService", file: "lf.a2a.v1.proto" };

const CONFIGS = "/tasks/{taskId}/pushNotificationConfigs";

export const REST: readonly RestRoute[] = [
  { method: "send", verb: "POST", path: "/message:send" },
  { method: "stream", verb: "POST", path: "/message:stream" },
  { method: "getTask", verb: "GET", path: "/tasks/{id}" },
  { method: "listTasks", verb: "GET", path: "/tasks" },
  { method: "cancelTask", verb: "POST", path: "/tasks/{id}:cancel" },
  // The text of 1.0 says POST, its proto GET.
  { method: "resubscribe", verb: "POST", path: "/tasks/{id}:subscribe" },
  { method: "resubscribe", verb: "GET", path: "/tasks/{id}:subscribe" },
  { method: "setPush", verb: "POST", path: CONFIGS },
  { method: "listPush", verb: "GET", path: CONFIGS },
  { method: "getPush", verb: "GET", path: `${CONFIGS}/{id}` },
  { method: "deletePush", verb: "DELETE", path: `${CONFIGS}/{id}` },
  { method: "extendedCard", verb: "GET", path: "/extendedAgentCard" },
];
