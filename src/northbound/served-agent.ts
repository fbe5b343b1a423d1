/** One agent as the transports share it: its gateway, its limits, the card it is served with. */
import type { DeclaredSecurity } from "../auth/gate.ts";
import { ANONYMOUS } from "../auth/principal.ts";
import type { AgentConfig } from "../config/config.ts";
import type { CardOverlay } from "../config/cards.ts";
import type { ClientDialect } from "../dialect.ts";
import type { Caller, Gateway } from "../gateway/gateway.ts";
import type { AcceptRules } from "../protocol/accept.ts";
import type { AgentCard } from "../protocol/card.ts";
import { A2AError } from "../protocol/errors.ts";
import { agentUrl, cardDocument, sealed, servedCard, type CardDocument } from "./agent-card.ts";
import { withOverlay, withSkills } from "./card-overlay.ts";
import type { CardSigner } from "./card-signer.ts";

/** What the cards of all agents have in common. */
interface Place {
  readonly publicUrl: string;
  readonly declared: DeclaredSecurity;
  readonly push: boolean;
  /** Absent: cards are not signed. */
  readonly signer?: CardSigner | undefined;
}

/** The agents, ready to be served by every transport. */
export function servedAgents(
  gateways: ReadonlyMap<string, Gateway>,
  { agents, server }: { agents: ReadonlyMap<string, AgentConfig>; server: Pick<Place, "publicUrl"> },
  alike: Omit<Place, "publicUrl">,
): ReadonlyMap<string, ServedAgent> {
  const served = new Map<string, ServedAgent>();
  for (const [name, gateway] of gateways) {
    const config = agents.get(name);
    if (config === undefined) throw new Error(`a gateway for an agent that is not configured: ${name}`);
    served.set(name, new ServedAgent(config, gateway, { ...alike, publicUrl: server.publicUrl }));
  }
  return served;
}

export class ServedAgent {
  readonly config: AgentConfig;
  readonly gateway: Gateway;
  /** Where clients reach the agent. */
  readonly url: string;
  readonly #declared: DeclaredSecurity;
  readonly #push: boolean;
  /** Where clients reach it over gRPC, as the card says it. */
  #grpcUrl: string | undefined;
  #openStreams = 0;
  #vendorCard: AgentCard | undefined;
  #document: Promise<CardDocument> | undefined;
  readonly #signer: CardSigner | undefined;
  /** What has been made of a card for clients of other dialects. */
  readonly #inDialects = new WeakMap<CardDocument, Map<ClientDialect, CardDocument>>();

  constructor(config: AgentConfig, gateway: Gateway, { publicUrl, declared, push, signer }: Place) {
    this.config = config;
    this.gateway = gateway;
    this.url = agentUrl(publicUrl, config);
    this.#push = push;
    this.#declared = declared;
    this.#signer = signer;
  }

  /** Names gRPC on the card, before the first one is asked for. */
  offerGrpc(url: string): void {
    this.#grpcUrl = url;
  }

  /** What is accepted of a client's params. */
  acceptRules(newId: () => string): AcceptRules {
    const { limits, strict } = this.config;
    return { maxParts: limits.parts, newId, ...(strict && { strict }) };
  }

  /**
   * The served card, in 0.3.0 or in a dialect, of which a caller may see certain skills only; rejects with the A2AError that says why the
   * vendor's is not to be had.
   */
  async card(skills?: ReadonlySet<string>, dialect?: ClientDialect): Promise<CardDocument> {
    const document = await this.#referenceCard(skills);
    return dialect ? this.#inDialect(document, dialect) : document;
  }

  /** The same card at the dialect's own URL, as its clients read it. */
  #inDialect(document: CardDocument, dialect: ClientDialect): CardDocument {
    const known = this.#inDialects.get(document)?.get(dialect);
    if (known) return known;
    const place = { url: `${this.url}${dialect.name}/`, grpcUrl: this.#grpcUrl };
    const made = { ...sealed(dialect.fromCard(document.card, place)), card: document.card };
    const all = this.#inDialects.get(document) ?? new Map<ClientDialect, CardDocument>();
    this.#inDialects.set(document, all.set(dialect, made));
    return made;
  }

  async #referenceCard(skills?: ReadonlySet<string>): Promise<CardDocument> {
    const vendorCard = await this.gateway.card();
    if (skills) {
      const extended = this.#offersExtended(vendorCard);
      return cardDocument(await this.#publish(vendorCard, this.config.cardOverlay, extended, skills));
    }
    if (this.#document === undefined || vendorCard !== this.#vendorCard) {
      this.#vendorCard = vendorCard;
      const served = this.#publish(vendorCard, this.config.cardOverlay, this.#offersExtended(vendorCard));
      this.#document = served.then(cardDocument);
    }
    return this.#document;
  }

  /**
   * The served card for callers who are known (§7.10): the vendor's extended one, or what the configuration makes of its
   * public one. Rejects with `extended-card-not-configured` where there is none, or none for this caller.
   */
  async extendedCard(caller: Caller, skills?: ReadonlySet<string>): Promise<AgentCard> {
    const { cardOverlay, extendedCard } = this.config;
    if (caller.principal === ANONYMOUS.id && !extendedCard?.public) {
      throw new A2AError("extended-card-not-configured");
    }
    const own = await this.gateway.extendedCard(caller);
    const card = own ?? (extendedCard?.overlay && (await this.gateway.card()));
    if (!card) throw new A2AError("extended-card-not-configured");
    return await this.#publish(card, { ...cardOverlay, ...extendedCard?.overlay }, true, skills);
  }

  async #publish(
    vendorCard: AgentCard,
    overlay: CardOverlay | undefined,
    supportsAuthenticatedExtendedCard: boolean,
    skills?: ReadonlySet<string>,
  ): Promise<AgentCard> {
    const served = servedCard(
      withSkills(withOverlay(vendorCard, overlay), skills),
      this.url,
      this.#declared,
      this.#push,
      this.#grpcUrl,
    );
    const card = { ...served, supportsAuthenticatedExtendedCard };
    return this.#signer ? await this.#signer.sign(card) : card;
  }

  /** Whether anybody could have an extended card. */
  #offersExtended({ supportsAuthenticatedExtendedCard: announced }: AgentCard): boolean {
    const { extendedCard } = this.config;
    return (
      (announced === true || extendedCard?.overlay !== undefined) &&
      (extendedCard?.public === true || this.#declared.security !== undefined)
    );
  }

  /** Counts a stream in; throws `too-many-requests` at the limit. Whoever took a place leaves it with `leaveStream`. */
  enterStream(): void {
    const limit = this.config.limits.streams;
    if (this.#openStreams >= limit) {
      throw new A2AError("too-many-requests", { data: { agent: this.config.name, limit } });
    }
    this.#openStreams += 1;
  }

  leaveStream(): void {
    this.#openStreams -= 1;
  }
}
