/**
 * Security on a card (A2A 0.3.0 §5.5.3: OpenAPI 3 security schemes). Cards of the REST and gRPC bindings name the scheme
 * by the member it is under; some write `security` as one map, or as a list of names.
 */
import type { SecurityScheme } from "../../src/protocol/card.ts";
import { isRecord } from "../shared/object.ts";
import { asList, respelled } from "./wire.ts";

const WRAPPERS: readonly (readonly [member: string, type: string])[] = [
  ["apiKeySecurityScheme", "apiKey"],
  ["httpAuthSecurityScheme", "http"],
  ["oauth2SecurityScheme", "oauth2"],
  ["openIdConnectSecurityScheme", "openIdConnect"],
  ["mtlsSecurityScheme", "mutualTLS"],
];

function toCanonicalScheme(raw: unknown): SecurityScheme | undefined {
  if (!isRecord(raw)) return undefined;
  if (typeof raw["type"] === "string") return { ...raw, type: raw["type"] };
  for (const [member, type] of WRAPPERS) {
    const inner = raw[member];
    if (isRecord(inner)) return { ...respelled(inner, { in: ["location"] }), type };
  }
  return undefined;
}

/** Schemes without a recognisable type are left out: a client could not use them. */
export function toCanonicalSchemes(raw: unknown): Record<string, SecurityScheme> | undefined {
  if (!isRecord(raw)) return undefined;
  const schemes = Object.entries(raw).flatMap(([name, value]) => {
    const scheme = toCanonicalScheme(value);
    return scheme ? [[name, scheme] as const] : [];
  });
  return Object.fromEntries(schemes);
}

const toScopes = (raw: unknown): string[] => {
  const list = isRecord(raw) && "list" in raw ? raw["list"] : raw;
  return Array.isArray(list) ? list.filter((scope) => typeof scope === "string") : [];
};

/** The alternatives, each with all schemes it needs together and their scopes. */
export function toCanonicalSecurity(raw: unknown): Record<string, string[]>[] | undefined {
  if (raw === undefined || raw === null) return undefined;
  return asList(raw).flatMap((entry) => {
    if (typeof entry === "string") return [{ [entry]: [] }];
    if (!isRecord(entry)) return [];
    const schemes = isRecord(entry["schemes"]) ? entry["schemes"] : entry;
    return [Object.fromEntries(Object.entries(schemes).map(([name, scopes]) => [name, toScopes(scopes)]))];
  });
}
