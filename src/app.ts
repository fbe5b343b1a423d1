/** Composes koa: which resources there are, and what stands before all of them. */
import { Router, type RouterContext } from "@koa/router";
import type { JWK } from "jose";
import Koa from "koa";
import type { Logger } from "pino";
import type { Gate } from "./auth/gate.ts";
import type { CorsConfig } from "./config/cards.ts";
import type { ClientDialect } from "./dialect.ts";
import type { Callbacks } from "./gateway/push/callbacks.ts";
import { identify, noDuplicates, onlyHosts, onlyPages, type Pages } from "./northbound/access.ts";
import { CARD_PATHS } from "./northbound/agent-card.ts";
import { serveCallback } from "./northbound/callback-resource.ts";
import { sendCard } from "./northbound/card-resource.ts";
import type { CardSigner } from "./northbound/card-signer.ts";
import { catalogue } from "./northbound/catalogue.ts";
import { allowOrigins } from "./northbound/cors.ts";
import type { TransportDeps } from "./northbound/exchange.ts";
import { healthz, readyz, type Lifecycle } from "./northbound/health.ts";
import {
  dropUnread,
  jsonBodies,
  jsonErrors,
  requestLog,
  resource,
  sendFault,
  type Context,
  type RequestState,
} from "./northbound/http.ts";
import { jwks } from "./northbound/jwks.ts";
import { serveJsonRpc } from "./northbound/json-rpc.ts";
import { serveRest } from "./northbound/rest.ts";
import { REST_PATHS } from "./northbound/rest-routes.ts";
import type { ServedAgent } from "./northbound/served-agent.ts";
import type { Door } from "./northbound/served-card.ts";
import type { MethodNames } from "./protocol/methods.ts";
import type { EventStreams } from "./northbound/sse.ts";

export interface AppOptions {
  /** The agents, by the names that URLs have for them. */
  readonly agents: ReadonlyMap<string, ServedAgent>;
  readonly config: { readonly default: string | undefined };
  /** Which web pages may call; absent: those of the proxy's own origin. */
  readonly cors?: CorsConfig | undefined;
  /** What the cards are signed with; absent: they are not. */
  readonly signer?: Pick<CardSigner, "publicKey"> | undefined;
  readonly log: Logger;
  /** With the keys that notifications are signed with; absent where push notifications are switched off. */
  readonly push?: { readonly publicKeys: readonly JWK[] } | undefined;
  /** Where vendors push. */
  readonly callbacks: Pick<Callbacks, "find">;
  /** Names of other dialects for methods; see TransportDeps. */
  readonly methodNames?: MethodNames | undefined;
  /** What every call passes. */
  readonly gate: Gate;
  /** The host names that requests may be for, besides those of this machine; absent: any. */
  readonly hosts?: readonly string[] | undefined;
  /** Whose pages may call; absent: anybody's. */
  readonly pages?: Pages | undefined;
  /** Read at every request; moved on by whoever starts and stops the proxy. */
  readonly state: Lifecycle;
  /** The open streams; whoever stops the proxy ends what is left of them. */
  readonly streams: EventStreams;
  /** Random, URL-safe, unique. */
  readonly newId: () => string;
}

export function createApp(options: AppOptions): Koa<RequestState> {
  const { log, newId, hosts, pages, cors } = options;
  const app = new Koa<RequestState>();
  // What gets this far is a broken connection, or else a fault in the middleware that answers errors.
  app.on("error", (err: unknown, ctx: Context) =>
    log[ctx.writable ? "error" : "debug"]({ err }, "http error"),
  );
  app.use(requestLog(log, newId));
  app.use(dropUnread(log));
  if (cors) app.use(allowOrigins(cors));
  app.use(jsonBodies);
  app.use(jsonErrors(log));
  app.use(noDuplicates);
  if (hosts) app.use(onlyHosts(hosts));
  if (pages) app.use(onlyPages(pages));
  app.use(routes(options).routes());
  return app;
}

function routes(options: AppOptions): Router<RequestState> {
  const { agents, config, callbacks, log, push, signer, gate, state, streams, newId } = options;
  const keys = [...(signer ? [signer.publicKey] : []), ...(push?.publicKeys ?? [])];
  const { methodNames } = options;
  const deps = { log, lifecycle: state, gate, streams, newId, methodNames };
  const { rpc, card, rest } = handlersWith(deps);

  const router = new Router<RequestState>();
  router.all("/healthz", resource({ GET: healthz }));
  router.all("/readyz", resource({ GET: readyz(state) }));
  router.all("/agents", resource({ GET: catalogue([...agents.values()], gate) }));
  router.all("/.well-known/jwks.json", resource({ GET: jwks(keys) }));
  router.all("/callbacks/:agent/:secret", (ctx) => {
    const { agent: name = "", secret = "" } = ctx.params;
    const callback = callbacks.find(name, secret);
    if (!callback) return sendFault(ctx, 404, "not-found", "There is no such callback");
    const agent = agents.get(name);
    if (!agent) return noSuchAgent(ctx, gate);
    return withAgent(ctx, agent, (_ctx, { config }) =>
      serveCallback(ctx, callback, config.limits.responseBody),
    );
  });
  for (const path of CARD_PATHS) router.all(`/agents${path}`, noSlash);
  const byHost = placesByHost(agents);
  const dialects = new Set([...agents.values()].flatMap((agent) => agent.dialects.all));
  // A host's root is that of its agent, or else of the default one; without either, nothing is there.
  for (const base of ["", "/agents/:agent"]) {
    const serve = (handler: AgentHandler) => (ctx: RouterContext<RequestState>) => {
      const named = ctx.params["agent"];
      const at = named === undefined ? byHost.get(ctx.hostname.toLowerCase()) : undefined;
      const agent = at?.agent ?? agents.get(named ?? config.default ?? "");
      if (!agent) return noSuchAgent(ctx, gate);
      return withAgent(ctx, agent, (inner) => handler(inner, agent, at?.door));
    };
    for (const dialect of dialects) serveDialect(router, base, { dialect, serve, deps });
    router.all(base || "/", serve(rpc));
    for (const path of REST_PATHS) router.all(base + path, serve(rest));
    for (const path of CARD_PATHS) router.all(base + path, serve(card));
  }
  return router;
}

/** A host of an agent's own; with a door, it speaks one dialect alone. */
interface HostPlace {
  readonly agent: ServedAgent;
  readonly door?: Door;
}

function placesByHost(agents: AppOptions["agents"]): ReadonlyMap<string, HostPlace> {
  const places = new Map<string, HostPlace>();
  for (const agent of agents.values()) {
    if (agent.config.host !== undefined) places.set(agent.config.host, { agent });
    for (const [host, door] of agent.hostDoors) places.set(host, { agent, door });
  }
  return places;
}

/** @param door absent: the request is to the agent's usual URL */
type AgentHandler = (ctx: Context, agent: ServedAgent, door?: Door) => void | Promise<void>;

const handlersWith = (deps: TransportDeps): Readonly<Record<"rpc" | "card" | "rest", AgentHandler>> => ({
  rpc: resource({ POST: (ctx, agent: ServedAgent, door?: Door) => serveJsonRpc(ctx, agent, deps, door) }),
  card: resource({ GET: (ctx, agent: ServedAgent, door?: Door) => sendCard(ctx, agent, deps, door) }),
  rest: (ctx, agent, door) => serveRest(ctx, agent, deps, door),
});

interface DialectRoutes {
  readonly dialect: ClientDialect;
  /** Finds the agent of a request. */
  readonly serve: (handler: AgentHandler) => (ctx: RouterContext<RequestState>) => void | Promise<void>;
  readonly deps: TransportDeps;
}

/** The routes of one dialect alone, below an agent's usual URL. */
function serveDialect(
  router: Router<RequestState>,
  base: string,
  { dialect, serve, deps }: DialectRoutes,
): void {
  const own = `${base}/${dialect.name}`;
  const { rpc, card, rest } = handlersWith(deps);
  const behind =
    (handler: AgentHandler): AgentHandler =>
    async (ctx, agent) => {
      agent.dialects.require(dialect);
      await handler(ctx, agent, agent.doorOf(dialect));
    };
  router.all(own, serve(behind(rpc)));
  // Some clients post each method to a path of its own.
  const paths = Object.values(dialect.jsonrpc).filter((name) => name.includes("/"));
  for (const path of paths) router.all(`${own}/${path}`, serve(behind(rpc)));
  for (const path of CARD_PATHS) router.all(own + path, serve(behind(card)));
  router.all(`${own}/*path`, serve(behind(rest)));
}

/** What clients make of a base URL such as `…/agents/jester`, which to them is a file of the folder `…/agents/`. */
const noSlash = (ctx: Context): void =>
  sendFault(
    ctx,
    404,
    "not-found",
    "No agent has its card here. The base URL of an agent ends with a slash: /agents/NAME/",
  );

/** A stranger does not learn which agents there are where even their cards are not for everybody. */
async function noSuchAgent(ctx: Context, gate: Gate): Promise<void> {
  if (!gate.publicCard) await identify(ctx, gate);
  sendFault(ctx, 404, "not-found", "There is no such agent");
}

function withAgent(
  ctx: Context,
  agent: ServedAgent,
  handler: (ctx: Context, agent: ServedAgent) => void | Promise<void>,
): void | Promise<void> {
  const { name, adapter, timeouts } = agent.config;
  Object.assign(ctx.state.line, { agent: name, dialect: adapter });
  ctx.state.stalledAfter = timeouts.stalledClient;
  return handler(ctx, agent);
}
