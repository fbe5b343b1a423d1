/** What an adapter throws, as what a client may be told: an object of no known shape is the agent's fault. */
import { z } from "zod";
import { A2AError } from "../../protocol/errors.ts";
import type { EngineContext } from "../context.ts";

/** At most this many faults of one object are reported. */
const MAX_ISSUES = 5;

type FaultContext = Pick<EngineContext, "agent" | "redact">;

/** Vendors echo what they were sent: what a client is told of their errors is redacted. */
export function agentFault(thrown: unknown, { agent, redact }: FaultContext): A2AError {
  if (!(thrown instanceof z.ZodError)) {
    const { code, message, data, cause } = A2AError.from(thrown);
    const clean = Object.fromEntries(Object.entries(data ?? {}).map(([key, value]) => [key, redact(value)]));
    return new A2AError(code, { message: redact(message), data: { agent: agent.name, ...clean }, cause });
  }
  const issues = thrown.issues
    .slice(0, MAX_ISSUES)
    .map(({ path, message }) => `${path.join(".")}: ${message}`);
  return new A2AError("invalid-agent-response", {
    message: "The agent sent an object that is no A2A object",
    data: { agent: agent.name, stage: "event", issues },
    cause: thrown,
  });
}
