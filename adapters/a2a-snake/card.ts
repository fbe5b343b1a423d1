/**
 * The agent card. Mismatch bridged: `supported_interfaces` for url, preferredTransport and additionalInterfaces,
 * capabilities.extended_agent_card for supportsAuthenticatedExtendedCard, security_requirements for security, and
 * snake_case throughout; 0.3.0 §5.5.
 *
 * Loss: `signatures` sign the card as it was and are dropped. An interface's tenant and protocol_version have no
 * field and stay beside its url as members that 0.3.0 does not name. Unknown members of the card itself survive in
 * the params of the extension that the card declares.
 */
import type { AgentCard, AgentExtension } from "../../src/protocol/card.ts";
import { withoutTrailing } from "../../src/protocol/text.ts";
import { compact, isRecord } from "../shared/object.ts";
import { EXTENSION } from "./extras.ts";
import { fromCanonicalScheme, toCanonicalScheme, toCanonicalSecurity } from "./security.ts";
import {
  cardExtras,
  type WireCapabilities,
  type WireCard,
  type WireInterface,
  type WireSkill,
} from "./wire.ts";

type CanonicalInterface = NonNullable<AgentCard["additionalInterfaces"]>[number];

const PROTOCOL_VERSION = "0.3.0";
const DIALECT_VERSION = "1.0";
const EXTENSION_DESCRIPTION = "What the agent said that A2A 0.3.0 has no field for";
const DEFAULT_MODES = ["text/plain"];

const TRANSPORTS: ReadonlyMap<string, string> = new Map([
  ["jsonrpc", "JSONRPC"],
  ["grpc", "GRPC"],
  ["http+json", "HTTP+JSON"],
]);

const toCanonicalTransport = (binding: string): string => TRANSPORTS.get(binding.toLowerCase()) ?? binding;
const fromCanonicalTransport = (transport: string): string =>
  TRANSPORTS.has(transport.toLowerCase()) ? transport.toLowerCase() : transport;

/** Two spellings of one URL: the trailing slash and the host's case do not count. */
function sameUrl(one: string, other: string): boolean {
  const plain = (url: string): string => withoutTrailing(URL.canParse(url) ? new URL(url).href : url, "/");
  return plain(one) === plain(other);
}

/** The interface that is spoken to: the JSON-RPC one at the endpoint, else the first JSON-RPC one. */
export function chosenInterface(card: WireCard, endpoint: string): WireInterface | undefined {
  const rpc = (card.supported_interfaces ?? []).filter(
    ({ protocol_binding }) => toCanonicalTransport(protocol_binding ?? "jsonrpc") === "JSONRPC",
  );
  return rpc.find(({ url }) => sameUrl(url, endpoint)) ?? rpc[0];
}

/** @param endpoint what requests are posted to; the card's URL where the card names none */
export function toCanonicalCard(card: WireCard, endpoint: string): AgentCard {
  const { capabilities, provider } = card;
  const chosen = chosenInterface(card, endpoint);
  const { schemes, untyped } = splitSchemes(card);
  return compact({
    protocolVersion: PROTOCOL_VERSION,
    name: card.name,
    description: card.description ?? "",
    version: card.version ?? "",
    url: chosen?.url ?? card.url ?? endpoint,
    preferredTransport: chosen ? "JSONRPC" : (card.preferred_transport ?? "JSONRPC"),
    additionalInterfaces: card.supported_interfaces?.map(toCanonicalInterface),
    iconUrl: card.icon_url,
    documentationUrl: card.documentation_url,
    provider: provider && { ...provider, organization: provider.organization ?? "", url: provider.url ?? "" },
    capabilities: toCanonicalCapabilities(capabilities ?? {}, { ...cardExtras(card), ...untyped }),
    securitySchemes: schemes,
    security: card.security_requirements && toCanonicalSecurity(card.security_requirements),
    defaultInputModes: card.default_input_modes ?? DEFAULT_MODES,
    defaultOutputModes: card.default_output_modes ?? DEFAULT_MODES,
    skills: (card.skills ?? []).map(toCanonicalSkill),
    supportsAuthenticatedExtendedCard: capabilities?.extended_agent_card,
  });
}

export function fromCanonicalCard(card: AgentCard) {
  const fields = ownExtension(card)?.params?.["fields"];
  const extras = isRecord(fields) ? fields : {};
  const schemes = Object.entries(card.securitySchemes ?? {}).map(([name, scheme]) => [
    name,
    fromCanonicalScheme(scheme),
  ]);
  const untyped = isRecord(extras["security_schemes"]) ? extras["security_schemes"] : {};
  const securitySchemes = { ...Object.fromEntries(schemes), ...untyped };
  return compact({
    ...extras,
    name: card.name,
    description: card.description,
    version: card.version,
    supported_interfaces: interfacesOf(card).map(fromCanonicalInterface),
    icon_url: card.iconUrl,
    documentation_url: card.documentationUrl,
    provider: card.provider,
    capabilities: fromCanonicalCapabilities(card),
    security_schemes: Object.keys(securitySchemes).length > 0 ? securitySchemes : undefined,
    security_requirements: card.security,
    default_input_modes: card.defaultInputModes,
    default_output_modes: card.defaultOutputModes,
    skills: card.skills.map(fromCanonicalSkill),
  });
}

/** A scheme without a type would make the 0.3.0 card invalid; it is kept with the card's unknown members. */
function splitSchemes({ security_schemes }: WireCard) {
  const entries = Object.entries(security_schemes ?? {});
  const schemes = entries.flatMap(([name, { type, ...rest }]) =>
    type ? [[name, toCanonicalScheme({ ...rest, type })] as const] : [],
  );
  const untyped = entries.filter(([, { type }]) => !type);
  return {
    schemes: schemes.length > 0 ? Object.fromEntries(schemes) : undefined,
    untyped: untyped.length > 0 ? { security_schemes: Object.fromEntries(untyped) } : {},
  };
}

function toCanonicalInterface({ url, protocol_binding, protocol_version, ...rest }: WireInterface) {
  const transport = toCanonicalTransport(protocol_binding ?? "jsonrpc");
  return compact({ ...rest, url, transport, protocolVersion: protocol_version });
}

function fromCanonicalInterface({ url, transport, protocolVersion, ...rest }: CanonicalInterface) {
  const version = protocolVersion ?? DIALECT_VERSION;
  return { ...rest, url, protocol_binding: fromCanonicalTransport(transport), protocol_version: version };
}

/** 0.3.0 tells the main interface apart, and usually repeats it in the list. */
function interfacesOf({
  url,
  preferredTransport,
  additionalInterfaces = [],
}: AgentCard): CanonicalInterface[] {
  const main = { url, transport: preferredTransport ?? "JSONRPC" };
  const isListed = additionalInterfaces.some(
    (one) => one.url === main.url && one.transport === main.transport,
  );
  return isListed ? additionalInterfaces : [main, ...additionalInterfaces];
}

function toCanonicalCapabilities(capabilities: WireCapabilities, fields: Record<string, unknown>) {
  const {
    push_notifications,
    state_transition_history,
    extended_agent_card: _extended,
    ...rest
  } = capabilities;
  const params = Object.keys(fields).length > 0 ? { fields } : undefined;
  const own: AgentExtension = compact({ uri: EXTENSION, description: EXTENSION_DESCRIPTION, params });
  return compact({
    ...rest,
    pushNotifications: push_notifications,
    stateTransitionHistory: state_transition_history,
    extensions: [...(capabilities.extensions ?? []).map((extension) => compact(extension)), own],
  });
}

function fromCanonicalCapabilities({ capabilities, supportsAuthenticatedExtendedCard }: AgentCard) {
  const { pushNotifications, stateTransitionHistory, extensions, ...rest } = capabilities;
  const others = extensions?.filter(({ uri }) => uri !== EXTENSION) ?? [];
  return compact({
    ...rest,
    push_notifications: pushNotifications,
    state_transition_history: stateTransitionHistory,
    extended_agent_card: supportsAuthenticatedExtendedCard,
    extensions: others.length > 0 ? others : undefined,
  });
}

const ownExtension = ({ capabilities }: AgentCard) =>
  capabilities.extensions?.find(({ uri }) => uri === EXTENSION);

function toCanonicalSkill(skill: WireSkill): AgentCard["skills"][number] {
  const { id, name, description, tags, input_modes, output_modes, security_requirements, ...rest } = skill;
  return compact({
    ...rest,
    id,
    name: name ?? id,
    description: description ?? "",
    tags: tags ?? [],
    inputModes: input_modes,
    outputModes: output_modes,
    security: security_requirements && toCanonicalSecurity(security_requirements),
  });
}

function fromCanonicalSkill({ inputModes, outputModes, security, ...rest }: AgentCard["skills"][number]) {
  const modes = { input_modes: inputModes, output_modes: outputModes };
  return compact({ ...rest, ...modes, security_requirements: security });
}
