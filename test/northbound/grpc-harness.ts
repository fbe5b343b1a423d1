/** The gRPC side over a real socket, with gateways that say what a test tells them to. */
import { Client, Metadata, credentials, type CallOptions, type ServiceError } from "@grpc/grpc-js";
import { pino } from "pino";
import { client10 } from "../../adapters/a2a-1.0/client.ts";
import { GRPC } from "../../adapters/a2a-1.0/methods.ts";
import { Gate } from "../../src/auth/gate.ts";
import { DEFAULT_LIMITS, DEFAULT_TIMEOUTS, type AgentConfig } from "../../src/config/config.ts";
import type { GrpcConnections } from "../../src/config/grpc.ts";
import type { Gateway } from "../../src/gateway/gateway.ts";
import { ClientDialects } from "../../src/northbound/dialects.ts";
import { startGrpc, type GrpcServer } from "../../src/northbound/grpc-server.ts";
import type { Lifecycle } from "../../src/northbound/health.ts";
import { servedAgents } from "../../src/northbound/served-agent.ts";
import {
  A2A_V1,
  loadService,
  type GrpcService,
  type MethodCodec,
  type ProtoMessage,
} from "../../src/protocol/grpc-codec.ts";

export interface GrpcHarness extends AsyncDisposable {
  readonly server: GrpcServer;
  readonly state: { phase: Lifecycle["phase"] };
  readonly lines: Record<string, unknown>[];
}

interface HarnessOptions {
  /** The agents by name; the first is the default one, unless told otherwise. */
  readonly gateways: Record<string, Gateway>;
  readonly fallback?: string | undefined;
  readonly agents?: Record<string, Partial<AgentConfig>>;
  readonly connections?: Partial<GrpcConnections>;
  readonly heartbeat?: number;
}

export async function startGrpcHarness(options: HarnessOptions): Promise<GrpcHarness> {
  const gateways = new Map(Object.entries(options.gateways));
  const configs = new Map(
    [...gateways.keys()].map((name): [string, AgentConfig] => [
      name,
      {
        name,
        adapter: "dialect",
        url: "https://vendor.example/rpc",
        card: { urls: [] },
        credentials: { type: "none" },
        options: {},
        timeouts: DEFAULT_TIMEOUTS,
        limits: DEFAULT_LIMITS,
        onDisconnect: "continue",
        ...options.agents?.[name],
      },
    ]),
  );
  const gate = new Gate({
    auth: undefined,
    rateLimits: { per: 60_000 },
    tls: undefined,
    maxBytesInFlight: 1_000_000_000,
  });
  const lines: Record<string, unknown>[] = [];
  const state: GrpcHarness["state"] = { phase: "ready" };
  const server = await startGrpc({
    config: {
      host: "127.0.0.1",
      port: 0,
      publicUrl: "proxy.example:0",
      tls: undefined,
      maxConnections: 1000,
      onCard: true,
      reflection: true,
      connections: { calls: 1000, ping: 20_000, idle: 600_000, ...options.connections },
    },
    agents: servedAgents(
      gateways,
      { agents: configs, server: { publicUrl: "https://proxy.example" } },
      { declared: gate.declared, push: false, dialects: new ClientDialects([client10], "a2a-0.3") },
    ),
    dialects: [client10],
    fallback: "fallback" in options ? options.fallback : [...gateways.keys()][0],
    heartbeat: options.heartbeat ?? 60_000,
    gate,
    log: pino({ base: null }, { write: (text: string) => void lines.push(JSON.parse(text)) }),
    lifecycle: state,
    newId: () => "minted",
  });
  return {
    server,
    state,
    lines,
    async [Symbol.asyncDispose]() {
      server.close();
    },
  };
}

export interface Answer {
  readonly message?: ProtoMessage;
  readonly error?: ServiceError;
  /** The response's metadata. */
  readonly headers?: Metadata;
}

/** A client that hides nothing. */
export class GrpcClient implements Disposable {
  readonly #client: Client;
  readonly #codecs: ReadonlyMap<string, MethodCodec>;

  constructor(
    port: number,
    options = {},
    security = credentials.createInsecure(),
    service: GrpcService = A2A_V1,
  ) {
    this.#codecs = loadService(service);
    this.#client = new Client(`127.0.0.1:${port}`, security, options);
  }

  #codecOf(name: string): MethodCodec {
    const codec = this.#codecs.get(name);
    if (!codec) throw new Error(`no RPC ${name}`);
    return codec;
  }

  call(name: string, message: ProtoMessage, metadata = {}, options: CallOptions = {}): Promise<Answer> {
    const { path, requestSerialize, responseDeserialize } = this.#codecOf(name);
    return new Promise((resolve) => {
      let headers: Metadata | undefined;
      this.#client
        .makeUnaryRequest(
          path,
          requestSerialize,
          responseDeserialize,
          message,
          metadataOf(metadata),
          options,
          (error, answer) =>
            resolve({ ...(error ? { error } : { message: answer ?? {} }), ...(headers && { headers }) }),
        )
        .on("metadata", (received: Metadata) => {
          headers = received;
        });
    });
  }

  /** Sends bytes that may be no message. */
  callRaw(name: string, bytes: Buffer, metadata = {}): Promise<Answer> {
    return this.#callRaw(this.#codecOf(name), bytes, metadata);
  }

  /** Calls a path that may be served by nothing. */
  callPath(path: string, metadata = {}, bytes = Buffer.alloc(0)): Promise<Answer> {
    return this.#callRaw({ path, responseDeserialize: () => ({}) }, bytes, metadata);
  }

  #callRaw(
    { path, responseDeserialize }: Pick<MethodCodec, "path" | "responseDeserialize">,
    bytes: Buffer,
    metadata: Record<string, string>,
  ): Promise<Answer> {
    const asTheyAre = (value: Buffer): Buffer => value;
    return new Promise((resolve) => {
      this.#client.makeUnaryRequest(
        path,
        asTheyAre,
        responseDeserialize,
        bytes,
        metadataOf(metadata),
        (error, message) => resolve(error ? { error } : { message: message ?? {} }),
      );
    });
  }

  /** The stream itself. */
  open(name: string, message: ProtoMessage, metadata = {}, options: CallOptions = {}) {
    const { path, requestSerialize, responseDeserialize } = this.#codecOf(name);
    return this.#client.makeServerStreamRequest(
      path,
      requestSerialize,
      responseDeserialize,
      message,
      metadataOf(metadata),
      options,
    );
  }

  [Symbol.dispose](): void {
    this.#client.close();
  }
}

function metadataOf(values: Record<string, string>): Metadata {
  const metadata = new Metadata();
  for (const [key, value] of Object.entries(values)) metadata.set(key, value);
  return metadata;
}

/** A client of A2A 1.0. */
export const grpcClient10 = (port: number): GrpcClient =>
  new GrpcClient(port, {}, credentials.createInsecure(), GRPC);
