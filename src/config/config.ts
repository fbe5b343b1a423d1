/** The configuration as the rest of the program sees it: resolved, validated, frozen. Times in ms, sizes in bytes. */
import type { CardSource } from "../southbound/southbound.ts";

export type Credentials =
  | { readonly type: "none" }
  | { readonly type: "bearer"; readonly token: string }
  | {
      readonly type: "apiKey";
      readonly in: "header" | "query" | "cookie";
      readonly name: string;
      readonly value: string;
    }
  | { readonly type: "basic"; readonly username: string; readonly password: string };

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
  /** How long a client may leave its stream unread. */
  readonly stalledClient: number;
}

export interface Limits {
  /** Body of a client's request, bytes. */
  readonly requestBody: number;
  /** Body of a vendor's answer that is not a stream, bytes. */
  readonly responseBody: number;
  /** One event of a vendor's stream, bytes. */
  readonly event: number;
  /** All artifacts of one task, bytes. */
  readonly task: number;
  /** Messages in one task's history. */
  readonly history: number;
  /** Parts in one message or artifact chunk. */
  readonly parts: number;
  /** Open streams to clients, per agent. */
  readonly streams: number;
  /** Connections to the vendor. */
  readonly connections: number;
  /** Events of a live task held in memory for its listeners, bytes. */
  readonly window: number;
}

export interface AgentConfig {
  readonly name: string;
  readonly adapter: string;
  readonly url: string;
  readonly card: CardSource;
  readonly credentials: Credentials;
  /** Already parsed by the adapter's own schema. */
  readonly options: unknown;
  readonly timeouts: Timeouts;
  readonly limits: Limits;
  readonly onDisconnect: "continue" | "cancel";
}

export interface Config {
  readonly server: {
    readonly host: string;
    readonly port: number;
    /** Without a trailing slash. */
    readonly publicUrl: string;
    /** Comment line on an idle stream, ms. */
    readonly heartbeat: number;
    /** How long running streams may finish after SIGTERM, ms. */
    readonly shutdownGrace: number;
  };
  readonly store: {
    readonly driver: "sqlite";
    /** A file, or `:memory:`. */
    readonly path: string;
    /** Finished tasks are deleted after this, ms. */
    readonly retention: number;
    /** `normal` survives a crash of the process, `full` also one of the machine. */
    readonly synchronous: "normal" | "full";
  };
  readonly log: { readonly level: string };
  /** The agent also served at the host's root. */
  readonly default: string | undefined;
  readonly agents: ReadonlyMap<string, AgentConfig>;
  /** Every secret value the configuration holds, for redaction. */
  readonly secrets: readonly string[];
}
