/**
 * 0.3.0's service over gRPC, `a2a.v1.A2AService` (§11): its RPCs, whose requests name resources, and whose responses are
 * 0.3.0's ProtoJSON.
 */
import type { ClientSdk } from "../config/config.ts";
import { A2AError } from "../protocol/errors.ts";
import { A2A_V1, type ProtoMessage } from "../protocol/grpc-codec.ts";
import { toGrpcStatus } from "../protocol/grpc-status.ts";
import { methodNamed, wireNameOf, type MethodName } from "../protocol/methods.ts";
import type { Message, Task } from "../protocol/model.ts";
import { toProtoJsonCard } from "../protocol/proto-json-card.ts";
import {
  fromProtoJsonSendRequest,
  fromProtoJsonSetPushRequest,
  toProtoJsonTaskPushConfig,
} from "../protocol/proto-json-params.ts";
import { toProtoJsonResponse, toProtoJsonTask } from "../protocol/proto-json.ts";
import { writtenFor } from "../protocol/sdk-quirks.ts";
import { readerOverGrpc, withFilesOnce } from "./client-sdk.ts";
import { EXTENSIONS_HEADER } from "./extensions.ts";
import { ServedCard, type Answer } from "./served-card.ts";
import { eventEncoder, rpcOf, type GrpcApi, type Rpc } from "./grpc-api.ts";

interface Row {
  readonly name: string;
  readonly method: MethodName;
  readonly params: (request: ProtoMessage) => unknown;
  readonly response: (result: Answer) => ProtoMessage;
}

const TASK = /^tasks\/(.+)$/s;
const CONFIG = /^tasks\/(.+)\/pushNotificationConfigs\/([^/]+)$/s;

/** Protobuf leaves 0 out, which means the whole history here, as it does in 0.3.0. */
const ROWS: readonly Row[] = [
  { name: "SendMessage", method: "send", params: fromProtoJsonSendRequest, response: ofReply },
  { name: "SendStreamingMessage", method: "stream", params: fromProtoJsonSendRequest, response: ofReply },
  {
    name: "GetTask",
    method: "getTask",
    params: ({ name, historyLength }) => ({ id: taskOf("name", name), historyLength }),
    response: ofTask,
  },
  {
    name: "CancelTask",
    method: "cancelTask",
    params: ({ name }) => ({ id: taskOf("name", name) }),
    response: ofTask,
  },
  {
    name: "TaskSubscription",
    method: "resubscribe",
    params: ({ name }) => ({ id: taskOf("name", name) }),
    response: ofReply,
  },
  {
    name: "CreateTaskPushNotificationConfig",
    method: "setPush",
    params: (request) => fromProtoJsonSetPushRequest(request, taskOf("parent", request["parent"])),
    response: ofPushConfig,
  },
  {
    name: "GetTaskPushNotificationConfig",
    method: "getPush",
    params: ({ name }) => configOf(name),
    response: ofPushConfig,
  },
  {
    name: "ListTaskPushNotificationConfig",
    method: "listPush",
    params: ({ parent }) => ({ id: taskOf("parent", parent) }),
    response: ofPushConfigs,
  },
  {
    name: "DeleteTaskPushNotificationConfig",
    method: "deletePush",
    params: ({ name }) => configOf(name),
    response: () => ({}),
  },
  { name: "GetAgentCard", method: "extendedCard", params: () => undefined, response: ofCard },
];

const written = (message: ProtoMessage, sdk: ClientSdk | undefined): ProtoMessage =>
  writtenFor(readerOverGrpc(sdk), message);

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

/** Each method answers one kind of result; another kind is a fault of the proxy. */
const unexpected = (): Error => new TypeError("a method has answered another kind of result than its own");

function isReply(result: Answer): result is Task | Message {
  return result !== null && "kind" in result;
}

function ofReply(result: Answer): ProtoMessage {
  if (!isReply(result)) throw unexpected();
  return toProtoJsonResponse(result);
}

function ofTask(result: Answer): ProtoMessage {
  if (!isReply(result) || result.kind !== "task") throw unexpected();
  return toProtoJsonTask(result);
}

function ofPushConfig(result: Answer): ProtoMessage {
  if (result === null || !("pushNotificationConfig" in result)) throw unexpected();
  return toProtoJsonTaskPushConfig(result);
}

function ofPushConfigs(result: Answer): ProtoMessage {
  if (!Array.isArray(result)) throw unexpected();
  return { configs: result.map(toProtoJsonTaskPushConfig) };
}

function ofCard(result: Answer): ProtoMessage {
  if (!(result instanceof ServedCard)) throw unexpected();
  return toProtoJsonCard(result.card);
}

const rpcs = ROWS.map(({ name, method, params, response }): Rpc =>
  rpcOf(methodNamed(wireNameOf(method)), {
    name,
    params: (request, sdk) => params(withFilesOnce(sdk, request)),
    response: (result, sdk) => written(response(result), sdk),
  }),
);

const encoded = eventEncoder((event) => [toProtoJsonResponse(event)]);

export const referenceApi: GrpcApi = {
  service: A2A_V1,
  rpcs,
  extensionsKey: EXTENSIONS_HEADER.toLowerCase(),
  // The package's name has the version.
  requireVersion: () => {},
  responses: (outgoing, reader) => encoded(outgoing, reader).map((message) => written(message, reader.sdk)),
  toStatus: (error) => toGrpcStatus(error),
};
