/**
 * Agents that speak the snake_case `a2a.*` dialect, "1.0" by its own account: JSON-RPC methods `a2a.sendMessage` and
 * so on, with the protocol's version inside every params. See README.md for the fields and what is lost.
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
import { JsonRpcClient, type RpcRequest } from "../../src/southbound/jsonrpc.ts";
import type { Southbound } from "../../src/southbound/southbound.ts";
import { mapped, opened } from "../../src/southbound/values.ts";
import { cached, type Cached } from "../../src/lib/cached.ts";
import { parseWire } from "../shared/wire.ts";
import { chosenInterface, toCanonicalCard } from "./card.ts";
import { refuseBareError, toCanonicalError } from "./errors.ts";
import { toCanonicalEvent } from "./events.ts";
import {
  fromCanonicalCancelParams,
  fromCanonicalGetParams,
  fromCanonicalSendParams,
  fromCanonicalSubscribeParams,
  METHODS,
  withProtocol,
  type CanonicalMethod,
} from "./params.ts";
import { fromCanonicalPushParams, fromCanonicalTaskPushConfig } from "./push.ts";
import { toCanonicalReply, toCanonicalTaskResult } from "./task.ts";
import { WireCard } from "./wire.ts";

/** ms; the card is needed before each call, for the tenant and for what it says of streaming. */
const CARD_AGE = 5 * 60_000;

const Options = z.strictObject({
  tenant: z.string().min(1).optional().meta({
    description:
      "Sent as `tenant` with every call; by default what the card says of the interface that is spoken to.",
  }),
});
type Options = z.infer<typeof Options>;

export const a2aSnake: Adapter<Options> = {
  name: "a2a-snake",
  options: Options,
  methodNames: Object.fromEntries(Object.entries(METHODS).map(([canonical, name]) => [name, canonical])),
  connect: (options, southbound) => new SnakeBackend(options, southbound),
};

class SnakeBackend implements Backend {
  readonly #tenant: string | undefined;
  readonly #southbound: Southbound;
  readonly #rpc: JsonRpcClient;
  readonly #card: Cached<WireCard>;

  constructor({ tenant }: Options, southbound: Southbound) {
    const { http, url } = southbound;
    const load = async (signal: AbortSignal) =>
      parseWire(WireCard, await southbound.fetchCard(signal), "agent card");
    this.#tenant = tenant;
    this.#southbound = southbound;
    this.#rpc = new JsonRpcClient({ http, url, newId: () => southbound.newId(), toError: toCanonicalError });
    this.#card = cached(load, CARD_AGE);
  }

  async card(signal: AbortSignal): Promise<AgentCard> {
    return toCanonicalCard(await this.#card.refresh(signal), this.#southbound.url);
  }

  /** subscribeToTask streams, so it stands and falls with streaming. */
  native({ capabilities }: AgentCard): NativeMethods {
    const stream = capabilities.streaming === true;
    return { send: true, stream, getTask: true, cancelTask: true, resubscribe: stream };
  }

  async send(params: MessageSendParams, call: Call): Promise<AgentReply> {
    return toCanonicalReply(await this.#result("message/send", fromCanonicalSendParams(params), call));
  }

  stream(params: MessageSendParams, call: Call): AsyncIterable<AgentEvent> {
    return this.#events("message/stream", fromCanonicalSendParams(params), call);
  }

  async getTask(task: VendorTask, call: Call): Promise<AgentTask> {
    return toCanonicalTaskResult(await this.#result("tasks/get", fromCanonicalGetParams(task), call));
  }

  async cancelTask(task: VendorTask, call: Call): Promise<AgentTask> {
    return toCanonicalTaskResult(await this.#result("tasks/cancel", fromCanonicalCancelParams(task), call));
  }

  resubscribe(task: VendorTask, call: Call): AsyncIterable<AgentEvent> {
    return this.#events("tasks/resubscribe", fromCanonicalSubscribeParams(task), call);
  }

  async subscribePush({ id: taskId }: VendorTask, callback: PushCallback, call: Call): Promise<void> {
    const card = await this.#knownCard(call.signal);
    if (card?.capabilities?.push_notifications === false) throw new A2AError("push-not-supported");
    const config = { taskId, pushNotificationConfig: { ...callback } };
    await this.#result("tasks/pushNotificationConfig/set", fromCanonicalTaskPushConfig(config), call);
  }

  async unsubscribePush({ id }: VendorTask, callbackId: string, call: Call): Promise<void> {
    const params = fromCanonicalPushParams({ id, pushNotificationConfigId: callbackId });
    await this.#result("tasks/pushNotificationConfig/delete", params, call);
  }

  async extendedCard(call: Call): Promise<AgentCard> {
    const { url, verifyCard } = this.#southbound;
    const card = await this.#result("agent/getAuthenticatedExtendedCard", {}, call);
    await verifyCard?.(card);
    return toCanonicalCard(parseWire(WireCard, card, "extended agent card"), url);
  }

  async #result(canonical: CanonicalMethod, params: object, call: Call): Promise<unknown> {
    const tenant = this.#tenant ?? this.#tenantOf(await this.#knownCard(call.signal));
    const { method, ...request } = this.#request(canonical, params, call, tenant);
    const result = await this.#rpc.call({ method, ...request });
    refuseBareError(result, method);
    return result;
  }

  #events(canonical: CanonicalMethod, params: object, call: Call): AsyncIterable<AgentEvent> {
    return opened(() => this.#open(canonical, params, call));
  }

  async #open(canonical: CanonicalMethod, params: object, call: Call): Promise<AsyncIterable<AgentEvent>> {
    const card = await this.#knownCard(call.signal);
    if (card?.capabilities?.streaming !== true) {
      throw new A2AError("unsupported-operation", { message: "The agent's card does not declare streaming" });
    }
    const request = this.#request(canonical, params, call, this.#tenant ?? this.#tenantOf(card));
    const { method } = request;
    return mapped(this.#rpc.stream(request), {
      value: (value) => {
        refuseBareError(value, method);
        const event = toCanonicalEvent(value);
        if (!event) this.#southbound.log.warn({ method }, "the agent sent a value that is no event");
        return event ? [event] : [];
      },
    });
  }

  #request(canonical: CanonicalMethod, params: object, call: Call, tenant: string | undefined): RpcRequest {
    const { extensions, signal } = call;
    return { method: METHODS[canonical], params: withProtocol(params, extensions, tenant), signal };
  }

  #tenantOf(card: WireCard | undefined): string | undefined {
    return (card && chosenInterface(card, this.#southbound.url)?.tenant) ?? undefined;
  }

  /** Undefined where there is no card to be had: an agent without one declares no streaming and names no tenant. */
  async #knownCard(signal: AbortSignal): Promise<WireCard | undefined> {
    try {
      return await this.#card.get(signal);
    } catch (error) {
      signal.throwIfAborted();
      this.#southbound.log.warn(
        { err: error },
        "the agent's card cannot be read; it counts as not streaming",
      );
      return undefined;
    }
  }
}
