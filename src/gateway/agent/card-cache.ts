/**
 * The agent's card, fetched once and refreshed in the background for as long as it is asked for; an old card is better
 * than none. A card that has changed is told in the log: clients may rely on what it said.
 */
import type { A2AError } from "../../protocol/errors.ts";
import type { AgentCard } from "../../protocol/card.ts";
import { cardDigests, changedMembers } from "../../store/card-memory.ts";
import { agentFault, isUnsupported } from "./fault.ts";
import type { EngineContext } from "../gateway.ts";
import { ask, type CallContext } from "./agent-call.ts";

/** A card older than this is fetched again when it is next asked for, where the vendor does not say, ms. */
const DEFAULT_AGE = 5 * 60_000;
/** Bounds of what the vendor may say: neither a fetch at every call nor a card for ever, ms. */
const MIN_AGE = 30_000;
const MAX_AGE = 60 * 60_000;
/** After a failure the agent is left alone for this long, ms. */
const RETRY_AFTER = 5_000;

export class CardCache {
  readonly #context: EngineContext;
  #card: AgentCard | undefined;
  #fetching: Promise<AgentCard> | undefined;
  #next = 0;
  /** Of the last fetch, which is not tried again before `#next`: anybody may ask for the card, as often as they like. */
  #failure: A2AError | undefined;

  constructor(context: EngineContext) {
    this.#context = context;
  }

  /** The same object until the card changes. Rejects with an A2AError while no card has ever been had. */
  async get(): Promise<AgentCard> {
    if (performance.now() >= this.#next) this.#fetching ??= this.#fetch();
    if (this.#card) {
      this.#fetching?.catch((error: unknown) =>
        this.#context.log.warn({ err: error }, "the card could not be refreshed"),
      );
      return this.#card;
    }
    if (this.#fetching) return await this.#fetching;
    throw this.#failure ?? new Error("unreachable: a card, a fetch or its failure");
  }

  /** The vendor's extended card as it is now; undefined where it has none. */
  async extended(extras: CallContext): Promise<AgentCard | undefined> {
    const { backend, redact } = this.#context;
    const { supportsAuthenticatedExtendedCard: announced } = await this.get();
    if (!announced) return undefined;
    try {
      const card = await ask(this.#context, extras, async (call) => backend.extendedCard?.(call));
      return card && redact.known(card);
    } catch (error) {
      const fault = agentFault(error, this.#context);
      if (isUnsupported(fault) || fault.code === "extended-card-not-configured") return undefined;
      throw fault;
    }
  }

  async #fetch(): Promise<AgentCard> {
    const { backend, agent, cardAge, redact } = this.#context;
    try {
      // Anybody may read it, and a vendor may have put the key it was asked with into its URLs.
      const card = redact.known(await backend.card(AbortSignal.timeout(agent.timeouts.request)));
      const age = cardAge?.() ?? DEFAULT_AGE;
      this.#next = performance.now() + Math.min(Math.max(age, MIN_AGE), MAX_AGE);
      return (this.#card = this.#changed(card) || !this.#card ? this.#asOffered(card) : this.#card);
    } catch (error) {
      this.#next = performance.now() + RETRY_AFTER;
      throw (this.#failure = agentFault(error, this.#context));
    } finally {
      this.#fetching = undefined;
    }
  }

  /** An extended card that the dialect has no way to ask for is none. */
  #asOffered(card: AgentCard): AgentCard {
    if (this.#context.backend.extendedCard || !card.supportsAuthenticatedExtendedCard) return card;
    return { ...card, supportsAuthenticatedExtendedCard: false };
  }

  /** Whether this card is another than the last one; that of an earlier process counts. */
  #changed(card: AgentCard): boolean {
    const { agent, cards, log } = this.#context;
    const before = cards.recall(agent.name);
    const digests = cardDigests(card);
    const changed = before ? changedMembers(before, digests) : [];
    if (before && changed.length === 0) return false;
    if (before) log.warn({ changed }, "the agent's card has changed");
    try {
      cards.remember(agent.name, digests);
    } catch (err) {
      log.warn({ err }, "what the agent's card is could not be remembered");
    }
    return true;
  }
}
