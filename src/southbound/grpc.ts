/**
 * The gRPC seam to the vendor: a dialect's service with messages as ProtoJSON, one call with one answer, one with a stream.
 * What http.ts says of credentials, limits, signals and rejections holds here as well.
 */
import type { ProtoMessage } from "../protocol/grpc-codec.ts";
import type { CallScope } from "./http.ts";

export interface GrpcRequest {
  /** As the proto file names it. */
  readonly rpc: string;
  readonly message: ProtoMessage;
  /** Sent as metadata. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly call: CallScope;
}

export interface GrpcClient {
  /**
   * A status that is not OK rejects with the A2AError that it means, whose `data` has `stage: "response"` and
   * `grpcStatus`. A connection that does not come about rejects with one whose `data` has the `address` that was tried.
   */
  unary(request: GrpcRequest): Promise<ProtoMessage>;
  /** Yields each response; throws as `unary` rejects, before or in the stream. Leaving the loop cancels the call. */
  stream(request: GrpcRequest): AsyncIterable<ProtoMessage>;
}
