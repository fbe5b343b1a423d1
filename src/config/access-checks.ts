/** What one vendor is shown, looked at as a whole: each header comes from one place, and what is named is there. */
import type { Path } from "./document.ts";
import type { Complaint } from "./faults.ts";
import { isFields, type Fields } from "../protocol/json.ts";

/** @param agents as they stand in the file */
export function accessFaults(agents: unknown): Complaint[] {
  return Object.entries(isFields(agents) ? agents : {}).flatMap(([name, agent]) =>
    isFields(agent) ? collisions(["agents", name], agent).concat(tlsMissing(["agents", name], agent)) : [],
  );
}

/** Sent twice, one of them would quietly win. */
function collisions(base: Path, { credentials, headers, forward }: Fields): Complaint[] {
  const sources = new Map<string, string>();
  const own = headerOf(credentials);
  if (own !== undefined) sources.set(own, "`credentials`");
  const complaints: Complaint[] = [];
  const claim = (name: string, source: string, path: Path, about: Complaint["about"]): void => {
    const before = sources.get(name.toLowerCase());
    if (before === undefined) sources.set(name.toLowerCase(), source);
    else complaints.push({ path: [...base, ...path], about, message: `is sent by ${before} already` });
  };
  for (const name of Object.keys(isFields(headers) ? headers : {})) {
    claim(name, "`headers`", ["headers", name], "key");
  }
  if (!isFields(forward)) return complaints;
  if (forward["authorization"] === true) {
    claim("authorization", "`forward`", ["forward", "authorization"], "key");
  }
  const names = Array.isArray(forward["headers"]) ? forward["headers"] : [];
  for (const [index, name] of names.entries()) {
    if (typeof name === "string") claim(name, "`forward`", ["forward", "headers", index], "value");
  }
  return complaints;
}

/** The header that credentials are sent in, in lower case; undefined where they travel otherwise. */
function headerOf(credentials: unknown): string | undefined {
  if (!isFields(credentials)) return undefined;
  const { type, in: place, name } = credentials;
  if (type === "bearer" || type === "basic" || type === "oauth2") return "authorization";
  return type === "apiKey" && place === "header" && typeof name === "string" ? name.toLowerCase() : undefined;
}

function tlsMissing(base: Path, { credentials, tls }: Fields): Complaint[] {
  if (!isFields(credentials) || credentials["tls"] !== true || tls !== undefined) return [];
  const message = "needs `tls` of the agent, which is not there";
  return [{ path: [...base, "credentials", "tls"], message, about: "value" }];
}
