/**
 * Parameters of the 0.3.0 methods (§7), as the proxy hands them on once a request has been accepted. Unlike the objects
 * that agents send, these have no members but the ones that are named here: see client-members.ts.
 */
import { z } from "zod";
import { DataPart, FilePart, Message, Metadata, TextPart } from "./model.ts";

/** Ids are repeated in every event of a stream. Real ones have a few dozen characters. */
export const LONGEST_ID = 1024;

const Id = z.string().max(LONGEST_ID, `must have at most ${LONGEST_ID} characters`);
const TaskId = Id.min(1);

const HistoryLength = z.int().min(0).optional();

export const PushAuthentication = z.object({
  schemes: z.array(z.string()),
  credentials: z.string().optional(),
});

export const PushNotificationConfig = z.object({
  id: Id.optional(),
  url: z.string(),
  token: z.string().optional(),
  authentication: PushAuthentication.optional(),
});
export type PushNotificationConfig = z.infer<typeof PushNotificationConfig>;

export const MessageSendConfiguration = z.object({
  acceptedOutputModes: z.array(z.string()).optional(),
  /** Absent means true: the answer waits for a terminal or interrupted state, bounded by `timeouts.blocking`. */
  blocking: z.boolean().optional(),
  /** Absent: the whole history; 0: none; N: the last N messages. */
  historyLength: HistoryLength,
  pushNotificationConfig: PushNotificationConfig.optional(),
});

/** §6.6, as clients send it. */
export const SentFile = FilePart.shape.file.strip();

/** §6.5, as clients send it. */
const SentPart = z.discriminatedUnion("kind", [
  TextPart.strip(),
  FilePart.strip().extend({ file: SentFile }),
  DataPart.strip(),
]);

/** §6.4, as clients send it. */
export const SentMessage = Message.strip().extend({
  messageId: Id,
  parts: z.array(SentPart),
  taskId: Id.optional(),
  contextId: Id.optional(),
  referenceTaskIds: z.array(Id).optional(),
});

export const MessageSendParams = z.object({
  message: SentMessage,
  configuration: MessageSendConfiguration.optional(),
  metadata: Metadata.optional(),
});
export type MessageSendParams = z.infer<typeof MessageSendParams>;

export const TaskIdParams = z.object({ id: TaskId, metadata: Metadata.optional() });
export type TaskIdParams = z.infer<typeof TaskIdParams>;

export const TaskQueryParams = TaskIdParams.extend({ historyLength: HistoryLength });
export type TaskQueryParams = z.infer<typeof TaskQueryParams>;

/** Params of tasks/pushNotificationConfig/set, and what it and …/get answer (§6.9). */
export const TaskPushNotificationConfig = z.object({
  taskId: TaskId,
  pushNotificationConfig: PushNotificationConfig,
});
export type TaskPushNotificationConfig = z.infer<typeof TaskPushNotificationConfig>;

/** 0.2.x has no `pushNotificationConfigId`: absent means the task's default, else its first. */
export const GetPushConfigParams = TaskIdParams.extend({ pushNotificationConfigId: Id.optional() });
export type GetPushConfigParams = z.infer<typeof GetPushConfigParams>;

export const DeletePushConfigParams = TaskIdParams.extend({ pushNotificationConfigId: Id.min(1) });
export type DeletePushConfigParams = z.infer<typeof DeletePushConfigParams>;
