/**
 * Which dialect the agent speaks: decided once, by whoever asks first, and remembered while the process runs. An agent that
 * was down is asked again.
 */
import { z } from "zod";
import type { Adapter, Backend } from "../../src/adapter.ts";
import { A2AError } from "../../src/protocol/errors.ts";
import type { CallScope } from "../../src/southbound/http.ts";
import type { Southbound } from "../../src/southbound/southbound.ts";
import { Send } from "../shared/send.ts";
import { decide, type Decision } from "./decide.ts";
import { dialectBesideHttp, dialectOfServer } from "./grpc-probe.ts";
import { Probe } from "./probe.ts";
import { siblingOf } from "./siblings.ts";
import { readCard, type Dialect } from "./signs.ts";

/** What else a dialect needs beyond its defaults is configured with that dialect's own adapter. */
export const Options = z.strictObject({
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
export type Options = z.infer<typeof Options>;

export interface Chosen extends Decision {
  readonly backend: Backend;
}

const NOWHERE = z.looseObject({ stage: z.enum(["connect", "dns"]) });

/** Something listens there, whatever it said. */
const isThere = (thrown: unknown): boolean =>
  thrown instanceof A2AError && !NOWHERE.safeParse(thrown.data).success;

export class Choice {
  readonly #options: Options;
  readonly #candidates: ReadonlyMap<string, Adapter>;
  readonly #southbound: Southbound;
  #chosen: Chosen | undefined;
  #choosing: { readonly result: Promise<Chosen>; readonly signal: AbortSignal } | undefined;
  #isConfirmed = false;

  constructor(candidates: ReadonlyMap<string, Adapter>, options: Options, southbound: Southbound) {
    this.#options = options;
    this.#candidates = candidates;
    this.#southbound = southbound;
  }

  /** Undefined until it is made. */
  get made(): Chosen | undefined {
    return this.#chosen;
  }

  /** The agent has taken a message. */
  get isConfirmed(): boolean {
    return this.#isConfirmed;
  }

  async of(scope: CallScope): Promise<Chosen> {
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

  /** What the agent may speak if it has refused a message in the chosen dialect. */
  siblingOf(refused: Dialect): Chosen | undefined {
    const dialect = siblingOf(refused);
    const adapter = dialect && this.#candidates.get(dialect);
    if (!adapter) return undefined;
    const why = `it refused the message as ${refused} and took it as ${dialect}`;
    return { dialect, backend: this.#connect(adapter), reason: `The agent speaks ${dialect}: ${why}.` };
  }

  /** The agent has taken a message in the chosen dialect. */
  confirm(): void {
    this.#isConfirmed = true;
  }

  /** The agent has taken a message in that dialect, which is its own from now on. */
  adopt(sibling: Chosen): void {
    if (this.#chosen !== sibling) this.#remember(sibling);
    this.#isConfirmed = true;
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
