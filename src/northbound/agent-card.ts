/**
 * The card the proxy serves for an agent (§5.5): what the vendor says about its agent, and about the wire only what the
 * proxy itself does. It is built from the members that 0.3.0 names, at every level. A vendor's other members are not
 * served: 1.0's `supportedInterfaces` and `tenant`, for example, would lead clients past the proxy. The URL is the
 * configured public one, never the Host header's.
 */
import { createHash } from "node:crypto";
import type { DeclaredSecurity } from "../auth/gate.ts";
import type { AgentCard, AgentExtension, AgentSkill } from "../protocol/card.ts";
import type { ServedCard } from "./served-card.ts";

/** The name up to 0.2.x is still what several clients read. */
export const CARD_PATHS = ["/.well-known/agent-card.json", "/.well-known/agent.json"] as const;

/** Where an agent's JSON-RPC endpoint is, for everybody: at the root of its own host, if it has one. */
export function agentUrl(publicUrl: string, { name, host }: { name: string; host?: string }): string {
  return host === undefined ? `${publicUrl}/agents/${encodeURIComponent(name)}/` : urlOfHost(publicUrl, host);
}

/** The root of a host, with the scheme and port of the public URL. */
export function urlOfHost(publicUrl: string, host: string): string {
  const { protocol, port } = new URL(publicUrl);
  return `${protocol}//${host}${port === "" ? "" : `:${port}`}/`;
}

const TEXT = ["text/plain"];

/** The served card at `url`; `declared` is what the proxy asks of its callers. */
export function servedCard(
  vendor: AgentCard,
  url: string,
  declared: DeclaredSecurity = {},
  push = false,
  grpcUrl?: string,
): AgentCard {
  const { extensions } = vendor.capabilities;
  return {
    ...aboutAgent(vendor),
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
      ...(extensions && { extensions: extensions.map(servedExtension) }),
    },
    supportsAuthenticatedExtendedCard: false,
  };
}

/**
 * The members that describe the agent. `security` and `securitySchemes` are not among them: the proxy meets the vendor's
 * with the operator's credentials. Nor are `signatures`, which would not verify over another text.
 */
function aboutAgent(vendor: AgentCard) {
  const { name, description, version, iconUrl, documentationUrl, provider, skills } = vendor;
  const { defaultInputModes: input, defaultOutputModes: output } = vendor;
  return {
    name,
    description,
    version,
    ...(iconUrl !== undefined && { iconUrl }),
    ...(documentationUrl !== undefined && { documentationUrl }),
    ...(provider && { provider: { organization: provider.organization, url: provider.url } }),
    defaultInputModes: input.length > 0 ? input : TEXT,
    defaultOutputModes: output.length > 0 ? output : TEXT,
    skills: skills.map(servedSkill),
  };
}

/** Without `security`: callers show the same credentials for all skills. */
const servedSkill = ({ id, name, description, tags, ...optional }: AgentSkill): AgentSkill => {
  const { examples, inputModes, outputModes } = optional;
  return {
    id,
    name,
    description,
    tags,
    ...(examples && { examples }),
    ...(inputModes && { inputModes }),
    ...(outputModes && { outputModes }),
  };
};

/** The adapters' own extensions. In `params` they keep what else the vendor's card says, interfaces among it. */
const OWN_EXTENSION = "urn:a2a-compat-proxy:";

function servedExtension({ uri, description, required, params }: AgentExtension): AgentExtension {
  return {
    uri,
    ...(description !== undefined && { description }),
    ...(required !== undefined && { required }),
    ...(params && !uri.startsWith(OWN_EXTENSION) && { params }),
  };
}

/** A served card, ready to be sent. */
export interface CardDocument {
  readonly card: AgentCard;
  readonly json: string;
  readonly etag: string;
}

export function cardDocument({ card, document }: Pick<ServedCard, "card" | "document">): CardDocument {
  const json = JSON.stringify(document);
  const digest = createHash("sha256").update(json).digest("base64url");
  return { card, json, etag: `"${digest}"` };
}
