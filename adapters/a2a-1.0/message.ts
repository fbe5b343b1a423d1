/**
 * Messages. Mismatch bridged: no `kind`, ROLE_* for the roles, parts named by their member; 0.3.0 §6.4.
 *
 * Loss: a role other than user and agent is read as agent (whatever a server says is the agent's).
 */
import type { AgentMessage } from "../../src/adapter.ts";
import { compact } from "../shared/object.ts";
import { fromCanonicalPart, nonEmptyList, toCanonicalPart } from "./parts.ts";
import { attachPreserved, extractPreserved } from "./preserved.ts";
import type { WireMessage } from "./wire.ts";

const ROLES = { user: "ROLE_USER", agent: "ROLE_AGENT" } as const;

/** `ROLE_USER`, and `user` as hybrids spell it. */
const toCanonicalRole = (role: unknown): "user" | "agent" =>
  typeof role === "string" && /^(role_)?user$/i.test(role) ? "user" : "agent";

export function toCanonicalMessage(message: WireMessage): AgentMessage {
  const { kind: _kind, messageId, role, parts, metadata, ...rest } = message;
  const { taskId, contextId, referenceTaskIds, extensions, ...fields } = rest;
  return compact({
    kind: "message",
    messageId,
    role: toCanonicalRole(role),
    parts: (parts ?? []).map(toCanonicalPart),
    taskId,
    contextId,
    referenceTaskIds: nonEmptyList(referenceTaskIds),
    extensions: nonEmptyList(extensions),
    metadata: attachPreserved(metadata, { fields }),
  });
}

export function fromCanonicalMessage(message: AgentMessage) {
  const { metadata, preserved } = extractPreserved(message.metadata);
  return compact({
    ...preserved.fields,
    messageId: message.messageId,
    role: ROLES[message.role],
    parts: message.parts.map(fromCanonicalPart),
    taskId: message.taskId,
    contextId: message.contextId,
    referenceTaskIds: message.referenceTaskIds,
    extensions: message.extensions,
    metadata,
  });
}
