/**
 * Security schemes and requirements of a card. Mismatch bridged: 1.0 names a scheme by the member that it is under
 * (`{httpAuthSecurityScheme: {…}}`) and wraps scopes (`{schemes: {name: {list}}}`); 0.3.0 §5.5.3 has OpenAPI's form. The
 * names of schemes and scopes are the vendor's and stay untouched. Hybrid cards may have either form; both are read.
 *
 * Loss: 1.0 has one OAuth flow per scheme; of several, the first is sent.
 */
import type { AgentCard, SecurityScheme } from "../../src/protocol/card.ts";
import { compact, isRecord } from "../shared/object.ts";

type Security = NonNullable<AgentCard["security"]>;
type Fields = Readonly<Record<string, unknown>>;

/** 0.3.0's type and 1.0's member. */
const MEMBERS = {
  apiKey: "apiKeySecurityScheme",
  http: "httpAuthSecurityScheme",
  oauth2: "oauth2SecurityScheme",
  openIdConnect: "openIdConnectSecurityScheme",
  mutualTLS: "mtlsSecurityScheme",
} as const;

/** The flows of 1.0, in the order of preference if a scheme has several. */
const FLOWS = ["authorizationCode", "clientCredentials", "deviceCode", "implicit", "password"] as const;

/** Names as they are compared: letters and digits only, in lower case. */
const plain = (name: string): string => name.replace(/[^a-z0-9]/gi, "").toLowerCase();

const TYPES: ReadonlyMap<string, string> = new Map([
  ...Object.keys(MEMBERS).map((type) => [plain(type), type] as const),
  ["mtls", "mutualTLS"],
]);

const BY_MEMBER: ReadonlyMap<string, string> = new Map(
  Object.entries(MEMBERS).map(([type, member]) => [plain(member), type]),
);

const camelCase = (name: string): string =>
  name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Members of a scheme and of a flow are the protocol's, not the user's; scopes are the user's. */
const camelCased = (object: Fields): Record<string, unknown> =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [camelCase(name), value]));

/** Undefined if the scheme has no type: a client could not use it. */
export function toCanonicalScheme(raw: unknown): SecurityScheme | undefined {
  if (!isRecord(raw)) return undefined;
  const { type } = raw;
  if (typeof type === "string") return schemeOf(TYPES.get(plain(type)) ?? type, raw);
  for (const [member, inner] of Object.entries(raw)) {
    const found = BY_MEMBER.get(plain(member));
    if (found !== undefined && isRecord(inner)) return schemeOf(found, inner);
  }
  return undefined;
}

function schemeOf(type: string, members: Fields): SecurityScheme {
  const { location, flows, ...rest } = camelCased(members);
  return compact({ in: location, ...rest, type, flows: isRecord(flows) ? flowsOf(flows) : undefined });
}

const flowsOf = (flows: Fields): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(flows).map(([name, flow]) => [camelCase(name), isRecord(flow) ? camelCased(flow) : flow]),
  );

/** Undefined for a type that 1.0 does not have. */
export function fromCanonicalScheme(scheme: SecurityScheme): Record<string, unknown> | undefined {
  const { type, in: location, flows, ...rest }: Record<string, unknown> = { ...scheme };
  const member = Object.entries(MEMBERS).find(([name]) => name === type)?.[1];
  if (member === undefined) return undefined;
  return { [member]: compact({ ...rest, location, flows: isRecord(flows) ? oneFlow(flows) : undefined }) };
}

function oneFlow(flows: Fields): Record<string, unknown> | undefined {
  const name = FLOWS.find((candidate) => isRecord(flows[candidate]));
  return name && { [name]: flows[name] };
}

/** `[{schemes: {bearer: {list: []}}}]`, or `[{bearer: []}]` as 0.3.0 has it. */
export function toCanonicalSecurity(requirements: readonly unknown[]): Security {
  return requirements.filter(isRecord).map((requirement) => {
    const schemes = isRecord(requirement["schemes"]) ? requirement["schemes"] : requirement;
    return Object.fromEntries(Object.entries(schemes).map(([name, scopes]) => [name, scopesOf(scopes)]));
  });
}

function scopesOf(value: unknown): string[] {
  const list = isRecord(value) ? value["list"] : value;
  return Array.isArray(list) ? list.filter((scope) => typeof scope === "string") : [];
}

export const fromCanonicalSecurity = (security: Security) =>
  security.map((requirement) => ({
    schemes: Object.fromEntries(
      Object.entries(requirement).map(([name, list]) => [name, list.length > 0 ? { list } : {}]),
    ),
  }));
