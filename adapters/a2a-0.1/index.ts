/**
 * A2A 0.1 (April to May 2025): tasks/send with a task id that the client mints and a sessionId, before message/send
 * came. See README.md for the field table and its losses.
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
  PushCallback,
  VendorTask,
} from "../../src/adapter.ts";
import type { AgentCard } from "../../src/protocol/card.ts";
import { A2AError } from "../../src/protocol/errors.ts";
import type { MessageSendParams } from "../../src/protocol/params.ts";
import { JsonRpcClient } from "../../src/southbound/jsonrpc.ts";
import type { Southbound } from "../../src/southbound/southbound.ts";
import { mapped, opened } from "../../src/southbound/values.ts";
import { cached, type Cached } from "../../src/lib/cached.ts";
import { methodUrl } from "../shared/method-url.ts";
import { Send } from "../shared/send.ts";
import { parseWire } from "../shared/wire.ts";
import { ArtifactIds } from "./artifact-ids.ts";
import { toCanonicalCard } from "./card.ts";
import { toCanonicalError } from "./errors.ts";
import { toCanonicalEvent, toCanonicalReply, toCanonicalTaskReply, withMintedIds } from "./events.ts";
import { DIALECT } from "./extras.ts";
import {
  METHODS,
  fromCanonicalPushConfig,
  fromCanonicalSendParams,
  fromCanonicalTaskParams,
} from "./params.ts";
import { WireCard } from "./wire.ts";

const Options = z.strictObject({
  send: Send,
  artifacts: z
    .enum(["auto", "delta", "cumulative"])
    .default("auto")
    .meta({
      description:
        "How a growing artifact is sent: piece by piece (`delta`), whole each time (`cumulative`), or as each chunk's " +
        "`append` says (`auto`).",
    }),
  endpoint: z.enum(["single", "per-method"]).default("single").meta({
    description:
      "Where calls are posted to: all to `url` (`single`), or each to a path below it, by its method's name (`per-method`).",
  }),
});
type Options = z.infer<typeof Options>;

/** ms; the card is needed before each stream, for what it says of streaming. */
const CARD_AGE = 5 * 60_000;

class LegacyBackend implements Backend {
  readonly clientMintsTaskIds = true;
  readonly sendBy: Options["send"];
  readonly #options: Options;
  readonly #southbound: Southbound;
  readonly #card: Cached<AgentCard>;

  constructor(options: Options, southbound: Southbound) {
    this.sendBy = options.send;
    this.#options = options;
    this.#southbound = southbound;
    const load = async (signal: AbortSignal) =>
      toCanonicalCard(parseWire(WireCard, await southbound.fetchCard(signal), "agent card"));
    this.#card = cached(load, CARD_AGE);
  }

  card(signal: AbortSignal): Promise<AgentCard> {
    return this.#card.refresh(signal);
  }

  native({ capabilities }: AgentCard): NativeMethods {
    const streaming = capabilities.streaming === true;
    return { send: true, stream: streaming, getTask: true, cancelTask: true, resubscribe: streaming };
  }

  async send(params: MessageSendParams, call: Call): Promise<AgentReply> {
    const wire = fromCanonicalSendParams(params, call);
    const result = await this.#call(METHODS.send, wire, call);
    return withMintedIds(toCanonicalReply(result, this.#options.artifacts), wire);
  }

  stream(params: MessageSendParams, call: Call): AsyncIterable<AgentEvent> {
    const wire = fromCanonicalSendParams(params, call);
    const events = this.#events(METHODS.stream, wire, call);
    return mapped(events, { value: (event) => [withMintedIds(event, wire)] });
  }

  async getTask(task: VendorTask, call: Call): Promise<AgentTask> {
    const result = await this.#call(METHODS.get, fromCanonicalTaskParams(task), call);
    return toCanonicalTaskReply(result, this.#options.artifacts);
  }

  async cancelTask({ id, metadata }: VendorTask, call: Call): Promise<AgentTask> {
    const result = await this.#call(METHODS.cancel, fromCanonicalTaskParams({ id, metadata }), call);
    return toCanonicalTaskReply(result, this.#options.artifacts);
  }

  resubscribe({ id, metadata }: VendorTask, call: Call): AsyncIterable<AgentEvent> {
    return this.#events(METHODS.resubscribe, fromCanonicalTaskParams({ id, metadata }), call);
  }

  async subscribePush({ id }: VendorTask, callback: PushCallback, call: Call): Promise<void> {
    const card = await this.#knownCard(call.signal);
    if (card?.capabilities.pushNotifications === false) throw new A2AError("push-not-supported");
    const params = { id, pushNotificationConfig: fromCanonicalPushConfig({ ...callback }) };
    await this.#call(METHODS.setPush, params, call);
  }

  #call(method: string, params: unknown, call: Call): Promise<unknown> {
    return this.#client(method).call({ method, params, call });
  }

  #events(method: string, params: unknown, call: Call): AsyncIterable<AgentEvent> {
    return opened(() => this.#open(method, params, call));
  }

  async #open(method: string, params: unknown, call: Call): Promise<AsyncIterable<AgentEvent>> {
    const card = await this.#knownCard(call.signal);
    if (card?.capabilities.streaming === false) {
      throw new A2AError("unsupported-operation", { message: "The agent's card does not declare streaming" });
    }
    const values = this.#client(method).stream({ method, params, call });
    const ids = new ArtifactIds("stream");
    return mapped(values, {
      value: (value) => {
        const event = toCanonicalEvent(value, this.#options.artifacts, ids);
        if (event) return [event];
        this.#southbound.log.warn({ method }, "The agent sent something that is no event; it was left out");
        return [];
      },
    });
  }

  /** Undefined if the card is unavailable: then the agent is asked; a method it does not have does nothing there. */
  async #knownCard(signal: AbortSignal): Promise<AgentCard | undefined> {
    try {
      return await this.#card.get(signal);
    } catch (error) {
      signal.throwIfAborted();
      this.#southbound.log.debug({ err: error }, "The card could not be had");
      return undefined;
    }
  }

  #client(method: string): JsonRpcClient {
    const { http, url } = this.#southbound;
    return new JsonRpcClient({
      http,
      url: this.#options.endpoint === "per-method" ? methodUrl(url, method) : url,
      newId: () => this.#southbound.newId(),
      toError: toCanonicalError,
    });
  }
}

export const legacy: Adapter<Options> = {
  name: DIALECT,
  options: Options,
  methodNames: {
    [METHODS.send]: "message/send",
    [METHODS.stream]: "message/stream",
    [METHODS.setPush]: "tasks/pushNotificationConfig/set",
    [METHODS.getPush]: "tasks/pushNotificationConfig/get",
  },
  connect: (options, southbound) => new LegacyBackend(options, southbound),
};
