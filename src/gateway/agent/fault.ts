/** What went wrong at the agent: what a client may be told of it, and whether asking again may help. */
import { z } from "zod";
import { A2AError } from "../../protocol/errors.ts";
import type { EngineContext } from "../gateway.ts";

/** At most this many faults of one object are reported. */
const MAX_ISSUES = 5;

const NEVER_SENT: ReadonlySet<unknown> = new Set(["dns", "connect", "tls"]);

type FaultContext = Pick<EngineContext, "agent" | "redact">;

/**
 * What an adapter throws, as what a client may be told: an object of no known shape is the agent's fault. Vendors echo
 * what they were sent: what a client is told of their errors is redacted.
 */
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

const hasCode = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof A2AError && codes.includes(error.code);

/** The agent does not have the method; calling it did nothing there. */
export const isUnsupported = (error: unknown): boolean =>
  hasCode(error, "unsupported-operation", "method-not-found");

/** The agent says that it does not know the task. */
export const isForgotten = (error: unknown): boolean => hasCode(error, "task-not-found");

/** Where in a call to the agent it went wrong. */
export const stageOf = (error: unknown): unknown =>
  error instanceof A2AError ? error.data?.["stage"] : undefined;

/** The connection failed, or the agent is overloaded: the task may be well, and asking again may tell. */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof A2AError)) return false;
  if (error.code === "agent-unavailable") return true;
  if (error.code !== "invalid-agent-response") return false;
  const { stage, status } = error.data ?? {};
  if (stage !== "response") return true;
  return typeof status === "number" && (status >= 500 || status === 429);
}

/** The call broke after the agent may have taken it up. */
export const mayHaveArrived = (error: unknown): boolean =>
  isTransient(error) && !NEVER_SENT.has(stageOf(error));

/** What broke a stream, as a sentence; undefined if the agent was only silent for too long. */
export const breakOf = (error: unknown): string | undefined =>
  error instanceof A2AError && stageOf(error) !== "timeout" ? error.message : undefined;

/** The agent has ended its answer too early. */
export const cutShort = (agent: string, message: string): A2AError =>
  new A2AError("invalid-agent-response", { message, data: { agent, stage: "body" } });
