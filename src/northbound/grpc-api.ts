/**
 * A service of A2A over gRPC, as the clients of one dialect call it: which methods its RPCs are, and how messages become params
 * and results become messages. Messages are ProtoJSON here, as grpc-codec.ts reads and writes them.
 */
import type { ClientSdk } from "../config/config.ts";
import type { ClientDialect } from "../dialect.ts";
import type { OutgoingEvent } from "../gateway/gateway.ts";
import type { A2AError } from "../protocol/errors.ts";
import type { GrpcService, ProtoMessage } from "../protocol/grpc-codec.ts";
import type { GrpcStatus } from "../protocol/grpc-status.ts";
import type { Method, StreamMethod, UnaryMethod } from "../protocol/methods.ts";
import type { StreamEvent } from "../protocol/model.ts";
import { oncePerEvent } from "./event-memo.ts";
import { withEventId } from "./grpc-event-ids.ts";
import type { Answer } from "./served-card.ts";

export interface GrpcApi {
  readonly service: GrpcService;
  readonly rpcs: readonly Rpc[];
  /** Absent: 0.3.0. */
  readonly dialect?: ClientDialect | undefined;
  /** Metadata of the request and of the answer: the extensions that the client asks for, and those that apply. */
  readonly extensionsKey: string;
  /** Throws `version-not-supported`. */
  requireVersion(version: string | undefined): void;
  /** What a client is sent of an event. */
  responses(outgoing: OutgoingEvent, reader: EventReader): readonly ProtoMessage[];
  toStatus(error: A2AError): GrpcStatus;
}

interface RpcBase {
  readonly name: string;
  /** @param sdk what the agent's clients are written with, if the operator knows */
  params(request: ProtoMessage, sdk: ClientSdk | undefined): unknown;
}

export interface UnaryRpc extends RpcBase {
  readonly kind: "unary";
  readonly method: UnaryMethod;
  response(result: Answer, sdk: ClientSdk | undefined): ProtoMessage;
}

export interface StreamRpc extends RpcBase {
  readonly kind: "stream";
  readonly method: StreamMethod;
}

export type Rpc = UnaryRpc | StreamRpc;

/** The RPC of a method, whichever kind it is. */
export const rpcOf = (
  method: Method,
  { response, ...rpc }: Pick<UnaryRpc, "name" | "params" | "response">,
): Rpc =>
  method.kind === "stream" ? { ...rpc, kind: "stream", method } : { ...rpc, kind: "unary", method, response };

/** What one client wants of the events that it is sent. */
export interface EventReader {
  /** The id of each event. */
  readonly withIds: boolean;
  readonly sdk: ClientSdk | undefined;
}

/** @param encode an event as one message or several, or none */
export function eventEncoder(
  encode: (event: StreamEvent) => readonly ProtoMessage[],
): (outgoing: OutgoingEvent, reader: Pick<EventReader, "withIds">) => readonly ProtoMessage[] {
  const plain = oncePerEvent(encode);
  const identified = oncePerEvent((event, { sequence }) => encode(withEventId(event, sequence)));
  return (outgoing, { withIds }) => (withIds ? identified : plain)(outgoing);
}
