/**
 * The service of `proto/a2a.v1.proto` with messages as ProtoJSON objects, so that gRPC and HTTP+JSON share one mapping
 * to the canonical model (proto-json.ts). What protobuf's own JSON mapping knows and the library does not is added here:
 * `google.protobuf.Struct` as a plain object, `Timestamp` as ISO text, and fields that have another name in JSON.
 *
 * The proto file is this proxy's own and is read at the start; it also feeds reflection, and users can generate clients
 * from it. Nothing is registered globally: another user of protobufjs in the process is not affected.
 */
import { findPackageJSON } from "node:module";
import { dirname, join } from "node:path";
import protobuf from "protobufjs";
import { fromStruct, fromTimestamp, toStruct, toTimestamp } from "./grpc-well-known.ts";
import { hasMoreValues, shapeOf } from "./proto-scan.ts";

/** A message as ProtoJSON: a plain object. */
export type ProtoMessage = Readonly<Record<string, unknown>>;

/** What grpc-js makes a method of; requests and responses are ProtoJSON. */
export interface MethodCodec {
  readonly path: string;
  readonly requestStream: boolean;
  readonly responseStream: boolean;
  readonly requestSerialize: (message: ProtoMessage) => Buffer;
  readonly requestDeserialize: (bytes: Uint8Array) => ProtoMessage;
  /** Whether a request holds more values than this; throws where the bytes are no message. */
  readonly requestHasMoreValues: (bytes: Uint8Array, limit: number) => boolean;
  readonly responseSerialize: (message: ProtoMessage) => Buffer;
  readonly responseDeserialize: (bytes: Uint8Array) => ProtoMessage;
}

export const SERVICE_NAME = "a2a.v1.A2AService";

export const PROTO_FILE = join(
  dirname(findPackageJSON("..", import.meta.url) ?? "package.json"),
  "proto/a2a.v1.proto",
);

/** Fields whose JSON name is not their proto name in camelCase. */
const JSON_NAMES = [
  ["TaskStatus", "update", "message"],
  ["SendMessageRequest", "request", "message"],
  ["SendMessageResponse", "msg", "message"],
  ["StreamResponse", "msg", "message"],
] as const;

/** Enums by name, bytes as base64; defaults stay out. */
const AS_JSON = { enums: String, bytes: String } as const;

/** The methods by their proto names; the file is read once per call. */
export function loadService(): ReadonlyMap<string, MethodCodec> {
  const root = new protobuf.Root();
  root.loadSync(PROTO_FILE);
  for (const [type, from, to] of JSON_NAMES) rename(root.lookupType(`a2a.v1.${type}`), from, to);
  root.resolveAll();
  structsAsObjects(root.lookupType("google.protobuf.Struct"));
  timestampsAsText(root.lookupType("a2a.v1.TaskStatus"));
  const { methodsArray } = root.lookupService(SERVICE_NAME);
  return new Map(methodsArray.map((method) => [method.name, codecOf(method)]));
}

function codecOf(method: protobuf.Method): MethodCodec {
  method.resolve();
  const { name, requestStream, responseStream, resolvedRequestType, resolvedResponseType } = method;
  if (!resolvedRequestType || !resolvedResponseType) throw new Error(`${name} has no types`);
  const request = serializersOf(resolvedRequestType);
  const response = serializersOf(resolvedResponseType);
  const shape = shapeOf(resolvedRequestType);
  return {
    path: `/${SERVICE_NAME}/${name}`,
    requestStream: requestStream ?? false,
    responseStream: responseStream ?? false,
    requestSerialize: request.serialize,
    requestDeserialize: request.deserialize,
    requestHasMoreValues: (bytes, limit) => hasMoreValues(shape, bytes, limit),
    responseSerialize: response.serialize,
    responseDeserialize: response.deserialize,
  };
}

const serializersOf = (type: protobuf.Type) => ({
  serialize: (message: ProtoMessage): Buffer => Buffer.from(type.encode(type.fromObject(message)).finish()),
  deserialize: (bytes: Uint8Array): ProtoMessage => type.toObject(type.decode(bytes), AS_JSON),
});

function rename(type: protobuf.Type, from: string, to: string): void {
  const field = type.get(from);
  if (!(field instanceof protobuf.Field)) throw new Error(`${type.name} has no ${from}`);
  const { id, type: fieldType, partOf } = field;
  const renamed = new protobuf.Field(to, id, fieldType);
  partOf?.remove(field);
  type.remove(field);
  (partOf ?? type).add(renamed);
}

/** The converters of the types that hold a Struct look up those of Struct when they run, so these take part. */
function structsAsObjects(type: protobuf.Type): void {
  type.setup();
  type.fromObject = (json) => type.create(toStruct(json));
  type.toObject = fromStruct;
}

/** Here and not at Timestamp, since the converter of a holder insists that a message is given as an object. */
function timestampsAsText(type: protobuf.Type): void {
  type.setup();
  const fromObject = type.fromObject.bind(type);
  const toObject = type.toObject.bind(type);
  type.fromObject = ({ timestamp, ...json }) =>
    fromObject(timestamp === undefined ? json : { ...json, timestamp: toTimestamp(timestamp) });
  type.toObject = (message, options) => {
    const { timestamp, ...json } = toObject(message, options);
    return timestamp === undefined ? json : { ...json, timestamp: fromTimestamp(timestamp) };
  };
}
