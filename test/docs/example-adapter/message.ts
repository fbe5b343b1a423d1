/** Parrot takes lines of text. Files and data are lost: refused, so that nobody believes they have arrived. */
import { A2AError, type MessageSendParams, type Part } from "../../../src/index.ts";
import type { WireRequest } from "./wire.ts";

export function fromCanonicalParams({ message }: MessageSendParams, voice: string): WireRequest {
  const { parts, contextId, taskId } = message;
  return { lines: parts.map(fromCanonicalPart), voice, chat: contextId, run: taskId };
}

function fromCanonicalPart(part: Part): string {
  if (part.kind === "text") return part.text;
  throw new A2AError("content-type-not-supported", { message: `Parrot takes no ${part.kind} parts` });
}
