/**
 * The agent card. Mismatch bridged: `supportedInterfaces` for url, preferredTransport and additionalInterfaces,
 * capabilities.extendedAgentCard for supportsAuthenticatedExtendedCard, securityRequirements for security; 0.3.0 §5.5.
 *
 * Loss: `signatures` sign the card as it was and are dropped, as are unknown members: a served card is built from what
 * is known.
 */
import type { AgentCard, AgentExtension } from "../../src/protocol/card.ts";
import type { ExtendedReference } from "../../src/dialect.ts";
import { withoutTrailing } from "../../src/protocol/text.ts";
import { compact } from "../shared/object.ts";
import { nonEmptyList } from "./parts.ts";
import { EXTENSION } from "./preserved.ts";
import {
  fromCanonicalScheme,
  fromCanonicalSecurity,
  toCanonicalScheme,
  toCanonicalSecurity,
} from "./security.ts";
import type { WireCapabilities, WireCard, WireInterface, WireSkill } from "./wire.ts";

const PROTOCOL_VERSION = "0.3.0";
const EXTENSION_DESCRIPTION = "What the agent said that A2A 0.3.0 has no field for";
const DEFAULT_MODES = ["text/plain"];

/** 1.0's names of the bindings, which are also 0.3.0's names of the transports. */
export type Binding = "JSONRPC" | "HTTP+JSON" | "GRPC";

const BINDINGS: ReadonlyMap<string, Binding> = new Map([
  ["jsonrpc", "JSONRPC"],
  ["http+json", "HTTP+JSON"],
  ["httpjson", "HTTP+JSON"],
  ["rest", "HTTP+JSON"],
  ["grpc", "GRPC"],
]);

/** Undefined for a binding that A2A does not define. */
export const bindingOf = ({ protocolBinding, transport }: WireInterface): Binding | undefined =>
  BINDINGS.get((protocolBinding ?? transport ?? "jsonrpc").toLowerCase());

/** Two spellings of one URL: the trailing slash and the host's case do not count. */
export function isSameUrl(one: string, other: string): boolean {
  const plain = (url: string): string => withoutTrailing(URL.canParse(url) ? new URL(url).href : url, "/");
  return plain(one) === plain(other);
}

/** Interfaces of 1.x, and those that name no version. */
export const interfacesOf = (card: WireCard): WireInterface[] =>
  (card.supportedInterfaces ?? []).filter(({ protocolVersion }) => (protocolVersion ?? "1").startsWith("1"));

/** @param endpoint the configured URL; the card's URL if the card names none */
export function toCanonicalCard(card: WireCard, endpoint: string): AgentCard {
  const { capabilities, provider } = card;
  const [main] = interfacesOf(card);
  const requirements = card.securityRequirements ?? card.security;
  return compact({
    protocolVersion: PROTOCOL_VERSION,
    name: card.name,
    description: card.description ?? "",
    version: card.version ?? "",
    url: main?.url ?? card.url ?? endpoint,
    preferredTransport: (main && bindingOf(main)) ?? card.preferredTransport ?? "JSONRPC",
    additionalInterfaces: card.supportedInterfaces?.flatMap(toCanonicalInterface),
    iconUrl: card.iconUrl,
    documentationUrl: card.documentationUrl,
    provider: provider && { organization: provider.organization ?? "", url: provider.url ?? "" },
    capabilities: toCanonicalCapabilities(capabilities ?? {}),
    securitySchemes: toCanonicalSchemes(card),
    security: requirements && toCanonicalSecurity(requirements),
    defaultInputModes: nonEmptyList(card.defaultInputModes) ?? DEFAULT_MODES,
    defaultOutputModes: nonEmptyList(card.defaultOutputModes) ?? DEFAULT_MODES,
    skills: (card.skills ?? []).map(toCanonicalSkill),
    supportsAuthenticatedExtendedCard: capabilities?.extendedAgentCard,
  });
}

/** Where clients of 1.0 reach the agent. */
export interface ServedInterface {
  readonly url: string;
  readonly binding: Binding;
}

/** The card as clients of 1.0 get it: `interfaces` are the proxy's own, whatever the card says. */
export function fromCanonicalCard(card: AgentCard, interfaces: readonly ServedInterface[]) {
  return compact({
    name: card.name,
    description: card.description,
    version: card.version,
    supportedInterfaces: interfaces.map(({ url, binding }) => ({
      url,
      protocolBinding: binding,
      protocolVersion: "1.0",
    })),
    iconUrl: card.iconUrl,
    documentationUrl: card.documentationUrl,
    provider: card.provider && { organization: card.provider.organization, url: card.provider.url },
    capabilities: fromCanonicalCapabilities(card),
    securitySchemes: fromCanonicalSchemes(card),
    securityRequirements: card.security && fromCanonicalSecurity(card.security),
    defaultInputModes: card.defaultInputModes,
    defaultOutputModes: card.defaultOutputModes,
    skills: card.skills.map(fromCanonicalSkill),
  });
}

/**
 * The card as clients of 0.3.0 and of 1.0 both read it. 1.0's interfaces come first, then those of 0.3.0. A security scheme
 * has 0.3.0's `type` beside 1.0's member: readers of either leave out what they do not know.
 */
export function extendedReference(
  card: AgentCard,
  interfaces: readonly ServedInterface[],
): ExtendedReference {
  const own = fromCanonicalCard(card, interfaces);
  const supportedInterfaces = [...own.supportedInterfaces, ...referenceInterfaces(card)];
  const { extensions } = card.capabilities;
  const { extendedAgentCard } = own.capabilities;
  const { securityRequirements } = own;
  const schemes = Object.entries(card.securitySchemes ?? {}).map(([name, scheme]) => [
    name,
    { ...scheme, ...fromCanonicalScheme(scheme) },
  ]);
  return {
    document: compact({
      ...card,
      supportedInterfaces,
      capabilities: compact({ ...card.capabilities, extendedAgentCard }),
      securitySchemes: schemes.length > 0 ? Object.fromEntries(schemes) : undefined,
      securityRequirements,
    }),
    asRead: {
      ...own,
      supportedInterfaces,
      capabilities: compact({ ...own.capabilities, extensions: extensions?.map(fromCanonicalExtension) }),
    },
  };
}

/** 1.0 calls 0.3.0's version by its first two numbers. */
const referenceInterfaces = ({ additionalInterfaces }: AgentCard) =>
  (additionalInterfaces ?? []).map(({ url, transport }) => ({
    url,
    protocolBinding: transport,
    protocolVersion: "0.3",
  }));

function toCanonicalSchemes({ securitySchemes }: WireCard): AgentCard["securitySchemes"] {
  const schemes = Object.entries(securitySchemes ?? {}).flatMap(([name, raw]) => {
    const scheme = toCanonicalScheme(raw);
    return scheme ? [[name, scheme] as const] : [];
  });
  return schemes.length > 0 ? Object.fromEntries(schemes) : undefined;
}

function fromCanonicalSchemes({ securitySchemes }: AgentCard): Record<string, unknown> | undefined {
  const schemes = Object.entries(securitySchemes ?? {}).flatMap(([name, canonical]) => {
    const scheme = fromCanonicalScheme(canonical);
    return scheme ? [[name, scheme] as const] : [];
  });
  return schemes.length > 0 ? Object.fromEntries(schemes) : undefined;
}

function toCanonicalInterface(one: WireInterface): { url: string; transport: string }[] {
  const transport = bindingOf(one) ?? one.protocolBinding;
  return transport ? [{ url: one.url, transport }] : [];
}

function toCanonicalCapabilities(capabilities: WireCapabilities): AgentCard["capabilities"] {
  const { streaming, pushNotifications, stateTransitionHistory, extensions } = capabilities;
  const own: AgentExtension = { uri: EXTENSION, description: EXTENSION_DESCRIPTION };
  const others = (extensions ?? []).map(({ uri, description, required, params }) =>
    compact({ uri, description, required, params }),
  );
  return compact({
    streaming,
    pushNotifications,
    stateTransitionHistory,
    extensions: [...others, own],
  });
}

/** Loss: stateTransitionHistory, which 1.0 has removed. */
function fromCanonicalCapabilities({ capabilities, supportsAuthenticatedExtendedCard }: AgentCard) {
  const { streaming, pushNotifications, extensions } = capabilities;
  const others = extensions?.filter(({ uri }) => uri !== EXTENSION).map(fromCanonicalExtension);
  return compact({
    streaming,
    pushNotifications,
    extensions: nonEmptyList(others),
    extendedAgentCard: supportsAuthenticatedExtendedCard,
  });
}

/** Without `required: false`, which signatures of 1.0 leave out. */
const fromCanonicalExtension = ({ uri, description, required, params }: AgentExtension) =>
  compact({ uri, description, required: required || undefined, params });

function toCanonicalSkill(skill: WireSkill): AgentCard["skills"][number] {
  const { id, name, description, tags, examples, inputModes, outputModes, securityRequirements } = skill;
  return compact({
    id,
    name: name ?? id,
    description: description ?? "",
    tags: tags ?? [],
    examples: nonEmptyList(examples),
    inputModes: nonEmptyList(inputModes),
    outputModes: nonEmptyList(outputModes),
    security: securityRequirements && toCanonicalSecurity(securityRequirements),
  });
}

function fromCanonicalSkill(skill: AgentCard["skills"][number]) {
  const { id, name, description, tags, examples, inputModes, outputModes, security } = skill;
  return compact({
    id,
    name,
    description,
    tags,
    examples,
    inputModes,
    outputModes,
    securityRequirements: security && fromCanonicalSecurity(security),
  });
}
