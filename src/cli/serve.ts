/** `serve`: runs the proxy until a signal ends it. */
import { loadConfig, type LoadedConfig } from "../config/load.ts";
import type { CliDeps } from "./deps.ts";
import { EXIT, listening } from "./failure.ts";
import { line, paint } from "./print.ts";
import { untilSignal } from "./signals.ts";

/** Loads the file and shows its warnings; rejects with a ConfigError. */
export async function loadLoudly(file: string, deps: CliDeps, env = deps.env): Promise<LoadedConfig> {
  const loaded = await loadConfig(file, { adapters: deps.adapters, env });
  for (const warning of loaded.warnings) line(deps.err, `${paint(deps.err, "yellow", "warning")} ${warning}`);
  return loaded;
}

export async function serve(options: { config: string }, deps: CliDeps): Promise<number> {
  const { config } = await loadLoudly(options.config, deps);
  const { adapters } = deps;
  const hint = `stop what listens there, or set server.host and server.port in ${options.config}`;
  const proxy = await listening(deps.startProxy(config, { adapters }), hint);
  await untilSignal(deps, () => proxy.stop());
  return EXIT.ok;
}
