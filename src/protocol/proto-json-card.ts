/**
 * The card as ProtoJSON (§5.5 and its a2a.proto): a security scheme is told by the member it is under instead of by its
 * `type`, and the scopes of a requirement are a message of their own. A signature stays over the card as JSON-RPC and the
 * well-known URL have it.
 */
import type { AgentCard, SecurityScheme } from "./card.ts";

const MEMBERS: ReadonlyMap<string, string> = new Map([
  ["apiKey", "apiKeySecurityScheme"],
  ["http", "httpAuthSecurityScheme"],
  ["oauth2", "oauth2SecurityScheme"],
  ["openIdConnect", "openIdConnectSecurityScheme"],
  ["mutualTLS", "mtlsSecurityScheme"],
]);

export function toProtoJsonCard({ security, securitySchemes, ...card }: AgentCard): Record<string, unknown> {
  return {
    ...card,
    ...(securitySchemes && { securitySchemes: mapped(securitySchemes, toProtoJsonScheme) }),
    ...(security && {
      security: security.map((schemes) => ({ schemes: mapped(schemes, (list) => ({ list })) })),
    }),
  };
}

/** One of a type that the proto does not know is empty there. */
function toProtoJsonScheme({ type, ...scheme }: SecurityScheme): Record<string, unknown> {
  const member = MEMBERS.get(type);
  if (member === undefined) return {};
  const { in: location, ...rest } = { in: undefined, ...scheme };
  return { [member]: { ...rest, ...(location !== undefined && { location }) } };
}

const mapped = <T, R>(members: Readonly<Record<string, T>>, change: (member: T) => R): Record<string, R> =>
  Object.fromEntries(Object.entries(members).map(([name, member]) => [name, change(member)]));
