/**
 * A2A errors as gRPC statuses. The status says what kind of failure it is, as the 0.3 SDKs map them; the A2A
 * code itself, which several share one status with, travels beside it in the trailing metadata `a2a-error`, as JSON:
 * `{code, message, data?}` with the JSON-RPC code of §8.
 */
import { Metadata, status } from "@grpc/grpc-js";
import type { A2AError, ErrorCode } from "./errors.ts";

/** Name of the trailing metadata. */
const ERROR_KEY = "a2a-error";

/** Trailers share HTTP/2's limit of a header block, which peers set as low as 8 KiB; characters. */
const MAX_JSON = 4096;
const MAX_DETAILS = 1024;

interface GrpcStatus {
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

export function toGrpcStatus(error: A2AError): GrpcStatus {
  const code = BY_CODE.get(error.code) ?? BY_HTTP.get(error.httpStatus) ?? status.INTERNAL;
  const details = error.message.slice(0, MAX_DETAILS);
  const metadata = new Metadata();
  const about = { code: error.rpcCode, message: details };
  const whole = asciiJson({ ...about, data: error.data });
  metadata.set(ERROR_KEY, whole.length <= MAX_JSON ? whole : asciiJson(about));
  return { code, details, metadata };
}

/** Metadata values are printable ASCII; JSON can say everything else with escapes. */
const asciiJson = (value: unknown): string =>
  JSON.stringify(value).replaceAll(
    /[^ -~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
