/** What HTTP+JSON and gRPC share (A2A 0.3.0 §3.2.2, §3.2.3): a message goes out as ProtoJSON. */
import type { MessageSendParams } from "../../src/protocol/params.ts";
import { toProtoJsonMessage } from "../../src/protocol/proto-json.ts";
import { toProtoJsonPushConfig, toProtoJsonTaskPushConfig } from "../../src/protocol/proto-json-params.ts";
import { compact } from "../shared/object.ts";
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
