/** One agent as the transports share it: its gateway, its limits, the card it is served with. */
import type { DeclaredSecurity } from "../auth/gate.ts";
import type { AgentConfig } from "../config/config.ts";
import type { Gateway } from "../gateway/gateway.ts";
import type { AgentCard } from "../protocol/card.ts";
import { A2AError } from "../protocol/errors.ts";
import { agentUrl, cardDocument, type CardDocument } from "./agent-card.ts";

export class ServedAgent {
  readonly config: AgentConfig;
  readonly gateway: Gateway;
  /** Where clients reach the agent. */
  readonly url: string;
  readonly #declared: DeclaredSecurity;
  readonly #push: boolean;
  #openStreams = 0;
  #vendorCard: AgentCard | undefined;
  #document: CardDocument | undefined;

  constructor(
    config: AgentConfig,
    gateway: Gateway,
    { publicUrl, declared, push }: { publicUrl: string; declared: DeclaredSecurity; push: boolean },
  ) {
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
      this.#document = cardDocument(vendorCard, this.url, this.#declared, this.#push);
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
