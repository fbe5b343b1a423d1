/**
 * What the `a2a.*` snake_case dialect puts on the wire, parsed once and loosely: used fields only, null means absent.
 *
 * Mismatch bridged: the dialect is snake_case, but its stream wrappers are camelCase and servers mix the two. Each
 * field is therefore read under both names. Only the names declared here are touched, so `data`, `metadata` and
 * every other value a user fills stay as they are, keys included.
 */
import { z } from "zod";
import { isRecord } from "../shared/object.ts";

const camelCase = (name: string): string =>
  name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Renames the camelCase spelling of the given names; the snake_case one wins where both are there. */
function renamer(names: readonly string[]): (value: unknown) => unknown {
  const aliases = names
    .map((name) => [camelCase(name), name] as const)
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

/** A loose object whose named fields, given in snake_case, are read in camelCase as well. */
const snakeObject = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.preprocess(renamer(Object.keys(shape)), z.looseObject(shape));

const Text = z.string().nullish();
const Strings = z.array(z.string()).nullish();
const Flag = z.boolean().nullish();
const Count = z.number().nullish();
/** A user's object, handed through by reference: not copied, not renamed. */
const UserData = z.custom<Record<string, unknown>>(isRecord).nullish();

/** As 0.3 and drafts of 1.0 nest a file; the dialect leaves its shape open. */
const WireFile = snakeObject({
  bytes: Text,
  file_with_bytes: Text,
  uri: Text,
  file_with_uri: Text,
  mime_type: Text,
  media_type: Text,
  name: Text,
  filename: Text,
});

/** Here and below `kind` is not the dialect's; where a server sends it, it says nothing that is not known. */
export const WirePart = snakeObject({
  kind: z.unknown().optional(),
  type: z.unknown().optional(),
  text: Text,
  raw: Text,
  url: Text,
  file: WireFile.nullish(),
  data: z.unknown().optional(),
  media_type: Text,
  filename: Text,
  metadata: UserData,
});
export type WirePart = z.infer<typeof WirePart>;

export const WireMessage = snakeObject({
  kind: z.unknown().optional(),
  message_id: Text,
  role: z.unknown().optional(),
  parts: z.array(z.unknown()).nullish(),
  task_id: Text,
  context_id: Text,
  reference_task_ids: Strings,
  extensions: Strings,
  metadata: UserData,
});
export type WireMessage = z.infer<typeof WireMessage>;

const WireStatus = snakeObject({
  state: z.unknown().optional(),
  message: WireMessage.nullish(),
  /** One that is no text is as good as none: the gateway then gives the status its own. */
  timestamp: Text.catch(undefined),
});
export type WireStatus = z.infer<typeof WireStatus>;

const WireArtifact = snakeObject({
  artifact_id: Text,
  name: Text,
  description: Text,
  parts: z.array(z.unknown()).nullish(),
  extensions: Strings,
  metadata: UserData,
  append: Flag,
  last_chunk: Flag,
});
export type WireArtifact = z.infer<typeof WireArtifact>;

export const WireTask = snakeObject({
  kind: z.unknown().optional(),
  id: Text,
  context_id: Text,
  status: WireStatus.nullish(),
  artifacts: z.array(WireArtifact).nullish(),
  history: z.array(WireMessage).nullish(),
  metadata: UserData,
});
export type WireTask = z.infer<typeof WireTask>;

export const WireStatusUpdate = snakeObject({
  kind: z.unknown().optional(),
  task_id: Text,
  context_id: Text,
  status: WireStatus.nullish(),
  /** Not in the dialect; read where an older server still sends it. */
  final: Flag,
  metadata: UserData,
});
export type WireStatusUpdate = z.infer<typeof WireStatusUpdate>;

export const WireArtifactUpdate = snakeObject({
  kind: z.unknown().optional(),
  task_id: Text,
  context_id: Text,
  artifact: WireArtifact,
  append: Flag,
  last_chunk: Flag,
  metadata: UserData,
});
export type WireArtifactUpdate = z.infer<typeof WireArtifactUpdate>;

/** A result or stream event inside its wrapper, whose one member says what it is. */
export const WireWrapper = snakeObject({
  task: z.unknown().optional(),
  message: z.unknown().optional(),
  status_update: z.unknown().optional(),
  artifact_update: z.unknown().optional(),
});

const PushAuthentication = snakeObject({ scheme: Text, schemes: Strings, credentials: Text });

export const WirePushConfig = snakeObject({
  id: Text,
  url: z.string(),
  token: Text,
  authentication: PushAuthentication.nullish(),
});
export type WirePushConfig = z.infer<typeof WirePushConfig>;

/** Also read flat, as official 1.0 has it: `{task_id, id, url, …}`. */
export const WireTaskPushConfig = snakeObject({
  task_id: z.string(),
  push_notification_config: WirePushConfig.nullish(),
});

export const WirePushConfigPage = snakeObject({
  configs: z.array(z.unknown()).nullish(),
  next_page_token: Text,
});

export const WirePushParams = snakeObject({ task_id: z.string(), id: Text });

export const WireTaskPage = snakeObject({ tasks: z.array(WireTask).nullish(), next_page_token: Text });

export const WireListParams = snakeObject({
  context_id: Text,
  status: Text,
  page_size: Count,
  page_token: Text,
  history_length: Count,
  status_timestamp_after: Text,
  include_artifacts: Flag,
});

export const WireTaskParams = snakeObject({ id: z.string(), history_length: Count, metadata: UserData });

export const WireSendParams = snakeObject({
  message: WireMessage,
  configuration: snakeObject({
    accepted_output_modes: Strings,
    return_immediately: Flag,
    history_length: Count,
    push_notification_config: WirePushConfig.nullish(),
    task_push_notification_config: WirePushConfig.nullish(),
  }).nullish(),
  metadata: UserData,
});

const WireInterface = snakeObject({
  url: z.string(),
  protocol_binding: Text,
  tenant: Text,
  protocol_version: Text,
});
export type WireInterface = z.infer<typeof WireInterface>;

const WireSkill = snakeObject({
  id: z.string(),
  name: Text,
  description: Text,
  tags: Strings,
  examples: Strings,
  input_modes: Strings,
  output_modes: Strings,
  security_requirements: z.array(z.unknown()).nullish(),
});
export type WireSkill = z.infer<typeof WireSkill>;

const WireCapabilities = snakeObject({
  streaming: Flag,
  push_notifications: Flag,
  extended_agent_card: Flag,
  state_transition_history: Flag,
  extensions: z
    .array(z.looseObject({ uri: z.string(), description: Text, required: Flag, params: UserData }))
    .nullish(),
});
export type WireCapabilities = z.infer<typeof WireCapabilities>;

/** OpenAPI's Security Scheme Object in snake_case; `security.ts` renames its members. */
const WireScheme = z.looseObject({ type: Text });
export type WireScheme = z.infer<typeof WireScheme>;

const cardShape = {
  name: z.string(),
  description: Text,
  version: Text,
  /** This and the next two only of hybrid cards, which describe themselves for 0.3 as well. */
  url: Text,
  protocol_version: Text,
  preferred_transport: Text,
  supported_interfaces: z.array(WireInterface).nullish(),
  provider: z.looseObject({ organization: Text, url: Text }).nullish(),
  icon_url: Text,
  documentation_url: Text,
  capabilities: WireCapabilities.nullish(),
  security_schemes: z.record(z.string(), WireScheme).nullish(),
  security_requirements: z.array(z.unknown()).nullish(),
  default_input_modes: Strings,
  default_output_modes: Strings,
  skills: z.array(WireSkill).nullish(),
  /** They sign the card as it was served. */
  signatures: z.unknown().optional(),
};

export const WireCard = snakeObject(cardShape);
export type WireCard = z.infer<typeof WireCard>;

/** The card's members that this file does not name. */
export const cardExtras = (card: WireCard): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(card).filter(([name, value]) => !Object.hasOwn(cardShape, name) && value !== null),
  );
