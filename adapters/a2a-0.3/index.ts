/**
 * The dialect of agents that speak A2A 0.2.0 to 0.3.0 over JSON-RPC, HTTP+JSON or gRPC, well or badly. What such an agent says rightly is
 * handed on as the very object that arrived; what it says wrongly is repaired here as far as one object tells, and by the
 * gateway as far as it takes the whole stream. README.md lists who does what.
 */
import type {
  Adapter,
  AgentEvent,
  AgentReply,
  AgentTask,
  Backend,
  Call,
  NativeMethods,
  PushCallback,
  VendorTask,
} from "../../src/adapter.ts";
import type { AgentCard } from "../../src/protocol/card.ts";
import { A2AError } from "../../src/protocol/errors.ts";
import type { MessageSendParams } from "../../src/protocol/params.ts";
import { JsonRpcClient } from "../../src/southbound/jsonrpc.ts";
import type { VendorFault } from "../../src/southbound/vendor-fault.ts";
import type { GrpcClient } from "../../src/southbound/grpc.ts";
import type { Southbound } from "../../src/southbound/southbound.ts";
import { mapped, opened } from "../../src/southbound/values.ts";
import { cached, type Cached } from "../../src/lib/cached.ts";
import { offersOnly10 } from "../shared/interfaces.ts";
import { toCanonicalCard } from "./card.ts";
import { answerFromStatuses, AnswerReader, withAnswer } from "./deltas.ts";
import { toCanonicalError } from "./errors.ts";
import { cardOverGrpc, extendedCardOf } from "./extended-card.ts";
import { toCanonicalEvent, toCanonicalReply } from "./events.ts";
import { Folded, foldedReply } from "./fold.ts";
import { asGrpcUrl, cardAddress, grpcOnCard } from "./grpc-address.ts";
import { GrpcTransport } from "./grpc.ts";
import { fromCanonicalParams } from "./message.ts";
import { Options } from "./options.ts";
import { RestClient } from "./rest.ts";
import { fromCanonicalTask } from "./task.ts";
import { transportOf, type Request, type Transport, type TransportName } from "./transport.ts";

const excerpt = (value: unknown): string => (JSON.stringify(value) ?? "nothing").slice(0, 200);

const notUnderstood = (method: string, value: unknown): A2AError =>
  new A2AError("invalid-agent-response", {
    message: `The agent answered ${method} with something that is no A2A object`,
    data: { stage: "body", excerpt: excerpt(value) },
  });

const headersFor = (call: Call): Record<string, string> =>
  call.extensions.length === 0 ? {} : { "X-A2A-Extensions": call.extensions.join(", ") };

function grpcOf({ agent, grpc }: Southbound, address: string | undefined): GrpcClient {
  if (grpc) return grpc(address);
  throw new A2AError("agent-unavailable", { message: `There is no gRPC to the agent ${agent}` });
}

/** What a stream comes to where one answer was asked for; what is not understood is left for the error to show. */
function fold(results: readonly unknown[], { workingText }: Options): unknown {
  const events = results.flatMap((result) => toCanonicalEvent(result) ?? []);
  const reader = new AnswerReader();
  const read = workingText === "answer" ? events.flatMap((event) => reader.read(event)) : events;
  const reply = foldedReply(read);
  return reply ? new Folded(reply) : results.at(-1);
}

/** ms; the card says over which transport to call, and whether the agent streams. */
const CARD_AGE = 5 * 60_000;
/** The longest that an agent may take to say its card over gRPC, ms. */
const CARD_TIMEOUT = 30_000;

class Backend03 implements Backend {
  readonly sendBy: Options["send"];
  readonly #options: Options;
  readonly #southbound: Southbound;
  readonly #transports: Readonly<Record<TransportName, Transport>>;
  readonly #card: Cached<AgentCard>;
  /** The card that was read last. */
  #last: AgentCard | undefined;

  constructor(options: Options, southbound: Southbound) {
    this.sendBy = options.send;
    this.#options = options;
    this.#southbound = southbound;
    const { http, url } = southbound;
    const newId = () => southbound.newId();
    const toError = (fault: VendorFault) => toCanonicalError(fault, offersOnly10(this.#last));
    this.#transports = {
      jsonrpc: new JsonRpcClient({ http, url, newId, toError, fold: (results) => fold(results, options) }),
      "http+json": new RestClient(southbound, { layout: options.rest, fileBytes: options.fileBytes }),
      grpc: new GrpcTransport(southbound, {
        connect: () => grpcOf(southbound, this.#grpcAddress()),
        named: () => this.#last && grpcOnCard(this.#last),
        fileBytes: options.fileBytes,
      }),
    };
    const load = async (signal: AbortSignal): Promise<AgentCard> => {
      this.#last = toCanonicalCard(await this.#fetchCard(signal), { name: southbound.agent, url });
      return this.#last;
    };
    this.#card = cached(load, CARD_AGE);
  }

  get artifactIds(): Options["artifactIds"] {
    return this.#options.artifactIds;
  }

  card(signal: AbortSignal): Promise<AgentCard> {
    return this.#card.refresh(signal);
  }

  native(card: AgentCard): NativeMethods {
    const streams = card.capabilities.streaming !== false;
    return { send: true, stream: streams, getTask: true, cancelTask: true, resubscribe: streams };
  }

  address(card: AgentCard): string {
    const { url } = this.#southbound;
    return this.#transportName(card) === "grpc" ? asGrpcUrl(this.#grpcAddress() ?? url) : url;
  }

  async send(params: MessageSendParams, call: Call): Promise<AgentReply> {
    return this.#reply({ method: "message/send", params: fromCanonicalParams(params) }, call);
  }

  stream(params: MessageSendParams, call: Call): AsyncIterable<AgentEvent> {
    return this.#events({ method: "message/stream", params: fromCanonicalParams(params) }, call);
  }

  async getTask(task: VendorTask, call: Call): Promise<AgentTask> {
    return this.#task({ method: "tasks/get", params: fromCanonicalTask(task) }, call);
  }

  async cancelTask({ id, metadata }: VendorTask, call: Call): Promise<AgentTask> {
    return this.#task({ method: "tasks/cancel", params: fromCanonicalTask({ id, metadata }) }, call);
  }

  resubscribe({ id, metadata }: VendorTask, call: Call): AsyncIterable<AgentEvent> {
    return this.#events({ method: "tasks/resubscribe", params: fromCanonicalTask({ id, metadata }) }, call);
  }

  async subscribePush({ id }: VendorTask, callback: PushCallback, call: Call): Promise<void> {
    const card = await this.#knownCard(call.signal);
    if (card?.capabilities.pushNotifications === false) throw new A2AError("push-not-supported");
    const params = { taskId: id, pushNotificationConfig: callback };
    await this.#call({ method: "tasks/pushNotificationConfig/set", params }, call);
  }

  async unsubscribePush({ id }: VendorTask, callbackId: string, call: Call): Promise<void> {
    const params = { id, pushNotificationConfigId: callbackId };
    await this.#call({ method: "tasks/pushNotificationConfig/delete", params }, call);
  }

  /** No extended card is no fault: the error says so. */
  async extendedCard(call: Call): Promise<AgentCard> {
    const { agent, url, verifyCard } = this.#southbound;
    const transport = this.#transport(await this.#knownCard(call.signal));
    const asked = { transport, southbound: this.#southbound, headers: headersFor(call), call };
    const card = await extendedCardOf(asked);
    await verifyCard?.(card);
    return toCanonicalCard(card, { name: agent, url });
  }

  async #call(request: Request, call: Call): Promise<unknown> {
    const { transport, grpcPort } = this.#options;
    const goesByCard = transport === "auto" || grpcPort === "card";
    const card = goesByCard ? await this.#knownCard(call.signal) : undefined;
    return this.#transport(card).call({ ...request, call, headers: headersFor(call) });
  }

  /** A server of gRPC alone may say its card by an RPC, where none is served over HTTP or configured. */
  async #fetchCard(signal: AbortSignal): Promise<unknown> {
    const southbound = this.#southbound;
    const isGrpc = southbound.isGrpc === true || this.#options.transport === "grpc";
    try {
      return await southbound.fetchCard(signal);
    } catch (thrown) {
      if (!isGrpc || signal.aborted) throw thrown;
    }
    const limit = AbortSignal.any([signal, AbortSignal.timeout(CARD_TIMEOUT)]);
    const card = await cardOverGrpc(this.#transports.grpc, southbound.agent, limit);
    await southbound.verifyCard?.(card);
    return card;
  }

  async #reply(request: Request, call: Call): Promise<AgentReply> {
    const result = await this.#call(request, call);
    if (result instanceof Folded) return result.reply;
    const reply = toCanonicalReply(result);
    if (!reply) throw notUnderstood(request.method, result);
    return this.#options.workingText === "answer" ? withAnswer(reply) : reply;
  }

  async #task(request: Request, call: Call): Promise<AgentTask> {
    const reply = await this.#reply(request, call);
    if (reply.kind !== "task") throw notUnderstood(request.method, reply);
    return reply;
  }

  #events(request: Request, call: Call): AsyncIterable<AgentEvent> {
    return opened(() => this.#open(request, call));
  }

  async #open(request: Request, call: Call): Promise<AsyncIterable<AgentEvent>> {
    const { method } = request;
    const card = await this.#knownCard(call.signal);
    if (card?.capabilities.streaming === false) {
      const message = `The agent's card says that it does not stream; ${method} was not tried`;
      throw new A2AError("unsupported-operation", { message });
    }
    const results = this.#transport(card).stream({ ...request, call, headers: headersFor(call) });
    const events = this.#understood(method, results);
    const isResumed = method === "tasks/resubscribe";
    return this.#options.workingText === "answer" ? answerFromStatuses(events, isResumed) : events;
  }

  /** Skips what is no event, such as a vendor's own keep-alives; a stream of nothing else is an error. */
  #understood(method: string, results: AsyncIterable<unknown>): AsyncIterable<AgentEvent> {
    let understood = false;
    let skipped: { value: unknown } | undefined;
    return mapped(results, {
      value: (value) => {
        const event = toCanonicalEvent(value);
        if (event) understood = true;
        else skipped ??= { value };
        return event ? [event] : [];
      },
      end: () => {
        if (skipped && !understood) throw notUnderstood(method, skipped.value);
        if (skipped)
          this.#southbound.log.warn(
            { excerpt: excerpt(skipped.value) },
            "skipped values that are no A2A events",
          );
        return [];
      },
    });
  }

  #transport(card: AgentCard | undefined): Transport {
    return this.#transports[this.#transportName(card)];
  }

  #transportName(card: AgentCard | undefined): TransportName {
    const { transport } = this.#options;
    if (transport !== "auto") return transport;
    if (this.#southbound.isGrpc) return "grpc";
    return card ? transportOf(card, this.#southbound.url) : "jsonrpc";
  }

  /** Undefined: host and port of `url`. */
  #grpcAddress(): string | undefined {
    const { grpcUrl, grpcPort } = this.#options;
    const said =
      grpcPort === "card" && this.#last ? cardAddress(this.#last, this.#southbound.url) : undefined;
    return said ?? grpcUrl;
  }

  /** Undefined if the card is unavailable: the call itself shows what the agent can do. */
  async #knownCard(signal: AbortSignal): Promise<AgentCard | undefined> {
    try {
      return await this.#card.get(signal);
    } catch (error) {
      signal.throwIfAborted();
      this.#southbound.log.debug({ err: error }, "the agent's card is unavailable");
      return undefined;
    }
  }
}

export const a2a03: Adapter<Options> = {
  name: "a2a-0.3",
  options: Options,
  speaksGrpc: true,
  isReference: true,
  connect: (options, southbound) => new Backend03(options, southbound),
};
