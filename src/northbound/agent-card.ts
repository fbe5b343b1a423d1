/**
 * The card the proxy serves for an agent (§5.5): what the vendor says of its agent, and of the wire only what the
 * proxy itself does. The URL is the configured public one, never the Host header's.
 */
import { createHash } from "node:crypto";
import type { DeclaredSecurity } from "../auth/gate.ts";
import type { AgentCard } from "../protocol/card.ts";

/** The name up to 0.2.x is still what several clients read. */
export const CARD_PATHS = ["/.well-known/agent-card.json", "/.well-known/agent.json"] as const;

/** Where an agent's JSON-RPC endpoint is, for everybody. */
export const agentUrl = (publicUrl: string, agent: string): string =>
  `${publicUrl}/agents/${encodeURIComponent(agent)}/`;

const TEXT = ["text/plain"];

/** The vendor's card, with everything about reaching the agent said of the proxy at `url`, which asks for `declared`. */
export function servedCard(
  vendor: AgentCard,
  url: string,
  declared: DeclaredSecurity = {},
  push = false,
  grpcUrl?: string,
): AgentCard {
  // What the vendor asks of its callers the proxy fulfils itself, with the operator's credentials; it asks for what
  // is configured, of all methods and skills alike. A signature is over the vendor's text and would no longer verify.
  const { security: _security, securitySchemes: _schemes, signatures: _signatures, ...card } = vendor;
  const { extensions } = card.capabilities;
  return {
    ...card,
    ...declared,
    protocolVersion: "0.3.0",
    url,
    preferredTransport: "JSONRPC",
    additionalInterfaces: [
      { url, transport: "JSONRPC" },
      // Clients add `/v1/…` to it.
      { url: url.replace(/\/$/, ""), transport: "HTTP+JSON" },
      ...(grpcUrl === undefined ? [] : [{ url: grpcUrl, transport: "GRPC" }]),
    ],
    capabilities: {
      streaming: true,
      pushNotifications: push,
      stateTransitionHistory: false,
      ...(extensions && { extensions }),
    },
    defaultInputModes: card.defaultInputModes.length > 0 ? card.defaultInputModes : TEXT,
    defaultOutputModes: card.defaultOutputModes.length > 0 ? card.defaultOutputModes : TEXT,
    skills: card.skills.map(({ security: _security, ...skill }) => skill),
    supportsAuthenticatedExtendedCard: false,
  };
}

/** A served card, ready to be sent. */
export interface CardDocument {
  readonly card: AgentCard;
  readonly json: string;
  readonly etag: string;
}

export function cardDocument(card: AgentCard): CardDocument {
  const json = JSON.stringify(card);
  const digest = createHash("sha256").update(json).digest("base64url");
  return { card, json, etag: `"${digest}"` };
}
