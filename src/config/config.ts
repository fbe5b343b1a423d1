/** The configuration as the rest of the program sees it: resolved, validated, frozen. Times in ms, sizes in bytes. */
import type { AuthConfig, RateLimits, TlsConfig } from "./auth.ts";
import type { AgentGrpc, GrpcConfig } from "./grpc.ts";
import type { AgentTls, LiveSecrets, OAuth2Credentials } from "./agent-access.ts";
import type {
  CardOverlay,
  CardSignatureConfig,
  CardSigningConfig,
  CorsConfig,
  ExtendedCardConfig,
} from "./cards.ts";
import type { CardSource } from "../southbound/southbound.ts";
import type { PushSettings, VendorPush } from "./push.ts";

export type Credentials =
  | { readonly type: "none" }
  | { readonly type: "bearer"; readonly token: string }
  | {
      readonly type: "apiKey";
      readonly in: "header" | "query" | "cookie";
      readonly name: string;
      readonly value: string;
    }
  | { readonly type: "basic"; readonly username: string; readonly password: string }
  | OAuth2Credentials;

/** Milliseconds. */
export interface Timeouts {
  /** TCP and TLS. */
  readonly connect: number;
  /** Until the first event of a stream. */
  readonly firstEvent: number;
  /** Between two events of a stream. */
  readonly idle: number;
  /** Until the answer of a call that is not a stream and does no work (tasks/get, tasks/cancel, the card). */
  readonly request: number;
  /** One turn of a task, from the request to a terminal or interrupted state. */
  readonly total: number;
  /** How long a blocking message/send waits before it answers the Task as it is. */
  readonly blocking: number;
  /** How long a non-blocking message/send waits for the vendor to announce the task's id. */
  readonly nonBlocking: number;
  /** How long events after a final state are waited for. */
  readonly linger: number;
  /** Between two tasks/get where the gateway has to poll. */
  readonly poll: number;
  /** How long a client may leave its stream, or its answer, unread. */
  readonly stalledClient: number;
}

export interface Limits {
  /** Body of a client's request, bytes. */
  readonly requestBody: number;
  /** JSON values in the body of a client's request, those within others included. */
  readonly requestValues: number;
  /** Body of a vendor's answer that is not a stream, bytes. */
  readonly responseBody: number;
  /** One event of a vendor's stream, bytes. */
  readonly event: number;
  /** All artifacts, messages and metadata of one task, bytes. */
  readonly task: number;
  /** Messages in one task's history. */
  readonly history: number;
  /** Parts in one message or artifact chunk. */
  readonly parts: number;
  /** Open streams to clients, per agent. */
  readonly streams: number;
  /** Connections to the vendor. */
  readonly connections: number;
  /** The event log of one task, bytes. */
  readonly eventLog: number;
  /** Events in the log of one task. */
  readonly events: number;
  /** Events of a live task held in memory for its listeners, bytes. */
  readonly window: number;
}

/** What an agent gets where neither it nor `defaults` in the configuration says otherwise. */
export const DEFAULT_TIMEOUTS: Timeouts = Object.freeze({
  connect: 10_000,
  firstEvent: 30_000,
  idle: 120_000,
  request: 30_000,
  total: 3_600_000,
  blocking: 300_000,
  nonBlocking: 500,
  linger: 300,
  poll: 2_000,
  stalledClient: 60_000,
});

const MIB = 1024 * 1024;

/** The same for limits. */
export const DEFAULT_LIMITS: Limits = Object.freeze({
  requestBody: 4 * MIB,
  requestValues: 20_000,
  responseBody: 64 * MIB,
  event: 16 * MIB,
  task: 64 * MIB,
  history: 1000,
  parts: 1000,
  streams: 1000,
  connections: 1100,
  eventLog: 64 * MIB,
  events: 100_000,
  window: MIB,
});

/** Whose reading of ProtoJSON answers are written for; see sdk-quirks.ts. */
export type ClientSdk = "auto" | "any" | "java" | "python";

export interface AgentConfig {
  readonly name: string;
  readonly adapter: string;
  readonly url: string;
  /** The agent is called over gRPC, at host and port of `url`. */
  readonly isGrpc?: boolean;
  readonly card: CardSource;
  /** Absent: signatures are not looked at. */
  readonly cardSignature?: CardSignatureConfig | undefined;
  readonly cardOverlay?: CardOverlay | undefined;
  readonly extendedCard?: ExtendedCardConfig | undefined;
  readonly credentials: Credentials;
  /** Sent with every request, beside the credentials. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Headers of the client that are passed on, in lower case. */
  readonly forward?: readonly string[];
  readonly tls?: AgentTls;
  /** Where `credentials` or `headers` come from files. */
  readonly liveSecrets?: LiveSecrets;
  /** Already parsed by the adapter's own schema. */
  readonly options: unknown;
  readonly timeouts: Timeouts;
  readonly limits: Limits;
  /** Absent: the vendor is not asked to push. */
  readonly vendorPush?: VendorPush;
  readonly onDisconnect: "continue" | "cancel";
  /** What clients may speak; absent: all that there is. */
  readonly serve?: readonly string[];
  /** A host name at whose root it is served. */
  readonly host?: string;
  /** Host names at whose root it is served in one dialect alone. */
  readonly hosts?: Readonly<Record<string, string>>;
  /** Absent: `auto`. */
  readonly clientSdk?: ClientSdk;
  /** Who names a new conversation if the client has not. Absent: the agent, until it does not. */
  readonly contextIds?: "agent" | "proxy";
  /** Of the agent's timestamps that name none. */
  readonly timeZone?: string;
  /** Clients' requests are not repaired. */
  readonly strict?: boolean;
  readonly grpc?: AgentGrpc;
}

export interface Config {
  readonly server: {
    readonly host: string;
    readonly port: number;
    /** Without a trailing slash. */
    readonly publicUrl: string;
    /** Absent: no gRPC. */
    readonly grpc?: GrpcConfig;
    /** Open at once. */
    readonly maxConnections: number;
    /** Bodies of all requests that are being answered, bytes. */
    readonly maxBytesInFlight: number;
    /** Comment line on an idle stream, ms. */
    readonly heartbeat: number;
    /** How long running streams may finish after SIGTERM, ms. */
    readonly shutdownGrace: number;
    /** Names that requests may be for, besides the public URL's and this machine's own. */
    readonly allowedHosts?: readonly string[];
    /** Addresses and ranges of reverse proxies. */
    readonly trustProxy?: readonly string[];
    /** Absent: plain HTTP. */
    readonly tls?: TlsConfig;
    /** Absent: served cards are not signed. */
    readonly cardSigning?: CardSigningConfig;
    /** Absent: pages of other origins may not call. */
    readonly cors?: CorsConfig;
  };
  readonly store: {
    readonly driver: "sqlite";
    /** A file, or `:memory:`. */
    readonly path: string;
    /** Finished tasks are deleted after this, ms. */
    readonly retention: number;
    /** What the file may grow to, bytes; absent: what the disk holds. */
    readonly maxSize?: number;
    /** `normal` survives a crash of the process, `full` also one of the machine. */
    readonly synchronous: "normal" | "full";
  };
  readonly log: { readonly level: string };
  readonly push: PushSettings;
  /** `absent`: nobody has decided, and then only this machine may reach the proxy. */
  readonly auth: AuthConfig | "none" | "absent";
  readonly rateLimits: RateLimits;
  /** The agent also served at the host's root. */
  readonly default: string | undefined;
  readonly agents: ReadonlyMap<string, AgentConfig>;
  /** Every secret value the configuration holds, for redaction. */
  readonly secrets: readonly string[];
}
