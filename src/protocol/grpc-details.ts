/**
 * The `google.rpc.Status` in the trailing metadata `grpc-status-details-bin`: a `RetryInfo` says after how long to ask again, an
 * `ErrorInfo` which error it is.
 */
import type { Metadata, status } from "@grpc/grpc-js";
import protobuf from "protobufjs";

const KEY = "grpc-status-details-bin";
const RETRY_INFO = "type.googleapis.com/google.rpc.RetryInfo";
const ERROR_INFO = "type.googleapis.com/google.rpc.ErrorInfo";

const { root } = protobuf.parse(`
  syntax = "proto3";
  package google.rpc;
  message Any { string type_url = 1; bytes value = 2; }
  message Status { int32 code = 1; string message = 2; repeated Any details = 3; }
  message Duration { int64 seconds = 1; int32 nanos = 2; }
  message RetryInfo { Duration retry_delay = 1; }
  message ErrorInfo { string reason = 1; string domain = 2; }
`);
const Status = root.lookupType("google.rpc.Status");
const RetryInfo = root.lookupType("google.rpc.RetryInfo");
const ErrorInfo = root.lookupType("google.rpc.ErrorInfo");

/** The name of an error, and who has given it that name. */
export interface ErrorReason {
  readonly reason: string;
  readonly domain: string;
}

interface DecodedStatus {
  readonly details?: readonly { readonly typeUrl: string; readonly value: Uint8Array }[];
}

interface DecodedRetryInfo {
  readonly retryDelay?: { readonly seconds?: number; readonly nanos?: number };
}

/** Whole seconds, rounded up; undefined if the server does not say. */
export function retryDelayOf(metadata: Metadata): number | undefined {
  return detailOf(metadata, RETRY_INFO, (bytes) => {
    const info: DecodedRetryInfo = RetryInfo.toObject(RetryInfo.decode(bytes), { longs: Number });
    const { seconds = 0, nanos = 0 } = info.retryDelay ?? {};
    const delay = Math.ceil(seconds + nanos / 1e9);
    return delay > 0 ? delay : undefined;
  });
}

/** The name that the server gives its error, such as `TASK_NOT_FOUND`; undefined if it gives none. */
export function errorReasonOf(metadata: Metadata): string | undefined {
  return detailOf(metadata, ERROR_INFO, (bytes) => {
    const { reason }: Partial<ErrorReason> = ErrorInfo.toObject(ErrorInfo.decode(bytes));
    return reason;
  });
}

/** Bytes that are no such message say nothing. */
function detailOf<T>(metadata: Metadata, type: string, read: (bytes: Uint8Array) => T): T | undefined {
  const [bytes] = metadata.get(KEY);
  if (!(bytes instanceof Uint8Array)) return undefined;
  try {
    const status: DecodedStatus = Status.toObject(Status.decode(bytes));
    const found = status.details?.find(({ typeUrl }) => typeUrl === type);
    return found && read(found.value);
  } catch {
    return undefined;
  }
}

interface Details {
  /** Readers refuse details whose code or message is not that of the call. */
  readonly code: status;
  readonly message: string;
  readonly info?: ErrorReason | undefined;
  /** Seconds. */
  readonly retryDelay?: number | undefined;
}

/** Writes nothing if there is nothing to say beyond code and message. */
export function setDetails(metadata: Metadata, { code, message, info, retryDelay }: Details): void {
  const details = [];
  if (info)
    details.push({ typeUrl: ERROR_INFO, value: ErrorInfo.encode(ErrorInfo.fromObject(info)).finish() });
  if (retryDelay !== undefined) {
    const value = RetryInfo.encode(RetryInfo.fromObject({ retryDelay: { seconds: retryDelay } })).finish();
    details.push({ typeUrl: RETRY_INFO, value });
  }
  if (details.length === 0) return;
  metadata.set(KEY, Buffer.from(Status.encode(Status.fromObject({ code, message, details })).finish()));
}
