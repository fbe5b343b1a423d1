/**
 * What a dialect is: tables for its bindings and codecs, pure, without I/O or a clock. `southbound/agent-over.ts` speaks it to
 * agents, `northbound/` serves clients in it.
 */
import type { z } from "zod";
import type {
  AgentEvent,
  AgentReply,
  AgentTask,
  Call,
  NativeMethods,
  PushCallback,
  VendorTask,
} from "./adapter.ts";
import type { AgentCard } from "./protocol/card.ts";
import type { A2AError } from "./protocol/errors.ts";
import type { GrpcService } from "./protocol/grpc-codec.ts";
import type { GrpcError } from "./protocol/grpc-status.ts";
import type { MethodName } from "./protocol/methods.ts";
import type { TaskPage } from "./protocol/list-params.ts";
import type { Message, StreamEvent, Task } from "./protocol/model.ts";
import type { MessageSendParams, TaskPushNotificationConfig } from "./protocol/params.ts";
import type { VendorFault } from "./southbound/vendor-fault.ts";

/** The names of methods over JSON-RPC. A method that is absent is one that the dialect does not have: -32601. */
export type JsonRpcMethods = Readonly<Partial<Record<MethodName, string>>>;

/**
 * A method over HTTP+JSON: `{name}` in the path stands for the member of the params with that name. What the path does not hold is the body, or the query if there is none.
 */
export interface RestRoute {
  readonly method: MethodName;
  readonly verb: "GET" | "POST" | "DELETE";
  /** `/tasks/{id}:cancel` */
  readonly path: string;
}

/** What every dialect has, whichever direction it is used in. */
export interface Dialect {
  /** As `adapter` of the configuration names it. */
  readonly name: string;
  readonly jsonrpc: JsonRpcMethods;
  readonly rest?: readonly RestRoute[];
  /** The service, whose RPCs have the names of the methods over JSON-RPC. */
  readonly grpc?: GrpcService;
  /** Of the bodies over HTTP+JSON, if it is not application/json. */
  readonly mediaType?: string;
  /** A client chooses the id of a new task: a message to a task that does not exist begins it. */
  readonly clientMintsTaskIds?: boolean;
}

export type BindingName = "jsonrpc" | "http+json" | "grpc";

/** What the methods that an agent is called with take. */
export interface AgentParams {
  readonly send: MessageSendParams;
  readonly stream: MessageSendParams;
  readonly getTask: VendorTask;
  readonly cancelTask: VendorTask;
  readonly resubscribe: VendorTask;
  readonly setPush: { readonly task: VendorTask; readonly callback: PushCallback };
  readonly deletePush: { readonly task: VendorTask; readonly callbackId: string };
  readonly extendedCard: undefined;
}
export type AgentMethod = keyof AgentParams;
export type StreamMethod = "stream" | "resubscribe";

/** Where the configuration says that an agent is. */
export interface AgentPlace {
  /** Absolute; for a gRPC server, its host and port as a URL of HTTP. */
  readonly url: string;
  /** The configured URL is that of a gRPC server. */
  readonly isGrpc?: boolean | undefined;
}

/** How one agent is called, as its card or the configuration says. */
export interface Channel {
  readonly binding: BindingName;
  /** An absolute URL for HTTP, an address for gRPC; absent: host and port of the configured one. */
  readonly url?: string | undefined;
  readonly streams: boolean;
  /** Members that every request carries, such as a tenant. */
  readonly params?: Readonly<Record<string, unknown>> | undefined;
}

/** The dialect as it is spoken to agents; `O` are the agent's options, `Card` its card as the dialect has it. */
export interface AgentDialect<O, Card> extends Dialect {
  /** Strict. */
  readonly options: z.ZodType<O>;
  codec(options: O): AgentCodec<Card>;
}

/** Undefined if the value is no event; throws the error that stands in the place of one. */
export type EventReader = (value: unknown) => AgentEvent | undefined;

/** The objects that agents send and get. */
export interface AgentCodec<Card> {
  /** The card as the agent serves it, parsed; throws `invalid-agent-response`. */
  readCard(raw: unknown): Card;
  toCanonicalCard(card: Card, url: string): AgentCard;
  /** @param card undefined if it is unavailable */
  channel(card: Card | undefined, place: AgentPlace): Channel;
  /** Whether the binding or the URL depend on the card; if not, it is only looked at before streams and for push. */
  readonly goesByCard: boolean;
  /** Where a method is posted to over JSON-RPC, by its name there; absent: all to one URL. */
  readonly urlOf?: (url: string, method: string) => string;
  native(card: AgentCard): NativeMethods;
  /** Whether the agent may push, as far as its card says. */
  acceptsPush(card: Card | undefined): boolean;
  headers(call: Call): Readonly<Record<string, string>>;
  /** The params of each method that the dialect has, without those of the channel. */
  readonly encode: { readonly [M in AgentMethod]?: (params: AgentParams[M], call: Call) => object };
  /** Throws `invalid-agent-response`, or the error that stands in the place of a result. */
  toReply(result: unknown, params: MessageSendParams, call: Call): AgentReply;
  toTask(result: unknown, method: "getTask" | "cancelTask"): AgentTask;
  /** The reader of one stream. */
  readonly reading: { readonly [M in StreamMethod]: (params: AgentParams[M], call: Call) => EventReader };
  readonly toError: (fault: VendorFault) => A2AError;
}

/** A JSON-RPC error object. */
interface RpcErrorObject {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** An error over HTTP+JSON. */
export interface RestError {
  readonly status: number;
  readonly body: object;
}

/** What a unary method answers, cards aside. */
export type UnaryResult =
  | Task
  | Message
  | TaskPage
  | TaskPushNotificationConfig
  | TaskPushNotificationConfig[]
  | null;

/** How webhooks are told of a task. */
export interface Notifications {
  /** Of the body, if it is not application/json. */
  readonly mediaType?: string;
  /** Credentials are sent in `Authorization` after the name of the config's first scheme, whatever that is. */
  readonly anyScheme?: boolean;
  toBody(task: Task): object;
}

/**
 * The dialect as clients are served in it. Params become those of 0.3.0, which are then validated and repaired like any
 * client's; only what the proxy's codec has preserved in metadata may be in there beyond 0.3.0's members.
 */
export interface ClientDialect extends Dialect {
  /** Of the request and the answer: the extensions that the client asks for, and those that apply. */
  readonly extensionsHeader: string;
  /** The extensions that the client asks for, if the dialect has them in the params. */
  readonly extensionsIn?: (params: unknown) => string | undefined;
  /** Whether an `A2A-Version` asks for this dialect. */
  speaks(version: string): boolean;
  /** Throws `invalid-params`. */
  toParams(method: MethodName, params: unknown): unknown;
  /**
   * The result of a method as JSON.
   * @param params what `toParams` has made of the client's; absent over gRPC
   */
  fromResult(method: MethodName, result: UnaryResult, params?: unknown): unknown;
  readonly events: EventWriting;
  readonly notifications: Notifications;
  readonly toRpcError: (error: A2AError) => RpcErrorObject;
  readonly toRestError?: (error: A2AError) => RestError;
  /** What differs from how 0.3.0 says the error over gRPC. */
  readonly toGrpcError?: (error: A2AError) => GrpcError;
  /** The card as clients of this dialect read it; its addresses are the proxy's own. */
  fromCard(card: AgentCard, place: ServedPlace): object;
  /** One document that is a card of 0.3.0 and one of this dialect. Absent: no document can be both. */
  readonly extendReference?: (card: AgentCard, place: ServedPlace) => ExtendedReference;
}

export interface ExtendedReference {
  readonly document: object;
  /** What of the document a client of this dialect knows: what it verifies a signature over. */
  readonly asRead: object;
}

/** What an event of a stream becomes: one event or several, or none if the dialect has nothing to say of it. */
export type WriteEvent = (event: StreamEvent, isLast: boolean) => readonly object[];

/**
 * How a dialect writes events: each by itself, the same for all clients, or with what the stream has had before. Such a stream
 * always begins at its beginning: `Last-Event-ID` does not count.
 */
type EventWriting =
  | { readonly write: WriteEvent }
  | {
      /**
       * A writer for one stream.
       * @param params what `toParams` has made of the client's
       */
      readonly open: (method: MethodName, params: unknown) => WriteEvent;
    };

/** Where clients of a dialect reach an agent. */
export interface ServedPlace {
  /** The base URL, with a slash at its end. */
  readonly url: string;
  readonly grpcUrl?: string | undefined;
}
