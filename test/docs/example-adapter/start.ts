/** The proxy with one adapter more. */
import { adapters, loadConfig, startProxy, type Adapter, type RunningProxy } from "../../../src/index.ts";
import { parrot } from "./index.ts";

export async function start(file: string): Promise<RunningProxy> {
  const all = new Map<string, Adapter>(adapters).set(parrot.name, parrot);
  const { config } = await loadConfig(file, { adapters: all, env: process.env });
  return startProxy(config, { adapters: all });
}
