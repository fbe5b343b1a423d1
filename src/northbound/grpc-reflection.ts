/**
 * The description of the services for server reflection. The libraries write descriptors in a way of their own: types by
 * relative names, files that do not say which others they need, entries of maps under the field's name, no names for JSON. Tools that are not
 * made with these libraries (grpcurl, Postman) refuse such files, so they are made here what protoc would write.
 */
import {
  loadSync,
  type AnyDefinition,
  type EnumTypeDefinition,
  type PackageDefinition,
} from "@grpc/proto-loader";
import { ReflectionService } from "@grpc/reflection";
import descriptor from "protobufjs/ext/descriptor/index.js";
import { z } from "zod";
import { protoFile, type GrpcService } from "../protocol/grpc-codec.ts";

const Named = z.looseObject({ name: z.string() });
const Field = z.looseObject({ name: z.string(), typeName: z.string().optional() });
const MessageType = z.looseObject({
  name: z.string(),
  field: z.array(Field).default([]),
  enumType: z.array(Named).default([]),
  options: z.looseObject({ mapEntry: z.boolean().optional() }).optional(),
  get nestedType() {
    return z.array(MessageType).default([]);
  },
});
type MessageType = z.infer<typeof MessageType>;
const Method = z.looseObject({ name: z.string(), inputType: z.string(), outputType: z.string() });
const File = z.looseObject({
  name: z.string(),
  package: z.string(),
  messageType: z.array(MessageType).default([]),
  enumType: z.array(Named).default([]),
  service: z.array(z.looseObject({ name: z.string(), method: z.array(Method) })).default([]),
});
type File = z.infer<typeof File>;

/** Turns a reference from within a scope into an absolute one, which begins with a dot. */
type Resolve = (reference: string, scope: string) => string;

/** Describes the services to whoever asks. The files are read when this is called. */
export function createReflection(services: readonly GrpcService[]): ReflectionService {
  const described = describe(services.map(protoFile));
  return new ReflectionService(described, { services: services.map(({ name }) => name) });
}

/** Read together, so that they share one description of protobuf's own types. */
function describe(protoFiles: string[]): PackageDefinition {
  // Field names in the descriptors are those of the file.
  const loaded = loadSync(protoFiles, { keepCase: true });
  // Each type brings all files along.
  const entry = Object.values(loaded).find(isType);
  if (entry === undefined) throw new Error(`${protoFiles.join(", ")}: no type is declared`);
  const files = entry.fileDescriptorProtos.map(decoded);
  const home = new Map(files.flatMap((file) => typesOf(file).map((type) => [type, file.name] as const)));
  const fileDescriptorProtos = files.map((file) => encoded(linked(file, home)));
  return { described: { ...entry, fileDescriptorProtos } };
}

const isType = (one: AnyDefinition): one is EnumTypeDefinition => Array.isArray(one["fileDescriptorProtos"]);

const { FileDescriptorProto } = descriptor;

function decoded(bytes: Buffer): File {
  const file = File.parse(FileDescriptorProto.toObject(FileDescriptorProto.decode(bytes)));
  return { ...file, messageType: file.messageType.map(withEntryNames) };
}

const encoded = (file: object): Buffer =>
  Buffer.from(FileDescriptorProto.encode(FileDescriptorProto.fromObject(file)).finish());

/** `FieldsEntry` for the entries of the map `fields`; readers go by that name. */
function withEntryNames(message: MessageType): MessageType {
  const names = new Map<string, string>();
  for (const { name, options } of message.nestedType) {
    const owner = options?.mapEntry && message.field.find(({ typeName }) => typeName === name);
    if (owner) names.set(name, `${camelCase(owner.name)}Entry`);
  }
  const renamed = (name = ""): string | undefined => names.get(name);
  return {
    ...message,
    field: message.field.map((field) => ({
      ...field,
      typeName: renamed(field.typeName) ?? field.typeName,
    })),
    nestedType: message.nestedType.map((nested) => ({
      ...withEntryNames(nested),
      name: renamed(nested.name) ?? nested.name,
    })),
  };
}

const camelCase = (name: string): string =>
  name.replaceAll(/(?:^|_)(.)/g, (_match, letter: string) => letter.toUpperCase());

/** All names that a file declares, with its package. */
function typesOf(file: Pick<File, "package" | "messageType" | "enumType">): string[] {
  const below = (scope: string, { name, nestedType, enumType }: MessageType): string[] => {
    const own = `${scope}.${name}`;
    const inner = nestedType.flatMap((nested) => below(own, nested));
    return [own, ...inner, ...enumType.map((one) => `${own}.${one.name}`)];
  };
  const messages = file.messageType.flatMap((message) => below(file.package, message));
  return [...messages, ...file.enumType.map(({ name }) => `${file.package}.${name}`)];
}

/** @param home the file of each type */
function linked(file: File, home: ReadonlyMap<string, string>): File {
  const needed = new Set<string>();
  const resolve: Resolve = (text, scope) => {
    const reference = text.replace(/^\./, "");
    for (
      let outer = text === reference ? scope : "";
      ;
      outer = outer.slice(0, Math.max(0, outer.lastIndexOf(".")))
    ) {
      const name = outer === "" ? reference : `${outer}.${reference}`;
      const where = home.get(name);
      if (where !== undefined && where !== file.name) needed.add(where);
      if (where !== undefined) return `.${name}`;
      if (outer === "") throw new Error(`${file.name}: there is no ${reference}`);
    }
  };
  const messageType = file.messageType.map((message) => absolute(message, file.package, resolve));
  const service = file.service.map((one) => ({
    ...one,
    method: one.method.map((method) => ({
      ...method,
      inputType: resolve(method.inputType, file.package),
      outputType: resolve(method.outputType, file.package),
    })),
  }));
  return { ...file, messageType, service, dependency: [...needed] };
}

function absolute(message: MessageType, scope: string, resolve: Resolve): MessageType {
  const own = `${scope}.${message.name}`;
  const field = message.field.map(({ typeName, ...rest }) => ({
    ...rest,
    jsonName: rest.name.replaceAll(/_(.)/g, (_match, letter: string) => letter.toUpperCase()),
    ...(typeName !== undefined && { typeName: resolve(typeName, own) }),
  }));
  return {
    ...message,
    field,
    nestedType: message.nestedType.map((nested) => absolute(nested, own, resolve)),
  };
}
