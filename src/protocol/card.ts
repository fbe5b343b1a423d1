/** AgentCard of A2A 0.3.0 (§5.5), loose: unknown fields are kept. */
import { z } from "zod";
import type { Known } from "./known.ts";

const Strings = z.array(z.string());
/** OpenAPI security requirement: scheme name to scopes. */
const Security = z.array(z.record(z.string(), Strings));

export const AgentExtension = z.looseObject({
  uri: z.string(),
  description: z.string().optional(),
  required: z.boolean().optional(),
  params: z.record(z.string(), z.unknown()).optional(),
});
export type AgentExtension = Known<z.infer<typeof AgentExtension>>;

export const AgentCapabilities = z.looseObject({
  streaming: z.boolean().optional(),
  pushNotifications: z.boolean().optional(),
  stateTransitionHistory: z.boolean().optional(),
  extensions: z.array(AgentExtension).optional(),
});

export const AgentSkill = z.looseObject({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  tags: Strings,
  examples: Strings.optional(),
  inputModes: Strings.optional(),
  outputModes: Strings.optional(),
  security: Security.optional(),
});
export type AgentSkill = Known<z.infer<typeof AgentSkill>>;

/** OpenAPI 3 Security Scheme Object; its own rules are not checked here. */
export const SecurityScheme = z.looseObject({ type: z.string() });
export type SecurityScheme = Known<z.infer<typeof SecurityScheme>>;

export const AgentInterface = z.looseObject({ url: z.string(), transport: z.string() });

export const AgentCard = z.looseObject({
  protocolVersion: z.string(),
  name: z.string(),
  description: z.string(),
  url: z.string(),
  version: z.string(),
  preferredTransport: z.string().optional(),
  additionalInterfaces: z.array(AgentInterface).optional(),
  iconUrl: z.string().optional(),
  documentationUrl: z.string().optional(),
  provider: z.looseObject({ organization: z.string(), url: z.string() }).optional(),
  capabilities: AgentCapabilities,
  securitySchemes: z.record(z.string(), SecurityScheme).optional(),
  security: Security.optional(),
  defaultInputModes: Strings,
  defaultOutputModes: Strings,
  skills: z.array(AgentSkill),
  supportsAuthenticatedExtendedCard: z.boolean().optional(),
  signatures: z.array(z.looseObject({ protected: z.string(), signature: z.string() })).optional(),
});
export type AgentCard = Known<z.infer<typeof AgentCard>>;
