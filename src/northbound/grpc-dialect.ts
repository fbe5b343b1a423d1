/** A dialect's service over gRPC, made of the same tables and codecs as its other transports. */
import type { ClientDialect } from "../dialect.ts";
import type { GrpcService, ProtoMessage } from "../protocol/grpc-codec.ts";
import { toGrpcStatus } from "../protocol/grpc-status.ts";
import { isFields } from "../protocol/json.ts";
import { METHODS, methodNamed, wireNameOf } from "../protocol/methods.ts";
import { answerIn, notSupported } from "./dialects.ts";
import { eventEncoder, rpcOf, type GrpcApi, type Rpc } from "./grpc-api.ts";

/** The service of each dialect that has one. */
export const apisOf = (dialects: readonly ClientDialect[]): GrpcApi[] =>
  dialects.flatMap((dialect) => (dialect.grpc ? [dialectApi(dialect, dialect.grpc)] : []));

function dialectApi(dialect: ClientDialect, service: GrpcService): GrpcApi {
  const { events } = dialect;
  if ("open" in events) throw new Error(`${dialect.name}: over gRPC, each event is written by itself`);
  return {
    service,
    dialect,
    rpcs: rpcsOf(dialect),
    extensionsKey: dialect.extensionsHeader.toLowerCase(),
    requireVersion: (version = "") => {
      if (version !== "" && !dialect.speaks(version)) throw notSupported(version, [dialect.name]);
    },
    responses: eventEncoder((event) => events.write(event, false).map(messageOf)),
    toStatus: (error) => toGrpcStatus(error, dialect.toGrpcError?.(error)),
  };
}

const rpcsOf = (dialect: ClientDialect): Rpc[] =>
  METHODS.flatMap((method) => {
    const name = dialect.jsonrpc[method];
    if (name === undefined) return [];
    const rpc = rpcOf(methodNamed(wireNameOf(method)), {
      name,
      params: (request) => dialect.toParams(method, request),
      response: (result) => messageOf(answerIn({ dialect, name: method }, result)),
    });
    return [rpc];
  });

function messageOf(value: unknown): ProtoMessage {
  if (isFields(value)) return value;
  throw new TypeError("a message of gRPC is an object");
}
