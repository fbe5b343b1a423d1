/**
 * The canonical objects: A2A 0.3.0 §6 as zod schemas, with the types inferred from them.
 * Objects are loose: fields this file does not name are kept, so that nothing a vendor or a client adds is lost.
 */
import { z } from "zod";
import type { Known } from "./known.ts";
import { TASK_STATES } from "./states.ts";

export const Metadata = z.record(z.string(), z.unknown());
export type Metadata = z.infer<typeof Metadata>;

export const TextPart = z.looseObject({
  kind: z.literal("text"),
  text: z.string(),
  metadata: Metadata.optional(),
});
export type TextPart = Known<z.infer<typeof TextPart>>;

/** §6.6: exactly one of `bytes` (base64) and `uri`. */
const FileContent = z
  .looseObject({
    name: z.string().optional(),
    mimeType: z.string().optional(),
    bytes: z.string().optional(),
    uri: z.string().optional(),
  })
  .refine((file) => (file.bytes === undefined) !== (file.uri === undefined), {
    message: "exactly one of bytes and uri is required",
  });
export type FileContent = Known<z.infer<typeof FileContent>>;

export const FilePart = z.looseObject({
  kind: z.literal("file"),
  file: FileContent,
  metadata: Metadata.optional(),
});
export type FilePart = Known<z.infer<typeof FilePart>>;

export const DataPart = z.looseObject({
  kind: z.literal("data"),
  data: Metadata,
  metadata: Metadata.optional(),
});
export type DataPart = Known<z.infer<typeof DataPart>>;

export const Part = z.discriminatedUnion("kind", [TextPart, FilePart, DataPart]);
export type Part = Known<z.infer<typeof Part>>;

export const Message = z.looseObject({
  kind: z.literal("message"),
  messageId: z.string(),
  role: z.enum(["user", "agent"]),
  parts: z.array(Part),
  taskId: z.string().optional(),
  contextId: z.string().optional(),
  referenceTaskIds: z.array(z.string()).optional(),
  extensions: z.array(z.string()).optional(),
  metadata: Metadata.optional(),
});
export type Message = Known<z.infer<typeof Message>>;

export const TaskStatus = z.looseObject({
  state: z.enum(TASK_STATES),
  message: Message.optional(),
  /** ISO 8601, UTC, milliseconds. */
  timestamp: z.string().optional(),
});
export type TaskStatus = Known<z.infer<typeof TaskStatus>>;

export const Artifact = z.looseObject({
  artifactId: z.string(),
  name: z.string().optional(),
  description: z.string().optional(),
  parts: z.array(Part),
  extensions: z.array(z.string()).optional(),
  metadata: Metadata.optional(),
});
export type Artifact = Known<z.infer<typeof Artifact>>;

export const Task = z.looseObject({
  kind: z.literal("task"),
  id: z.string(),
  contextId: z.string(),
  status: TaskStatus,
  artifacts: z.array(Artifact).optional(),
  history: z.array(Message).optional(),
  metadata: Metadata.optional(),
});
export type Task = Known<z.infer<typeof Task>>;

export const TaskStatusUpdateEvent = z.looseObject({
  kind: z.literal("status-update"),
  taskId: z.string(),
  contextId: z.string(),
  status: TaskStatus,
  final: z.boolean(),
  metadata: Metadata.optional(),
});
export type TaskStatusUpdateEvent = Known<z.infer<typeof TaskStatusUpdateEvent>>;

export const TaskArtifactUpdateEvent = z.looseObject({
  kind: z.literal("artifact-update"),
  taskId: z.string(),
  contextId: z.string(),
  artifact: Artifact,
  append: z.boolean().optional(),
  lastChunk: z.boolean().optional(),
  metadata: Metadata.optional(),
});
export type TaskArtifactUpdateEvent = Known<z.infer<typeof TaskArtifactUpdateEvent>>;

/** What message/stream and tasks/resubscribe carry (§7.2.1). */
export const StreamEvent = z.discriminatedUnion("kind", [
  Task,
  Message,
  TaskStatusUpdateEvent,
  TaskArtifactUpdateEvent,
]);
export type StreamEvent = Known<z.infer<typeof StreamEvent>>;
