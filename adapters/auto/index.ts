/**
 * Finds out which dialect an agent speaks (choice.ts) and then is that dialect's adapter. The card makes a claim (signs.ts),
 * a probe without side effects checks it (probe.ts), decide.ts weighs them; what speaks no HTTP may speak gRPC.
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
import type { Southbound } from "../../src/southbound/southbound.ts";
import { mapped, opened } from "../../src/southbound/values.ts";
import { Choice, Options } from "./choice.ts";
import { contradictionAt } from "./decide.ts";
import type { Dialect } from "./signs.ts";
import { isRefusal, isUnsupported, siblingOf, WithSubstitute } from "./siblings.ts";

const ALL: NativeMethods = { send: true, stream: true, getTask: true, cancelTask: true, resubscribe: true };

/** What a dialect may not have, as it is told. */
const OPTIONAL = {
  send: "message/send",
  stream: "message/stream",
  getTask: "tasks/get",
  cancelTask: "tasks/cancel",
  resubscribe: "tasks/resubscribe",
  subscribePush: "push notifications",
  unsubscribePush: "push notifications to be deleted",
  extendedCard: "extended card",
} as const satisfies Partial<Record<keyof Backend, string>>;
type Optional = keyof typeof OPTIONAL;

interface Having<M extends Optional> {
  readonly dialect: Dialect;
  readonly backend: Backend & Required<Pick<Backend, M>>;
}

const has = <M extends Optional>(backend: Backend, method: M): backend is Having<M>["backend"] =>
  backend[method] !== undefined;

/** `Required`: what a Backend may have is handed on, whatever the dialect will be. */
class AutoBackend implements Required<Backend> {
  readonly sendBy: Options["send"];
  readonly #url: string;
  readonly #choice: Choice;

  constructor({ send }: Options, url: string, choice: Choice) {
    this.sendBy = send;
    this.#url = url;
    this.#choice = choice;
  }

  get artifactIds(): Backend["artifactIds"] {
    return this.#choice.made?.backend.artifactIds;
  }

  get clientMintsTaskIds(): boolean {
    return this.#choice.made?.backend.clientMintsTaskIds ?? false;
  }

  decision(): string | undefined {
    return this.#choice.made?.reason;
  }

  async card(signal: AbortSignal): Promise<AgentCard> {
    const { backend } = await this.#choice.of({ signal });
    return backend.card(signal);
  }

  address(card: AgentCard): string {
    return this.#choice.made?.backend.address?.(card) ?? this.#url;
  }

  native(card: AgentCard): NativeMethods {
    const backend = this.#choice.made?.backend;
    if (!backend) return ALL;
    if (backend.native) return backend.native(card);
    return {
      send: has(backend, "send"),
      stream: has(backend, "stream"),
      getTask: has(backend, "getTask"),
      cancelTask: has(backend, "cancelTask"),
      resubscribe: has(backend, "resubscribe"),
    };
  }

  async send(params: MessageSendParams, call: Call): Promise<AgentReply> {
    const chosen = await this.#having("send", call);
    try {
      const reply = await chosen.backend.send(params, call);
      this.#choice.confirm();
      return reply;
    } catch (thrown) {
      if (!isRefusal(thrown, chosen.dialect, "send")) throw thrown;
      return await this.#sendAsSibling(chosen.dialect, params, call, thrown);
    }
  }

  stream(params: MessageSendParams, call: Call): AsyncIterable<AgentEvent> {
    return opened(async () => {
      const chosen = await this.#having("stream", call);
      const events = chosen.backend.stream(params, call);
      if (this.#choice.isConfirmed || siblingOf(chosen.dialect) === undefined) return events;
      return new WithSubstitute(this.#confirming(events), (thrown) =>
        this.#streamAsSibling(chosen.dialect, params, call, thrown),
      );
    });
  }

  async getTask(task: VendorTask, call: Call): Promise<AgentTask> {
    return (await this.#having("getTask", call)).backend.getTask(task, call);
  }

  async cancelTask(task: VendorTask, call: Call): Promise<AgentTask> {
    return (await this.#having("cancelTask", call)).backend.cancelTask(task, call);
  }

  resubscribe(task: VendorTask, call: Call): AsyncIterable<AgentEvent> {
    return opened(async () => (await this.#having("resubscribe", call)).backend.resubscribe(task, call));
  }

  async subscribePush(task: VendorTask, callback: PushCallback, call: Call): Promise<void> {
    await (await this.#having("subscribePush", call)).backend.subscribePush(task, callback, call);
  }

  async unsubscribePush(task: VendorTask, callbackId: string, call: Call): Promise<void> {
    await (await this.#having("unsubscribePush", call)).backend.unsubscribePush(task, callbackId, call);
  }

  async extendedCard(call: Call): Promise<AgentCard> {
    return (await this.#having("extendedCard", call)).backend.extendedCard(call);
  }

  /** The chosen dialect; throws `unsupported-operation` if it does not have the method. */
  async #having<M extends Optional>(method: M, call: Call): Promise<Having<M>> {
    const { backend, dialect } = await this.#choice.of(call);
    if (has(backend, method)) return { backend, dialect };
    throw new A2AError("unsupported-operation", { message: `${dialect} has no ${OPTIONAL[method]}` });
  }

  /**
   * The agent has refused the message because it has no such method: a second sign, and the message still waits to be
   * delivered. The sibling dialect gets it; if it takes it, that is the agent's dialect from now on.
   */
  async #sendAsSibling(
    refused: Dialect,
    params: MessageSendParams,
    call: Call,
    reason: unknown,
  ): Promise<AgentReply> {
    const sibling = this.#choice.siblingOf(refused);
    if (!sibling?.backend.send) throw reason;
    try {
      const reply = await sibling.backend.send(params, call);
      this.#choice.adopt(sibling);
      return reply;
    } catch (thrown) {
      throw isRefusal(thrown, sibling.dialect, "send") ? reason : thrown;
    }
  }

  /** The same for a stream that was refused before its first event. */
  #streamAsSibling(
    refused: Dialect,
    params: MessageSendParams,
    call: Call,
    reason: unknown,
  ): AsyncIterable<AgentEvent> {
    if (!isRefusal(reason, refused, "stream")) throw reason;
    const sibling = this.#choice.siblingOf(refused);
    if (!sibling?.backend.stream) throw reason;
    return mapped(sibling.backend.stream(params, call), {
      value: (event) => {
        this.#choice.adopt(sibling);
        return [event];
      },
      fail: (thrown) => {
        throw isUnsupported(thrown) || isRefusal(thrown, sibling.dialect, "stream") ? reason : thrown;
      },
    });
  }

  #confirming(events: AsyncIterable<AgentEvent>): AsyncIterable<AgentEvent> {
    return mapped(events, {
      value: (event) => {
        this.#choice.confirm();
        return [event];
      },
    });
  }
}

/** `candidates`: the adapters to choose from; those this one knows no signs of are never chosen. */
export function createAutoAdapter(candidates: readonly Adapter[]): Adapter<Options> {
  const byName = new Map(candidates.map((candidate) => [candidate.name, candidate]));
  const connect = (options: Options, southbound: Southbound): Backend =>
    new AutoBackend(options, southbound.url, new Choice(byName, options, southbound));
  return { name: "auto", options: Options, speaksGrpc: true, contradict: contradictionAt, connect };
}
