/**
 * The gRPC side of the proxy: the services of A2A for all agents on one port and, where configured, for one agent on a
 * port of its own; on each, also the standard health and reflection services, which need no credentials.
 */
import { Server, type ServerCredentials, type ServerOptions } from "@grpc/grpc-js";
import { HealthImplementation } from "grpc-health-check";
import type { GrpcConfig } from "../config/grpc.ts";
import type { A2AError } from "../protocol/errors.ts";
import { outcomeOf } from "./access-line.ts";
import type { ClientDialect } from "../dialect.ts";
import { GrpcAgents, grpcUrlOf } from "./grpc-agents.ts";
import type { GrpcApi } from "./grpc-api.ts";
import { apisOf } from "./grpc-dialect.ts";
import type { GrpcDeps } from "./grpc-call.ts";
import { openCredentials } from "./grpc-credentials.ts";
import { referenceApi } from "./grpc-reference.ts";
import { createReflection } from "./grpc-reflection.ts";
import { createService } from "./grpc-service.ts";
import { GrpcDoor, type DoorOptions } from "./grpc-door.ts";
import { logged } from "./grpc-line.ts";
import { GrpcListener } from "./grpc-listener.ts";
import { GrpcStreams } from "./grpc-stream.ts";
import type { ServedAgent } from "./served-agent.ts";

export interface GrpcOptions extends Omit<GrpcDeps, "door"> {
  readonly config: GrpcConfig;
  readonly agents: ReadonlyMap<string, ServedAgent>;
  /** What clients may speak besides 0.3.0. */
  readonly dialects: readonly ClientDialect[];
  /** Served if a call names no agent. */
  readonly fallback: string | undefined;
  /** A connection without traffic is asked for a sign of life this often, ms. */
  readonly heartbeat: number;
}

export interface GrpcServer {
  /** Port of all agents. */
  readonly port: number;
  /** `host:port` for each agent that an address alone leads to, as its card says it. */
  readonly urls: ReadonlyMap<string, string>;
  /** Tells who asks for the server's health whether it takes new work. */
  setServing(isServing: boolean): void;
  /** Takes no more connections or calls; resolves once the open calls are over. */
  drain(): Promise<void>;
  /** Ends the open streams with this error. */
  breakOff(error: A2AError): void;
  /** Closes all connections. */
  close(): void;
}

/** Resolves once every port listens; rejects with an Error that names the port or file that cannot be used. */
export async function startGrpc(options: GrpcOptions): Promise<GrpcServer> {
  const { config, agents, fallback } = options;
  const { credentials, stop } = await openCredentials(config.tls, options.log);
  const streams = new GrpcStreams();
  const apis = [referenceApi, ...apisOf(options.dialects)];
  const endpoints: Endpoint[] = [];
  const open = async (port: number, only?: string): Promise<number> => {
    const selection = new GrpcAgents({ agents, fallback, ...(only !== undefined && { only }) });
    const endpoint = new Endpoint({
      ...options,
      agents: selection,
      apis,
      streams,
      credentials,
      serverOptions: serverOptions(options),
    });
    endpoints.push(endpoint);
    const key = only === undefined ? "server.grpc.port" : `agents.${only}.grpc.port`;
    return endpoint.listener.listen({ key, host: config.host, port });
  };
  const close = (): void => {
    stop();
    endpoints.forEach((endpoint) => endpoint.close());
  };
  try {
    const port = await open(config.port);
    const publicUrl = config.publicUrl.replace(/:0$/, `:${port}`);
    const urls = new Map<string, string>();
    for (const [
      name,
      {
        config: { grpc },
      },
    ] of agents) {
      const own = grpc?.port === undefined ? undefined : await open(grpc.port, name);
      const url = grpcUrlOf({ grpc, isDefault: name === fallback, port: own }, { publicUrl });
      if (url !== undefined) urls.set(name, url);
    }
    return {
      port,
      urls,
      setServing: (isServing) => endpoints.forEach((endpoint) => endpoint.setServing(isServing)),
      drain: async () => void (await Promise.all(endpoints.map((endpoint) => endpoint.drain()))),
      breakOff: (error) => streams.stop(error),
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

interface EndpointOptions extends Omit<GrpcOptions, "agents"> {
  readonly agents: GrpcAgents;
  readonly apis: readonly GrpcApi[];
  readonly streams: GrpcStreams;
  readonly credentials: ServerCredentials;
  readonly serverOptions: ServerOptions;
}

/** One port. */
class Endpoint {
  readonly listener: GrpcListener;
  readonly #server: Server;
  /** Names of the services, and none for the whole server. */
  readonly #names: readonly string[];
  readonly #health: HealthImplementation;
  #isDraining = false;

  constructor({ agents, apis, streams, credentials, serverOptions, ...options }: EndpointOptions) {
    const { gate, config, log } = options;
    const door = new GrpcDoor({ gate, agents, apis, onRefused: noteRefused(options) });
    this.#server = new Server({ ...serverOptions, interceptors: [door.interceptor] });
    for (const api of apis) {
      const { definition, implementation } = createService({ api, streams, deps: { ...options, door } });
      this.#server.addService(definition, implementation);
    }
    const services = apis.map(({ service }) => service);
    this.#names = ["", ...services.map(({ name }) => name)];
    this.#health = new HealthImplementation(
      Object.fromEntries(this.#names.map((name) => [name, "SERVING" as const])),
    );
    this.#health.addToServer(this.#server);
    if (config.reflection) createReflection(services).addToServer(this.#server);
    this.listener = new GrpcListener(this.#server, credentials, { limit: config.maxConnections, log });
  }

  setServing(isServing: boolean): void {
    if (this.#isDraining) return;
    const status = isServing ? "SERVING" : "NOT_SERVING";
    for (const name of this.#names) this.#health.setStatus(name, status);
  }

  drain(): Promise<void> {
    this.setServing(false);
    this.#isDraining = true;
    // Lets each connection end after its last stream. It calls back before that, so that the connections are waited for.
    this.#server.tryShutdown(() => {});
    return this.listener.stop();
  }

  close(): void {
    this.#server.forceShutdown();
    this.listener.close();
  }
}

/** Calls that were not let in have their line in the log, too. */
const noteRefused =
  (options: Pick<GrpcOptions, "gate" | "log" | "newId">): DoorOptions["onRefused"] =>
  ({ api, rpc, metadata, agent, principal }, error) => {
    const { line, finish } = logged(metadata, rpc, options);
    const method = api.rpcs.find(({ name }) => name === rpc)?.method.name;
    Object.assign(line, {
      ...(method !== undefined && { method }),
      ...(agent && { agent: agent.config.name, dialect: agent.config.adapter }),
      ...(principal && options.gate.isClosed && { principal: principal.id }),
      outcome: outcomeOf(error),
    });
    if (error.isOwnFault) options.log.error({ err: error.cause ?? error }, "internal error");
    finish();
  };

function serverOptions({ agents, config: { connections }, heartbeat }: GrpcOptions): ServerOptions {
  const { calls, ping, idle, age, ageGrace } = connections;
  const limits = [...agents.values()].map(({ config }) => config.limits.requestBody);
  return {
    // The greatest; what holds for the agent is looked at when the agent is known.
    "grpc.max_receive_message_length": Math.max(...limits),
    "grpc.max_concurrent_streams": calls,
    "grpc.keepalive_time_ms": heartbeat,
    "grpc.keepalive_timeout_ms": ping,
    "grpc.max_connection_idle_ms": idle,
    ...(age !== undefined && { "grpc.max_connection_age_ms": age }),
    ...(ageGrace !== undefined && { "grpc.max_connection_age_grace_ms": ageGrace }),
  };
}
