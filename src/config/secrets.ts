/** Which values of the configuration must never be seen in a log or a message. */
import { isObject, member, type SourceDocument } from "./document.ts";

/** Parts of `credentials` that only say how the secret travels. */
const OPEN = new Set([
  "type",
  "in",
  "name",
  "tokenUrl",
  "issuer",
  "clientId",
  "clientAuth",
  "scope",
  "audience",
  "tls",
]);

/** Query parameters whose values are secret however short; a long value is taken for one whatever its name. */
const SECRET_PARAMETER = /key|token|secret|auth|sig|pass|credential/i;
const LONG = 16;

/** Every secret of the parsed file. Works on a faulty one too, so that a fault's message can be cleaned. */
export function secretsOf(source: SourceDocument): string[] {
  const found = new Set(source.secrets);
  for (const secret of signingKey(member(source.value, "server"))) found.add(secret);
  for (const [name, agent] of entries(member(source.value, "agents"))) {
    for (const secret of credentialValues(source, name, agent)) found.add(secret);
    for (const secret of headerValues(source, name, agent)) found.add(secret);
    for (const secret of queryValues(member(agent, "card"))) found.add(secret);
    for (const secret of queryValues(member(agent, "url"))) found.add(secret);
  }
  const key = member(member(member(source.value, "push"), "jwt"), "key");
  if (typeof key === "string") found.add(key);
  found.delete("");
  return [...found];
}

function credentialValues(source: SourceDocument, name: string, agent: unknown): string[] {
  const credentials = member(agent, "credentials");
  if (typeof credentials === "string") return [credentials];
  return entries(credentials).flatMap(([key, value]) => {
    // A user name written in the file is no secret; one that was kept out of it is.
    const open =
      key === "username" ? !source.isInterpolated(["agents", name, "credentials", key]) : OPEN.has(key);
    return open || !(typeof value === "string" || typeof value === "number") ? [] : [String(value)];
  });
}

/** A short value that stands in the file is no secret: masking it would blot out half of every message. */
const headerValues = (source: SourceDocument, name: string, agent: unknown): string[] =>
  entries(member(agent, "headers")).flatMap(([key, value]) => {
    if (typeof value !== "string") return [];
    const isSecret = value.length >= LONG || source.isInterpolated(["agents", name, "headers", key]);
    return isSecret ? [value] : [];
  });

/** The key that signs cards, as text or as a JWK, whose private members are secret one by one. */
function signingKey(server: unknown): string[] {
  const key = member(member(server, "cardSigning"), "key");
  if (typeof key === "string") return [key];
  return ["d", "p", "q", "dp", "dq", "qi"].flatMap((name) => {
    const value = member(key, name);
    return typeof value === "string" ? [value] : [];
  });
}

/** Some vendors take the key as `?api_key=` in a URL. */
function queryValues(value: unknown): string[] {
  if (typeof value !== "string" || !value.includes("?")) return [];
  const query = new URLSearchParams(value.slice(value.indexOf("?") + 1));
  return [...query].flatMap(([name, text]) =>
    SECRET_PARAMETER.test(name) || text.length >= LONG ? [text] : [],
  );
}

const entries = (value: unknown): [string, unknown][] => (isObject(value) ? Object.entries(value) : []);
