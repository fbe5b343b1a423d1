/**
 * Messages (A2A 0.3.0 §6.4) and the parameters of message/send. Servers leave out `kind`, `messageId` and even `role`,
 * write ROLE_AGENT or assistant, `content` for `parts`, conversation_id or session_id for `contextId`.
 */
import { z } from "zod";
import type { AgentMessage } from "../../src/adapter.ts";
import { Message } from "../../src/protocol/model.ts";
import type { MessageSendParams } from "../../src/protocol/params.ts";
import { compact, isRecord } from "../shared/object.ts";
import { EXTENSION, fromCanonicalPart, toCanonicalParts, WellFormedPart } from "./parts.ts";
import { asList, CONTEXT_ID, fits, isSpelledBy, LooseMessage, respelled } from "./wire.ts";

const MESSAGE = {
  messageId: ["message_id"],
  taskId: ["task_id"],
  contextId: CONTEXT_ID,
  referenceTaskIds: ["reference_task_ids"],
  parts: ["content", "text"],
} as const;

export const WellFormedMessage = Message.extend({ parts: z.array(WellFormedPart) }).refine(
  isSpelledBy(MESSAGE),
);

/** Whose message it is; undefined where the word tells neither. */
function roleOf(raw: unknown): Message["role"] | undefined {
  if (typeof raw !== "string") return undefined;
  switch (raw.toLowerCase().replace(/^role_/, "")) {
    case "user":
    case "human":
      return "user";
    case "agent":
    case "assistant":
    case "model":
    case "ai":
    case "bot":
      return "agent";
    default:
      return undefined;
  }
}

/** An object or a string; anything else holds no message. The agent's, where no role is given. */
export function toCanonicalMessage(raw: unknown): AgentMessage | undefined {
  if (fits(WellFormedMessage, raw)) return raw;
  if (typeof raw === "string") return { kind: "message", role: "agent", parts: toCanonicalParts(raw) };
  if (!isRecord(raw)) return undefined;
  const { parts, role: said, metadata, type: _type, ...rest } = LooseMessage.parse(respelled(raw, MESSAGE));
  const role = roleOf(said);
  // A role that 0.3.0 does not have is the agent's own business; the word is kept.
  const kept =
    role || said === undefined || said === null ? metadata : { ...metadata, [EXTENSION]: { role: said } };
  return {
    ...compact({ ...rest, metadata: kept }),
    kind: "message",
    role: role ?? "agent",
    parts: toCanonicalParts(parts),
  };
}

/** A list of messages; what holds none is left out. */
export const toCanonicalMessages = (raw: unknown): AgentMessage[] =>
  asList(raw).flatMap((one) => toCanonicalMessage(one) ?? []);

/** A client's message, of its known members only: an agent that reads other names as well would read unchecked ones. */
const fromCanonicalMessage = (message: Message): Message =>
  compact({
    kind: message.kind,
    messageId: message.messageId,
    role: message.role,
    parts: message.parts.map(fromCanonicalPart),
    taskId: message.taskId,
    contextId: message.contextId,
    referenceTaskIds: message.referenceTaskIds,
    extensions: message.extensions,
    metadata: message.metadata,
  });

/**
 * 0.2.0 to 0.2.5 refuse a `configuration` without `acceptedOutputModes`. The empty list means "anything" to the servers that
 * look at it.
 */
const fromCanonicalConfiguration = ({
  acceptedOutputModes = [],
  blocking,
  historyLength,
  pushNotificationConfig,
}: NonNullable<MessageSendParams["configuration"]>) =>
  compact({ acceptedOutputModes, blocking, historyLength, pushNotificationConfig });

/** The parameters as the agent gets them, over JSON-RPC as they are here. */
export const fromCanonicalParams = ({
  message,
  configuration,
  metadata,
}: MessageSendParams): MessageSendParams =>
  compact({
    message: fromCanonicalMessage(message),
    configuration: configuration && fromCanonicalConfiguration(configuration),
    metadata,
  });
