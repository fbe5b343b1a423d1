/**
 * Clients of A2A 1.0. What they get is written as ProtoJSON has it; what 1.0 says and 0.3.0 cannot was preserved on the way,
 * so that it comes back whole.
 */
import type { ClientDialect, RestError, ServedPlace, UnaryResult } from "../../src/dialect.ts";
import type { A2AError } from "../../src/protocol/errors.ts";
import { grpcStatusName } from "../../src/protocol/grpc-status.ts";
import type { MethodName } from "../../src/protocol/methods.ts";
import { extendedReference, fromCanonicalCard, type ServedInterface } from "./card.ts";
import { toParams } from "./client-params.ts";
import { detailsOf, toGrpcError } from "./errors.ts";
import { fromCanonicalEvent } from "./events.ts";
import { GRPC, JSONRPC, REST } from "./methods.ts";
import { fromCanonicalPushConfigs, fromCanonicalTaskPushConfig } from "./push.ts";
import { fromCanonicalReply, fromCanonicalTask } from "./task.ts";

/** Where clients of 1.0 reach an agent: JSON-RPC and HTTP+JSON share the base URL. */
const interfacesAt = ({ url, grpcUrl }: ServedPlace): ServedInterface[] => [
  { url, binding: "JSONRPC" },
  // Clients add `/message:send` to it.
  { url: url.replace(/\/$/, ""), binding: "HTTP+JSON" },
  ...(grpcUrl === undefined ? [] : [{ url: grpcUrl, binding: "GRPC" as const }]),
];

function fromResult(method: MethodName, result: UnaryResult): unknown {
  if (result === null) return {};
  if (Array.isArray(result)) return fromCanonicalPushConfigs(result);
  if ("pushNotificationConfig" in result) return fromCanonicalTaskPushConfig(result);
  if ("tasks" in result) {
    return { ...result, tasks: result.tasks.map(fromCanonicalTask) };
  }
  if (method === "send" || result.kind === "message") return fromCanonicalReply(result);
  return fromCanonicalTask(result);
}

/** 1.0 counts an agent's invalid answer as a fault of the server; most other errors of A2A are 400. */
const STATUSES: ReadonlyMap<string, number> = new Map([
  ["invalid-agent-response", 500],
  ["task-not-cancelable", 400],
  ["push-not-supported", 400],
  ["unsupported-operation", 400],
  ["content-type-not-supported", 400],
  ["extended-card-not-configured", 400],
]);

function toRestError(error: A2AError): RestError {
  const status = error.retryAfter === undefined ? STATUSES.get(error.code) : undefined;
  const code = status ?? error.httpStatus;
  const { message } = error;
  const details = detailsOf(error) ?? [];
  return {
    status: code,
    body: { error: { code, status: toGrpcError(error).status ?? grpcStatusName(error), message, details } },
  };
}

const MEDIA_TYPE = "application/a2a+json";

export const client10: ClientDialect = {
  name: "a2a-1.0",
  jsonrpc: JSONRPC,
  rest: REST,
  grpc: GRPC,
  mediaType: MEDIA_TYPE,
  extensionsHeader: "A2A-Extensions",
  speaks: (version) => /^v?1(\.\d+){0,2}$/.test(version),
  toParams,
  fromResult,
  events: { write: (event) => [fromCanonicalEvent(event)] },
  // A StreamResponse.
  notifications: { mediaType: MEDIA_TYPE, anyScheme: true, toBody: fromCanonicalReply },
  toRpcError: (error) => {
    const data = detailsOf(error);
    return { code: error.rpcCode, message: error.message, ...(data && { data }) };
  },
  toRestError,
  toGrpcError,
  fromCard: (card, place) => fromCanonicalCard(card, interfacesAt(place)),
  extendReference: (card, place) => extendedReference(card, interfacesAt(place)),
};
