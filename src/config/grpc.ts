/** gRPC, as the configuration says it. */

export interface GrpcConfig {
  readonly host: string;
  readonly port: number;
  /** `host:port`, with a scheme where clients want one. */
  readonly publicUrl: string;
  readonly tls: GrpcTls | undefined;
  /** Open at once, on each port. */
  readonly maxConnections: number;
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
}
