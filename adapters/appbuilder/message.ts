/**
 * Messages and the parameters of message/send and message/stream. AppBuilder takes no `configuration`, and reads two
 * fields of `message.metadata`: `end_user_id` (6 to 64 characters) and `file_ids` (only the first is used).
 */
import { z } from "zod";
import type { AgentMessage } from "../../src/adapter.ts";
import { A2AError } from "../../src/protocol/errors.ts";
import type { Metadata } from "../../src/protocol/model.ts";
import type { MessageSendParams } from "../../src/protocol/params.ts";
import { compact } from "../shared/object.ts";
import { fromCanonicalPart, toCanonicalParts } from "./parts.ts";
import type { WireMessage } from "./wire.ts";

/** Roles are user, tool and assistant (also `assisatnt`): whoever is not the user is the agent. */
export function toCanonicalMessage(wire: WireMessage): AgentMessage {
  const role = wire.role === "user" ? ("user" as const) : ("agent" as const);
  return compact({ ...wire, role, parts: toCanonicalParts(wire.parts) });
}

/** Loses `extensions` and `referenceTaskIds`, which AppBuilder has no field for, and members that 0.3.0 does not name. */
export function fromCanonicalMessage(message: AgentMessage): WireMessage {
  const { kind, messageId, role, parts, taskId, contextId, metadata } = message;
  return compact({
    kind,
    messageId,
    role,
    parts: parts.map(fromCanonicalPart),
    taskId,
    contextId,
    metadata: metadata && fromCanonicalMetadata(metadata),
  });
}

const EndUserId = z
  .string({ message: "must be a string" })
  .regex(/^.{6,64}$/su, { message: "must have 6 to 64 characters" });
const FileIds = z.array(z.string({ message: "must be a file id" }), {
  message: "must be a list of file ids",
});

const PASSED_THROUGH: readonly [name: string, schema: z.ZodType][] = [
  ["end_user_id", EndUserId],
  ["file_ids", FileIds],
];

/** Checks what AppBuilder reads; `""` and null, which it writes itself where there is none, count as absent. */
function fromCanonicalMetadata(metadata: Metadata): Metadata {
  const wire = { ...metadata };
  for (const [name, schema] of PASSED_THROUGH) {
    if (wire[name] === undefined || wire[name] === null || wire[name] === "") {
      delete wire[name];
      continue;
    }
    const issue = schema.safeParse(wire[name]).error?.issues[0];
    if (!issue) continue;
    const path = ["message", "metadata", name, ...issue.path].join(".");
    throw new A2AError("invalid-params", { message: `${path}: ${issue.message}`, data: { path } });
  }
  return wire;
}

/** Loses `configuration`: what it asks for, the gateway does itself. */
export function fromCanonicalSendParams(params: MessageSendParams) {
  return compact({ message: fromCanonicalMessage(params.message), metadata: params.metadata });
}
