/**
 * Finds out which dialect an agent speaks and then is that dialect's adapter. The card makes a claim (signs.ts), a probe
 * without side effects checks it (probe.ts), decide.ts weighs them; what speaks no HTTP may speak gRPC. The answer is
 * remembered while the process runs.
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
import type { CallScope } from "../../src/southbound/http.ts";
import type { Southbound } from "../../src/southbound/southbound.ts";
import { mapped, opened } from "../../src/southbound/values.ts";
import { Send } from "../shared/send.ts";
import { contradictionAt, decide, type Decision } from "./decide.ts";
import { dialectBesideHttp, dialectOfServer } from "./grpc-probe.ts";
import { Probe } from "./probe.ts";
import { isRefusal, isUnsupported, siblingOf, WithSubstitute } from "./siblings.ts";
import { readCard } from "./signs.ts";

/** What else a dialect needs beyond its defaults is configured with that dialect's own adapter. */
const Options = z.strictObject({
  send: Send,
  grpcPort: z
    .enum(["configured", "card"])
    .default("configured")
    .meta({
      description:
        "Which port gRPC is called at: that of `url` (`configured`), or the one that the agent's card names for gRPC " +
        "(`card`), at the host of `url`. The credentials go there. A card that names another host is not followed.",
    }),
});
type Options = z.infer<typeof Options>;

interface Chosen extends Decision {
  readonly backend: Backend;
}

const ALL: NativeMethods = { send: true, stream: true, getTask: true, cancelTask: true, resubscribe: true };

const missing = (method: string, { dialect }: Chosen): A2AError =>
  new A2AError("unsupported-operation", { message: `${dialect} has no ${method}` });

const NOWHERE = z.looseObject({ stage: z.enum(["connect", "dns"]) });

/** Something listens there, whatever it said. */
const isThere = (thrown: unknown): boolean =>
  thrown instanceof A2AError && !NOWHERE.safeParse(thrown.data).success;

class AutoBackend implements Backend {
  readonly #options: Options;
  readonly #candidates: ReadonlyMap<string, Adapter>;
  readonly #southbound: Southbound;
  #chosen: Chosen | undefined;
  /** The agent has taken a message in the chosen dialect. */
  #isConfirmed = false;
  #choosing: { readonly result: Promise<Chosen>; readonly signal: AbortSignal } | undefined;

  constructor(candidates: ReadonlyMap<string, Adapter>, options: Options, southbound: Southbound) {
    this.#options = options;
    this.#candidates = candidates;
    this.#southbound = southbound;
  }

  get sendBy(): Options["send"] {
    return this.#options.send;
  }

  get artifactIds(): Backend["artifactIds"] {
    return this.#chosen?.backend.artifactIds;
  }

  decision(): string | undefined {
    return this.#chosen?.reason;
  }

  async card(signal: AbortSignal): Promise<AgentCard> {
    return (await this.#choice({ signal })).backend.card(signal);
  }

  address(card: AgentCard): string {
    return this.#chosen?.backend.address?.(card) ?? this.#southbound.url;
  }

  native(card: AgentCard): NativeMethods {
    if (!this.#chosen) return ALL;
    const { backend } = this.#chosen;
    if (backend.native) return backend.native(card);
    return {
      send: backend.send !== undefined,
      stream: backend.stream !== undefined,
      getTask: backend.getTask !== undefined,
      cancelTask: backend.cancelTask !== undefined,
      resubscribe: backend.resubscribe !== undefined,
    };
  }

  async send(params: MessageSendParams, call: Call): Promise<AgentReply> {
    const chosen = await this.#choice(call);
    if (!chosen.backend.send) throw missing("message/send", chosen);
    try {
      const reply = await chosen.backend.send(params, call);
      this.#isConfirmed = true;
      return reply;
    } catch (thrown) {
      if (!isRefusal(thrown, chosen.dialect, "send")) throw thrown;
      return await this.#sendAsSibling(chosen, params, call, thrown);
    }
  }

  stream(params: MessageSendParams, call: Call): AsyncIterable<AgentEvent> {
    return opened(async () => {
      const chosen = await this.#choice(call);
      if (!chosen.backend.stream) throw missing("message/stream", chosen);
      const events = chosen.backend.stream(params, call);
      if (this.#isConfirmed || siblingOf(chosen.dialect) === undefined) return events;
      return new WithSubstitute(this.#confirming(events), (thrown) =>
        this.#streamAsSibling(chosen, params, call, thrown),
      );
    });
  }

  async getTask(task: VendorTask, call: Call): Promise<AgentTask> {
    const chosen = await this.#choice(call);
    if (!chosen.backend.getTask) throw missing("tasks/get", chosen);
    return chosen.backend.getTask(task, call);
  }

  async cancelTask(task: VendorTask, call: Call): Promise<AgentTask> {
    const chosen = await this.#choice(call);
    if (!chosen.backend.cancelTask) throw missing("tasks/cancel", chosen);
    return chosen.backend.cancelTask(task, call);
  }

  resubscribe(task: VendorTask, call: Call): AsyncIterable<AgentEvent> {
    return opened(async () => {
      const chosen = await this.#choice(call);
      if (!chosen.backend.resubscribe) throw missing("tasks/resubscribe", chosen);
      return chosen.backend.resubscribe(task, call);
    });
  }

  async subscribePush(task: VendorTask, callback: PushCallback, call: Call): Promise<void> {
    const chosen = await this.#choice(call);
    if (!chosen.backend.subscribePush) throw missing("push notifications", chosen);
    await chosen.backend.subscribePush(task, callback, call);
  }

  async unsubscribePush(task: VendorTask, callbackId: string, call: Call): Promise<void> {
    const chosen = await this.#choice(call);
    if (!chosen.backend.unsubscribePush) throw missing("push notifications to be deleted", chosen);
    await chosen.backend.unsubscribePush(task, callbackId, call);
  }

  async extendedCard(call: Call): Promise<AgentCard> {
    const chosen = await this.#choice(call);
    if (!chosen.backend.extendedCard) throw missing("extended card", chosen);
    return chosen.backend.extendedCard(call);
  }

  /**
   * The agent has refused the message because it has no such method: a second sign, and the message still waits to be
   * delivered. The sibling dialect gets it; if it takes it, that is the agent's dialect from now on.
   */
  async #sendAsSibling(
    refused: Chosen,
    params: MessageSendParams,
    call: Call,
    reason: unknown,
  ): Promise<AgentReply> {
    const sibling = this.#siblingOf(refused);
    if (!sibling?.backend.send) throw reason;
    try {
      const reply = await sibling.backend.send(params, call);
      this.#adopt(sibling);
      return reply;
    } catch (thrown) {
      throw isRefusal(thrown, sibling.dialect, "send") ? reason : thrown;
    }
  }

  /** The same for a stream that was refused before its first event. */
  #streamAsSibling(
    refused: Chosen,
    params: MessageSendParams,
    call: Call,
    reason: unknown,
  ): AsyncIterable<AgentEvent> {
    if (!isRefusal(reason, refused.dialect, "stream")) throw reason;
    const sibling = this.#siblingOf(refused);
    if (!sibling?.backend.stream) throw reason;
    return mapped(sibling.backend.stream(params, call), {
      value: (event) => {
        this.#adopt(sibling);
        return [event];
      },
      fail: (thrown) => {
        throw isUnsupported(thrown) || isRefusal(thrown, sibling.dialect, "stream") ? reason : thrown;
      },
    });
  }

  #siblingOf(refused: Chosen): Chosen | undefined {
    const dialect = siblingOf(refused.dialect);
    const adapter = dialect && this.#candidates.get(dialect);
    if (!adapter) return undefined;
    const why = `it refused the message as ${refused.dialect} and took it as ${dialect}`;
    return { dialect, backend: this.#connect(adapter), reason: `The agent speaks ${dialect}: ${why}.` };
  }

  #adopt(sibling: Chosen): void {
    if (this.#chosen !== sibling) this.#remember(sibling);
    this.#isConfirmed = true;
  }

  #confirming(events: AsyncIterable<AgentEvent>): AsyncIterable<AgentEvent> {
    return mapped(events, {
      value: (event) => {
        this.#isConfirmed = true;
        return [event];
      },
    });
  }

  /** Decides once, whoever asks first; an agent that was down is asked again. */
  async #choice(scope: CallScope): Promise<Chosen> {
    while (!this.#chosen) {
      const choosing = (this.#choosing ??= { result: this.#choose(scope), signal: scope.signal });
      try {
        await choosing.result;
      } catch (thrown) {
        if (this.#choosing === choosing) this.#choosing = undefined;
        // Where the caller that asked first went away, the others ask again.
        if (scope.signal.aborted || !choosing.signal.aborted) throw thrown;
      }
    }
    return this.#chosen;
  }

  async #choose(scope: CallScope): Promise<Chosen> {
    const { dialect, reason, options } = await this.#decide(scope);
    const adapter = this.#candidates.get(dialect);
    if (!adapter) {
      const message = `${reason} No adapter for ${dialect} is available.`;
      throw new A2AError("unsupported-operation", { message });
    }
    return this.#remember({ dialect, reason, backend: this.#connect(adapter, options) });
  }

  async #decide(scope: CallScope): Promise<Decision> {
    const southbound = this.#southbound;
    if (southbound.isGrpc) return dialectOfServer(southbound, scope);
    const card = await southbound.fetchCard(scope.signal).catch(() => undefined);
    scope.signal.throwIfAborted();
    try {
      return await decide(readCard(card, southbound.url), new Probe(southbound, scope));
    } catch (thrown) {
      const found = isThere(thrown) && (await dialectBesideHttp(southbound, scope));
      if (!found) throw thrown;
      return found;
    }
  }

  #remember(chosen: Chosen): Chosen {
    this.#chosen = chosen;
    this.#southbound.log.info({ dialect: chosen.dialect }, chosen.reason);
    return chosen;
  }

  #connect(adapter: Adapter, options: object = {}): Backend {
    const { grpcPort, send } = this.#options;
    const isFollowed = adapter.name === "a2a-0.3" && grpcPort === "card";
    const all = { ...(send && { send }), ...(isFollowed && { grpcPort }), ...options };
    return adapter.connect(adapter.options.parse(all), this.#southbound);
  }
}

/** `candidates`: the adapters to choose from; those this one knows no signs of are never chosen. */
export function createAutoAdapter(candidates: readonly Adapter[]): Adapter<Options> {
  const byName = new Map(candidates.map((candidate) => [candidate.name, candidate]));
  return {
    name: "auto",
    options: Options,
    speaksGrpc: true,
    contradict: contradictionAt,
    connect: (options, southbound) => new AutoBackend(byName, options, southbound),
  };
}
