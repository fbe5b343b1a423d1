/** Card and probe together: which dialect an agent speaks, and in one sentence why. */
import { A2AError } from "../../src/protocol/errors.ts";
import { isProbed, type Probe } from "./probe.ts";
import type { Dialect, Reading } from "./signs.ts";

export interface Decision {
  readonly dialect: Dialect;
  /** For `check` and the log. */
  readonly reason: string;
  /** Of the dialect's adapter, if its defaults do not fit. */
  readonly options?: object;
}

const sentence = (dialect: Dialect, why: string): Decision => ({
  dialect,
  reason: `The agent speaks ${dialect}: ${why}.`,
});

/** In the order in which an agent is taken for one where several fit. */
const PROBED = ["a2a-0.3", "a2a-snake", "a2a-0.1"] as const;

/** Throws if the agent cannot be reached, refuses the credentials, or speaks only what no adapter does. */
export async function decide(reading: Reading, probe: Probe): Promise<Decision> {
  const { says, why, sure } = reading;
  if (says === undefined || says === "a2a-1.0") return withoutClaim(reading, probe);
  if (sure || !isProbed(says)) return sentence(says, why);
  const evidence = await probe.evidence(says);
  if (evidence === "known") return sentence(says, `${why}, and a probe agrees`);
  const other = evidence === "missing" ? await firstKnown(probe, says) : undefined;
  if (other) {
    return sentence(other, `${why}, but a probe shows that it serves the methods of ${other} instead`);
  }
  if (says === "a2a-0.1" && (await probe.ask("perMethod")) === "known") return atPaths(why);
  return sentence(says, evidence === "missing" ? `${why}; a probe tells nothing else` : why);
}

async function withoutClaim({ says, why }: Reading, probe: Probe): Promise<Decision> {
  const found = await firstKnown(probe);
  if (found) return sentence(found, `${why}, and a probe shows that it serves the methods of ${found}`);
  const shared = await probe.ask("shared");
  if (shared === "known") return sentence("a2a-0.3", `${why}, and a probe shows that it serves tasks/get`);
  if (shared === "refused") {
    throw new A2AError("agent-unavailable", {
      message: "The agent refuses the credentials, so its dialect cannot be told",
      data: { stage: "detection" },
    });
  }
  if (says === "a2a-1.0") {
    throw new A2AError("unsupported-operation", {
      message: `The agent speaks A2A 1.0 alone, which this proxy does not support yet: ${why}`,
      data: { stage: "detection" },
    });
  }
  if (shared !== "missing" && (await probe.ask("perMethod")) === "known") return atPaths(why);
  if (shared === "failed") {
    throw new A2AError("agent-unavailable", {
      message: "The agent answers every probe with HTTP 500, so its dialect cannot be told",
      data: { stage: "detection", status: 500 },
    });
  }
  return sentence("a2a-0.3", `${why} and a probe tells nothing, so the most common dialect is assumed`);
}

const atPaths = (why: string): Decision => ({
  ...sentence("a2a-0.1", `${why}, and a probe shows that it serves tasks/get at a path of its own`),
  options: { endpoint: "per-method" },
});

async function firstKnown(probe: Probe, except?: Dialect): Promise<Dialect | undefined> {
  for (const dialect of PROBED) {
    if (dialect !== except && (await probe.evidence(dialect)) === "known") return dialect;
  }
  return undefined;
}
