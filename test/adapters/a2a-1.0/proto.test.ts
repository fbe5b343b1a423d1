/**
 * The proto file of this project against the descriptor that the official Python SDK carries (a2a-sdk 1.3.0, recorded in
 * sdk-descriptor.json), and its JSON against the codec of the official JavaScript SDK.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Task } from "@a2a-js/sdk";
import { A2AService } from "@a2a-js/sdk/server/grpc";
import { expect, test } from "@jest/globals";
import * as fc from "fast-check";
import protobuf from "protobufjs";
import { z } from "zod";
import { GRPC } from "../../../adapters/a2a-1.0/methods.ts";
import { fromCanonicalTask, toCanonicalTaskResult } from "../../../adapters/a2a-1.0/task.ts";
import { loadService, protoFile } from "../../../src/protocol/grpc-codec.ts";
import { task } from "./arbitraries.ts";

const Descriptor = z.object({
  messages: z.record(
    z.string(),
    z.record(z.string(), z.tuple([z.number(), z.string(), z.string(), z.string()])),
  ),
  enums: z.record(z.string(), z.record(z.string(), z.number())),
  rpcs: z.record(z.string(), z.tuple([z.string(), z.string(), z.boolean()])),
});
const recorded = Descriptor.parse(
  JSON.parse(readFileSync(join(import.meta.dirname, "sdk-descriptor.json"), "utf8")),
);

const root = new protobuf.Root();
root.loadSync(protoFile(GRPC), { keepCase: true });
root.resolveAll();
const service = root.lookupService(GRPC.name);
const declared = service.parent?.nestedArray ?? [];
const nameOf = (type: protobuf.ReflectionObject | null, plain: string): string =>
  type ? type.fullName.slice(1) : plain;

function fieldOf(field: protobuf.Field): [number, string, string, string] {
  const type = nameOf(field.resolvedType, field.type);
  const jsonName = field.name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());
  if (field instanceof protobuf.MapField) return [field.id, `map<${field.keyType},${type}>`, "map", jsonName];
  const oneof = field.partOf && !field.partOf.isProto3Optional ? `oneof ${field.partOf.name}` : "";
  const rule = field.repeated ? "repeated" : field.partOf?.isProto3Optional ? "optional" : oneof;
  return [field.id, type, rule, jsonName];
}

test("the messages, enums and RPCs are those of the official SDK", () => {
  const types = declared.filter((one) => one instanceof protobuf.Type);
  const messages = types.map(({ name, fieldsArray }) => [
    name,
    Object.fromEntries(fieldsArray.map((field) => [field.name, fieldOf(field)])),
  ]);
  expect(Object.fromEntries(messages)).toEqual(recorded.messages);
  const enums = declared.filter((one) => one instanceof protobuf.Enum);
  expect(Object.fromEntries(enums.map(({ name, values }) => [name, values]))).toEqual(recorded.enums);
  const rpcs = service.methodsArray.map((method) => [
    method.name,
    [
      nameOf(method.resolvedRequestType, ""),
      nameOf(method.resolvedResponseType, ""),
      method.responseStream ?? false,
    ],
  ]);
  expect(Object.fromEntries(rpcs)).toEqual(recorded.rpcs);
});

test("any task comes back from the bytes, and the official SDK reads the same bytes as the same task", () => {
  const codec = loadService(GRPC).get("GetTask");
  // A key of this name does not survive the library's maps.
  const representable = task.filter((original) => !JSON.stringify(original).includes("__proto__"));
  fc.assert(
    fc.property(representable, (original) => {
      const wire = fromCanonicalTask(original);
      const bytes = codec?.responseSerialize(wire) ?? Buffer.alloc(0);
      expect(toCanonicalTaskResult(codec?.responseDeserialize(bytes))).toEqual(original);
      expect(Task.toJSON(A2AService.getTask.responseDeserialize(bytes))).toEqual(
        Task.toJSON(Task.fromJSON(wire)),
      );
    }),
  );
});
