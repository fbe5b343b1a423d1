/** The agent's card, fetched once and refreshed in the background; an old card is better than none. */
import type { AgentCard } from "../protocol/card.ts";
import { agentFault } from "./agent-fault.ts";
import type { EngineContext } from "./context.ts";

/** A card older than this is fetched again when it is next asked for, ms. */
const MAX_AGE = 5 * 60_000;
/** After a failure the agent is left alone for this long, ms. */
const RETRY_AFTER = 5_000;

export class CardCache {
  readonly #context: EngineContext;
  #card: AgentCard | undefined;
  #fetching: Promise<AgentCard> | undefined;
  #next = 0;

  constructor(context: EngineContext) {
    this.#context = context;
  }

  /** Rejects with an A2AError while no card has ever been had. */
  async get(): Promise<AgentCard> {
    if (performance.now() >= this.#next || !this.#card) this.#fetching ??= this.#fetch();
    if (this.#card) {
      this.#fetching?.catch((error: unknown) =>
        this.#context.log.warn({ err: error }, "the card could not be refreshed"),
      );
      return this.#card;
    }
    if (!this.#fetching) throw new Error("unreachable: a card or a fetch");
    return await this.#fetching;
  }

  async #fetch(): Promise<AgentCard> {
    const { backend, agent } = this.#context;
    try {
      this.#card = await backend.card(AbortSignal.timeout(agent.timeouts.request));
      this.#next = performance.now() + MAX_AGE;
      return this.#card;
    } catch (error) {
      this.#next = performance.now() + RETRY_AFTER;
      throw agentFault(error, this.#context);
    } finally {
      this.#fetching = undefined;
    }
  }
}
