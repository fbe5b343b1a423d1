/** `config.yaml` to a Config, or to every fault in it at once. */
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { Adapter } from "../adapter.ts";
import { createRedactor } from "../southbound/redact.ts";
import type { LiveSecrets } from "./agent-access.ts";
import type { Config } from "./config.ts";
import { check } from "./checks.ts";
import { SourceDocument, type Path, type Position } from "./document.ts";
import { errnoOf } from "./errno.ts";
import { ConfigError, formatPath, type Complaint, type Fault } from "./faults.ts";
import { liveSecretsOf } from "./live-secrets.ts";
import { resolveConfig, warningsOf } from "./resolve.ts";
import { secretsOf } from "./secrets.ts";

export interface LoadOptions {
  readonly adapters: ReadonlyMap<string, Adapter>;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface LoadedConfig {
  readonly config: Config;
  /** What is valid but probably unintended; each begins with its path. */
  readonly warnings: readonly string[];
}

/** Reads and checks the file; rejects with a ConfigError that lists every fault. */
export async function loadConfig(file: string, options: LoadOptions): Promise<LoadedConfig> {
  return parseConfig(await readText(file), file, options);
}

/** The same for text that is already there; `file` is only named in faults. */
export async function parseConfig(text: string, file: string, options: LoadOptions): Promise<LoadedConfig> {
  const { adapters, env } = options;
  const sources = { env, readFile: (path: string) => readFileSync(path, "utf8") };
  const source = new SourceDocument(text, sources);
  if (source.broken) throw new ConfigError(file, faultsOf(source, [], []));
  const secrets = secretsOf(source);
  const { parsed, options: parsedOptions, complaints } = await check(source, adapters);
  const faults = faultsOf(source, complaints, secrets);
  if (faults.length > 0 || !parsed) throw new ConfigError(file, faults);
  const liveSecrets = new Map<string, LiveSecrets>();
  for (const name of Object.keys(parsed.agents)) {
    const live = liveSecretsOf(source, name, sources);
    if (live) liveSecrets.set(name, live);
  }
  const config = resolveConfig(parsed, { options: parsedOptions, secrets, liveSecrets });
  return { config, warnings: warningsOf(config) };
}

/** A shorter secret would blot out half of every message. */
const SHORTEST_MASKED = 4;

/** Both kinds with their places; a complaint about a value that a finding already explains is left out. */
function faultsOf(
  source: SourceDocument,
  complaints: readonly Complaint[],
  secrets: readonly string[],
): Fault[] {
  const explained = complaints.filter(({ path }) => !source.isUnresolved(path));
  // An adapter's schema may quote what it refuses.
  const redact = createRedactor(secrets.filter((secret) => secret.length >= SHORTEST_MASKED));
  const toFault = (path: Path, message: string, { line, column }: Position): Fault => ({
    path: formatPath(path),
    line,
    column,
    message: redact(message),
  });
  return [
    ...source.findings.map((finding) => toFault(finding.path, finding.message, finding)),
    ...explained.map(({ path, message, about }) => toFault(path, message, source.locate(path, about))),
  ];
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    const code = errnoOf(cause) ?? "unknown reason";
    const message = code === "ENOENT" ? "there is no such file" : `cannot be read (${code})`;
    throw new ConfigError(file, [{ path: "", line: 0, column: 0, message }]);
  }
}
