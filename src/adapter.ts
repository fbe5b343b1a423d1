/**
 * The contract between the gateway and a dialect. An adapter says only what its vendor's wire can really do; what
 * A2A 0.3.0 asks for beyond that, the gateway supplies. See docs/adapters.md.
 */
import type { z } from "zod";
import type { ClientDialect } from "./dialect.ts";
import type { AgentCard } from "./protocol/card.ts";
import type { Artifact, Message, Metadata, Task, TaskStatus } from "./protocol/model.ts";
import type { MessageSendParams } from "./protocol/params.ts";
import type { CallScope } from "./southbound/http.ts";
import type { Southbound } from "./southbound/southbound.ts";

/**
 * Canonical objects as far as the vendor's wire goes. Ids and timestamps that the vendor does not announce are left
 * out: the gateway mints them, settles the order of events and computes `final`. An adapter never invents them.
 */
export type AgentMessage = Omit<Message, "messageId"> & { messageId?: string | undefined };
export type AgentStatus = Omit<TaskStatus, "message"> & { message?: AgentMessage | undefined };
export type AgentArtifact = Omit<Artifact, "artifactId"> & { artifactId?: string | undefined };

export type AgentTask = Omit<Task, "id" | "contextId" | "status" | "artifacts" | "history"> & {
  kind: "task";
  id?: string | undefined;
  contextId?: string | undefined;
  status: AgentStatus;
  artifacts?: AgentArtifact[] | undefined;
  history?: AgentMessage[] | undefined;
};

export interface AgentStatusUpdate {
  kind: "status-update";
  taskId?: string | undefined;
  contextId?: string | undefined;
  status: AgentStatus;
  /** What the vendor said; only a hint. `final: true` in a working state is the end of the vendor's stream. */
  final?: boolean | undefined;
  metadata?: Metadata | undefined;
}

export interface AgentArtifactUpdate {
  kind: "artifact-update";
  taskId?: string | undefined;
  contextId?: string | undefined;
  artifact: AgentArtifact;
  /** true: these parts follow the ones sent before; otherwise they replace them. */
  append?: boolean | undefined;
  lastChunk?: boolean | undefined;
  metadata?: Metadata | undefined;
}

export type AgentReply = AgentTask | AgentMessage;
export type AgentEvent = AgentReply | AgentStatusUpdate | AgentArtifactUpdate;

/** One call to the vendor. */
export interface Call extends CallScope {
  /** Offered to dialects whose client mints the task id; others ignore it. The gateway's id for a new task. */
  readonly newTaskId: string;
  /** The same for the context, where the client has named none. */
  readonly newContextId: string;
  /** Extension URIs that the client asked for (`X-A2A-Extensions`, §3.2.5). */
  readonly extensions: readonly string[];
}

/** The vendor's own id of a task, and of its context where known. */
export interface VendorTask {
  readonly id: string;
  readonly contextId?: string | undefined;
  readonly historyLength?: number | undefined;
  readonly metadata?: Metadata | undefined;
}

/** Where a vendor may push, and the token to show there. Both are secrets. */
export interface PushCallback {
  /** What the vendor keeps it under, where its dialect has a place for that; the same for every task. */
  readonly id: string;
  readonly url: string;
  readonly token: string;
}

/** What the vendor itself can do, as far as its card tells. */
export interface NativeMethods {
  readonly send: boolean;
  readonly stream: boolean;
  readonly getTask: boolean;
  readonly cancelTask: boolean;
  readonly resubscribe: boolean;
}

/**
 * An agent behind its dialect. An absent method is one the vendor's dialect does not have. A method that turns out
 * to be missing at this one vendor throws A2AError `unsupported-operation` (or `method-not-found`), without side
 * effects there; the gateway then does without. `message.taskId` and `message.contextId` in `params` are the
 * vendor's own ids; they are absent for a new task or context. A `pushNotificationConfig` in `params` is a callback of
 * the proxy's own, a PushCallback, never the client's.
 */
export interface Backend {
  /** The vendor's task id is the client's to choose: it is `newTaskId` of the call, known before any answer. */
  readonly clientMintsTaskIds?: boolean;
  /**
   * `changing`: one artifact of the vendor's arrives under several ids, so that a chunk that says `append` under an
   * unknown id continues the last artifact of the same name. Otherwise each id is an artifact of its own.
   */
  readonly artifactIds?: "stable" | "changing" | undefined;
  /** `stream`: a message that wants one answer is sent by `stream` alone, as the operator wants it. */
  readonly sendBy?: "send" | "stream" | undefined;
  /** Fetches the vendor's card and translates it to 0.3.0. */
  card(signal: AbortSignal): Promise<AgentCard>;
  /** What is native once the card is known; without it, every method that is present. */
  native?(card: AgentCard): NativeMethods;
  /** Where calls go if the agent has this card, for `check`; the configured URL if absent. */
  address?(card: AgentCard): string;
  /** How the dialect was decided on, for `check` and the log; only of adapters that decide. */
  decision?(): string | undefined;
  send?(params: MessageSendParams, call: Call): Promise<AgentReply>;
  stream?(params: MessageSendParams, call: Call): AsyncIterable<AgentEvent>;
  getTask?(task: VendorTask, call: Call): Promise<AgentTask>;
  cancelTask?(task: VendorTask, call: Call): Promise<AgentTask>;
  resubscribe?(task: VendorTask, call: Call): AsyncIterable<AgentEvent>;
  /**
   * Asks the vendor to post to `callback` whenever the task changes; what it posts is not looked at. Replaces what was
   * asked for before.
   */
  subscribePush?(task: VendorTask, callback: PushCallback, call: Call): Promise<void>;
  /** Takes back what was asked for by that callback, also where it went along with a message. */
  unsubscribePush?(task: VendorTask, callbackId: PushCallback["id"], call: Call): Promise<void>;
  /** The card for callers that the vendor knows; called only where its card announces one. */
  extendedCard?(call: Call): Promise<AgentCard>;
}

export interface Adapter<Options = unknown> {
  /** The name in `config.yaml`. */
  readonly name: string;
  /** Strict: an unknown key under `options` is a fault that `check` reports with its path. */
  readonly options: z.ZodType<Options>;
  /** The dialect can be spoken over gRPC, so that an agent's `url` may be `grpc://`. */
  readonly speaksGrpc?: boolean;
  /** The dialect's names of methods, with 0.3.0's names for them: told to clients that call by the former. */
  readonly methodNames?: Readonly<Record<string, string>>;
  /** The dialect as clients may speak it; absent: it is only spoken to agents, or is 0.3.0. */
  readonly serves?: ClientDialect;
  /** The dialect is 0.3.0, the proxy's own: clients are served in it without a codec. */
  readonly isReference?: true;
  /**
   * What speaks against the agent's speaking the dialect that is configured, for `check`; undefined if nothing does. Only of
   * adapters that find dialects out. Nothing is asked that has effects at the agent.
   */
  readonly contradict?: (
    claim: DialectClaim,
    southbound: Southbound,
    signal: AbortSignal,
  ) => Promise<Contradiction | undefined>;
  connect(options: Options, southbound: Southbound): Backend;
}

/** What the configuration says of an agent. */
export interface DialectClaim {
  /** The adapter's name. */
  readonly dialect: string;
  /** That adapter has asked the agent for a task that does not exist, and has been told so. */
  readonly isAnswered: boolean;
}

export interface Contradiction {
  /** A sentence without its full stop. */
  readonly reason: string;
  /** The agent's own answers show it; otherwise it is what the card says. */
  readonly isCertain: boolean;
}
