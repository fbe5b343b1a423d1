/** The parsed file to the configuration that the program runs on: defaults merged, card addresses listed, frozen. */
import type { LiveSecrets } from "./agent-access.ts";
import { forwardedNames } from "./credentials-schema.ts";
import { DEFAULT_LIMITS, DEFAULT_TIMEOUTS, type AgentConfig, type Config } from "./config.ts";
import { exposureWarnings } from "./exposure.ts";
import type { VendorPush } from "./push.ts";
import { resolvePush, resolveVendorPush } from "./push-schema.ts";
import type { GrpcConfig } from "./grpc.ts";
import type { ParsedAgent, ParsedConfig } from "./schema.ts";
import { formatDuration } from "./units.ts";
import { defaultPublicUrl, grpcAsHttp, isGrpcUrl, isLoopback, toCardSource } from "./urls.ts";

export interface Extras {
  /** Each agent's options as its adapter parsed them. */
  readonly options: ReadonlyMap<string, unknown>;
  readonly secrets: readonly string[];
  /** Of the agents whose credentials or headers come from files. */
  readonly liveSecrets: ReadonlyMap<string, LiveSecrets>;
}

export function resolveConfig(parsed: ParsedConfig, { options, secrets, liveSecrets }: Extras): Config {
  const { server, store, log, defaults } = parsed;
  const publicUrl = server.publicUrl ?? defaultPublicUrl(server);
  const agents = Object.entries(parsed.agents).map(([name, agent]): [string, AgentConfig] => [
    name,
    resolveAgent(name, agent, defaults, {
      options: options.get(name),
      live: liveSecrets.get(name),
      vendorPush: resolveVendorPush(agent.vendorPush, publicUrl),
    }),
  ]);
  const { grpc: _grpc, ...web } = server;
  return Object.freeze({
    server: deepFreeze({ ...web, publicUrl: publicUrl.replace(/\/+$/, ""), ...resolveGrpc(server) }),
    store: Object.freeze(store),
    log: Object.freeze(log),
    push: deepFreeze(resolvePush(parsed.push)),
    auth: deepFreeze(parsed.auth ?? "absent"),
    rateLimits: Object.freeze(parsed.rateLimits),
    default: parsed.default,
    agents: frozenMap(agents),
    secrets: Object.freeze([...secrets]),
  });
}

/** Listens where HTTP does, unless it says otherwise. */
function resolveGrpc({ grpc, host: httpHost }: ParsedConfig["server"]): { grpc?: GrpcConfig } {
  if (grpc === undefined) return {};
  const { host = httpHost, port, tls, maxConnections, onCard, reflection, connections } = grpc;
  const publicUrl = grpc.publicUrl ?? defaultPublicUrl({ host, port }).replace("http://", "");
  return { grpc: { host, port, publicUrl, tls, maxConnections, onCard, reflection, connections } };
}

interface ResolvedParts {
  readonly options: unknown;
  readonly live: LiveSecrets | undefined;
  readonly vendorPush: VendorPush | undefined;
}

function resolveAgent(
  name: string,
  agent: ParsedAgent,
  defaults: ParsedConfig["defaults"],
  { options, live, vendorPush }: ResolvedParts,
): AgentConfig {
  const clientSdk = agent.clientSdk ?? defaults.clientSdk;
  const serve = agent.serve ?? defaults.serve;
  return deepFreeze({
    name,
    adapter: agent.adapter,
    url: grpcAsHttp(agent.url),
    ...(isGrpcUrl(agent.url) && { isGrpc: true }),
    card: toCardSource(agent.url, agent.card),
    ...(agent.cardSignature && { cardSignature: agent.cardSignature }),
    ...(agent.cardOverlay && { cardOverlay: agent.cardOverlay }),
    ...(agent.extendedCard && { extendedCard: agent.extendedCard }),
    credentials: agent.credentials,
    ...(agent.headers && { headers: agent.headers }),
    ...(agent.forward && { forward: forwardedNames(agent.forward) }),
    ...(agent.tls && { tls: agent.tls }),
    ...(live && { liveSecrets: live }),
    options,
    timeouts: { ...DEFAULT_TIMEOUTS, ...defaults.timeouts, ...agent.timeouts },
    limits: { ...DEFAULT_LIMITS, ...defaults.limits, ...agent.limits },
    onDisconnect: agent.onDisconnect ?? defaults.onDisconnect ?? "continue",
    ...(agent.host !== undefined && { host: agent.host }),
    ...(agent.hosts && { hosts: agent.hosts }),
    ...(serve && { serve }),
    ...(clientSdk && { clientSdk }),
    ...(agent.strict && { strict: true }),
    ...(agent.contextIds !== "auto" && { contextIds: agent.contextIds }),
    ...(agent.timeZone !== undefined && { timeZone: agent.timeZone }),
    ...(vendorPush && { vendorPush }),
    ...(agent.grpc && { grpc: agent.grpc }),
  });
}

/** What is valid but probably unintended. */
export function warningsOf(config: Config): string[] {
  const ofAgents = [...config.agents.values()].flatMap((agent) => {
    const path = `agents.${agent.name}`;
    const isOpen = agent.url.startsWith("http:") && !isLoopback(agent.url);
    const warnings = (isOpen ? secretPartsOf(agent) : []).map(
      (part) => `${path}.${part}: travel unencrypted, because the url is http://`,
    );
    const { blocking, total } = agent.timeouts;
    if (blocking >= total)
      warnings.push(
        `${path}.timeouts.blocking: ${formatDuration(blocking)} is not less than total, ${formatDuration(total)}: a ` +
          "message/send that takes longer fails, and is never answered with the task as it is",
      );
    if (agent.credentials.type === "none") return warnings;
    const { origin } = new URL(agent.url);
    if (agent.card.urls.some((url) => new URL(url).origin !== origin)) {
      warnings.push(`${path}.card: is at another origin than the url; the credentials are not sent there`);
    }
    return warnings;
  });
  return [...exposureWarnings(config), ...ofAgents, ...callbackWarnings(config)];
}

/** What of an agent's section sends something that may be secret. */
const secretPartsOf = ({ credentials, headers, forward }: AgentConfig): string[] => [
  ...(credentials.type === "none" ? [] : ["credentials"]),
  ...(headers && Object.keys(headers).length > 0 ? ["headers"] : []),
  ...(forward && forward.length > 0 ? ["forward"] : []),
];

function callbackWarnings({ agents }: Config): string[] {
  return [...agents.values()].flatMap(({ name, url, vendorPush }) => {
    if (!vendorPush || isLoopback(url) || !isLoopback(vendorPush.callbackUrl)) return [];
    return [`agents.${name}.vendorPush: the vendor cannot reach a callback on this machine; set callbackUrl`];
  });
}

/** Freezes plain objects and arrays all the way down; what else an adapter's schema may make stays as it is. */
function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== Array.prototype && prototype !== null) return value;
  for (const member of Object.values(value)) deepFreeze(member);
  return Object.freeze(value);
}

/** `Object.freeze` alone does not keep a Map from changing. */
function frozenMap<K, V>(entries: Iterable<readonly [K, V]>): ReadonlyMap<K, V> {
  const refuse = (): never => {
    throw new TypeError("The configuration is frozen");
  };
  return Object.freeze(Object.assign(new Map(entries), { set: refuse, delete: refuse, clear: refuse }));
}
