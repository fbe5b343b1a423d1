/** gRPC, as the configuration says it. */

export interface GrpcConfig {
  readonly host: string;
  readonly port: number;
  /** `host:port`, with a scheme where clients want one. */
  readonly publicUrl: string;
  readonly tls: GrpcTls | undefined;
  /** Open at once, on each port. */
  readonly maxConnections: number;
  /** Whether cards name it, unless an agent says otherwise. */
  readonly onCard: boolean;
  /** Whether the service is described to whoever asks. */
  readonly reflection: boolean;
  readonly connections: GrpcConnections;
}

/** What one connection of a client may do; times in ms. */
export interface GrpcConnections {
  /** Open at once. */
  readonly calls: number;
  /** Within which a ping is answered. */
  readonly ping: number;
  /** Without a call. */
  readonly idle: number;
  /** After which it takes no more calls. */
  readonly age?: number;
  /** Which calls of a connection of that age have to end. */
  readonly ageGrace?: number;
}

/** PEM files. */
export interface GrpcTls {
  readonly cert: string;
  readonly key: string;
  /** CAs of the certificates that clients have to show; without it they are asked for none. */
  readonly clientCa?: string;
  /** How often the files are looked at, ms. */
  readonly reload: number;
}

/** How one agent is told from the others over gRPC, besides the metadata. */
export interface AgentGrpc {
  /** A port for this agent alone. */
  readonly port?: number;
  /** Where clients reach it; without a port of its own, its host is what tells the agent. */
  readonly publicUrl?: string;
  /** Whether its card names gRPC; absent: as `GrpcConfig` says. */
  readonly onCard?: boolean;
}
