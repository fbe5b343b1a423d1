/** The wire shapes of A2A 0.1 (April to May 2025), parsed loosely: unknown fields are kept, strange ones are absent. */
import { z } from "zod";
import { Flag, lenient, Metadata, Strings, Text } from "../shared/wire.ts";

/** `type` is this dialect's discriminator; some servers leave it out, some already say `kind`. */
const discriminators = <T extends string>(name: T) => {
  const tag = z.literal(name).nullish();
  return { type: tag, kind: tag };
};

export const WireTextPart = z.looseObject({
  ...discriminators("text"),
  text: z.string(),
  metadata: Metadata,
});
export type WireTextPart = z.infer<typeof WireTextPart>;

export const WireFilePart = z.looseObject({
  ...discriminators("file"),
  file: z.looseObject({ name: Text, mimeType: Text, bytes: z.base64().nullish(), uri: z.string().nullish() }),
  metadata: Metadata,
});
export type WireFilePart = z.infer<typeof WireFilePart>;

export const WireDataPart = z.looseObject({
  ...discriminators("data"),
  data: z.record(z.string(), z.unknown()),
  metadata: Metadata,
});
export type WireDataPart = z.infer<typeof WireDataPart>;

/** Mostly an array. Told apart one by one in parts.ts, so that a strange part does not spoil its message. */
const Parts = z.unknown().optional();

export const WireMessage = z.looseObject({
  role: Text,
  parts: Parts,
  /** Stands for `parts` in one published description of the dialect (https://github.com/a2aproject/A2A/pull/85). */
  data: Parts,
  /** Stands for `parts` in python-a2a's own message format. */
  content: Parts,
  messageId: Text,
  metadata: Metadata,
});
export type WireMessage = z.infer<typeof WireMessage>;

export const WireStatus = z.looseObject({
  state: z.unknown(),
  /** Some servers have the bare text here. */
  message: z.preprocess(
    (message) => (typeof message === "string" ? { role: "agent", parts: [message] } : message),
    lenient(WireMessage),
  ),
  timestamp: Text,
});
export type WireStatus = z.infer<typeof WireStatus>;

export const WireArtifact = z.looseObject({
  name: Text,
  description: Text,
  parts: Parts,
  index: lenient(z.int().min(0)),
  append: Flag,
  lastChunk: Flag,
  metadata: Metadata,
});
export type WireArtifact = z.infer<typeof WireArtifact>;

export const WireTask = z.looseObject({
  id: Text,
  sessionId: Text,
  status: WireStatus,
  artifacts: z.array(WireArtifact).nullish(),
  history: lenient(z.array(WireMessage)),
  metadata: Metadata,
});
export type WireTask = z.infer<typeof WireTask>;

export const WireStatusEvent = z.looseObject({
  id: Text,
  sessionId: Text,
  status: WireStatus,
  final: Flag,
  metadata: Metadata,
});
export type WireStatusEvent = z.infer<typeof WireStatusEvent>;

export const WireArtifactEvent = z.looseObject({
  id: Text,
  sessionId: Text,
  artifact: WireArtifact,
  final: Flag,
  metadata: Metadata,
});
export type WireArtifactEvent = z.infer<typeof WireArtifactEvent>;

export const WirePushConfig = z.looseObject({
  url: z.string(),
  token: Text,
  authentication: lenient(z.looseObject({ schemes: Strings, credentials: Text })),
});
export type WirePushConfig = z.infer<typeof WirePushConfig>;

export const WireTaskPushConfig = z.looseObject({
  id: z.string().min(1),
  pushNotificationConfig: WirePushConfig,
});

export const WireSendParams = z.looseObject({
  id: z.string().min(1),
  sessionId: Text,
  message: WireMessage,
  acceptedOutputModes: Strings,
  pushNotification: WirePushConfig.nullish(),
  historyLength: z.int().min(0).nullish(),
  metadata: Metadata,
});
export type WireSendParams = z.infer<typeof WireSendParams>;

export const WireTaskParams = z.looseObject({
  id: z.string().min(1),
  historyLength: z.int().min(0).nullish(),
  metadata: Metadata,
});
export type WireTaskParams = z.infer<typeof WireTaskParams>;

const WireSkill = z.looseObject({
  id: Text,
  name: Text,
  description: Text,
  tags: Strings,
  examples: Strings,
  inputModes: Strings,
  outputModes: Strings,
});
export type WireSkill = z.infer<typeof WireSkill>;

export const WireCard = z.looseObject({
  name: z.string(),
  description: Text,
  url: Text,
  version: Text,
  provider: lenient(z.looseObject({ organization: z.string(), url: Text })),
  documentationUrl: Text,
  capabilities: lenient(
    z.looseObject({ streaming: Flag, pushNotifications: Flag, stateTransitionHistory: Flag }),
  ),
  /** The schema has an array of schemes; a bare string is published too, also in place of the whole object. */
  authentication: lenient(
    z.union([
      z.string(),
      z.looseObject({ schemes: z.union([z.string(), z.array(z.string())]).nullish(), credentials: Text }),
    ]),
  ),
  defaultInputModes: Strings,
  defaultOutputModes: Strings,
  skills: lenient(z.array(WireSkill)),
});
export type WireCard = z.infer<typeof WireCard>;
