/**
 * What official A2A 1.0 (`lf.a2a.v1`, as ProtoJSON) puts on the wire, parsed once and loosely: used fields only. ProtoJSON
 * readers take camelCase and snake_case alike, so each declared field is read under both names; only declared names are
 * touched, so `data`, `metadata` and every other value that a user fills keep their keys.
 *
 * Mismatch bridged: many servers write defaults out (`"contextId": ""`, `"extensions": []`): for an id or a name the empty
 * string means absent, as null does everywhere.
 */
import { z } from "zod";
import { isRecord } from "../shared/object.ts";

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Renames the snake_case spelling of the given names; the camelCase one wins if both are present. */
function renamer(names: readonly string[]): (value: unknown) => unknown {
  const aliases = names
    .map((name) => [snakeCase(name), name] as const)
    .filter(([alias, name]) => alias !== name);
  return (value) => {
    if (!isRecord(value) || !aliases.some(([alias]) => alias in value)) return value;
    const renamed = { ...value };
    for (const [alias, name] of aliases) {
      if (!(alias in renamed)) continue;
      renamed[name] ??= renamed[alias];
      delete renamed[alias];
    }
    return renamed;
  };
}

/** A loose object whose named fields, given in camelCase, are read in snake_case as well. */
const message = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.preprocess(renamer(Object.keys(shape)), z.looseObject(shape));

const Text = z.string().nullish();
/** An id, a name or a word: empty is absent. */
const Word = z
  .string()
  .transform((text) => (text === "" ? undefined : text))
  .nullish();
const Words = z.array(z.string()).nullish();
const Flag = z.boolean().nullish();
/** ProtoJSON allows integers as strings; some servers write them as floats. */
const Count = z
  .union([
    z.int(),
    z
      .string()
      .regex(/^-?\d{1,10}$/)
      .transform(Number),
  ])
  .nullish();
/** A user's object, handed through by reference: not copied, not renamed. */
const UserData = z.custom<Record<string, unknown>>(isRecord).nullish();

/** As 0.3, drafts of 1.0 and the snake_case dialect nest a file. */
const WireFile = message({
  bytes: Text,
  fileWithBytes: Text,
  uri: Text,
  fileWithUri: Text,
  mimeType: Word,
  mediaType: Word,
  name: Word,
  filename: Word,
});

/** Here and below `kind` is not 1.0's; hybrids that send it say nothing by it that is not known. */
export const WirePart = message({
  kind: z.unknown().optional(),
  type: z.unknown().optional(),
  text: Text,
  raw: Text,
  url: Text,
  file: WireFile.nullish(),
  data: z.unknown().optional(),
  mediaType: Word,
  filename: Word,
  metadata: UserData,
});
export type WirePart = z.infer<typeof WirePart>;

export const WireMessage = message({
  kind: z.unknown().optional(),
  messageId: Word,
  role: z.unknown().optional(),
  parts: z.array(z.unknown()).nullish(),
  taskId: Word,
  contextId: Word,
  referenceTaskIds: Words,
  extensions: Words,
  metadata: UserData,
});
export type WireMessage = z.infer<typeof WireMessage>;

const WireStatus = message({
  state: z.unknown().optional(),
  message: WireMessage.nullish(),
  /** One that is no text counts as none: the gateway then gives the status its own. */
  timestamp: Word.catch(undefined),
});
export type WireStatus = z.infer<typeof WireStatus>;

const WireArtifact = message({
  artifactId: Word,
  name: Word,
  description: Word,
  parts: z.array(z.unknown()).nullish(),
  extensions: Words,
  metadata: UserData,
  append: Flag,
  lastChunk: Flag,
});
export type WireArtifact = z.infer<typeof WireArtifact>;

export const WireTask = message({
  kind: z.unknown().optional(),
  id: Word,
  contextId: Word,
  status: WireStatus.nullish(),
  artifacts: z.array(WireArtifact).nullish(),
  history: z.array(WireMessage).nullish(),
  metadata: UserData,
});
export type WireTask = z.infer<typeof WireTask>;

export const WireStatusUpdate = message({
  kind: z.unknown().optional(),
  taskId: Word,
  contextId: Word,
  status: WireStatus.nullish(),
  /** Not in 1.0; read if a hybrid still sends it. */
  final: Flag,
  metadata: UserData,
});
export type WireStatusUpdate = z.infer<typeof WireStatusUpdate>;

export const WireArtifactUpdate = message({
  kind: z.unknown().optional(),
  taskId: Word,
  contextId: Word,
  artifact: WireArtifact,
  append: Flag,
  lastChunk: Flag,
  metadata: UserData,
});
export type WireArtifactUpdate = z.infer<typeof WireArtifactUpdate>;

/** SendMessageResponse and StreamResponse: the one member says what the object is. */
export const WireResponse = message({
  task: z.unknown().optional(),
  message: z.unknown().optional(),
  statusUpdate: z.unknown().optional(),
  artifactUpdate: z.unknown().optional(),
});

const PushAuthentication = message({ scheme: Word, schemes: Words, credentials: Word });

export const WirePushConfig = message({
  id: Word,
  url: z.string(),
  token: Word,
  authentication: PushAuthentication.nullish(),
});
export type WirePushConfig = z.infer<typeof WirePushConfig>;

/** Flat (`{taskId, id, url, …}`); drafts and the snake_case dialect nest the configuration. */
export const WireTaskPushConfig = message({
  taskId: z.string(),
  pushNotificationConfig: WirePushConfig.nullish(),
});

export const WirePushConfigPage = message({ configs: z.array(z.unknown()).nullish(), nextPageToken: Text });

export const WirePushParams = message({ taskId: z.string(), id: Word });

export const WireListPushParams = message({ taskId: z.string() });

export const WireListParams = message({
  contextId: Word,
  status: z.unknown().optional(),
  pageSize: Count,
  pageToken: Word,
  historyLength: Count,
  statusTimestampAfter: Word,
  includeArtifacts: Flag,
});

export const WireTaskParams = message({ id: z.string(), historyLength: Count, metadata: UserData });

export const WireSendParams = message({
  message: WireMessage,
  configuration: message({
    acceptedOutputModes: Words,
    returnImmediately: Flag,
    /** Of drafts and release candidates. */
    blocking: Flag,
    historyLength: Count,
    pushNotificationConfig: WirePushConfig.nullish(),
    taskPushNotificationConfig: WirePushConfig.nullish(),
  }).nullish(),
  metadata: UserData,
});

const WireInterface = message({
  url: z.string(),
  protocolBinding: Word,
  /** 0.3.0's name of the binding, in hybrid cards. */
  transport: Word,
  tenant: Word,
  protocolVersion: Word,
});
export type WireInterface = z.infer<typeof WireInterface>;

const WireSkill = message({
  id: z.string(),
  name: Text,
  description: Text,
  tags: Words,
  examples: Words,
  inputModes: Words,
  outputModes: Words,
  securityRequirements: z.array(z.unknown()).nullish(),
});
export type WireSkill = z.infer<typeof WireSkill>;

const WireCapabilities = message({
  streaming: Flag,
  pushNotifications: Flag,
  extendedAgentCard: Flag,
  /** Of 0.3.0, in hybrid cards. */
  stateTransitionHistory: Flag,
  extensions: z
    .array(z.looseObject({ uri: z.string(), description: Text, required: Flag, params: UserData }))
    .nullish(),
});
export type WireCapabilities = z.infer<typeof WireCapabilities>;

export const WireCard = message({
  name: z.string(),
  description: Text,
  version: Text,
  /** This and the next three only of cards that describe themselves for 0.3 as well. */
  url: Word,
  protocolVersion: Word,
  preferredTransport: Word,
  additionalInterfaces: z.array(WireInterface).nullish().catch(undefined),
  supportedInterfaces: z.array(WireInterface).nullish(),
  provider: z.looseObject({ organization: Text, url: Text }).nullish(),
  iconUrl: Word,
  documentationUrl: Word,
  capabilities: WireCapabilities.nullish(),
  /** Each is read by security.ts, which knows both generations' forms. */
  securitySchemes: z.record(z.string(), z.unknown()).nullish(),
  securityRequirements: z.array(z.unknown()).nullish(),
  /** 0.3.0's name, in hybrid cards. */
  security: z.array(z.unknown()).nullish(),
  defaultInputModes: Words,
  defaultOutputModes: Words,
  skills: z.array(WireSkill).nullish(),
  /** They sign the card as it was served. */
  signatures: z.unknown().optional(),
});
export type WireCard = z.infer<typeof WireCard>;
