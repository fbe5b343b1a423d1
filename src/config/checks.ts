/** Checks the values of the parsed file: against the schema, the adapters, and one another. */
import type { z } from "zod";
import type { Adapter } from "../adapter.ts";
import { accessFaults } from "./access-checks.ts";
import { isObject, keyOf, valueAt, type Path, type SourceDocument } from "./document.ts";
import { phrase, suggestion, toComplaints, toPath, type Complaint } from "./faults.ts";
import { DEFAULT_KEY_HEADER } from "./auth-schema.ts";
import { servedFaults } from "./served-checks.ts";
import { tlsFileFaults } from "./tls-files.ts";
import { isGrpcUrl } from "./urls.ts";
import { ConfigSchema, type ParsedConfig } from "./schema.ts";

export interface Checked {
  /** Present where the schema has nothing to complain about. */
  readonly parsed: ParsedConfig | undefined;
  /** Each agent's options as its adapter parsed them. */
  readonly options: ReadonlyMap<string, unknown>;
  readonly complaints: readonly Complaint[];
}

const AGENT_NAME = /^[a-z0-9][a-z0-9\-_.]*$/;
const BAD_NAME =
  "is no agent name: it goes into URLs, so it is made of lower-case letters, digits, `-`, `_` and `.`, and begins " +
  "with a letter or digit";

/** Everything that can be said about the values; each check works on its own, so that one fault hides no other. */
export async function check(
  source: SourceDocument,
  adapters: ReadonlyMap<string, Adapter>,
): Promise<Checked> {
  if (source.value === undefined || source.value === null) {
    const message = "the file is empty; it needs `agents`";
    return { parsed: undefined, options: new Map<string, unknown>(), complaints: [complain([], message)] };
  }
  const root = await parse(ConfigSchema, source, []);
  const options = new Map<string, unknown>();
  const complaints = [...root.complaints];
  const agents = source.at(["agents"]);
  for (const name of Object.keys(isObject(agents) ? agents : {})) {
    if (!AGENT_NAME.test(name)) complaints.push({ path: ["agents", name], message: BAD_NAME, about: "key" });
    const adapter = valueAt(agents, [name, "adapter"]);
    if (typeof adapter !== "string" || adapter === "") continue;
    const known = adapters.get(adapter);
    if (!known) {
      complaints.push(complain(["agents", name, "adapter"], unknownAdapter(adapter, [...adapters.keys()])));
      continue;
    }
    complaints.push(...uncallable(known, name, valueAt(agents, [name, "url"])));
    const given = valueAt(agents, [name, "options"]);
    // Where `options` is no mapping at all, the root schema has said so.
    if (given !== undefined && !isObject(given)) continue;
    const parsed = await parse(known.options, source, ["agents", name, "options"], {});
    options.set(name, parsed.data);
    complaints.push(...parsed.complaints);
  }
  complaints.push(...unknownDefault(source.value, agents));
  complaints.push(...sharedHosts(source.value, agents));
  complaints.push(...servedFaults(source.value, adapters));
  complaints.push(...unknownInGrants(source.at(["auth"]), ["auth"], agents));
  complaints.push(...mtlsWithoutCa(source.value));
  complaints.push(...accessFaults(agents));
  complaints.push(...forwardedKeys(source.value, agents));
  complaints.push(...unusableFiles(source.value, agents));
  return { parsed: root.data, options, complaints };
}

/** Another version is no slip of the pen, so that no near one is suggested. */
function unknownAdapter(name: string, known: readonly string[]): string {
  const isVersion = /^a2a[-_ ]?v?\d[\d.]*$/i.test(name);
  const near = isVersion ? "" : suggestion(name, known);
  return `unknown adapter${near || `; there are ${known.join(", ")}`}`;
}

function uncallable({ name: adapter, speaksGrpc }: Adapter, agent: string, url: unknown): Complaint[] {
  if (speaksGrpc || typeof url !== "string" || !isGrpcUrl(url)) return [];
  return [complain(["agents", agent, "url"], `is that of a gRPC server, which ${adapter} does not call`)];
}

function unknownDefault(value: unknown, agents: unknown): Complaint[] {
  const name = valueAt(value, ["default"]);
  if (typeof name !== "string" || name === "" || !isObject(agents) || Object.hasOwn(agents, name)) return [];
  return [complain(["default"], `no such agent${suggestion(name, Object.keys(agents))}`)];
}

/** A host leads to one agent, and that of `server.publicUrl` to the default one. */
function sharedHosts(value: unknown, agents: unknown): Complaint[] {
  const publicUrl = valueAt(value, ["server", "publicUrl"]);
  const seen = new Map<string, string>();
  const own = typeof publicUrl === "string" ? URL.parse(publicUrl)?.hostname : undefined;
  if (own !== undefined) seen.set(own, "server.publicUrl; name the agent as `default` instead");
  return Object.keys(isObject(agents) ? agents : {}).flatMap((name) => {
    const host = valueAt(agents, [name, "host"]);
    const hosts = valueAt(agents, [name, "hosts"]);
    const places: [string, Path][] = [
      ...(typeof host === "string" ? [[host, ["agents", name, "host"]] satisfies [string, Path]] : []),
      ...Object.keys(isObject(hosts) ? hosts : {}).map((key): [string, Path] => [
        key,
        ["agents", name, "hosts", key],
      ]),
    ];
    return places.flatMap(([key, path]) => {
      const other = seen.get(key.toLowerCase());
      if (other !== undefined) return [complain(path, `is also the host of ${other}`)];
      seen.set(key.toLowerCase(), `agents.${name}`);
      return [];
    });
  });
}

/** `agents` is a list only in a grant. A grant for an agent that does not exist would quietly give nothing. */
function unknownInGrants(value: unknown, path: Path, agents: unknown): Complaint[] {
  if (!isObject(value) || !isObject(agents)) return [];
  return Object.entries(value).flatMap(([key, inner]: [string, unknown]) => {
    const here = [...path, Array.isArray(value) ? Number(key) : key];
    if (key !== "agents" || !Array.isArray(inner)) return unknownInGrants(inner, here, agents);
    return inner.flatMap((name: unknown, index) =>
      typeof name !== "string" || name === "" || Object.hasOwn(agents, name)
        ? []
        : [complain([...here, index], `no such agent${suggestion(name, Object.keys(agents))}`)],
    );
  });
}

function mtlsWithoutCa(value: unknown): Complaint[] {
  const isWanting =
    isObject(valueAt(value, ["auth", "mtls"])) && !valueAt(value, ["server", "tls", "clientCa"]);
  return isWanting ? [complain(["auth", "mtls"], "needs server.tls.clientCa")] : [];
}

/** What opens the proxy is no vendor's: whoever has it may call every agent in the caller's name. */
function forwardedKeys(value: unknown, agents: unknown): Complaint[] {
  if (!isObject(valueAt(value, ["auth", "apiKeys"])) || !isObject(agents)) return [];
  const header = valueAt(value, ["auth", "apiKeys", "header"]);
  const own = (typeof header === "string" ? header : DEFAULT_KEY_HEADER).toLowerCase();
  const reason = "is the header of auth.apiKeys: vendors must not see keys of the proxy";
  return Object.keys(agents).flatMap((agent) => {
    const path = ["agents", agent, "forward", "headers"];
    const names = valueAt(agents, path.slice(1));
    return (Array.isArray(names) ? names : []).flatMap((name: unknown, index) =>
      typeof name === "string" && name.toLowerCase() === own ? [complain([...path, index], reason)] : [],
    );
  });
}

/** Files that are named by their path, and read when the proxy starts. */
function unusableFiles(value: unknown, agents: unknown): Complaint[] {
  const ofAgents = Object.keys(isObject(agents) ? agents : {}).map((name) => ["agents", name, "tls"]);
  const places = [["server", "tls"], ["server", "grpc", "tls"], ...ofAgents];
  return places.flatMap((place) => {
    const [cert, key, ca, clientCa] = ["cert", "key", "ca", "clientCa"].map((file) =>
      valueAt(value, [...place, file]),
    );
    return tlsFileFaults(place, { cert, key, ca, clientCa });
  });
}

const complain = (path: Path, message: string): Complaint => ({ path, message, about: "value" });

interface Parsed<T> {
  readonly data: T | undefined;
  readonly complaints: Complaint[];
}

/** Parses the value at `base`; complaints have their path from the root. */
async function parse<T>(
  schema: z.ZodType<T>,
  source: SourceDocument,
  base: Path,
  absent?: unknown,
): Promise<Parsed<T>> {
  const retyped = new Set<string>();
  for (;;) {
    const value = source.at(base) ?? absent;
    const result = await schema.safeParseAsync(value, { error: phrase });
    if (result.success) return { data: result.data, complaints: [] };
    const again = result.error.issues.some((issue) => retype(issue, source, base, retyped));
    if (again) continue;
    return { data: undefined, complaints: toComplaints(result.error.issues, { schema, value, base }) };
  }
}

/**
 * A reference is text, whatever it stands for: where the schema wants a number or a boolean, `port: ${PORT}` is read
 * as one. Only there, so that a token of digits stays text.
 */
function retype(issue: z.core.$ZodIssue, source: SourceDocument, base: Path, done: Set<string>): boolean {
  if (issue.code !== "invalid_type") return false;
  const path = [...base, ...toPath(issue.path)];
  const last = path.at(-1);
  const parent = source.at(path.slice(0, -1));
  const value = source.at(path);
  if (last === undefined || !isObject(parent) || typeof value !== "string") return false;
  if (!source.isInterpolated(path) || done.has(keyOf(path))) return false;
  const scalar = readScalar(issue.expected, value);
  done.add(keyOf(path));
  return scalar !== undefined && Reflect.set(parent, last, scalar);
}

function readScalar(expected: string, text: string): number | boolean | undefined {
  if (expected === "boolean") return text === "true" ? true : text === "false" ? false : undefined;
  if (expected !== "number" && expected !== "int") return undefined;
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : undefined;
}
