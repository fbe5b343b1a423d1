/** Parameters of the 0.3.0 methods (§7), as the proxy hands them on once a request has been accepted. */
import { z } from "zod";
import type { Known } from "./known.ts";
import { Message, Metadata } from "./model.ts";

const HistoryLength = z.int().min(0).optional();

export const PushNotificationConfig = z.looseObject({
  id: z.string().optional(),
  url: z.string(),
  token: z.string().optional(),
  authentication: z
    .looseObject({ schemes: z.array(z.string()), credentials: z.string().optional() })
    .optional(),
});
export type PushNotificationConfig = Known<z.infer<typeof PushNotificationConfig>>;

const MessageSendConfiguration = z.looseObject({
  acceptedOutputModes: z.array(z.string()).optional(),
  /** Absent means true: the answer waits for a terminal or interrupted state, bounded by `timeouts.blocking`. */
  blocking: z.boolean().optional(),
  /** Absent or 0: the whole history; N: the last N messages. */
  historyLength: HistoryLength,
  pushNotificationConfig: PushNotificationConfig.optional(),
});

export const MessageSendParams = z.looseObject({
  message: Message,
  configuration: MessageSendConfiguration.optional(),
  metadata: Metadata.optional(),
});
export type MessageSendParams = Known<z.infer<typeof MessageSendParams>>;

export const TaskIdParams = z.looseObject({ id: z.string().min(1), metadata: Metadata.optional() });
export type TaskIdParams = Known<z.infer<typeof TaskIdParams>>;

export const TaskQueryParams = TaskIdParams.extend({ historyLength: HistoryLength });
export type TaskQueryParams = Known<z.infer<typeof TaskQueryParams>>;

/** Params of tasks/pushNotificationConfig/set, and what it and …/get answer (§6.9). */
export const TaskPushNotificationConfig = z.looseObject({
  taskId: z.string().min(1),
  pushNotificationConfig: PushNotificationConfig,
});
export type TaskPushNotificationConfig = Known<z.infer<typeof TaskPushNotificationConfig>>;

/** 0.2.x has no `pushNotificationConfigId`: absent means the task's default, else its first. */
export const GetPushConfigParams = TaskIdParams.extend({ pushNotificationConfigId: z.string().optional() });
export type GetPushConfigParams = Known<z.infer<typeof GetPushConfigParams>>;

export const DeletePushConfigParams = TaskIdParams.extend({ pushNotificationConfigId: z.string().min(1) });
export type DeletePushConfigParams = Known<z.infer<typeof DeletePushConfigParams>>;
