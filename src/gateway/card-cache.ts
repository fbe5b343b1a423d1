/** The agent's card, fetched once and refreshed in the background; an old card is better than none. */
import type { Logger } from "pino";
import type { Backend } from "../adapter.ts";
import type { AgentCard } from "../protocol/card.ts";

/** A card older than this is fetched again when it is next asked for, ms. */
const MAX_AGE = 5 * 60_000;
/** After a failure the agent is left alone for this long, ms. */
const RETRY_AFTER = 5_000;

export class CardCache {
  readonly #backend: Backend;
  readonly #timeout: number;
  readonly #log: Logger;
  #card: AgentCard | undefined;
  #fetching: Promise<AgentCard> | undefined;
  #next = 0;

  /** @param timeout of one fetch, ms */
  constructor(backend: Backend, timeout: number, log: Logger) {
    this.#backend = backend;
    this.#timeout = timeout;
    this.#log = log;
  }

  /** Rejects with an A2AError while no card has ever been had. */
  async get(): Promise<AgentCard> {
    if (performance.now() >= this.#next || !this.#card) this.#fetching ??= this.#fetch();
    if (this.#card) {
      this.#fetching?.catch((error: unknown) =>
        this.#log.warn({ err: error }, "the card could not be refreshed"),
      );
      return this.#card;
    }
    if (!this.#fetching) throw new Error("unreachable: a card or a fetch");
    return await this.#fetching;
  }

  async #fetch(): Promise<AgentCard> {
    try {
      this.#card = await this.#backend.card(AbortSignal.timeout(this.#timeout));
      this.#next = performance.now() + MAX_AGE;
      return this.#card;
    } catch (error) {
      this.#next = performance.now() + RETRY_AFTER;
      throw error;
    } finally {
      this.#fetching = undefined;
    }
  }
}
