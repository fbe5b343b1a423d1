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
  Contradiction,
  DialectClaim,
  NativeMethods,
  PushCallback,
  VendorTask,
} from "../../src/adapter.ts";
import type { AgentCard } from "../../src/protocol/card.ts";
import { A2AError } from "../../src/protocol/errors.ts";
import type { MessageSendParams } from "../../src/protocol/params.ts";
import type { Southbound } from "../../src/southbound/southbound.ts";
import { opened } from "../../src/southbound/values.ts";
import { isUnknownMethod } from "../shared/nested-error.ts";
import { Send } from "../shared/send.ts";
import { contradiction, decide, type Decision } from "./decide.ts";
import { Probe, servesGrpc } from "./probe.ts";
import { readCard, type Dialect } from "./signs.ts";

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

/** 0.1 and 0.3 differ in nothing that can be probed at agents without push notifications. */
const SIBLINGS: Readonly<Partial<Record<Dialect, { method: string; sibling: Dialect }>>> = {
  "a2a-0.3": { method: "message/send", sibling: "a2a-0.1" },
  "a2a-0.1": { method: "tasks/send", sibling: "a2a-0.3" },
};

const AgentError = z.looseObject({
  vendor: z.looseObject({ code: z.number(), message: z.string().catch(""), data: z.unknown().optional() }),
});

/** The agent has said that it has no such method, so that nothing has happened there. */
function isRefusal(thrown: unknown, { dialect }: Chosen): boolean {
  const { method } = SIBLINGS[dialect] ?? {};
  if (!(thrown instanceof A2AError) || method === undefined) return false;
  if (thrown.code === "method-not-found") return true;
  const { data } = AgentError.safeParse(thrown.data);
  return data !== undefined && isUnknownMethod(data.vendor, method);
}

/** Only this dialect has a binding to gRPC. */
const overGrpc = (why: string): Decision => ({
  dialect: "a2a-0.3",
  reason: `The agent speaks a2a-0.3 over gRPC: ${why}.`,
});

const NOWHERE = z.looseObject({ stage: z.enum(["connect", "dns"]) });

/** Something listens there, whatever it said. */
const isThere = (thrown: unknown): boolean =>
  thrown instanceof A2AError && !NOWHERE.safeParse(thrown.data).success;

class AutoBackend implements Backend {
  readonly #options: Options;
  readonly #candidates: ReadonlyMap<string, Adapter>;
  readonly #southbound: Southbound;
  #chosen: Chosen | undefined;
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
    return (await this.#choice(signal)).backend.card(signal);
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
    const chosen = await this.#choice(call.signal);
    if (!chosen.backend.send) throw missing("message/send", chosen);
    try {
      return await chosen.backend.send(params, call);
    } catch (thrown) {
      if (!isRefusal(thrown, chosen)) throw thrown;
      return await this.#sendAsSibling(chosen, params, call, thrown);
    }
  }

  stream(params: MessageSendParams, call: Call): AsyncIterable<AgentEvent> {
    return opened(async () => {
      const chosen = await this.#choice(call.signal);
      if (!chosen.backend.stream) throw missing("message/stream", chosen);
      return chosen.backend.stream(params, call);
    });
  }

  async getTask(task: VendorTask, call: Call): Promise<AgentTask> {
    const chosen = await this.#choice(call.signal);
    if (!chosen.backend.getTask) throw missing("tasks/get", chosen);
    return chosen.backend.getTask(task, call);
  }

  async cancelTask(task: VendorTask, call: Call): Promise<AgentTask> {
    const chosen = await this.#choice(call.signal);
    if (!chosen.backend.cancelTask) throw missing("tasks/cancel", chosen);
    return chosen.backend.cancelTask(task, call);
  }

  resubscribe(task: VendorTask, call: Call): AsyncIterable<AgentEvent> {
    return opened(async () => {
      const chosen = await this.#choice(call.signal);
      if (!chosen.backend.resubscribe) throw missing("tasks/resubscribe", chosen);
      return chosen.backend.resubscribe(task, call);
    });
  }

  async subscribePush(task: VendorTask, callback: PushCallback, call: Call): Promise<void> {
    const chosen = await this.#choice(call.signal);
    if (!chosen.backend.subscribePush) throw missing("push notifications", chosen);
    await chosen.backend.subscribePush(task, callback, call);
  }

  async unsubscribePush(task: VendorTask, callbackId: string, call: Call): Promise<void> {
    const chosen = await this.#choice(call.signal);
    if (!chosen.backend.unsubscribePush) throw missing("push notifications to be deleted", chosen);
    await chosen.backend.unsubscribePush(task, callbackId, call);
  }

  async extendedCard(call: Call): Promise<AgentCard> {
    const chosen = await this.#choice(call.signal);
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
    const dialect = SIBLINGS[refused.dialect]?.sibling;
    const adapter = dialect && this.#candidates.get(dialect);
    const backend = adapter && this.#connect(adapter);
    if (!dialect || !backend?.send) throw reason;
    const why = `it refused the message as ${refused.dialect} and took it as ${dialect}`;
    const sibling: Chosen = { dialect, backend, reason: `The agent speaks ${dialect}: ${why}.` };
    try {
      const reply = await backend.send(params, call);
      this.#remember(sibling);
      return reply;
    } catch (thrown) {
      throw isRefusal(thrown, sibling) ? reason : thrown;
    }
  }

  /** Decides once, whoever asks first; an agent that was down is asked again. */
  async #choice(signal: AbortSignal): Promise<Chosen> {
    while (!this.#chosen) {
      const choosing = (this.#choosing ??= { result: this.#choose(signal), signal });
      try {
        await choosing.result;
      } catch (thrown) {
        if (this.#choosing === choosing) this.#choosing = undefined;
        // Where the caller that asked first went away, the others ask again.
        if (signal.aborted || !choosing.signal.aborted) throw thrown;
      }
    }
    return this.#chosen;
  }

  async #choose(signal: AbortSignal): Promise<Chosen> {
    const { dialect, reason, options } = await this.#decide(signal);
    const adapter = this.#candidates.get(dialect);
    if (!adapter) {
      throw new A2AError("unsupported-operation", {
        message: `${reason} No adapter for ${dialect} is available.`,
      });
    }
    return this.#remember({ dialect, reason, backend: this.#connect(adapter, options) });
  }

  async #decide(signal: AbortSignal): Promise<Decision> {
    const southbound = this.#southbound;
    if (southbound.isGrpc) return overGrpc("its url is that of a gRPC server");
    const card = await southbound.fetchCard(signal).catch(() => undefined);
    signal.throwIfAborted();
    try {
      return await decide(readCard(card, southbound.url), new Probe(southbound, signal));
    } catch (thrown) {
      if (!isThere(thrown) || !(await servesGrpc(southbound, signal))) throw thrown;
      return {
        ...overGrpc("it does not answer HTTP, and a probe shows gRPC"),
        options: { transport: "grpc" },
      };
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
    const all = { send, ...(isFollowed && { grpcPort }), ...options };
    return adapter.connect(adapter.options.parse(all), this.#southbound);
  }
}

async function contradictionAt(
  claim: DialectClaim,
  southbound: Southbound,
  signal: AbortSignal,
): Promise<Contradiction | undefined> {
  if (southbound.isGrpc) return undefined;
  const card = await southbound.fetchCard(signal).catch(() => undefined);
  return contradiction(claim, readCard(card, southbound.url), new Probe(southbound, signal));
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
