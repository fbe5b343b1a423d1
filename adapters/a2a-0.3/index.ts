/**
 * The dialect of agents that speak A2A 0.2.0 to 0.3.0 over JSON-RPC, well or badly. What such an agent says rightly is
 * handed on as the very object that arrived; what it says wrongly is repaired here as far as one object tells, and by the
 * gateway as far as it takes the whole stream. README.md lists who does what.
 */
import { z } from "zod";
import type {
  Adapter,
  AgentEvent,
  AgentReply,
  AgentTask,
  Backend,
  Call,
  NativeMethods,
  VendorTask,
} from "../../src/adapter.ts";
import type { AgentCard } from "../../src/protocol/card.ts";
import { A2AError } from "../../src/protocol/errors.ts";
import type { MessageSendParams } from "../../src/protocol/params.ts";
import { JsonRpcClient } from "../../src/southbound/jsonrpc.ts";
import type { Southbound } from "../../src/southbound/southbound.ts";
import { toCanonicalCard } from "./card.ts";
import { answerFromStatuses } from "./deltas.ts";
import { toCanonicalError } from "./errors.ts";
import { toCanonicalEvent, toCanonicalReply } from "./events.ts";
import { fromCanonicalParams } from "./message.ts";
import { fromCanonicalTask } from "./task.ts";

const Options = z.strictObject({
  /** Text in `working` status messages: `status`, as 0.3.0 means it, or `answer`, pieces of the answer (see deltas.ts). */
  workingText: z.enum(["status", "answer"]).default("status"),
});
type Options = z.infer<typeof Options>;

const excerpt = (value: unknown): string => (JSON.stringify(value) ?? "nothing").slice(0, 200);

const notUnderstood = (method: string, value: unknown): A2AError =>
  new A2AError("invalid-agent-response", {
    message: `The agent answered ${method} with something that is no A2A object`,
    data: { stage: "body", excerpt: excerpt(value) },
  });

const headersFor = (call: Call): Record<string, string> =>
  call.extensions.length === 0 ? {} : { "X-A2A-Extensions": call.extensions.join(", ") };

class Backend03 implements Backend {
  readonly #options: Options;
  readonly #southbound: Southbound;
  readonly #rpc: JsonRpcClient;
  /** The card's word on streaming, once it has been asked for; undefined where it says nothing. */
  #streaming: Promise<boolean | undefined> | undefined;

  constructor(options: Options, southbound: Southbound) {
    this.#options = options;
    this.#southbound = southbound;
    this.#rpc = new JsonRpcClient({
      http: southbound.http,
      url: southbound.url,
      newId: () => southbound.newId(),
      toError: toCanonicalError,
    });
  }

  async card(signal: AbortSignal): Promise<AgentCard> {
    const { agent, url } = this.#southbound;
    const card = toCanonicalCard(await this.#southbound.fetchCard(signal), { name: agent, url });
    this.#streaming = Promise.resolve(card.capabilities.streaming);
    return card;
  }

  native(card: AgentCard): NativeMethods {
    const streams = card.capabilities.streaming !== false;
    return { send: true, stream: streams, getTask: true, cancelTask: true, resubscribe: streams };
  }

  async send(params: MessageSendParams, call: Call): Promise<AgentReply> {
    return this.#reply("message/send", fromCanonicalParams(params), call);
  }

  async *stream(params: MessageSendParams, call: Call): AsyncGenerator<AgentEvent, void, void> {
    yield* this.#events("message/stream", fromCanonicalParams(params), call);
  }

  async getTask(task: VendorTask, call: Call): Promise<AgentTask> {
    return this.#task("tasks/get", fromCanonicalTask(task), call);
  }

  async cancelTask({ id, metadata }: VendorTask, call: Call): Promise<AgentTask> {
    return this.#task("tasks/cancel", fromCanonicalTask({ id, metadata }), call);
  }

  async *resubscribe({ id, metadata }: VendorTask, call: Call): AsyncGenerator<AgentEvent, void, void> {
    yield* this.#events("tasks/resubscribe", fromCanonicalTask({ id, metadata }), call);
  }

  async #reply(method: string, params: unknown, call: Call): Promise<AgentReply> {
    const request = { method, params, signal: call.signal, headers: headersFor(call) };
    const result = await this.#rpc.call(request);
    const reply = toCanonicalReply(result);
    if (!reply) throw notUnderstood(method, result);
    return reply;
  }

  async #task(method: string, params: unknown, call: Call): Promise<AgentTask> {
    const reply = await this.#reply(method, params, call);
    if (reply.kind !== "task") throw notUnderstood(method, reply);
    return reply;
  }

  async *#events(method: string, params: unknown, call: Call): AsyncGenerator<AgentEvent, void, void> {
    if ((await this.#streams(call.signal)) === false) {
      const message = `The agent's card says that it does not stream; ${method} was not tried`;
      throw new A2AError("unsupported-operation", { message });
    }
    const results = this.#rpc.stream({ method, params, signal: call.signal, headers: headersFor(call) });
    const events = this.#understood(method, results);
    yield* this.#options.workingText === "answer" ? answerFromStatuses(events) : events;
  }

  /** Skips what is no event, such as a vendor's own keep-alives; a stream of nothing else is an error. */
  async *#understood(
    method: string,
    results: AsyncIterable<unknown>,
  ): AsyncGenerator<AgentEvent, void, void> {
    let understood = false;
    let skipped: { value: unknown } | undefined;
    for await (const value of results) {
      const event = toCanonicalEvent(value);
      if (event) {
        understood = true;
        yield event;
      } else {
        skipped ??= { value };
      }
    }
    if (skipped && !understood) throw notUnderstood(method, skipped.value);
    if (skipped)
      this.#southbound.log.warn({ excerpt: excerpt(skipped.value) }, "skipped values that are no A2A events");
  }

  /** Asked for once; where the card cannot be had, the call itself shows what the agent can do. */
  #streams(signal: AbortSignal): Promise<boolean | undefined> {
    this.#streaming ??= this.card(signal).then(
      (card) => card.capabilities.streaming,
      () => {
        if (signal.aborted) this.#streaming = undefined;
        return undefined;
      },
    );
    return this.#streaming;
  }
}

export const a2a03: Adapter<Options> = {
  name: "a2a-0.3",
  options: Options,
  connect: (options, southbound) => new Backend03(options, southbound),
};
