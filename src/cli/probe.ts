/**
 * Asks an agent for a task that does not exist, through the adapter that is configured, as calls would be made: does the
 * agent let the proxy in, is something there, and is it the dialect? Nothing is asked that has effects at the agent.
 */
import type { Adapter, Backend, Call } from "../adapter.ts";
import type { AgentConfig } from "../config/config.ts";
import { A2AError } from "../protocol/errors.ts";
import { isFields } from "../protocol/json.ts";
import type { Southbound } from "../southbound/southbound.ts";
import { explain } from "./failure.ts";

export interface Findings {
  readonly faults: readonly string[];
  readonly warnings: readonly string[];
}

interface Asked {
  readonly agent: AgentConfig;
  readonly backend: Backend;
  readonly southbound: Southbound;
  readonly adapters: ReadonlyMap<string, Adapter>;
  readonly signal: AbortSignal;
}

const NOTHING: Findings = { faults: [], warnings: [] };
const fault = (message: string): Findings => ({ faults: [message], warnings: [] });
const warning = (message: string): Findings => ({ faults: [], warnings: [message] });

export async function probeAgent(asked: Asked): Promise<Findings> {
  const { agent, adapters, southbound, signal } = asked;
  const { isAnswered, findings } = await askForNothing(asked);
  if (findings.faults.length > 0) return findings;
  const finder = [...adapters.values()].find(({ contradict }) => contradict);
  const claim = { dialect: agent.adapter, isAnswered };
  const against = await finder?.contradict?.(claim, southbound, signal).catch(() => undefined);
  if (!against) return findings;
  const text = `${against.reason}; configured is \`adapter: ${agent.adapter}\``;
  return against.isCertain ? fault(text) : { faults: [], warnings: [...findings.warnings, text] };
}

async function askForNothing(asked: Asked): Promise<{ isAnswered: boolean; findings: Findings }> {
  const { backend, southbound, signal } = asked;
  if (!backend.getTask) return { isAnswered: false, findings: NOTHING };
  const call: Call = {
    signal,
    newTaskId: southbound.newId(),
    newContextId: southbound.newId(),
    extensions: [],
  };
  try {
    await backend.getTask({ id: `no-such-task-${southbound.newId()}` }, call);
    return { isAnswered: true, findings: NOTHING };
  } catch (thrown) {
    if (!(thrown instanceof A2AError)) throw thrown;
    const isAnswered = thrown.code === "task-not-found";
    return { isAnswered, findings: isAnswered ? NOTHING : findingsOf(thrown, asked) };
  }
}

const REFUSED: ReadonlySet<unknown> = new Set([401, 403, "UNAUTHENTICATED", "PERMISSION_DENIED"]);
const NOT_SERVED: ReadonlySet<unknown> = new Set([404, 405]);
const UNREACHED: ReadonlySet<unknown> = new Set(["connect", "dns", "tls", "request"]);

function findingsOf(error: A2AError, { agent }: Asked): Findings {
  const { status, grpcStatus, stage, vendor } = error.data ?? {};
  const said = explain(error);
  if (REFUSED.has(status) || REFUSED.has(grpcStatus)) {
    const what =
      agent.credentials.type === "none"
        ? "asks for credentials, and none are configured"
        : "refuses the credentials";
    return fault(`the agent ${what}: ${said}`);
  }
  if (UNREACHED.has(stage)) return fault(said);
  // Some agents lack the method, which the proxy then does without.
  const isMissing = error.code === "unsupported-operation" || error.code === "method-not-found";
  if (isMissing && !NOT_SERVED.has(status)) return NOTHING;
  if (NOT_SERVED.has(status) && !isMissing && !isFields(vendor))
    return fault(`nothing answers calls at \`url\`: ${said}`);
  return warning(`asked for a task that does not exist, the agent does not say so: ${said}`);
}
