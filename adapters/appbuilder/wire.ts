/**
 * What Qianfan AppBuilder sends, parsed once and loosely: the document and the samples disagree on required fields,
 * names (`aritfacts`, `origanization`, `mime`) and types (`security` a map or a list, `user_id` an object or a string).
 * Only fields that are used are named; a field of the wrong type counts as absent; everything else is kept.
 */
import { z } from "zod";
import { extensionUri, isRecord } from "../shared/object.ts";
import { Flag, lenient, Metadata, Strings, Text } from "../shared/wire.ts";

/** Where the vendor's own metadata survives in canonical metadata, whole. */
export const EXTENSION = extensionUri("appbuilder");

const Id = lenient(z.union([z.string(), z.number().transform(String)]));
/** Tagged by the parser, whatever `kind` the vendor has written or forgotten. */
const tag = <K extends string>(kind: K) => z.literal(kind).catch(kind);

export const WireFile = z.looseObject({ name: Text, mime: Text, mimeType: Text, bytes: Text, uri: Text });
export type WireFile = z.infer<typeof WireFile>;

/** `kind` is not read: a FilePart's is documented as "text". */
export const WirePart = z.looseObject({
  text: z.unknown().optional(),
  file: lenient(WireFile),
  data: z.unknown().optional(),
  metadata: Metadata,
});
export type WirePart = z.infer<typeof WirePart>;
const Parts = lenient(z.array(WirePart));

export const WireMessage = z.looseObject({
  kind: tag("message"),
  role: Text,
  messageId: Id,
  taskId: Id,
  contextId: Id,
  parts: Parts,
  metadata: Metadata,
});
export type WireMessage = z.infer<typeof WireMessage>;

export const WireArtifact = z.looseObject({
  artifactId: Id,
  name: Text,
  description: Text,
  parts: Parts,
  metadata: Metadata,
});
export type WireArtifact = z.infer<typeof WireArtifact>;

/** What is read of an artifact's metadata; the metadata itself stays as it came. */
export const WireArtifactMetadata = z.looseObject({
  type: Text,
  text: z.unknown().optional(),
  text_raw: z.unknown().optional(),
  raw_data: z.unknown().optional(),
  visible_scope: Text,
  event: lenient(z.looseObject({ name: Text, status: Text, error_message: Text })),
});
export type WireArtifactMetadata = z.infer<typeof WireArtifactMetadata>;

/** What is read of an artifact-update's metadata. */
export const WireUpdateMetadata = z.looseObject({ status: Text, is_completion: Flag });

const WireStatus = z.looseObject({ state: Text, timestamp: Text, message: lenient(WireMessage) });
export type WireStatus = z.infer<typeof WireStatus>;

export const WireArtifactUpdate = z.looseObject({
  kind: tag("artifact-update"),
  taskId: Id,
  contextId: Id,
  artifact: WireArtifact,
  append: Flag,
  lastChunk: Flag,
  metadata: Metadata,
});
export type WireArtifactUpdate = z.infer<typeof WireArtifactUpdate>;

export const WireStatusUpdate = z.looseObject({
  kind: tag("status-update"),
  taskId: Id,
  contextId: Id,
  status: WireStatus,
  final: Flag,
  metadata: Metadata,
});
export type WireStatusUpdate = z.infer<typeof WireStatusUpdate>;

export const WireTask = z.looseObject({
  kind: tag("task"),
  id: Id,
  contextId: Id,
  status: lenient(WireStatus),
  history: lenient(z.array(WireMessage)),
  artifacts: lenient(z.array(WireArtifact)),
  /** The document's table spells it so. */
  aritfacts: lenient(z.array(WireArtifact)),
  metadata: Metadata,
});
export type WireTask = z.infer<typeof WireTask>;

export type WireResult = WireTask | WireMessage | WireStatusUpdate | WireArtifactUpdate;

/** Recognises a result by its shape, since `kind` is optional on some; undefined where it is none of the four. */
export function parseResult(value: unknown): WireResult | undefined {
  if (!isRecord(value)) return undefined;
  if (isRecord(value["artifact"])) return WireArtifactUpdate.parse(value);
  if (value["kind"] === "task") return WireTask.parse(value);
  if (isRecord(value["status"])) {
    const isUpdate = value["kind"] === "status-update" || value["taskId"] !== undefined;
    return isUpdate ? WireStatusUpdate.parse(value) : WireTask.parse(value);
  }
  if (value["kind"] === "message" || Array.isArray(value["parts"])) return WireMessage.parse(value);
  return undefined;
}

const WireSkill = z.looseObject({
  id: Id,
  name: Text,
  description: Text,
  tags: Strings,
  examples: Strings,
  inputModes: Strings,
  outputModes: Strings,
});
export type WireSkill = z.infer<typeof WireSkill>;

const Requirement = z.record(z.string(), z.array(z.string()));

export const WireScheme = z.looseObject({
  type: z.string(),
  in: Text,
  name: Text,
  scheme: Text,
  description: Text,
});
export type WireScheme = z.infer<typeof WireScheme>;

export const WireCard = z.looseObject({
  name: Text,
  description: Text,
  version: Text,
  url: Text,
  protocolVersion: Text,
  capabilities: lenient(z.looseObject({ streaming: Flag })),
  provider: lenient(z.looseObject({ organization: Text, origanization: Text, url: Text })),
  securitySchemes: lenient(z.record(z.string(), WireScheme)),
  /** A map in the document's table, a list in its sample. */
  security: lenient(z.union([z.array(Requirement), Requirement])),
  skills: lenient(z.array(WireSkill)),
  defaultInputModes: Strings,
  defaultOutputModes: Strings,
});
export type WireCard = z.infer<typeof WireCard>;

/** The body of a refusal. `request_id` is also spelled `requestId`; `code` is a word, or a JSON-RPC number. */
export const WireFault = z.looseObject({
  code: z.union([z.string(), z.number()]),
  message: z.string(),
  request_id: Text,
  requestId: Text,
});
export type WireFault = z.infer<typeof WireFault>;
