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
import { agentUrl, cardDocument, servedCard, urlOfHost, type CardDocument } from "./agent-card.ts";
import { withOverlay, withSkills } from "./card-overlay.ts";
import type { CardSigner } from "./card-signer.ts";
import { ClientDialects, REFERENCE_NAME } from "./dialects.ts";
import { servedAt, type Door, type ServedCard } from "./served-card.ts";

/** What the cards of all agents have in common. */
interface Place {
  readonly publicUrl: string;
  readonly declared: DeclaredSecurity;
  readonly push: boolean;
  /** Absent: cards are not signed. */
  readonly signer?: CardSigner | undefined;
  /** What clients may speak; absent: 0.3.0 alone. */
  readonly dialects?: ClientDialects | undefined;
}

/** For whom a card is. */
interface Readers {
  /** There is an extended card. */
  readonly isExtensible: boolean;
  readonly skills?: ReadonlySet<string> | undefined;
  readonly door?: Door | undefined;
}

const REFERENCE_ALONE = new ClientDialects([], REFERENCE_NAME);

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
  readonly dialects: ClientDialects;
  readonly #place: Place;
  /** Where clients reach it over gRPC, as the card says it. */
  #grpcUrl: string | undefined;
  #openStreams = 0;
  #vendorCard: AgentCard | undefined;
  /** The public card by the URL that it is for; or by the reader at the usual one. */
  readonly #documents = new Map<string, Promise<CardDocument>>();

  constructor(config: AgentConfig, gateway: Gateway, place: Place) {
    const { dialects = REFERENCE_ALONE, publicUrl } = place;
    this.config = config;
    this.gateway = gateway;
    this.url = agentUrl(publicUrl, config);
    this.dialects = config.serve ? dialects.only(config.serve) : dialects;
    this.#place = place;
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

  /** Where clients of one dialect alone reach the agent: below its usual URL, or at a host of their own. */
  doorOf(dialect: ClientDialect, host?: string): Door {
    const { publicUrl } = this.#place;
    const url = host === undefined ? `${this.url}${dialect.name}/` : urlOfHost(publicUrl, host);
    return { dialect, url, grpcUrl: dialect.grpc && this.#grpcUrl };
  }

  /** The doors at hosts that speak one dialect alone, by the host's name. */
  get hostDoors(): ReadonlyMap<string, Door> {
    const doors = Object.entries(this.config.hosts ?? {}).flatMap(([host, name]) => {
      const dialect = this.dialects.all.find((one) => one.name === name);
      return dialect ? [[host, this.doorOf(dialect, host)] as const] : [];
    });
    return new Map(doors);
  }

  /** By which clients of a dialect come that have used the agent's usual URL. */
  usualDoorOf(dialect: ClientDialect): Door {
    return { ...this.doorOf(dialect), isUsual: this.dialects.reference !== undefined };
  }

  /**
   * The served card, of which a caller may see certain skills only; rejects with the A2AError that says why the vendor's is
   * not to be had.
   * @param door whose card it is; absent: the card of the agent's usual URL
   */
  async card(skills?: ReadonlySet<string>, door?: Door): Promise<CardDocument> {
    const vendorCard = await this.gateway.card();
    if (skills) return await this.#publicCard(vendorCard, door, skills);
    if (vendorCard !== this.#vendorCard) {
      this.#vendorCard = vendorCard;
      this.#documents.clear();
    }
    const key = `${door?.url} ${door?.isUsual}`;
    const document = this.#documents.get(key) ?? this.#publicCard(vendorCard, door);
    this.#documents.set(key, document);
    return document;
  }

  async #publicCard(
    vendorCard: AgentCard,
    door: Door | undefined,
    skills?: ReadonlySet<string>,
  ): Promise<CardDocument> {
    const isExtensible = this.#offersExtended(vendorCard);
    return cardDocument(
      await this.#publish(vendorCard, this.config.cardOverlay, { isExtensible, skills, door }),
    );
  }

  /**
   * The served card for callers who are known (§7.10): the vendor's extended one, or what the configuration makes of its
   * public one. Rejects with `extended-card-not-configured` where there is none, or none for this caller.
   */
  async extendedCard(caller: Caller, skills?: ReadonlySet<string>, door?: Door): Promise<ServedCard> {
    const { cardOverlay, extendedCard } = this.config;
    if (caller.principal === ANONYMOUS.id && !extendedCard?.public) {
      throw new A2AError("extended-card-not-configured");
    }
    const own = await this.gateway.extendedCard(caller);
    const card = own ?? (extendedCard?.overlay && (await this.gateway.card()));
    if (!card) throw new A2AError("extended-card-not-configured");
    const overlay = { ...cardOverlay, ...extendedCard?.overlay };
    return await this.#publish(card, overlay, { isExtensible: true, skills, door });
  }

  async #publish(
    vendorCard: AgentCard,
    overlay: CardOverlay | undefined,
    { isExtensible, skills, door }: Readers,
  ): Promise<ServedCard> {
    const { declared, push, signer } = this.#place;
    const visible = withSkills(withOverlay(vendorCard, overlay), skills);
    const served = servedCard(visible, this.url, declared, push, this.#grpcUrl);
    const card = { ...served, supportsAuthenticatedExtendedCard: isExtensible };
    const usual = this.dialects.usual && this.doorOf(this.dialects.usual);
    const extending = this.dialects.all.find(({ extendReference }) => extendReference);
    const extension = extending && this.doorOf(extending);
    return await servedAt(door ?? usual, card, { signer, extension });
  }

  /** Whether anybody could have an extended card. */
  #offersExtended({ supportsAuthenticatedExtendedCard: announced }: AgentCard): boolean {
    const { extendedCard } = this.config;
    return (
      (announced === true || extendedCard?.overlay !== undefined) &&
      (extendedCard?.public === true || this.#place.declared.security !== undefined)
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
