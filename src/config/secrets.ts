/** Which values of the configuration must never be seen in a log or a message. */
import type { SourceDocument } from "./document.ts";

/** Parts of `credentials` that only say how the secret travels. */
const OPEN = new Set(["type", "in", "name"]);

/** A shorter one would blot out half of every message, and is no secret. */
const SHORTEST_MASKED = 4;

/**
 * Every secret of the parsed file, in each form in which it travels: as it is, percent-encoded in a query, and as
 * HTTP Basic. Works on a faulty file too, so that a fault's message can be cleaned.
 */
export function secretsOf(source: SourceDocument): string[] {
  const found = new Set(source.secrets);
  for (const [name, agent] of entries(member(source.value, "agents"))) {
    for (const secret of credentialValues(source, name, agent))
      found.add(secret).add(encodeURIComponent(secret));
    for (const secret of queryValues(member(agent, "card"))) found.add(secret);
    for (const secret of queryValues(member(agent, "url"))) found.add(secret);
  }
  found.delete("");
  return [...found];
}

/** The text with every secret in it blotted out, the longest first: one may hold another. */
export function redact(text: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret.length >= SHORTEST_MASKED)
    .sort((a, b) => b.length - a.length)
    .reduce((cleaned, secret) => cleaned.replaceAll(secret, "[redacted]"), text);
}

function credentialValues(source: SourceDocument, name: string, agent: unknown): string[] {
  const credentials = member(agent, "credentials");
  if (typeof credentials === "string") return [credentials];
  const values = entries(credentials).flatMap(([key, value]) => {
    // A user name written in the file is no secret; one that was kept out of it is.
    const open =
      key === "username" ? !source.isInterpolated(["agents", name, "credentials", key]) : OPEN.has(key);
    return open || !(typeof value === "string" || typeof value === "number") ? [] : [String(value)];
  });
  const username = member(credentials, "username");
  const password = member(credentials, "password");
  if (typeof username !== "string" || typeof password !== "string") return values;
  return [...values, Buffer.from(`${username}:${password}`).toString("base64")];
}

/** Some vendors take the key as `?api_key=` in a URL. */
function queryValues(value: unknown): string[] {
  if (typeof value !== "string" || !value.includes("?")) return [];
  const raw = value.slice(value.indexOf("?") + 1).split("&");
  return [
    ...new URLSearchParams(raw.join("&")).values(),
    ...raw.map((pair) => pair.slice(pair.indexOf("=") + 1)),
  ];
}

const member = (value: unknown, key: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;

const entries = (value: unknown): [string, unknown][] =>
  typeof value === "object" && value !== null ? Object.entries(value) : [];
