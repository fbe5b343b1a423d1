/**
 * What HTTP+JSON and gRPC share (A2A 0.3.0 §3.2.2, §3.2.3): a message goes out as ProtoJSON, and the bytes of files that
 * come back may have been encoded twice.
 */
import type { MessageSendParams } from "../../src/protocol/params.ts";
import { toProtoJsonMessage } from "../../src/protocol/proto-json.ts";
import { toProtoJsonPushConfig, toProtoJsonTaskPushConfig } from "../../src/protocol/proto-json-params.ts";
import { compact, isRecord } from "../shared/object.ts";
import type { CallbackParams } from "./transport.ts";

/**
 * The parameters of message/send with `blocking` said. An absent one is false in ProtoJSON, and servers that go by that
 * answer before the work is done; the JSON of the schema means true by it.
 */
export const withBlocking = (params: MessageSendParams): MessageSendParams => ({
  ...params,
  configuration: { ...params.configuration, blocking: params.configuration?.blocking ?? true },
});

/** SendMessageRequest; its message is under the JSON name `message`. */
export function toSendRequest({
  message,
  configuration,
  metadata,
}: MessageSendParams): Record<string, unknown> {
  const { acceptedOutputModes, blocking, historyLength, pushNotificationConfig } = configuration ?? {};
  const pushNotification = pushNotificationConfig && toProtoJsonPushConfig(pushNotificationConfig);
  const settings = compact({ acceptedOutputModes, blocking, historyLength, pushNotification });
  return compact({
    message: toProtoJsonMessage(message),
    configuration: configuration && settings,
    metadata,
  });
}

/** CreateTaskPushNotificationConfigRequest; whole over HTTP+JSON too, as the servers of both official SDKs want it. */
export const toCreatePushRequest = (params: CallbackParams): Record<string, unknown> => ({
  parent: taskName(params.taskId),
  configId: params.pushNotificationConfig.id,
  config: toProtoJsonTaskPushConfig(params),
});

/** How gRPC names a task. */
export const taskName = (id: string): string => `tasks/${id}`;

/** Shorter text of these letters may well be what the file says. */
const MIN_REPAIRED = 16;

/**
 * The Python SDK encodes base64 as bytes once more. Bytes that are themselves nothing but canonical base64 are taken for
 * that; a file that really holds such a text is read as what the text stands for.
 */
export function withPlainBytes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withPlainBytes);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      (name === "fileWithBytes" || name === "file_with_bytes") && typeof member === "string"
        ? onceEncoded(member)
        : name === "metadata" || name === "data"
          ? member
          : withPlainBytes(member),
    ]),
  );
}

function onceEncoded(bytes: string): string {
  const inner = Buffer.from(bytes, "base64").toString("latin1");
  return inner.length >= MIN_REPAIRED && isBase64(inner) ? inner : bytes;
}

/** A pattern that counts the letters in fours would run out of stack on a file of some megabytes. */
const isBase64 = (text: string): boolean => text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
