/**
 * The agent card: 0.1 has `authentication { schemes, credentials? }` where 0.3.0 §5.5 has OpenAPI security schemes,
 * and requires less. What 0.3.0 requires and the vendor does not say is empty, not guessed.
 * Lossy: `authentication.credentials` is dropped, as it may hold a secret and a card is public. A scheme is only a
 * word in 0.1: an API key's header, OAuth flows and OpenID URLs are unknown, see the README. Towards the wire:
 * everything 0.3.0 added to the card (further interfaces, icon, signatures, extensions, the schemes' details).
 */
import type { AgentCard, AgentSkill, SecurityScheme } from "../../src/protocol/card.ts";
import { compact } from "../shared/object.ts";
import { EXTENSION } from "./extras.ts";
import { fromCanonicalModes, toCanonicalModes } from "./modes.ts";
import type { WireCard, WireSkill } from "./wire.ts";

/** 0.1 does not say which header carries an API key; this is the usual one. */
const API_KEY_HEADER = "X-API-Key";

export function toCanonicalCard(wire: WireCard): AgentCard {
  const { authentication, provider, capabilities, skills, defaultInputModes, defaultOutputModes, ...rest } =
    wire;
  const { streaming, pushNotifications, stateTransitionHistory } = capabilities ?? {};
  const { name, description, url, version, ...optional } = rest;
  return compact({
    ...optional,
    protocolVersion: "0.3.0",
    name,
    description: description ?? "",
    url: url ?? "",
    version: version ?? "",
    preferredTransport: "JSONRPC",
    provider: provider ? { organization: provider.organization, url: provider.url ?? "" } : undefined,
    capabilities: {
      streaming: streaming ?? false,
      pushNotifications: pushNotifications ?? false,
      stateTransitionHistory: stateTransitionHistory ?? false,
      extensions: [{ uri: EXTENSION, description: "What the agent says beyond A2A 0.3.0, in metadata." }],
    },
    ...toCanonicalSecurity(authentication),
    defaultInputModes: toCanonicalModes(defaultInputModes),
    defaultOutputModes: toCanonicalModes(defaultOutputModes),
    skills: (skills ?? []).map(toCanonicalSkill),
  });
}

function toCanonicalSkill(skill: WireSkill): AgentSkill {
  const { id, name, description, tags, examples, inputModes, outputModes, ...rest } = skill;
  return compact({
    ...rest,
    id: id ?? name ?? "",
    name: name ?? id ?? "",
    description: description ?? "",
    tags: tags ?? [],
    examples,
    inputModes: inputModes?.length ? toCanonicalModes(inputModes) : undefined,
    outputModes: outputModes?.length ? toCanonicalModes(outputModes) : undefined,
  });
}

/** One scheme is enough: 0.1 lists alternatives. */
function toCanonicalSecurity(
  authentication: WireCard["authentication"],
): Pick<AgentCard, "securitySchemes" | "security"> {
  const schemes = typeof authentication === "string" ? authentication : authentication?.schemes;
  const names = typeof schemes === "string" ? [schemes] : (schemes ?? []);
  const known = names.flatMap((name) => {
    const scheme = toCanonicalScheme(name);
    return scheme ? [[name, scheme] as const] : [];
  });
  if (known.length === 0) return {};
  return { securitySchemes: Object.fromEntries(known), security: known.map(([name]) => ({ [name]: [] })) };
}

type Scheme = SecurityScheme & Readonly<Record<string, unknown>>;

/** Undefined where the word says that nothing is needed. */
function toCanonicalScheme(name: string): Scheme | undefined {
  switch (
    name
      .trim()
      .toLowerCase()
      .replaceAll(/[\s_-]/g, "")
  ) {
    case "":
    case "none":
    case "public":
    case "noauth":
      return undefined;
    case "bearer":
    case "token":
      return { type: "http", scheme: "bearer" };
    case "jwt":
      return { type: "http", scheme: "bearer", bearerFormat: "JWT" };
    case "apikey":
    case "xapikey":
      return { type: "apiKey", in: "header", name: API_KEY_HEADER };
    case "oauth2":
    case "oauth":
      return { type: "oauth2", flows: {} };
    case "openidconnect":
    case "oidc":
      return { type: "openIdConnect", openIdConnectUrl: "" };
    default:
      return { type: "http", scheme: name };
  }
}

export function fromCanonicalCard(card: AgentCard): WireCard {
  const { streaming, pushNotifications, stateTransitionHistory } = card.capabilities;
  const schemes = Object.values(card.securitySchemes ?? {}).map(fromCanonicalScheme);
  return compact({
    name: card.name,
    description: card.description,
    url: card.url,
    provider: card.provider,
    version: card.version,
    documentationUrl: card.documentationUrl,
    capabilities: compact({ streaming, pushNotifications, stateTransitionHistory }),
    authentication: schemes.length > 0 ? { schemes } : undefined,
    defaultInputModes: fromCanonicalModes(card.defaultInputModes),
    defaultOutputModes: fromCanonicalModes(card.defaultOutputModes),
    skills: card.skills.map(fromCanonicalSkill),
  });
}

function fromCanonicalSkill(skill: AgentSkill): WireSkill {
  const { id, name, description, tags, examples, inputModes, outputModes } = skill;
  return compact({
    id,
    name,
    description,
    tags,
    examples,
    inputModes: inputModes ? fromCanonicalModes(inputModes) : undefined,
    outputModes: outputModes ? fromCanonicalModes(outputModes) : undefined,
  });
}

/** The word of 0.1 for a scheme: an HTTP scheme's own name, else the OpenAPI type. */
function fromCanonicalScheme(scheme: SecurityScheme): string {
  if (scheme.type !== "http" || !("scheme" in scheme)) return scheme.type;
  return String(scheme.scheme);
}
