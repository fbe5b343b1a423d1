/**
 * The wire shapes of A2A 0.1 (April to May 2025), parsed loosely: unknown fields are kept, an explicit null is an
 * absent field, and an optional field of the wrong type counts as absent instead of spoiling the whole answer.
 */
import { z } from "zod";
import { A2AError } from "../../src/protocol/errors.ts";

const Text = z.string().nullish().catch(undefined);
const Flag = z.boolean().nullish().catch(undefined);
const Strings = z.array(z.string()).nullish().catch(undefined);
const Metadata = z.record(z.string(), z.unknown()).nullish().catch(undefined);

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
    WireMessage.nullish().catch(undefined),
  ),
  timestamp: Text,
});
export type WireStatus = z.infer<typeof WireStatus>;

export const WireArtifact = z.looseObject({
  name: Text,
  description: Text,
  parts: Parts,
  index: z.int().min(0).nullish().catch(undefined),
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
  history: z.array(WireMessage).nullish().catch(undefined),
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
  authentication: z.looseObject({ schemes: Strings, credentials: Text }).nullish().catch(undefined),
});
export type WirePushConfig = z.infer<typeof WirePushConfig>;

export const WireSendParams = z.looseObject({
  id: z.string(),
  sessionId: Text,
  message: WireMessage,
  acceptedOutputModes: Strings,
  pushNotification: WirePushConfig.nullish(),
  historyLength: z.int().min(0).nullish(),
  metadata: Metadata,
});
export type WireSendParams = z.infer<typeof WireSendParams>;

export const WireTaskParams = z.looseObject({
  id: z.string(),
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
  provider: z.looseObject({ organization: z.string(), url: Text }).nullish().catch(undefined),
  documentationUrl: Text,
  capabilities: z
    .looseObject({ streaming: Flag, pushNotifications: Flag, stateTransitionHistory: Flag })
    .nullish()
    .catch(undefined),
  /** The schema has an array of schemes; a bare string is published too, also in place of the whole object. */
  authentication: z
    .union([
      z.string(),
      z.looseObject({ schemes: z.union([z.string(), z.array(z.string())]).nullish(), credentials: Text }),
    ])
    .nullish()
    .catch(undefined),
  defaultInputModes: Strings,
  defaultOutputModes: Strings,
  skills: z.array(WireSkill).nullish().catch(undefined),
});
export type WireCard = z.infer<typeof WireCard>;

/** Parses a vendor's answer; rejects with `invalid-agent-response` that names what was expected. */
export function parseWire<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const at = issue ? `: ${issue.path.join(".")} ${issue.message}` : "";
  throw new A2AError("invalid-agent-response", {
    message: `The agent's answer is not ${what}${at}`,
    data: { stage: "body" },
    cause: parsed.error,
  });
}
