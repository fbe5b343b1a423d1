/**
 * A gRPC service with messages as ProtoJSON objects, so that gRPC and HTTP+JSON share one mapping to the canonical model.
 * What protobuf's own JSON mapping knows and the library does not is added here: `google.protobuf.Struct` as a plain
 * object, `Value` as any JSON, `Timestamp` as ISO text, and fields that have another name in JSON.
 *
 * The proto files are this proxy's own and are read at the start; users can generate clients from them. Nothing is
 * registered globally: another user of protobufjs in the process is not affected.
 */
import { findPackageJSON } from "node:module";
import { dirname, join } from "node:path";
import protobuf from "protobufjs";
import { fromStruct, fromTimestamp, fromValue, toStruct, toTimestamp, toValue } from "./grpc-well-known.ts";
import { countProtoValues, shapeOf } from "./proto-scan.ts";

/** A message as ProtoJSON: a plain object. */
export type ProtoMessage = Readonly<Record<string, unknown>>;

/** What grpc-js makes a method of; requests and responses are ProtoJSON. */
export interface MethodCodec {
  readonly path: string;
  readonly requestStream: boolean;
  readonly responseStream: boolean;
  readonly requestSerialize: (message: ProtoMessage) => Buffer;
  readonly requestDeserialize: (bytes: Uint8Array) => ProtoMessage;
  /** How many values a request holds, or some number beyond the limit; throws where the bytes are no message. */
  readonly requestValues: (bytes: Uint8Array, limit: number) => number;
  readonly responseSerialize: (message: ProtoMessage) => Buffer;
  readonly responseDeserialize: (bytes: Uint8Array) => ProtoMessage;
}

export interface GrpcService {
  /** With its package. */
  readonly name: string;
  /** In the folder `proto`. */
  readonly file: string;
  /** Fields whose JSON name is not their proto name in camelCase: type, proto name, JSON name. */
  readonly jsonNames?: readonly (readonly [type: string, from: string, to: string])[];
}

/** A2A 0.3.0's. */
export const A2A_V1: GrpcService = {
  name: "a2a.v1.A2AService",
  file: "a2a.v1.proto",
  jsonNames: [
    ["TaskStatus", "update", "message"],
    ["SendMessageRequest", "request", "message"],
    ["SendMessageResponse", "msg", "message"],
    ["StreamResponse", "msg", "message"],
  ],
};

const FOLDER = join(dirname(findPackageJSON("..", import.meta.url) ?? "package.json"), "proto");

export const protoFile = ({ file }: GrpcService): string => join(FOLDER, file);

/** Enums by name, bytes as base64; defaults stay out. */
const AS_JSON = { enums: String, bytes: String } as const;

/** The methods by their proto names; the file is read once per call. */
export function loadService(service: GrpcService = A2A_V1): ReadonlyMap<string, MethodCodec> {
  const root = new protobuf.Root();
  root.loadSync(protoFile(service));
  const declared = root.lookupService(service.name);
  const { parent } = declared;
  for (const [type, from, to] of service.jsonNames ?? [])
    rename(root.lookupType(`${parent?.fullName}.${type}`), from, to);
  root.resolveAll();
  structsAsObjects(root.lookupType("google.protobuf.Struct"));
  for (const type of parent?.nestedArray ?? []) if (type instanceof protobuf.Type) wellKnownAsJson(type);
  return new Map(declared.methodsArray.map((method) => [method.name, codecOf(method, service.name)]));
}

function codecOf(method: protobuf.Method, service: string): MethodCodec {
  method.resolve();
  const { name, requestStream, responseStream, resolvedRequestType, resolvedResponseType } = method;
  if (!resolvedRequestType || !resolvedResponseType) throw new Error(`${name} has no types`);
  const request = serializersOf(resolvedRequestType);
  const response = serializersOf(resolvedResponseType);
  const shape = shapeOf(resolvedRequestType);
  return {
    path: `/${service}/${name}`,
    requestStream: requestStream ?? false,
    responseStream: responseStream ?? false,
    requestSerialize: request.serialize,
    requestDeserialize: request.deserialize,
    requestValues: (bytes, limit) => countProtoValues(shape, bytes, limit),
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

/** How the values of a well-known type are in JSON. */
interface JsonForm {
  readonly toMessage: (json: unknown) => object;
  readonly toJson: (message: unknown) => unknown;
}

const JSON_FORMS: ReadonlyMap<string, JsonForm> = new Map([
  [".google.protobuf.Timestamp", { toMessage: toTimestamp, toJson: fromTimestamp }],
  [".google.protobuf.Value", { toMessage: toValue, toJson: fromValue }],
]);

/** At the holder and not at the type itself, since the converter of a holder insists that a message is given as an object. */
function wellKnownAsJson(type: protobuf.Type): void {
  const forms = type.fieldsArray.flatMap(({ name, resolvedType }) => {
    const form = JSON_FORMS.get(resolvedType?.fullName ?? "");
    return form ? [[name, form] as const] : [];
  });
  if (forms.length === 0) return;
  type.setup();
  const fromObject = type.fromObject.bind(type);
  const toObject = type.toObject.bind(type);
  type.fromObject = (given) => {
    const json = { ...given };
    const values = forms.flatMap(([name, { toMessage }]) => {
      const value: unknown = json[name];
      delete json[name];
      return value === undefined ? [] : [[name, toMessage(value)]];
    });
    return Object.assign(fromObject(json), Object.fromEntries(values));
  };
  type.toObject = (message, options) => {
    const json = toObject(message, options);
    for (const [name, { toJson }] of forms) {
      if (json[name] === undefined) continue;
      json[name] = toJson(Reflect.get(message, name));
      if (json[name] === undefined) delete json[name];
    }
    return json;
  };
}
