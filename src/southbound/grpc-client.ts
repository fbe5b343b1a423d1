/**
 * The gRPC seam on grpc-js: one connection to the one address that the configuration names, so that credentials cannot
 * go anywhere else. A call's signal carries its deadline.
 */
import { type Client, Metadata, connectivityState, type ClientReadableStream } from "@grpc/grpc-js";
import type { AgentConfig } from "../config/config.ts";
import { A2AError } from "../protocol/errors.ts";
import {
  loadService,
  type GrpcService,
  type MethodCodec,
  type ProtoMessage,
} from "../protocol/grpc-codec.ts";
import type { Authorizer } from "./authorizer.ts";
import { authorized, lowerCase, type Authorization } from "./credentials.ts";
import { connected, type ChannelSettings } from "./grpc-channel.ts";
import { isUnauthenticated, toGrpcFault } from "./grpc-fault.ts";
import { addressOf } from "./grpc-target.ts";
import type { GrpcClient, GrpcRequest } from "./grpc.ts";
import type { CallScope } from "./http.ts";
import type { Redact } from "./redact.ts";
import type { FaultContext } from "./transport-error.ts";

export interface GrpcClientOptions extends ChannelSettings {
  /** The agent's name, for errors. */
  readonly agent: string;
  /** A2A 0.3.0's, if absent. */
  readonly service?: GrpcService | undefined;
  readonly authorizer: Authorizer;
  readonly timeouts: Pick<AgentConfig["timeouts"], "connect">;
  readonly redact: Redact;
}

export type ClosableGrpcClient = GrpcClient & {
  /** Breaks what is still open. */
  close(): void;
  /** Closes once nothing is open any more, and says so; nothing may be begun. */
  retire(onClosed: () => void): void;
};

/** Stages at which no server was found at the address. */
const UNCONNECTED: ReadonlySet<unknown> = new Set(["dns", "connect", "tls"]);

type Bytes = ClientReadableStream<Buffer>;

/** How far one call has come. */
interface Progress {
  stage: FaultContext["stage"];
  /** The connection was not there in time. */
  isLate: boolean;
}

class GrpcJsClient implements ClosableGrpcClient {
  readonly #options: GrpcClientOptions;
  readonly #codecs: ReadonlyMap<string, MethodCodec>;
  #client: Client;
  readonly #open = new Set<Bytes>();
  /** Calls that have begun, answered or not. */
  #active = 0;
  #onIdle: (() => void) | undefined;
  #isClosed = false;

  constructor(options: GrpcClientOptions) {
    this.#options = options;
    this.#codecs = loadService(options.service);
    this.#client = connected(options);
  }

  async unary(request: GrpcRequest): Promise<ProtoMessage> {
    let answer: ProtoMessage | undefined;
    for await (const message of this.#messages(request, this.#options.limits.responseBody)) answer = message;
    if (answer !== undefined) return answer;
    const { agent } = this.#options;
    throw new A2AError("invalid-agent-response", {
      message: `The agent ${agent} answered ${request.rpc} with nothing`,
      data: { agent, stage: "body" },
    });
  }

  stream(request: GrpcRequest): AsyncIterable<ProtoMessage> {
    return this.#messages(request, this.#options.limits.event);
  }

  close(): void {
    this.#isClosed = true;
    for (const call of this.#open) call.cancel();
    this.#client.close();
  }

  retire(onClosed: () => void): void {
    this.#onIdle = () => {
      this.close();
      onClosed();
    };
    if (this.#active === 0) this.#onIdle();
  }

  async *#messages(request: GrpcRequest, limit: number): AsyncGenerator<ProtoMessage, void, void> {
    this.#active += 1;
    try {
      yield* this.#answers(request, limit);
    } finally {
      this.#active -= 1;
      if (this.#active === 0) this.#onIdle?.();
    }
  }

  /** What is refused as unauthenticated before any answer may be sent once more. */
  async *#answers(request: GrpcRequest, limit: number): AsyncGenerator<ProtoMessage, void, void> {
    const authorization = await this.#authorize(request);
    let hasBegun = false;
    try {
      for await (const message of this.#attempt(request, authorization, limit)) {
        hasBegun = true;
        yield message;
      }
      return;
    } catch (thrown) {
      const { authorizer } = this.#options;
      if (hasBegun || !isUnauthenticated(thrown) || !authorizer.refused(authorization)) throw thrown;
    }
    yield* this.#attempt(request, await this.#authorize(request), limit);
  }

  /** Rejects if no token is available, and where the credentials have no place in gRPC. */
  async #authorize({ rpc, call }: GrpcRequest): Promise<Authorization> {
    const { agent, authorizer } = this.#options;
    let authorization: Authorization;
    try {
      authorization = await authorizer.authorize(call.signal);
    } catch (thrown) {
      throw this.#fault(thrown, rpc, { stage: "request", ...call });
    }
    if (!authorization.query) return authorization;
    throw new A2AError("agent-unavailable", {
      message: `The agent ${agent} could not be called: gRPC has no query for its API key`,
      data: { agent, stage: "request" },
    });
  }

  async *#attempt(
    { rpc, message, headers, call: scope }: GrpcRequest,
    authorization: Authorization,
    limit: number,
  ): AsyncGenerator<ProtoMessage, void, void> {
    const progress: Progress = { stage: "request", isLate: false };
    const { signal, forwarded } = scope;
    let leave: (() => void) | undefined;
    try {
      signal.throwIfAborted();
      const codec = codecNamed(rpc, this.#codecs);
      const metadata = metadataOf(authorized({ ...lowerCase(headers), ...forwarded }, authorization));
      const call = this.#start(codec, message, metadata);
      leave = this.#watch(call, signal, progress);
      const received: AsyncIterable<Buffer> = call;
      for await (const bytes of received) yield decoded(codec, bytes, limit);
    } catch (thrown) {
      const known: unknown = progress.isLate ? { code: "ETIMEDOUT" } : thrown;
      throw this.#fault(known, rpc, { stage: progress.isLate ? "connect" : progress.stage, ...scope });
    } finally {
      leave?.();
    }
  }

  /** A unary call is a stream of one answer on the wire. */
  #start(codec: MethodCodec, message: ProtoMessage, metadata: Metadata): Bytes {
    if (this.#isClosed) throw this.#shuttingDown();
    const asTheyAre = (bytes: Buffer): Buffer => bytes;
    const request = encoded(codec, message);
    this.#reconnect();
    return this.#client.makeServerStreamRequest(codec.path, asTheyAre, asTheyAre, request, metadata);
  }

  /**
   * A channel that could not connect refuses calls until its backoff is over, also when the agent is back. A new one tries
   * at once; calls that are under way on the old one go on there.
   */
  #reconnect(): void {
    const state = this.#client.getChannel().getConnectivityState(false);
    if (state !== connectivityState.TRANSIENT_FAILURE) return;
    this.#client.close();
    this.#client = connected(this.#options);
  }

  /** Follows a call until the function that is returned is called, which cancels what is left of it. */
  #watch(call: Bytes, signal: AbortSignal, progress: Progress): () => void {
    progress.stage = "headers";
    const cancel = (): void => call.cancel();
    const channel = this.#client.getChannel();
    const connecting = setTimeout(() => {
      if (channel.getConnectivityState(false) === connectivityState.READY) return;
      progress.isLate = true;
      cancel();
    }, this.#options.timeouts.connect);
    // The reader is told by the iteration; one that has left is told nothing.
    call.on("error", () => {});
    call.once("metadata", () => {
      clearTimeout(connecting);
      progress.stage = "body";
    });
    signal.addEventListener("abort", cancel, { once: true });
    this.#open.add(call);
    return () => {
      clearTimeout(connecting);
      signal.removeEventListener("abort", cancel);
      this.#open.delete(call);
      cancel();
    };
  }

  #fault(thrown: unknown, rpc: string, at: Pick<FaultContext, "stage"> & CallScope): A2AError {
    if (this.#isClosed) return this.#shuttingDown();
    const { agent, redact, target } = this.#options;
    const fault = toGrpcFault(thrown, rpc, { ...at, agent, redact });
    return UNCONNECTED.has(fault.data?.["stage"]) ? atAddress(fault, addressOf(target)) : fault;
  }

  #shuttingDown(): A2AError {
    const { agent } = this.#options;
    const message = `The agent ${agent} is no longer called: the proxy is shutting down`;
    return new A2AError("shutting-down", { message, data: { agent } });
  }
}

/** Which address was tried is not plain from the configuration: by default it is that of `url`. */
function atAddress({ code, message, data, cause }: A2AError, address: string): A2AError {
  return new A2AError(code, { message: `${message} (${address})`, data: { ...data, address }, cause });
}

/** A gRPC client for one agent at one address; it connects when it is first used. */
export const createGrpcClient = (options: GrpcClientOptions): ClosableGrpcClient => new GrpcJsClient(options);

function codecNamed(rpc: string, codecs: ReadonlyMap<string, MethodCodec>): MethodCodec {
  const codec = codecs.get(rpc);
  if (codec === undefined) throw new Error(`the service has no ${rpc}`);
  return codec;
}

function metadataOf(headers: Readonly<Record<string, string>>): Metadata {
  const metadata = new Metadata();
  try {
    for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
  } catch (cause) {
    // What the library says of a value quotes it.
    throw Object.assign(new Error("invalid metadata", { cause }), { code: "ERR_INVALID_CHAR" });
  }
  return metadata;
}

/** Encoding fails where data or metadata are nested deeper than protobuf allows. */
function encoded({ requestSerialize }: MethodCodec, message: ProtoMessage): Buffer {
  try {
    return requestSerialize(message);
  } catch (cause) {
    const text = "The message cannot be sent to the agent over gRPC: it is nested too deep";
    throw new A2AError("invalid-params", { message: text, data: { stage: "request" }, cause });
  }
}

function decoded({ responseDeserialize }: MethodCodec, bytes: Buffer, limit: number): ProtoMessage {
  if (bytes.length > limit) {
    throw new A2AError("invalid-agent-response", {
      message: `The agent answered with a message of more than ${limit} bytes`,
      data: { stage: "body", limit },
    });
  }
  try {
    // The library's limit of nesting is below what JSON may have here.
    return responseDeserialize(bytes);
  } catch (cause) {
    throw new A2AError("invalid-agent-response", {
      message: "The agent answered with bytes that are no such message",
      data: { stage: "body" },
      cause,
    });
  }
}
