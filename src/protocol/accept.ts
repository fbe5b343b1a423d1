/**
 * What clients send, made strict. 0.3.0's own examples (§9) omit `kind`, put messageId beside `message` or leave it
 * out, and write `file.data` for `file.bytes`; clients in the field add nulls and empty ids. All of these are
 * repaired here, once for every transport, unless the agent is served strictly; whatever is still not 0.3.0 afterwards is
 * `invalid-params`, with the path of the fault in `data`. Members that 0.3.0 does not name end here: see client-members.ts.
 */
import { z } from "zod";
import { membersOf } from "./client-members.ts";
import { A2AError } from "./errors.ts";
import { isFields, type Fields } from "./json.ts";
import { DataPart, FilePart, TextPart } from "./model.ts";
import {
  DeletePushConfigParams,
  GetPushConfigParams,
  MessageSendConfiguration,
  MessageSendParams,
  PushAuthentication,
  PushNotificationConfig,
  SentFile,
  SentMessage,
  TaskIdParams,
  TaskPushNotificationConfig,
  TaskQueryParams,
} from "./params.ts";
import { standardBase64 } from "./text.ts";

export interface AcceptRules {
  /** Most parts in one message. */
  readonly maxParts: number;
  /** Mints the messageId that a client has left out. */
  readonly newId: () => string;
  /** Refuse what would have to be repaired. */
  readonly strict?: boolean;
  /**
   * The params were put into 0.3.0's form by the codec of another dialect: what it has preserved in metadata stays, and a
   * historyLength of 0 means none, as it does in other dialects.
   */
  readonly isDecoded?: boolean;
}

type Reading = Pick<AcceptRules, "strict" | "isDecoded">;

const sendMembers = membersOf(MessageSendParams);
const messageMembers = membersOf(SentMessage);
const partMembers = membersOf({ shape: { ...TextPart.shape, ...FilePart.shape, ...DataPart.shape } });
const fileMembers = membersOf(SentFile);
const configurationMembers = membersOf(MessageSendConfiguration);
const taskPushMembers = membersOf(TaskPushNotificationConfig);
const pushMembers = membersOf(PushNotificationConfig);
const authenticationMembers = membersOf(PushAuthentication);

/** Params of message/send and message/stream; rejects with `invalid-params`. */
export function acceptSendParams(params: unknown, rules: AcceptRules): MessageSendParams {
  const given = fieldsOf(params);
  if (rules.strict && !rules.isDecoded) requireStandardBase64(parse(MessageSendParams, given));
  const fields = sendMembers(given);
  const { message, configuration } = fields;
  if (isFields(configuration)) fields["configuration"] = repairConfiguration(configuration, rules);
  if (isFields(message)) fields["message"] = repairMessage(message, given["messageId"], rules);
  return parse(MessageSendParams, fields);
}

/** Of params that need no repair. */
function acceptorOf<S extends z.ZodObject>(schema: S): (params: unknown, rules?: Reading) => z.infer<S> {
  const members = membersOf(schema);
  return (params, rules = {}) => {
    const given = fieldsOf(params);
    if (rules.strict) parse(schema, given);
    return parse(schema, withHistoryLength(members(given), rules));
  };
}

/** 0 is the whole history in 0.3.0 (§7.1.2), as if it were absent. */
function withHistoryLength(fields: Fields, { isDecoded }: Reading): Fields {
  if (fields["historyLength"] === 0 && !isDecoded) delete fields["historyLength"];
  return fields;
}

/** Params of tasks/cancel and tasks/resubscribe. */
export const acceptTaskIdParams = acceptorOf(TaskIdParams);

/** Params of tasks/get. */
export const acceptTaskQueryParams = acceptorOf(TaskQueryParams);

/** Params of tasks/pushNotificationConfig/set. */
export function acceptTaskPushConfig(params: unknown, rules: Reading = {}): TaskPushNotificationConfig {
  const given = fieldsOf(params);
  if (rules.strict) parse(TaskPushNotificationConfig, given);
  const fields = taskPushMembers(given);
  const { pushNotificationConfig: config } = fields;
  if (isFields(config)) fields["pushNotificationConfig"] = repairPushConfig(config);
  return parse(TaskPushNotificationConfig, fields);
}

/** Params of tasks/pushNotificationConfig/get. */
export const acceptGetPushConfigParams = acceptorOf(GetPushConfigParams);

/** Params of tasks/pushNotificationConfig/delete. */
export const acceptDeletePushConfigParams = acceptorOf(DeletePushConfigParams);

function requireStandardBase64({ message: { parts } }: MessageSendParams): void {
  for (const [index, part] of parts.entries()) {
    const bytes = part.kind === "file" ? part.file.bytes : undefined;
    if (bytes === undefined || standardBase64(bytes) === bytes) continue;
    throw invalid(`message.parts[${index}].file.bytes`, "is not standard base64");
  }
}

function repairConfiguration(configuration: Fields, rules: Reading): Fields {
  const fields = withHistoryLength(configurationMembers(configuration), rules);
  const { pushNotificationConfig: push } = fields;
  if (isFields(push)) fields["pushNotificationConfig"] = repairPushConfig(push);
  return fields;
}

/** `schemes` is one name in some clients; an id of "" is none. */
function repairPushConfig(config: Fields): Fields {
  const fields = pushMembers(config);
  for (const key of ["id", "token"]) if (fields[key] === "") delete fields[key];
  const { authentication } = fields;
  if (!isFields(authentication)) return fields;
  const repaired = authenticationMembers(authentication);
  if (typeof repaired["schemes"] === "string") repaired["schemes"] = [repaired["schemes"]];
  fields["authentication"] = repaired;
  return fields;
}

function repairMessage(message: Fields, messageIdBeside: unknown, rules: AcceptRules): Fields {
  const fields = messageMembers(message, rules.isDecoded);
  fields["kind"] ??= "message";
  // An id of "" is how clients generated from the proto say that there is none.
  for (const key of ["messageId", "taskId", "contextId"]) if (fields[key] === "") delete fields[key];
  fields["messageId"] ??= nonEmptyString(messageIdBeside) ?? rules.newId();
  const { parts } = fields;
  if (!Array.isArray(parts)) return fields;
  if (parts.length === 0) throw invalid("message.parts", "at least one part is required");
  if (parts.length > rules.maxParts) {
    throw invalid("message.parts", `at most ${rules.maxParts} parts are allowed, not ${parts.length}`);
  }
  fields["parts"] = parts.map((part, index) => repairPart(part, index, rules));
  return fields;
}

function repairPart(part: unknown, index: number, { isDecoded }: Reading): unknown {
  const path = `message.parts[${index}]`;
  if (!isFields(part)) return part;
  const fields = partMembers(part, isDecoded);
  fields["kind"] ??= impliedKind(fields, part["type"], path);
  if (isFields(fields["file"])) fields["file"] = repairFile(fields["file"], path);
  return fields;
}

const PART_KINDS: readonly string[] = ["text", "file", "data"];

/**
 * The kind that a part names as A2A 0.1 does, under `type`, or that its one content member implies; none if there is no
 * such member, or more than one. A `type` that is no kind is refused: the part is something else, whatever it contains.
 */
function impliedKind(part: Fields, type: unknown, path: string): string | undefined {
  if (typeof type === "string" && type !== "") {
    if (PART_KINDS.includes(type)) return type;
    throw invalid(`${path}.type`, `must be one of ${PART_KINDS.join(", ")}`);
  }
  const kinds = PART_KINDS.filter((kind) => part[kind] !== undefined);
  return kinds.length === 1 ? kinds[0] : undefined;
}

function repairFile(file: Fields, path: string): Fields {
  const fields = fileMembers(file);
  const { data } = file;
  if (fields["bytes"] === undefined && fields["uri"] === undefined && data != null) fields["bytes"] = data;
  const { bytes } = fields;
  if (typeof bytes === "string") fields["bytes"] = canonicalBase64(bytes, `${path}.file.bytes`);
  return fields;
}

function canonicalBase64(text: string, path: string): string {
  const canonical = standardBase64(text);
  if (canonical === undefined) throw invalid(path, "is not base64");
  return canonical;
}

const nonEmptyString = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

function fieldsOf(params: unknown): Fields {
  if (isFields(params)) return params;
  throw invalid("params", "an object is required");
}

function parse<S extends z.ZodType>(schema: S, value: unknown): z.infer<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw invalid(z.core.toDotPath(issue?.path ?? []), issue?.message ?? "invalid");
}

const invalid = (path: string, reason: string): A2AError =>
  new A2AError("invalid-params", { data: { path, reason } });
