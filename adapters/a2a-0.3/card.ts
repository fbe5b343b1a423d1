/**
 * The agent card of 0.2.0 to 0.3.0 (A2A 0.3.0 §5.5), also in the spelling of the REST and gRPC bindings (`/v1/card`).
 * 0.2.0 to 0.2.4 have no protocolVersion; hand-written cards lack required members, which get neutral values.
 */
import { z } from "zod";
import {
  AgentCapabilities,
  AgentCard,
  AgentExtension,
  AgentInterface,
  type AgentSkill,
} from "../../src/protocol/card.ts";
import { A2AError } from "../../src/protocol/errors.ts";
import { compact, isRecord } from "../shared/object.ts";
import { toCanonicalSchemes, toCanonicalSecurity } from "./security.ts";
import { Any, asList, fits, respelled } from "./wire.ts";

const CARD = {
  protocolVersion: ["protocol_version"],
  preferredTransport: ["preferred_transport"],
  additionalInterfaces: ["additional_interfaces"],
  iconUrl: ["icon_url"],
  documentationUrl: ["documentation_url"],
  securitySchemes: ["security_schemes"],
  defaultInputModes: ["default_input_modes"],
  defaultOutputModes: ["default_output_modes"],
  supportsAuthenticatedExtendedCard: ["supports_authenticated_extended_card"],
} as const;

const CAPABILITIES = {
  pushNotifications: ["push_notifications"],
  stateTransitionHistory: ["state_transition_history"],
} as const;

const SKILL = { inputModes: ["input_modes"], outputModes: ["output_modes"] } as const;

const Text = z.coerce.string().optional().catch(undefined);
const Filled = z.string().min(1).optional().catch(undefined);
const Flag = z.boolean().optional().catch(undefined);
const Strings = Any.transform((raw) =>
  raw == null ? undefined : asList(raw).filter((one) => typeof one === "string"),
);

const LooseSkill = z.looseObject({
  id: Filled,
  name: Filled,
  description: z.string().catch(""),
  tags: Strings,
  examples: Strings,
  inputModes: Strings,
  outputModes: Strings,
  security: Any.transform(toCanonicalSecurity),
});

function toCanonicalSkill(raw: unknown): AgentSkill[] {
  const value = typeof raw === "string" ? { name: raw } : raw;
  if (!isRecord(value)) return [];
  const { id, name, ...rest } = LooseSkill.parse(respelled(value, SKILL));
  const either = id ?? name;
  return either === undefined
    ? []
    : [{ ...compact(rest), id: either, name: name ?? either, tags: rest.tags ?? [] }];
}

function toCanonicalCapabilities(raw: unknown): AgentCard["capabilities"] {
  if (!isRecord(raw)) return {};
  const Loose = AgentCapabilities.extend({
    streaming: Flag,
    pushNotifications: Flag,
    stateTransitionHistory: Flag,
    extensions: Any.transform((list) =>
      list == null ? undefined : asList(list).filter((one) => fits(AgentExtension, one)),
    ),
  });
  return compact(Loose.parse(respelled(raw, CAPABILITIES)));
}

const LooseProvider = z.looseObject({ organization: z.string().catch(""), url: z.string().catch("") });

/** Both members are required; the one that is missing is empty. */
function toCanonicalProvider(raw: unknown): AgentCard["provider"] {
  const provider = LooseProvider.safeParse(typeof raw === "string" ? { organization: raw } : raw).data;
  return provider?.organization || provider?.url ? provider : undefined;
}

const LooseCard = z.looseObject({
  protocolVersion: Text,
  name: Filled,
  description: z.string().catch(""),
  url: Filled,
  version: Text,
  preferredTransport: Filled,
  additionalInterfaces: Any.transform((raw) =>
    raw == null ? undefined : asList(raw).filter((one) => fits(AgentInterface, one)),
  ),
  iconUrl: Filled,
  documentationUrl: Filled,
  provider: Any.transform(toCanonicalProvider),
  capabilities: Any.transform(toCanonicalCapabilities),
  securitySchemes: Any.transform(toCanonicalSchemes),
  security: Any.transform(toCanonicalSecurity),
  defaultInputModes: Strings,
  defaultOutputModes: Strings,
  skills: Any.transform((raw) => asList(raw).flatMap(toCanonicalSkill)),
  supportsAuthenticatedExtendedCard: Flag,
  // A signature is over the card as it was served; one that is not even well-formed is nothing.
  signatures: AgentCard.shape.signatures.catch(undefined),
});

/** What stands in for members that the card lacks: the agent's name and URL as they are configured. */
export interface CardDefaults {
  readonly name: string;
  readonly url: string;
}

/**
 * The card itself where it is right. Throws `invalid-agent-response` where the value is no object; every other fault is
 * filled or left out: text/plain modes, no skills, an empty description, version 0.0.0, and 0.2.0 where no protocol
 * version is given, since only cards before 0.2.5 may lack it.
 */
export function toCanonicalCard(raw: unknown, defaults: CardDefaults): AgentCard {
  if (fits(AgentCard, raw)) return raw;
  if (!isRecord(raw)) {
    throw new A2AError("invalid-agent-response", {
      message: "The agent's card is not an object",
      data: { stage: "card" },
    });
  }
  const card = compact(LooseCard.parse(respelled(raw, CARD)));
  return {
    ...card,
    protocolVersion: card.protocolVersion ?? "0.2.0",
    name: card.name ?? defaults.name,
    url: card.url ?? defaults.url,
    version: card.version ?? "0.0.0",
    defaultInputModes: card.defaultInputModes ?? ["text/plain"],
    defaultOutputModes: card.defaultOutputModes ?? ["text/plain"],
  };
}
