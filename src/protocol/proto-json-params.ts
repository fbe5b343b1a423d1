/**
 * Requests over HTTP+JSON: ProtoJSON bodies and the JSON of the schema to the params of the methods. As in
 * proto-json.ts, nothing is validated here.
 */
import { isFields, type Fields } from "./json.ts";
import { camelCased, dropEmpty, withoutDefaults } from "./proto-json-fields.ts";
import { fromProtoJsonMessage } from "./proto-json.ts";

/** TaskPushNotificationConfig of 0.3.0 (§6.10). */
interface TaskPushConfig {
  readonly taskId: string;
  readonly pushNotificationConfig: PushConfig;
}

interface PushConfig {
  readonly id?: string | undefined;
  readonly url: string;
  readonly token?: string | undefined;
  readonly authentication?:
    | {
        readonly schemes: readonly string[];
        readonly credentials?: string | undefined;
      }
    | undefined;
}

/** SendMessageRequest to the params of message/send and message/stream. */
export function fromProtoJsonSendRequest(value: unknown): unknown {
  if (!isFields(value)) return value;
  // `request` is what the proto's own field is called.
  const { request, ...fields } = camelCased(value);
  const message = fields["message"] ?? request;
  if (message !== undefined) fields["message"] = fromProtoJsonMessage(message);
  const { configuration } = fields;
  if (isFields(configuration)) fields["configuration"] = fromProtoJsonConfiguration(configuration);
  return fields;
}

/** An absent `blocking` stays absent: ProtoJSON writes false in the same way, and the two cannot be told apart. */
function fromProtoJsonConfiguration(value: Fields): Fields {
  const { pushNotification, ...fields } = camelCased(value);
  const push = fields["pushNotificationConfig"] ?? pushNotification;
  if (push !== undefined) fields["pushNotificationConfig"] = fromProtoJsonPushConfig(push);
  return fields;
}

export function toProtoJsonPushConfig({ id, url, token, authentication }: PushConfig): Fields {
  const { schemes, credentials } = authentication ?? {};
  const written = authentication && withoutDefaults({ schemes, credentials });
  return withoutDefaults({ id, url, token, authentication: written });
}

function fromProtoJsonPushConfig(value: unknown): unknown {
  if (!isFields(value)) return value;
  const fields = camelCased(value);
  dropEmpty(fields, ["id", "token"]);
  const { authentication } = fields;
  if (isFields(authentication)) {
    const read = camelCased(authentication);
    dropEmpty(read, ["credentials"]);
    fields["authentication"] = { schemes: [], ...read };
  }
  return fields;
}

/** The resource, named as gRPC and REST name it: `tasks/{id}/pushNotificationConfigs/{id}`. */
export function toProtoJsonTaskPushConfig({ taskId, pushNotificationConfig }: TaskPushConfig): Fields {
  const name = `tasks/${taskId}/pushNotificationConfigs/${pushNotificationConfig.id ?? ""}`;
  return { name, pushNotificationConfig: toProtoJsonPushConfig(pushNotificationConfig) };
}

/**
 * The params of tasks/pushNotificationConfig/set from any of the bodies that clients send: `{parent, configId,
 * config: {name, pushNotificationConfig}}`, `{name, pushNotificationConfig}`, `{taskId, pushNotificationConfig}`, or the
 * pushNotificationConfig itself.
 * @param taskId the path's, which wins over whatever the body says
 */
export function fromProtoJsonSetPushRequest(value: unknown, taskId: string): unknown {
  if (!isFields(value)) return value;
  const { configId, config, ...outer } = camelCased(value);
  const { name, pushNotificationConfig } = isFields(config) ? camelCased(config) : outer;
  const isBare = pushNotificationConfig === undefined && typeof outer["url"] === "string";
  const read = fromProtoJsonPushConfig(isBare ? outer : pushNotificationConfig);
  if (!isFields(read)) return { taskId, pushNotificationConfig: read };
  const id = read["id"] ?? (configId || configOf(name));
  return { taskId, pushNotificationConfig: id === undefined ? read : { ...read, id } };
}

const configOf = (name: unknown): string | undefined =>
  typeof name === "string" ? /\/pushNotificationConfigs\/([^/]+)$/.exec(name)?.[1] : undefined;
