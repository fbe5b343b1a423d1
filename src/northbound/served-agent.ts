/** One agent as the transports share it: its gateway, its limits, the card it is served with. */
import type { DeclaredSecurity } from "../auth/gate.ts";
import type { AgentConfig } from "../config/config.ts";
import type { Gateway } from "../gateway/gateway.ts";
import type { AgentCard } from "../protocol/card.ts";
import { A2AError } from "../protocol/errors.ts";
import { agentUrl, cardDocument, type CardDocument } from "./agent-card.ts";

/** What the cards of all agents have in common. */
interface Place {
  readonly publicUrl: string;
  readonly declared: DeclaredSecurity;
  readonly push: boolean;
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
  /** Where clients reach it over gRPC, as the card says it; set before the first card is asked for. */
  grpcUrl: string | undefined;
  #openStreams = 0;
  #vendorCard: AgentCard | undefined;
  #document: CardDocument | undefined;

  constructor(config: AgentConfig, gateway: Gateway, { publicUrl, declared, push }: Place) {
    this.config = config;
    this.gateway = gateway;
    this.url = agentUrl(publicUrl, config.name);
    this.#push = push;
    this.#declared = declared;
  }

  /** The served card; rejects with the A2AError that says why the vendor's is not to be had. */
  async card(): Promise<CardDocument> {
    const vendorCard = await this.gateway.card();
    if (this.#document === undefined || vendorCard !== this.#vendorCard) {
      this.#vendorCard = vendorCard;
      this.#document = cardDocument(vendorCard, this.url, this.#declared, this.#push, this.grpcUrl);
    }
    return this.#document;
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
