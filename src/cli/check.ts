/** `check`: is the configuration right, does every vendor answer, and what will the proxy have to supply? */
import { z } from "zod";
import type { Backend, NativeMethods } from "../adapter.ts";
import type { AgentConfig, Config } from "../config/config.ts";
import { exposureFault } from "../config/exposure.ts";
import { isGrpcUrl } from "../config/urls.ts";
import type { AgentCard } from "../protocol/card.ts";
import { escapeControls } from "../protocol/text.ts";
import { createRedactor, type Redactor } from "../southbound/redact.ts";
import { CardMemory, cardDigests, changedMembers } from "../store/card-memory.ts";
import type { CliDeps } from "./deps.ts";
import { EXIT, explain } from "./failure.ts";
import { skillWarnings } from "./grants.ts";
import { line, paint, table } from "./print.ts";
import { probeAgent } from "./probe.ts";
import { loadLoudly } from "./serve.ts";

const METHODS = {
  send: "send",
  stream: "stream",
  getTask: "get",
  cancelTask: "cancel",
  resubscribe: "resubscribe",
} as const satisfies Record<keyof NativeMethods, string>;

const METHOD_KEYS = Object.keys(METHODS) as (keyof NativeMethods)[];

interface Report {
  readonly row: readonly string[];
  /** How the dialect was decided on. */
  readonly note?: string | undefined;
  readonly faults: readonly string[];
  /** Absent where it could not be read. */
  readonly card?: AgentCard;
  readonly warnings: readonly string[];
}

export async function check(options: { config: string; offline?: boolean }, deps: CliDeps): Promise<number> {
  const { config } = await loadLoudly(options.config, deps);
  const agents = [...config.agents.values()];
  const exposure = exposureFault(config);
  const faults =
    (options.offline ? printOffline(agents, deps) : await checkVendors(agents, config, deps)) +
    (exposure === undefined ? 0 : 1);
  if (exposure !== undefined) printFault(exposure, deps);
  line(deps.out);
  const found = faults === 0 ? "no problems found" : counted(faults, "problem");
  line(deps.out, `${options.config}: ${counted(agents.length, "agent")}, ${found}`);
  return faults === 0 ? EXIT.ok : EXIT.fault;
}

const counted = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`;

function printOffline(agents: readonly AgentConfig[], deps: CliDeps): number {
  printTable(
    [["agent", "dialect", "url"], ...agents.map(({ name, adapter, url }) => [name, adapter, bare(url)])],
    deps,
  );
  return 0;
}

async function checkVendors(agents: readonly AgentConfig[], config: Config, deps: CliDeps): Promise<number> {
  const redact = createRedactor(config.secrets);
  const reports = await Promise.all(agents.map((agent) => checkVendor(agent, { config, redact, deps })));
  // An agent's card and errors hold what the agent pleases, the credentials that it was shown among it.
  const shown = (text: string): string => escapeControls(redact(text));
  const rows = reports.map(({ row }) => row.map(shown));
  printTable([["agent", "dialect", "card", "native", "emulated"], ...rows], deps);
  const notes = reports.flatMap(({ note }) => (note === undefined ? [] : shown(note)));
  if (notes.length > 0) line(deps.out);
  for (const note of notes) line(deps.out, note);
  const cards = new Map(reports.flatMap(({ row: [name = ""], card }) => (card ? [[name, card]] : [])));
  const warnings = [...reports.flatMap(({ warnings: ofAgent }) => ofAgent), ...skillWarnings(config, cards)];
  for (const warning of warnings) {
    line(deps.err, `${paint(deps.err, "yellow", "warning")} ${shown(warning)}`);
  }
  const faults = reports.flatMap(({ faults: ofAgent }) => ofAgent);
  for (const fault of faults) printFault(fault.split("\n").map(shown).join("\n"), deps);
  return faults.length;
}

const printFault = (fault: string, { err }: CliDeps): void =>
  line(err, `${paint(err, "red", "error")} ${fault}`);

interface Checking {
  readonly config: Config;
  readonly redact: Redactor;
  readonly deps: CliDeps;
}

async function checkVendor(agent: AgentConfig, { config, redact, deps }: Checking): Promise<Report> {
  const { adapters } = deps;
  const adapter = adapters.get(agent.adapter);
  if (!adapter) throw new TypeError(`no adapter ${agent.adapter}`);
  const southbound = deps.openSouthbound(agent, redact);
  // The fetcher has its own time limit for each address; this one is for all of them together.
  const limit = (): AbortSignal => AbortSignal.timeout(2 * agent.timeouts.request);
  const about = (text: string): string => `agents.${agent.name}: ${inLine(text)}`;
  try {
    const backend = adapter.connect(agent.options, southbound);
    const card = await backend.card(limit());
    const native = nativeMethods(backend, card);
    const names = (wanted: boolean): string =>
      METHOD_KEYS.filter((key) => native[key] === wanted)
        .map((key) => METHODS[key])
        .join(" ") || "-";
    const row = [agent.name, agent.adapter, `${card.name} ${card.version}`, names(true), names(false)];
    const decision = backend.decision?.();
    const note = decision === undefined ? undefined : `${agent.name}: ${decision}`;
    const { faults, warnings } = await probeAgent({ agent, backend, southbound, adapters, signal: limit() });
    const ofCard = [...cardWarnings(agent, card, backend.address?.(card)), ...drift(agent, card, config)];
    return { row, note, card, faults: faults.map(about), warnings: [...ofCard, ...warnings.map(about)] };
  } catch (thrown) {
    const row = [agent.name, agent.adapter, "none", "?", "?"];
    return { row, faults: [[about(explain(thrown)), ...triedFor(thrown)].join("\n    ")], warnings: [] };
  } finally {
    await southbound.close();
  }
}

const inLine = (text: string): string => text.replaceAll(/\s+/g, " ");

const Tried = z.object({
  data: z.object({ tried: z.array(z.object({ url: z.string(), reason: z.string() })) }),
});

/** The addresses at which no card was found, each with the reason. */
function triedFor(thrown: unknown): string[] {
  const { data: failure } = Tried.safeParse(thrown);
  return (failure?.data.tried ?? []).map(({ url, reason }) => inLine(`${url}: ${reason}`));
}

function nativeMethods(backend: Backend, card: AgentCard): NativeMethods {
  const native = backend.native?.(card) ?? {
    send: backend.send !== undefined,
    stream: backend.stream !== undefined,
    getTask: backend.getTask !== undefined,
    cancelTask: backend.cancelTask !== undefined,
    resubscribe: backend.resubscribe !== undefined,
  };
  return { ...native, send: native.send && backend.sendBy !== "stream" };
}

/** @param called where calls go; `url` if undefined */
function cardWarnings({ name, url, credentials }: AgentConfig, card: AgentCard, called = url): string[] {
  const warnings: string[] = [];
  const named = addressOnCard(card, called);
  if (named && named.host !== new URL(called).host) {
    const shown = bare(named.href);
    warnings.push(`agents.${name}: the card names ${shown}; calls go to ${bare(called)} all the same`);
  }
  if (credentials.type === "none" && (card.security?.length ?? 0) > 0) {
    warnings.push(`agents.${name}: the card asks for credentials, and none are configured`);
  }
  return warnings;
}

/** What the card names for the transport that is called; gRPC may be named as `host:port`. */
function addressOnCard({ url, additionalInterfaces = [] }: AgentCard, called: string): URL | null {
  if (!isGrpcUrl(called)) return URL.parse(url, called);
  const ofGrpc = additionalInterfaces.find(({ transport }) => transport.toUpperCase() === "GRPC");
  const [, address = ""] = /^(?:[a-z]+:\/\/)?([^/]*)/i.exec(ofGrpc?.url ?? url) ?? [];
  return URL.parse(`${new URL(called).protocol}//${address}`);
}

/** What has changed since the proxy last read the card; nothing where it never has. */
function drift({ name }: AgentConfig, card: AgentCard, { store }: Config): string[] {
  const before = new CardMemory(store.path).recall(name);
  const changed = before ? changedMembers(before, cardDigests(card)) : [];
  if (changed.length === 0) return [];
  return [`agents.${name}: the card has changed since the proxy last read it: ${changed.join(", ")}`];
}

/** Without the query: some vendors take the key there. */
function bare(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}

function printTable(rows: readonly (readonly string[])[], { out }: CliDeps): void {
  const [head = "", ...body] = table(rows);
  line(out, paint(out, "bold", head));
  for (const row of body) line(out, row);
}
