/** The running proxy: store, gateways and HTTP server, started in order and stopped without losing anything. */
import { randomUUID } from "node:crypto";
import type { Server } from "node:http";
import { once } from "node:events";
import type { Logger } from "pino";
import type { Adapter } from "./adapter.ts";
import { createApp } from "./app.ts";
import { Gate } from "./auth/gate.ts";
import type { Config } from "./config/config.ts";
import { exposureFault, hostsOf, pagesOf } from "./config/exposure.ts";
import { AgentGateway } from "./gateway/agent-gateway.ts";
import { Callbacks } from "./gateway/push/callbacks.ts";
import { failUnserved } from "./gateway/turn/stored-tasks.ts";
import { settlesWithin } from "./lib/timers.ts";
import { createLogger, takeGrpcLog } from "./log.ts";
import { ClientDialects, REFERENCE_NAME } from "./northbound/dialects.ts";
import { createCardSigner, type CardSigner } from "./northbound/card-signer.ts";
import { startGrpc, type GrpcOptions, type GrpcServer } from "./northbound/grpc-server.ts";
import type { Lifecycle } from "./northbound/health.ts";
import type { Resolve } from "./net/guard.ts";
import { servedAgents, type ServedAgent } from "./northbound/served-agent.ts";
import { EventStreams } from "./northbound/sse.ts";
import { createWebServer } from "./northbound/web-server.ts";
import { A2AError } from "./protocol/errors.ts";
import type { MethodNames } from "./protocol/methods.ts";
import { createPush, type Push } from "./push/create-push.ts";
import {
  createSouthbound,
  type ClosableSouthbound,
  type SouthboundDeps,
} from "./southbound/create-southbound.ts";
import { createRedactor, type Redact } from "./southbound/redact.ts";
import { CardMemory } from "./store/card-memory.ts";
import { openSqliteStore } from "./store/sqlite.ts";
import type { TaskStore } from "./store/store.ts";

export interface ProxyDeps {
  readonly adapters: ReadonlyMap<string, Adapter>;
  /** Made from the configuration where absent. */
  readonly log?: Logger;
  /** Finds the addresses of webhooks; the system's resolver where absent. */
  readonly resolve?: Resolve;
}

export interface RunningProxy {
  /** Where it listens. */
  readonly url: string;
  /** Where all agents are served over gRPC, if they are. */
  readonly grpcPort: number | undefined;
  /** Refuses new work, lets running streams finish within `shutdownGrace`, ends the rest, closes everything. */
  stop(): Promise<void>;
}

/** How long clients may take to read the last events after everything has ended, and once more after an error, ms. */
const FLUSH_GRACE = 1_000;
const MAX_SWEEP_INTERVAL = 60 * 60_000;

const mint = { now: () => Date.now(), newId: () => randomUUID() };

/** Rejects with the Error of the part that could not start; then nothing is left running. */
export async function startProxy(config: Config, deps: ProxyDeps): Promise<RunningProxy> {
  const redact = createRedactor(config.secrets);
  const log = openLog(config, redact, deps.log);
  const server = await createServer(config, log);
  const edge = edgeOf(config, deps.adapters);
  let grpc: GrpcServer | undefined;
  const store = await openStore(config, log, (isWell) => grpc?.setServing(isWell));
  const push = await openPush(config, store, log, { ...edge, ...deps });
  const lifecycle = lifecycleOf(store);
  const streams = new EventStreams(config.server);
  const [cards, callbacks] = [new CardMemory(config.store.path), new Callbacks()];
  const shared = { store, cards, callbacks, mint, log, redact, push };
  const { gateways, southbounds } = connectAgents(config, deps.adapters, shared);
  const { newId } = mint;
  const { gate, signer, dialects } = edge;
  const place = { declared: gate.declared, push: push !== undefined, signer, dialects };
  const agents = servedAgents(gateways, config, place);
  const app = createApp({ ...edge, agents, config, callbacks, log, push, state: lifecycle, streams, newId });
  server.on("request", app.callback());
  const closeParts = async (): Promise<void> => {
    await push?.stop(config.server.shutdownGrace);
    await Promise.all(southbounds.map((southbound) => southbound.close()));
    await store.close().catch((err: unknown) => log.error({ err }, "the task store could not be closed"));
  };
  try {
    grpc = await openGrpc(config, agents, { log, gate, newId, lifecycle, dialects: dialects.all });
    await listen(server, config.server);
    await recover({ store, gateways, log, push });
  } catch (error) {
    server.close();
    grpc?.close();
    await closeParts();
    throw error;
  }
  lifecycle.phase = "ready";
  push?.wake();
  const sweeper = startSweeper(store, config, log);
  const url = urlOf(server, config.server);
  log.info({ url, agents: gateways.size }, "listening");

  const stop = async (): Promise<void> => {
    lifecycle.phase = "stopping";
    clearInterval(sweeper);
    const webClosed = new Promise<void>((resolve) => server.close(() => resolve()));
    const closed = Promise.all([webClosed, grpc?.drain()]);
    // What cannot be stored within the grace is not told, and taken up at the next start.
    setTimeout(() => store.health.giveUp(), config.server.shutdownGrace).unref();
    await Promise.all([...gateways.values()].map((gateway) => gateway.stop(config.server.shutdownGrace)));
    server.closeIdleConnections();
    await settlesWithin(FLUSH_GRACE, closed);
    streams.stop(new A2AError("shutting-down"));
    grpc?.breakOff(new A2AError("shutting-down"));
    await settlesWithin(FLUSH_GRACE, closed);
    server.closeAllConnections();
    grpc?.close();
    await webClosed;
    await closeParts();
    log.info("stopped");
  };
  let stopping: Promise<void> | undefined;
  return { url, grpcPort: grpc?.port, stop: () => (stopping ??= stop()) };
}

function openLog({ log: { level } }: Config, redact: Redact, given: Logger | undefined): Logger {
  const log = given ?? createLogger({ level, redact });
  takeGrpcLog(log);
  return log;
}

type Shared = Omit<ConstructorParameters<typeof AgentGateway>[0], "agent" | "backend"> & SouthboundDeps;

/** A gateway for every agent, and what there is to close of it. */
function connectAgents(
  config: Config,
  adapters: ProxyDeps["adapters"],
  shared: Shared,
): { gateways: Map<string, AgentGateway>; southbounds: ClosableSouthbound[] } {
  const southbounds: ClosableSouthbound[] = [];
  const gateways = new Map<string, AgentGateway>();
  for (const agent of config.agents.values()) {
    const southbound = createSouthbound(agent, shared);
    southbounds.push(southbound);
    const adapter = adapters.get(agent.adapter);
    if (!adapter) throw new Error(`agents.${agent.name}.adapter: there is no adapter ${agent.adapter}`);
    const backend = adapter.connect(agent.options, southbound);
    const { log, cardAge, lostEvents } = southbound;
    gateways.set(agent.name, new AgentGateway({ ...shared, agent, backend, cardAge, lostEvents, log }));
  }
  return { gateways, southbounds };
}

function dialectsOf(adapters: ProxyDeps["adapters"]): ClientDialects {
  const all = [...adapters.values()];
  const reference = all.find(({ isReference }) => isReference)?.name ?? REFERENCE_NAME;
  return new ClientDialects(
    all.flatMap(({ serves }) => serves ?? []),
    reference,
  );
}

const methodNamesOf = (adapters: ProxyDeps["adapters"]): MethodNames =>
  new Map([...adapters.values()].flatMap(({ methodNames }) => Object.entries(methodNames ?? {})));

/** Undefined where it is not configured. The cards that are to name it do so from now on. */
async function openGrpc(
  { server, default: fallback }: Config,
  agents: ReadonlyMap<string, ServedAgent>,
  deps: Pick<GrpcOptions, "log" | "gate" | "newId" | "lifecycle" | "dialects">,
): Promise<GrpcServer | undefined> {
  const { grpc: config, heartbeat } = server;
  if (config === undefined) return undefined;
  const grpc = await startGrpc({ ...deps, config, agents, fallback, heartbeat });
  for (const [name, url] of grpc.urls) {
    const agent = agents.get(name);
    if (agent?.config.grpc?.onCard ?? config.onCard) agent?.offerGrpc(url);
  }
  deps.log.info({ port: grpc.port, tls: config.tls !== undefined }, "listening for gRPC");
  return grpc;
}

const lifecycleOf = ({ health }: TaskStore): Lifecycle & { phase: Lifecycle["phase"] } => ({
  phase: "starting",
  get hasStoreTrouble() {
    return health.trouble !== undefined;
  },
});

const openStore = (
  { store, push: { maxPending } }: Config,
  log: Logger,
  onHealth: (isWell: boolean) => void,
): Promise<TaskStore> =>
  openSqliteStore({
    ...store,
    maxPending,
    onError: (err) => log.error({ err }, "the task store could not write"),
    onTrouble: (err) => {
      log.error({ err }, "the task store is in trouble; new work is refused until that is over");
      onHealth(false);
    },
    onRecovery: () => {
      log.info("the task store is well again");
      onHealth(true);
    },
  });

/** Undefined where the operator has switched push notifications off. */
async function openPush(
  { push, server }: Config,
  store: TaskStore,
  log: Logger,
  { dialects: { all: dialects }, resolve }: { dialects: ClientDialects; resolve?: Resolve },
): Promise<Push | undefined> {
  if (!push.enabled) return undefined;
  try {
    const { now } = mint;
    const issuer = server.publicUrl;
    return await createPush(push, { store: store.push, dialects, issuer, log, now, resolve });
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function listen(server: Server, { host, port }: Config["server"]): Promise<void> {
  server.listen(port, host);
  await once(server, "listening");
}

/** Rejects where the proxy must not listen as configured. */
async function createServer(config: Config, log: Logger): Promise<Server> {
  const fault = exposureFault(config);
  if (fault !== undefined) throw new Error(fault);
  return await createWebServer(config.server, log);
}

/** What stands between clients and the agents. */
const edgeOf = (config: Config, adapters: ProxyDeps["adapters"]) => ({
  cors: config.server.cors,
  gate: gateOf(config),
  hosts: hostsOf(config),
  methodNames: methodNamesOf(adapters),
  dialects: dialectsOf(adapters),
  pages: pagesOf(config),
  signer: signerOf(config),
});

const signerOf = ({ server: { cardSigning, publicUrl } }: Config): CardSigner | undefined =>
  cardSigning && createCardSigner(cardSigning, publicUrl);

function gateOf({ auth, rateLimits, server }: Config): Gate {
  const asked = typeof auth === "object" ? auth : undefined;
  const { tls, trustProxy, maxBytesInFlight } = server;
  return new Gate({ auth: asked, rateLimits, tls, maxBytesInFlight, ...(trustProxy && { trustProxy }) });
}

function urlOf(server: Server, { tls }: Config["server"]): string {
  const bound = server.address();
  if (bound === null || typeof bound === "string") throw new Error("the server does not listen on TCP");
  const { address, family, port } = bound;
  return `${tls ? "https" : "http"}://${family === "IPv6" ? `[${address}]` : address}:${port}`;
}

/** Takes up what a crash has left running; a task whose agent is not configured any more fails. */
async function recover(parts: {
  store: TaskStore;
  gateways: ReadonlyMap<string, AgentGateway>;
  log: Logger;
  push: Push | undefined;
}): Promise<void> {
  const { store, gateways, log, push } = parts;
  for (const record of await store.unfinishedTasks()) {
    const gateway = gateways.get(record.agent);
    log.info({ agent: record.agent, taskId: record.id }, "taking up a task that was left running");
    if (gateway) void gateway.recover(record);
    else await failUnserved(store, record, mint, push !== undefined);
  }
}

function startSweeper(
  store: TaskStore,
  { store: { retention }, push }: Pick<Config, "store" | "push">,
  log: Logger,
): NodeJS.Timeout {
  const sweep = async (): Promise<void> => {
    try {
      const tasks = await store.sweep(Date.now() - retention);
      await store.push.sweepDeadLetters(Date.now() - push.keepDeadLetters);
      if (tasks > 0) log.info({ tasks }, "deleted tasks older than the retention");
    } catch (err) {
      log.error({ err }, "old tasks could not be deleted");
    }
  };
  void sweep();
  return setInterval(
    () => void sweep(),
    Math.min(MAX_SWEEP_INTERVAL, Math.max(retention / 10, 1_000)),
  ).unref();
}
