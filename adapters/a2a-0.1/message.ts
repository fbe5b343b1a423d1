/**
 * Messages: 0.1 has role, parts and metadata and no ids; 0.3.0 §6.4 wants messageId, which the gateway mints.
 * Lossy towards the wire: messageId, taskId, contextId, referenceTaskIds and extensions have no place there. The
 * task and the session are named by the params around the message.
 */
import type { AgentMessage } from "../../src/adapter.ts";
import type { Message } from "../../src/protocol/model.ts";
import { compact } from "../shared/object.ts";
import { splitExtras, withExtras } from "./extras.ts";
import { fromCanonicalParts, toCanonicalParts } from "./parts.ts";
import type { WireMessage } from "./wire.ts";

/** A role other than user is the agent's; one that is not `agent` either (assistant, system, …) is kept as an extra. */
export function toCanonicalMessage(message: WireMessage): AgentMessage {
  const { role, messageId, metadata, parts, data, content, kind: _kind, ...extras } = message;
  const isUser = role === "user";
  const strangeRole = isUser || role === "agent" ? undefined : role;
  return compact({
    kind: "message" as const,
    role: isUser ? ("user" as const) : ("agent" as const),
    messageId,
    parts: toCanonicalParts(parts ?? data ?? content),
    metadata: withExtras(metadata, { ...extras, role: strangeRole }),
  });
}

/** A message as the wire has it: `{role, parts, metadata?}`. */
export function fromCanonicalMessage(message: Message | AgentMessage): WireMessage {
  const { metadata, extras } = splitExtras(message.metadata);
  const isStrange = message.role === "agent" && typeof extras["role"] === "string";
  const role = isStrange ? String(extras["role"]) : message.role;
  return compact({ ...extras, role, parts: fromCanonicalParts(message.parts), metadata });
}
