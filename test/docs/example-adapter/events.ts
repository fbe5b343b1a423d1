/** A line of Parrot's answer as an event. What Parrot does not say, such as timestamps, is left to the gateway. */
import type { AgentEvent, AgentStatus, Part } from "../../../src/index.ts";
import type { WireLine } from "./wire.ts";

export function toCanonicalEvent({ run, chat, say, end, why }: WireLine): AgentEvent {
  if (run) return { kind: "task", id: run, contextId: chat ?? undefined, status: { state: "working" } };
  if (end) return { kind: "status-update", status: toCanonicalStatus(end, why) };
  return {
    kind: "artifact-update",
    artifact: { artifactId: "answer", parts: [text(say ?? "")] },
    append: true,
  };
}

function toCanonicalStatus(end: string, why: string | null | undefined): AgentStatus {
  const state = STATES.get(end) ?? "unknown";
  return why ? { state, message: { kind: "message", role: "agent", parts: [text(why)] } } : { state };
}

const text = (value: string): Part => ({ kind: "text", text: value });

const STATES = new Map<string, AgentStatus["state"]>([
  ["ok", "completed"],
  ["asks", "input-required"],
  ["error", "failed"],
]);
