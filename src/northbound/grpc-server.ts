/**
 * The gRPC side of the proxy: `a2a.v1.A2AService` for all agents on one port and, where configured, for one agent on a
 * port of its own; on each, also the standard health and reflection services, which need no credentials.
 */
import { Server, type ServerCredentials, type ServerOptions } from "@grpc/grpc-js";
import { HealthImplementation } from "grpc-health-check";
import type { GrpcConfig } from "../config/grpc.ts";
import type { A2AError } from "../protocol/errors.ts";
import { A2A_V1 } from "../protocol/grpc-codec.ts";
import { outcomeOf } from "./access-line.ts";
import { GrpcAgents, grpcUrlOf } from "./grpc-agents.ts";
import type { GrpcDeps } from "./grpc-call.ts";
import { openCredentials } from "./grpc-credentials.ts";
import { RPCS } from "./grpc-rpcs.ts";
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
  /** Served where a call no such agent. */
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
  const endpoints: Endpoint[] = [];
  const open = async (port: number, only?: string): Promise<number> => {
    const selection = new GrpcAgents({ agents, fallback, ...(only !== undefined && { only }) });
    const endpoint = new Endpoint(selection, streams, credentials, options);
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

/** One port. */
class Endpoint {
  readonly listener: GrpcListener;
  readonly #server: Server;
  readonly #health = new HealthImplementation({ "": "SERVING", [A2A_V1.name]: "SERVING" });
  #isDraining = false;

  constructor(
    agents: GrpcAgents,
    streams: GrpcStreams,
    credentials: ServerCredentials,
    options: GrpcOptions,
  ) {
    const door = new GrpcDoor({ gate: options.gate, agents, onRefused: noteRefused(options) });
    this.#server = new Server({ ...serverOptions(options), interceptors: [door.interceptor] });
    const deps = { ...options, door };
    const { definition, implementation } = createService({ streams, deps });
    this.#server.addService(definition, implementation);
    this.#health.addToServer(this.#server);
    const { config, log } = options;
    if (config.reflection) createReflection().addToServer(this.#server);
    this.listener = new GrpcListener(this.#server, credentials, { limit: config.maxConnections, log });
  }

  setServing(isServing: boolean): void {
    if (this.#isDraining) return;
    const status = isServing ? "SERVING" : "NOT_SERVING";
    this.#health.setStatus("", status);
    this.#health.setStatus(A2A_V1.name, status);
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
  (options: GrpcOptions): DoorOptions["onRefused"] =>
  ({ path, metadata, agent, principal }, error) => {
    const rpc = path.slice(path.lastIndexOf("/") + 1);
    const { line, finish } = logged(metadata, rpc, options);
    const method = RPCS.find(({ name }) => name === rpc)?.method;
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
