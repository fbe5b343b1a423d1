/**
 * An agent behind a dialect that is made of tables and a codec (`dialect.ts`): every method is encode, call over the
 * binding that the card or the configuration chooses, decode.
 */
import type {
  AgentEvent,
  AgentReply,
  AgentTask,
  Backend,
  Call,
  NativeMethods,
  PushCallback,
  VendorTask,
} from "../adapter.ts";
import type {
  AgentCodec,
  AgentDialect,
  AgentMethod,
  AgentParams,
  Channel,
  EventReader,
  StreamMethod,
} from "../dialect.ts";
import { cached, type Cached } from "../lib/cached.ts";
import type { AgentCard } from "../protocol/card.ts";
import { A2AError } from "../protocol/errors.ts";
import type { MessageSendParams } from "../protocol/params.ts";
import { methodMissing, type Binding, type BoundCall } from "./bindings/binding.ts";
import { GrpcBinding } from "./bindings/grpc.ts";
import { JsonRpcBinding } from "./bindings/jsonrpc.ts";
import { RestBinding } from "./bindings/rest.ts";
import type { GrpcClient } from "./grpc.ts";
import type { Southbound } from "./southbound.ts";
import { mapped, opened } from "./values.ts";

/** ms; the card is needed before each call. */
const CARD_AGE = 5 * 60_000;
/** The longest that an agent may take to say its card over gRPC, ms; all that want the card wait for the same request. */
const CARD_TIMEOUT = 30_000;

export function agentOver<O extends { readonly send?: Backend["sendBy"] }, Card>(
  dialect: AgentDialect<O, Card>,
  options: O,
  southbound: Southbound,
): Backend {
  return new DialectAgent(dialect, options, southbound);
}

class DialectAgent<O extends { readonly send?: Backend["sendBy"] }, Card> implements Backend {
  readonly sendBy: Backend["sendBy"];
  readonly clientMintsTaskIds: boolean;
  readonly unsubscribePush?: NonNullable<Backend["unsubscribePush"]>;
  readonly extendedCard?: NonNullable<Backend["extendedCard"]>;
  readonly #dialect: AgentDialect<O, Card>;
  readonly #codec: AgentCodec<Card>;
  readonly #southbound: Southbound;
  readonly #card: Cached<Card>;
  /** By binding and URL, so that what a binding has learnt of the agent lasts. */
  readonly #bindings = new Map<string, Binding>();

  constructor(dialect: AgentDialect<O, Card>, options: O, southbound: Southbound) {
    const codec = dialect.codec(options);
    const { clientMintsTaskIds = false, jsonrpc } = dialect;
    this.sendBy = options.send;
    this.clientMintsTaskIds = clientMintsTaskIds;
    if (jsonrpc.deletePush) this.unsubscribePush = this.#unsubscribePush.bind(this);
    if (jsonrpc.extendedCard) this.extendedCard = this.#extendedCard.bind(this);
    this.#dialect = dialect;
    this.#codec = codec;
    this.#southbound = southbound;
    this.#card = cached(async (signal) => codec.readCard(await this.#fetchCard(signal)), CARD_AGE);
  }

  async card(signal: AbortSignal): Promise<AgentCard> {
    return this.#codec.toCanonicalCard(await this.#card.refresh(signal), this.#southbound.url);
  }

  native(card: AgentCard): NativeMethods {
    return this.#codec.native(card);
  }

  async send(params: MessageSendParams, call: Call): Promise<AgentReply> {
    return this.#codec.toReply(await this.#call("send", params, call), params, call);
  }

  stream(params: MessageSendParams, call: Call): AsyncIterable<AgentEvent> {
    return this.#events("stream", params, call);
  }

  async getTask(task: VendorTask, call: Call): Promise<AgentTask> {
    return this.#codec.toTask(await this.#call("getTask", task, call), "getTask");
  }

  async cancelTask(task: VendorTask, call: Call): Promise<AgentTask> {
    return this.#codec.toTask(await this.#call("cancelTask", task, call), "cancelTask");
  }

  resubscribe(task: VendorTask, call: Call): AsyncIterable<AgentEvent> {
    return this.#events("resubscribe", task, call);
  }

  async subscribePush(task: VendorTask, callback: PushCallback, call: Call): Promise<void> {
    if (!this.#codec.acceptsPush(await this.#knownCard(call.signal)))
      throw new A2AError("push-not-supported");
    await this.#call("setPush", { task, callback }, call);
  }

  async #unsubscribePush(task: VendorTask, callbackId: string, call: Call): Promise<void> {
    await this.#call("deletePush", { task, callbackId }, call);
  }

  async #extendedCard(call: Call): Promise<AgentCard> {
    const raw = await this.#call("extendedCard", undefined, call);
    await this.#southbound.verifyCard?.(raw);
    return this.#codec.toCanonicalCard(this.#codec.readCard(raw), this.#southbound.url);
  }

  async #call<M extends AgentMethod>(method: M, params: AgentParams[M], call: Call): Promise<unknown> {
    const channel = await this.#channel(call.signal, this.#codec.goesByCard);
    return this.#binding(channel).call(this.#bound(method, params, call, channel));
  }

  #events<M extends StreamMethod>(method: M, params: AgentParams[M], call: Call): AsyncIterable<AgentEvent> {
    return opened(async () => {
      const channel = await this.#channel(call.signal);
      if (!channel.streams) {
        const message = `The agent's card does not declare streaming`;
        throw new A2AError("unsupported-operation", { message });
      }
      const values = this.#binding(channel).stream(this.#bound(method, params, call, channel));
      return this.#understood(method, values, this.#codec.reading[method](params, call));
    });
  }

  /** Skips what is no event, such as an agent's own keep-alives. */
  #understood(
    method: StreamMethod,
    values: AsyncIterable<unknown>,
    read: EventReader,
  ): AsyncIterable<AgentEvent> {
    const { log } = this.#southbound;
    return mapped(values, {
      value: (value) => {
        const event = read(value);
        if (!event) log.warn({ method }, "skipped a value in the agent's stream that is not an event");
        return event ? [event] : [];
      },
    });
  }

  #bound<M extends AgentMethod>(method: M, params: AgentParams[M], call: Call, channel: Channel): BoundCall {
    const encoded = this.#codec.encode[method]?.(params, call);
    if (!encoded) throw methodMissing(this.#dialect.name, method);
    const headers = this.#codec.headers(call);
    return { method, params: { ...channel.params, ...encoded }, headers, call };
  }

  async #channel(signal: AbortSignal, needsCard = true): Promise<Channel> {
    const card = needsCard ? await this.#knownCard(signal) : undefined;
    return this.#codec.channel(card, this.#southbound);
  }

  #binding(channel: Channel): Binding {
    const key = `${channel.binding} ${channel.url ?? ""}`;
    const known = this.#bindings.get(key);
    if (known) return known;
    const binding = this.#bind(channel);
    this.#bindings.set(key, binding);
    return binding;
  }

  #bind({ binding, url: address }: Channel): Binding {
    const dialect = this.#dialect;
    const { http, url: configured } = this.#southbound;
    const url = address ?? configured;
    const { toError, urlOf } = this.#codec;
    const newId = () => this.#southbound.newId();
    switch (binding) {
      case "jsonrpc":
        return new JsonRpcBinding({ dialect, http, url, newId, toError, urlOf });
      case "http+json":
        return new RestBinding({ dialect, http, url, toError });
      case "grpc":
        return new GrpcBinding(dialect, () => this.#grpcAt(address));
      default:
        return binding satisfies never;
    }
  }

  #grpcAt(address: string | undefined): GrpcClient {
    const { agent, grpc } = this.#southbound;
    if (grpc) return grpc(address, this.#dialect.grpc);
    throw new A2AError("agent-unavailable", { message: `There is no gRPC to the agent ${agent}` });
  }

  /** A server of gRPC alone may say its card by an RPC, if none is served over HTTP or configured. */
  async #fetchCard(signal: AbortSignal): Promise<unknown> {
    const southbound = this.#southbound;
    const channel = this.#codec.channel(undefined, southbound);
    try {
      return await southbound.fetchCard(signal);
    } catch (thrown) {
      if (channel.binding !== "grpc" || signal.aborted) throw thrown;
    }
    const limit = AbortSignal.any([signal, AbortSignal.timeout(CARD_TIMEOUT)]);
    const call = { signal: limit, newTaskId: "", newContextId: "", extensions: [] };
    const card = await this.#binding(channel).call(this.#bound("extendedCard", undefined, call, channel));
    await southbound.verifyCard?.(card);
    return card;
  }

  /** Undefined if the card is unavailable: then the call itself shows what the agent can do. */
  async #knownCard(signal: AbortSignal): Promise<Card | undefined> {
    try {
      return await this.#card.get(signal);
    } catch (error) {
      signal.throwIfAborted();
      this.#southbound.log.debug({ err: error }, "the agent's card is unavailable");
      return undefined;
    }
  }
}
