/**
 * Security schemes and requirements of a card. Mismatch bridged: OpenAPI's names in snake_case; 0.3.0 §5.5.3 has
 * them in camelCase. The names of schemes and scopes are the vendor's and stay untouched.
 */
import type { z } from "zod";
import type { AgentCard, SecurityScheme } from "../../src/protocol/card.ts";
import { compact, isRecord } from "../shared/object.ts";
import type { WireScheme } from "./wire.ts";

type CanonicalScheme = z.infer<typeof SecurityScheme>;
type Security = NonNullable<AgentCard["security"]>;
type Names = Readonly<Record<string, string>>;

const TYPES: Names = {
  apikey: "apiKey",
  http: "http",
  oauth2: "oauth2",
  openidconnect: "openIdConnect",
  mutualtls: "mutualTLS",
  mtls: "mutualTLS",
};

const SCHEME: Names = {
  bearer_format: "bearerFormat",
  open_id_connect_url: "openIdConnectUrl",
  oauth2_metadata_url: "oauth2MetadataUrl",
};

const FLOWS: Names = {
  authorization_code: "authorizationCode",
  client_credentials: "clientCredentials",
  device_code: "deviceCode",
};

const FLOW: Names = {
  authorization_url: "authorizationUrl",
  device_authorization_url: "deviceAuthorizationUrl",
  token_url: "tokenUrl",
  refresh_url: "refreshUrl",
};

const reversed = (names: Names): Names =>
  Object.fromEntries(Object.entries(names).map(([from, to]) => [to, from]));

/** Renames the members that the table names, by one level. */
const rename = (object: Readonly<Record<string, unknown>>, names: Names): Record<string, unknown> =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [names[name] ?? name, value]));

function renameFlows(flows: unknown, outer: Names, inner: Names): Record<string, unknown> | undefined {
  if (!isRecord(flows)) return undefined;
  const renamed = Object.entries(flows).map(([name, flow]) => [
    outer[name] ?? name,
    isRecord(flow) ? rename(flow, inner) : flow,
  ]);
  return Object.fromEntries(renamed);
}

/** `api_key` and `apiKey` alike; a type that 0.3.0 does not know stays as it is. */
export function toCanonicalScheme({ type, flows, ...rest }: WireScheme & { type: string }): CanonicalScheme {
  const canonical = TYPES[type.replace(/[^a-z0-9]/gi, "").toLowerCase()] ?? type;
  return compact({ ...rename(rest, SCHEME), type: canonical, flows: renameFlows(flows, FLOWS, FLOW) });
}

export function fromCanonicalScheme({ type, ...rest }: CanonicalScheme): Record<string, unknown> {
  const flows = renameFlows(rest["flows"], reversed(FLOWS), reversed(FLOW));
  return compact({ ...rename(rest, reversed(SCHEME)), type, flows });
}

/** `[{bearer: []}]`, which is 0.3.0's shape, or `[{schemes: {bearer: {list: []}}}]`, which is official 1.0's. */
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
