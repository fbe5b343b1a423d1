/**
 * The agent card: 0.2.6 with one transport unnamed, a placeholder for a url, `security` as a map or a list, and an
 * apiKey scheme whose value needs a `Bearer ` prefix, which 0.3.0 (§5.5.4, OpenAPI) calls the http scheme `bearer`.
 */
import type { AgentCard, AgentSkill, SecurityScheme } from "../../src/protocol/card.ts";
import { A2AError } from "../../src/protocol/errors.ts";
import { compact } from "../shared/object.ts";
import { EXTENSION, WireCard, WireScheme, type WireSkill } from "./wire.ts";

const TEXT = ["text/plain"];

const extension = {
  uri: EXTENSION,
  description:
    "Qianfan AppBuilder's own metadata of artifacts and events, unchanged, under this key of their metadata.",
};

/** @param url what the operator has configured; the card's own is a placeholder (`http://demo.com`) */
export function toCanonicalCard(raw: unknown, url: string): AgentCard {
  const parsed = WireCard.safeParse(raw);
  if (!parsed.success) {
    throw new A2AError("invalid-agent-response", {
      message: "The agent's card is not a JSON object",
      data: { stage: "card" },
      cause: parsed.error,
    });
  }
  const wire = parsed.data;
  const { provider, securitySchemes, security } = wire;
  const organization = provider?.organization ?? provider?.origanization;
  return compact({
    ...wire,
    protocolVersion: "0.3.0",
    name: wire.name ?? "",
    description: wire.description ?? "",
    version: wire.version ?? "",
    url,
    preferredTransport: "JSONRPC",
    capabilities: { streaming: wire.capabilities?.streaming ?? true, extensions: [extension] },
    provider: organization ? { organization, url: provider?.url ?? "" } : undefined,
    securitySchemes: securitySchemes ? mapValues(securitySchemes, toCanonicalScheme) : undefined,
    security: security && !Array.isArray(security) ? [security] : security,
    defaultInputModes: wire.defaultInputModes ?? TEXT,
    defaultOutputModes: wire.defaultOutputModes ?? TEXT,
    skills: (wire.skills ?? []).map(toCanonicalSkill),
  });
}

function toCanonicalSkill(wire: WireSkill): AgentSkill {
  const name = wire.name ?? wire.id ?? "";
  const { description, tags } = wire;
  return compact({ ...wire, id: wire.id ?? name, name, description: description ?? "", tags: tags ?? [] });
}

function toCanonicalScheme(wire: WireScheme): SecurityScheme {
  const isBearer =
    wire.type === "apiKey" && wire.in === "header" && wire.name?.toLowerCase() === "authorization";
  if (!isBearer) return compact({ ...wire });
  return compact({ type: "http", scheme: "bearer", description: wire.description || undefined });
}

/**
 * AppBuilder's card has no field for interfaces, icon, documentation, extensions, push or signatures, and says nothing
 * but apiKey of security: these are lost, and an http bearer scheme is written as AppBuilder writes it.
 */
export function fromCanonicalCard(card: AgentCard): WireCard {
  const { name, description, version, url, provider, security, skills } = card;
  const { securitySchemes, defaultInputModes, defaultOutputModes } = card;
  return compact({
    version,
    description,
    skills,
    protocolVersion: "0.2.6",
    url,
    provider,
    capabilities: { streaming: card.capabilities.streaming ?? false },
    securitySchemes: securitySchemes ? mapValues(securitySchemes, fromCanonicalScheme) : undefined,
    security,
    defaultInputModes,
    defaultOutputModes,
    name,
  });
}

function fromCanonicalScheme(scheme: SecurityScheme): WireScheme {
  const wire = WireScheme.parse(scheme);
  if (wire.type !== "http" || wire.scheme?.toLowerCase() !== "bearer") return wire;
  return { description: wire.description ?? "", in: "header", name: "Authorization", type: "apiKey" };
}

function mapValues<T, U>(record: Record<string, T>, map: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}
