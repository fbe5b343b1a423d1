/** Card and probe together: which dialect an agent speaks, and in one sentence why. */
import type { Contradiction, DialectClaim } from "../../src/adapter.ts";
import { A2AError } from "../../src/protocol/errors.ts";
import type { Southbound } from "../../src/southbound/southbound.ts";
import { isProbed, Probe, PROBED, type ProbedDialect } from "./probe.ts";
import { readCard, type Dialect, type Reading } from "./signs.ts";

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

/** Throws if the agent cannot be reached, refuses the credentials, or fails at every probe without a claim. */
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
  if (says === "a2a-0.1" && (await probe.findsPaths())) return atPaths(why);
  return sentence(says, evidence === "missing" ? `${why}; a probe tells nothing else` : why);
}

/** An agent that serves 0.3 beside 1.0 is called by 0.3, which clients of this proxy speak too. */
async function withoutClaim({ says, why }: Reading, probe: Probe): Promise<Decision> {
  const found = await firstKnown(probe, "a2a-1.0");
  if (found) return sentence(found, `${why}, and a probe shows that it serves the methods of ${found}`);
  const shared = await probe.ask("shared");
  if (shared === "known") return sentence("a2a-0.3", `${why}, and a probe shows that it serves tasks/get`);
  if (shared === "refused") {
    throw new A2AError("agent-unavailable", {
      message: "The agent refuses the credentials, so its dialect cannot be told",
      data: { stage: "detection" },
    });
  }
  if (!says && (await probe.findsPaths())) return atPaths(why);
  const isServed = (await probe.ask("a2a-1.0")) === "known";
  if (says) return sentence(says, isServed ? `${why}, and a probe agrees` : why);
  if (isServed) return sentence("a2a-1.0", `${why}, and a probe shows that it serves the methods of a2a-1.0`);
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

/** What speaks against the adapter that is configured. */
export async function contradictionAt(
  claim: DialectClaim,
  southbound: Southbound,
  signal: AbortSignal,
): Promise<Contradiction | undefined> {
  if (southbound.isGrpc) return undefined;
  const card = await southbound.fetchCard(signal).catch(() => undefined);
  return contradiction(claim, readCard(card, southbound.url), new Probe(southbound, { signal }));
}

async function contradiction(
  { dialect, isAnswered }: DialectClaim,
  { says, why }: Reading,
  probe: Probe,
): Promise<Contradiction | undefined> {
  if (!isProbed(dialect)) return undefined;
  const evidence = await probe.evidence(dialect);
  if (evidence === "known" || evidence === "refused") return undefined;
  const served = evidence === "missing" ? await servedInstead(dialect, probe) : undefined;
  if (served !== undefined)
    return certain(`A probe shows that the agent serves ${served}, not those of ${dialect}`);
  if (!isAnswered && (await probe.findsPaths())) {
    return certain(
      "A probe shows that the agent serves each method at a path: a2a-0.1 with `endpoint: per-method`",
    );
  }
  // Cards of 1.0 are common in front of agents that serve 0.3 as well.
  if (says === undefined || says === dialect || (says === "a2a-1.0" && isAnswered)) return undefined;
  return { reason: `The agent may speak ${says}: ${why}`, isCertain: false };
}

const certain = (reason: string): Contradiction => ({ reason, isCertain: true });

/** tasks/get says less than the methods that only one dialect has, but 1.0 and its spellings do not have it. */
async function servedInstead(dialect: ProbedDialect, probe: Probe): Promise<string | undefined> {
  const other = await firstKnown(probe, dialect);
  if (other) return `the methods of ${other}`;
  const isOlder =
    (dialect === "a2a-snake" || dialect === "a2a-1.0") && (await probe.ask("shared")) === "known";
  return isOlder ? "the methods of a2a-0.3 or a2a-0.1" : undefined;
}

async function firstKnown(probe: Probe, except?: string): Promise<Dialect | undefined> {
  for (const dialect of PROBED) {
    if (dialect !== except && (await probe.evidence(dialect)) === "known") return dialect;
  }
  return undefined;
}
