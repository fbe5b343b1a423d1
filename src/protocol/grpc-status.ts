/**
 * A2A errors as gRPC statuses and back. The status says what kind of failure it is, as the 0.3 SDKs map them; the A2A
 * code itself, which several share one status with, travels beside it in the trailing metadata `a2a-error`, as JSON:
 * `{code, message, data?}` with the JSON-RPC code of §8.
 */
import { Metadata, status } from "@grpc/grpc-js";
import { z } from "zod";
import { errorCodeByName } from "./error-names.ts";
import { A2AError, errorCodeOf, type ErrorCode } from "./errors.ts";
import { setDetails, type ErrorReason } from "./grpc-details.ts";

/** Name of the trailing metadata. */
const ERROR_KEY = "a2a-error";

/** Trailers share HTTP/2's limit of a header block, which peers set as low as 8 KiB; characters. */
const MAX_JSON = 4096;
const MAX_DETAILS = 1024;

export interface GrpcStatus {
  readonly code: status;
  readonly details: string;
  readonly metadata: Metadata;
}

/** Where the status does not follow from the HTTP status. */
const BY_CODE: ReadonlyMap<ErrorCode, status> = new Map<ErrorCode, status>([
  ["method-not-found", status.UNIMPLEMENTED],
  ["extended-card-not-configured", status.FAILED_PRECONDITION],
  ["agent-unavailable", status.UNAVAILABLE],
]);

const BY_HTTP: ReadonlyMap<number, status> = new Map([
  [400, status.INVALID_ARGUMENT],
  [401, status.UNAUTHENTICATED],
  [403, status.PERMISSION_DENIED],
  [404, status.NOT_FOUND],
  [409, status.FAILED_PRECONDITION],
  [413, status.RESOURCE_EXHAUSTED],
  [415, status.INVALID_ARGUMENT],
  [429, status.RESOURCE_EXHAUSTED],
  [501, status.UNIMPLEMENTED],
  [503, status.UNAVAILABLE],
]);

const statusOf = ({ code, httpStatus }: A2AError): status =>
  BY_CODE.get(code) ?? BY_HTTP.get(httpStatus) ?? status.INTERNAL;

export const grpcStatusName = (error: A2AError): string => status[statusOf(error)] ?? "UNKNOWN";

/** How a dialect says an error over gRPC. */
export interface GrpcError {
  /** Absent: 0.3.0's. */
  readonly status?: keyof typeof status | undefined;
  readonly info?: ErrorReason | undefined;
}

export function toGrpcStatus(error: A2AError, said: GrpcError = {}): GrpcStatus {
  const code = said.status === undefined ? statusOf(error) : status[said.status];
  const details = error.message.slice(0, MAX_DETAILS);
  const metadata = new Metadata();
  const about = { code: error.rpcCode, message: details };
  const whole = asciiJson({ ...about, data: error.data });
  metadata.set(ERROR_KEY, whole.length <= MAX_JSON ? whole : asciiJson(about));
  setDetails(metadata, { code, message: details, info: said.info, retryDelay: error.retryAfter });
  return { code, details, metadata };
}

/** Metadata values are printable ASCII; JSON can say everything else with escapes. */
const asciiJson = (value: unknown): string =>
  JSON.stringify(value).replaceAll(
    /[^ -~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

const Trailer = z.looseObject({
  code: z.number(),
  message: z.string().optional(),
  data: z.unknown().optional(),
});

/** What a status means where nothing beside it says more. */
const BY_STATUS: ReadonlyMap<status, ErrorCode> = new Map<status, ErrorCode>([
  [status.INVALID_ARGUMENT, "invalid-params"],
  [status.OUT_OF_RANGE, "invalid-params"],
  [status.NOT_FOUND, "task-not-found"],
  [status.UNIMPLEMENTED, "unsupported-operation"],
  [status.UNAVAILABLE, "agent-unavailable"],
  [status.RESOURCE_EXHAUSTED, "agent-unavailable"],
  [status.DEADLINE_EXCEEDED, "agent-unavailable"],
  [status.CANCELLED, "agent-unavailable"],
  [status.ABORTED, "agent-unavailable"],
]);

/** FAILED_PRECONDITION is the status of several errors; the RPC tells. */
const PRECONDITION: ReadonlyMap<string, ErrorCode> = new Map<string, ErrorCode>([
  ["CancelTask", "task-not-cancelable"],
  ["GetAgentCard", "extended-card-not-configured"],
]);

interface ReceivedStatus {
  readonly code: status;
  readonly details: string;
  /** `a2a-error`, where it came. */
  readonly trailer: string | undefined;
  /** The name of the error in its details, such as `TASK_NOT_FOUND`. */
  readonly reason?: string | undefined;
  /** Name of the RPC. */
  readonly rpc: string;
}

/** The trailing metadata that says more than the status. */
export function errorTrailer(metadata: Metadata): string | undefined {
  const [value] = metadata.get(ERROR_KEY);
  return typeof value === "string" ? value : undefined;
}

/**
 * An agent's refusal: by its trailer, by the name that its details or its message have, by its status. What is none of A2A's errors, a refused
 * credential among them, is an `invalid-agent-response`.
 */
export function fromGrpcStatus({ code, details, trailer, reason, rpc }: ReceivedStatus): A2AError {
  const told = Trailer.safeParse(parsed(trailer)).data;
  // The Python and Java SDKs name the error there; their statuses differ.
  const named = /^(\w+Error): (.*)$/s.exec(details);
  const byStatus =
    (code === status.FAILED_PRECONDITION && PRECONDITION.get(rpc)) ||
    (BY_STATUS.get(code) ?? "invalid-agent-response");
  const byName = named?.[1] === undefined ? undefined : errorCodeByName(named[1]);
  const byReason = reason === undefined ? undefined : errorCodeByName(reason);
  // -32603 is also what an agent says that is not there; its status tells it from a fault within.
  const byTrailer = code === status.UNAVAILABLE ? undefined : told && errorCodeOf(told.code);
  const text = told?.message ?? (byName && named?.[2]) ?? details;
  return new A2AError(byTrailer ?? byReason ?? byName ?? byStatus, {
    message: text === "" ? undefined : text,
    data: {
      stage: "response",
      grpcStatus: status[code] ?? code,
      ...((byName ?? byReason) && { errorName: byName ? named?.[1] : reason }),
      ...(told && { vendor: told }),
    },
  });
}

function parsed(json: string | undefined): unknown {
  try {
    return JSON.parse(json ?? "null");
  } catch {
    return undefined;
  }
}
