/**
 * What clients send, made strict. 0.3.0's own examples (§9) omit `kind`, put messageId beside `message` or leave it
 * out, and write `file.data` for `file.bytes`; clients in the field add nulls and empty ids. All of these are
 * repaired here, once for every transport; whatever is still not 0.3.0 afterwards is `invalid-params`, with the path
 * of the fault in `data`.
 */
import { z } from "zod";
import { A2AError } from "./errors.ts";
import { isFields, type Fields } from "./json.ts";
import {
  DeletePushConfigParams,
  GetPushConfigParams,
  MessageSendParams,
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
}

/** Params of message/send and message/stream; rejects with `invalid-params`. */
export function acceptSendParams(params: unknown, rules: AcceptRules): MessageSendParams {
  const { messageId, ...fields } = withoutNulls(fieldsOf(params));
  const { message, configuration } = fields;
  if (isFields(configuration)) fields["configuration"] = repairConfiguration(configuration);
  if (isFields(message)) fields["message"] = repairMessage(message, messageId, rules);
  return parse(MessageSendParams, fields);
}

/** Params of tasks/cancel and tasks/resubscribe. */
export const acceptTaskIdParams = (params: unknown): TaskIdParams =>
  parse(TaskIdParams, withoutNulls(fieldsOf(params)));

/** Params of tasks/get. */
export const acceptTaskQueryParams = (params: unknown): TaskQueryParams =>
  parse(TaskQueryParams, withoutNulls(fieldsOf(params)));

/** Params of tasks/pushNotificationConfig/set. */
export function acceptTaskPushConfig(params: unknown): TaskPushNotificationConfig {
  const fields = withoutNulls(fieldsOf(params));
  const { pushNotificationConfig: config } = fields;
  if (isFields(config)) fields["pushNotificationConfig"] = repairPushConfig(config);
  return parse(TaskPushNotificationConfig, fields);
}

/** Params of tasks/pushNotificationConfig/get. */
export const acceptGetPushConfigParams = (params: unknown): GetPushConfigParams =>
  parse(GetPushConfigParams, withoutNulls(fieldsOf(params)));

/** Params of tasks/pushNotificationConfig/delete. */
export const acceptDeletePushConfigParams = (params: unknown): DeletePushConfigParams =>
  parse(DeletePushConfigParams, withoutNulls(fieldsOf(params)));

function repairConfiguration(configuration: Fields): Fields {
  const fields = withoutNulls(configuration);
  const { pushNotificationConfig: push } = fields;
  if (isFields(push)) fields["pushNotificationConfig"] = repairPushConfig(push);
  return fields;
}

/** `schemes` is one name in some clients; an id of "" is none. */
function repairPushConfig(config: Fields): Fields {
  const fields = withoutNulls(config);
  for (const key of ["id", "token"]) if (fields[key] === "") delete fields[key];
  const { authentication } = fields;
  if (!isFields(authentication)) return fields;
  const repaired = withoutNulls(authentication);
  if (typeof repaired["schemes"] === "string") repaired["schemes"] = [repaired["schemes"]];
  fields["authentication"] = repaired;
  return fields;
}

function repairMessage(message: Fields, messageIdBeside: unknown, rules: AcceptRules): Fields {
  const fields = withoutNulls(message);
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
  fields["parts"] = parts.map(repairPart);
  return fields;
}

function repairPart(part: unknown, index: number): unknown {
  const path = `message.parts[${index}]`;
  if (!isFields(part)) return part;
  const fields = withoutNulls(part);
  fields["kind"] ??= impliedKind(fields);
  if (isFields(fields["file"])) fields["file"] = repairFile(fields["file"], path);
  return fields;
}

/** The kind that a part's one content member implies; none where there is no such member, or more than one. */
function impliedKind(part: Fields): string | undefined {
  const kinds = ["text", "file", "data"].filter((kind) => part[kind] !== undefined);
  return kinds.length === 1 ? kinds[0] : undefined;
}

function repairFile(file: Fields, path: string): Fields {
  const fields = withoutNulls(file);
  if (fields["bytes"] === undefined && fields["uri"] === undefined && fields["data"] !== undefined) {
    fields["bytes"] = fields["data"];
    delete fields["data"];
  }
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

/** A copy of one level of a request: null is how many serializers write an absent optional field. */
function withoutNulls(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

function parse<T>(schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw invalid(z.core.toDotPath(issue?.path ?? []), issue?.message ?? "invalid");
}

const invalid = (path: string, reason: string): A2AError =>
  new A2AError("invalid-params", { data: { path, reason } });
