/**
 * Messages. Mismatch bridged: snake_case members, no `kind`, parts named by their member; 0.3.0 §6.4.
 *
 * Loss: a role other than user and agent is read as agent (whatever a server says is the agent's). Members of a
 * canonical message that 0.3.0 does not name are not sent on: the dialect defines no place for them.
 */
import type { AgentMessage } from "../../src/adapter.ts";
import { compact } from "../shared/object.ts";
import { takeMarks, withMarks } from "./extras.ts";
import { fromCanonicalPart, toCanonicalPart } from "./parts.ts";
import type { WireMessage } from "./wire.ts";

/** `user`, and `ROLE_USER` as official 1.0 spells it. */
const toCanonicalRole = (role: unknown): "user" | "agent" =>
  typeof role === "string" && /^(role_)?user$/i.test(role) ? "user" : "agent";

export function toCanonicalMessage(message: WireMessage): AgentMessage {
  const { kind: _kind, message_id, role, parts, metadata, ...rest } = message;
  const { task_id, context_id, reference_task_ids, extensions, ...fields } = rest;
  return compact({
    kind: "message",
    messageId: message_id,
    role: toCanonicalRole(role),
    parts: (parts ?? []).map(toCanonicalPart),
    taskId: task_id,
    contextId: context_id,
    referenceTaskIds: reference_task_ids,
    extensions,
    metadata: withMarks(metadata, { fields }),
  });
}

export function fromCanonicalMessage(message: AgentMessage) {
  const { metadata, marks } = takeMarks(message.metadata);
  return compact({
    ...marks.fields,
    message_id: message.messageId,
    role: message.role,
    parts: message.parts.map(fromCanonicalPart),
    task_id: message.taskId,
    context_id: message.contextId,
    reference_task_ids: message.referenceTaskIds,
    extensions: message.extensions,
    metadata,
  });
}
