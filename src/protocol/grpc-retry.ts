/**
 * After how long a gRPC server wants to be asked again. It says so in a `google.rpc.RetryInfo` within the `google.rpc.Status` of the
 * trailing metadata `grpc-status-details-bin`.
 */
import type { Metadata, status } from "@grpc/grpc-js";
import protobuf from "protobufjs";

const KEY = "grpc-status-details-bin";
const RETRY_INFO = "type.googleapis.com/google.rpc.RetryInfo";

const { root } = protobuf.parse(`
  syntax = "proto3";
  package google.rpc;
  message Any { string type_url = 1; bytes value = 2; }
  message Status { int32 code = 1; string message = 2; repeated Any details = 3; }
  message Duration { int64 seconds = 1; int32 nanos = 2; }
  message RetryInfo { Duration retry_delay = 1; }
`);
const Status = root.lookupType("google.rpc.Status");
const RetryInfo = root.lookupType("google.rpc.RetryInfo");

interface DecodedStatus {
  readonly details?: readonly { readonly typeUrl: string; readonly value: Uint8Array }[];
}

interface DecodedRetryInfo {
  readonly retryDelay?: { readonly seconds?: number; readonly nanos?: number };
}

/** Whole seconds, rounded up; undefined if the server does not say. */
export function retryDelayOf(metadata: Metadata): number | undefined {
  const [bytes] = metadata.get(KEY);
  if (!(bytes instanceof Uint8Array)) return undefined;
  try {
    const status: DecodedStatus = Status.toObject(Status.decode(bytes));
    const found = status.details?.find(({ typeUrl }) => typeUrl === RETRY_INFO);
    if (!found) return undefined;
    const info: DecodedRetryInfo = RetryInfo.toObject(RetryInfo.decode(found.value), { longs: Number });
    const { seconds = 0, nanos = 0 } = info.retryDelay ?? {};
    const delay = Math.ceil(seconds + nanos / 1e9);
    return delay > 0 ? delay : undefined;
  } catch {
    // Bytes that are no such message say nothing.
    return undefined;
  }
}

/** Readers refuse details whose code is not that of the call. */
interface Refused {
  readonly code: status;
  readonly message: string;
}

export function setRetryDelay(metadata: Metadata, seconds: number, { code, message }: Refused): void {
  const value = RetryInfo.encode(RetryInfo.fromObject({ retryDelay: { seconds } })).finish();
  const details = [{ typeUrl: RETRY_INFO, value }];
  metadata.set(KEY, Buffer.from(Status.encode(Status.fromObject({ code, message, details })).finish()));
}
