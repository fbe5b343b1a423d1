/** Requests as HTTP+JSON and gRPC write them, and their answers as canonical objects. */
import { z } from "zod";
import type { MessageSendParams } from "../../../src/protocol/params.ts";
import {
  fromProtoJsonSetPushRequest,
  toProtoJsonPushConfig,
} from "../../../src/protocol/proto-json-params.ts";
import { toProtoJsonMessage } from "../../../src/protocol/proto-json.ts";

export function protoSendRequest({
  message,
  configuration,
  metadata,
}: MessageSendParams): Record<string, unknown> {
  const { pushNotificationConfig: push, ...rest } = configuration ?? {};
  const pushNotification = push && { pushNotification: toProtoJsonPushConfig(push) };
  return {
    message: toProtoJsonMessage(message),
    ...(configuration && { configuration: { ...rest, ...pushNotification } }),
    ...(metadata && { metadata }),
  };
}

const TaskPushConfig = z.looseObject({ name: z.string() });

/** `{name, pushNotificationConfig}` as `{taskId, pushNotificationConfig}`. */
export function canonicalPushConfig(answer: unknown): unknown {
  const [, taskId = ""] = TaskPushConfig.parse(answer).name.split("/");
  return fromProtoJsonSetPushRequest(answer, taskId);
}

const PushConfigs = z.looseObject({ configs: z.array(z.unknown()).default([]) });

export const canonicalPushConfigs = (answer: unknown): unknown =>
  PushConfigs.parse(answer).configs.map(canonicalPushConfig);
