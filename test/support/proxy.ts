/** A proxy on a free loopback port, configured as an operator would: through the YAML. */
import { pino } from "pino";
import { stringify } from "yaml";
import { adapters } from "../../adapters/index.ts";
import { parseConfig } from "../../src/config/load.ts";
import { startProxy, type ProxyDeps, type RunningProxy } from "../../src/server.ts";

export interface TestProxy extends RunningProxy {
  /** Base URL of an agent's JSON-RPC endpoint. */
  agent(name: string): string;
}

/** The section `server` where a test gives no other. */
export const SERVER = {
  host: "127.0.0.1",
  port: 0,
  publicUrl: "http://proxy.test",
  shutdownGrace: "100ms",
};

/** The same with gRPC. */
export const SERVER_WITH_GRPC = { ...SERVER, grpc: { port: 0 } };

/** Times short enough for tests that wait for them. */
const QUICK = { linger: "60ms", poll: "50ms", nonBlocking: "200ms" };

/**
 * @param agents by name, as in config.yaml; `timeouts` default to `QUICK`
 * @param deps what the proxy is given besides
 * @param more top-level sections that replace the defaults
 */
export async function startTestProxy(
  agents: Record<string, Record<string, unknown>>,
  more: Record<string, unknown> = {},
  deps: Partial<ProxyDeps> = {},
): Promise<TestProxy> {
  const quick = Object.entries(agents).map(([name, agent]) => [
    name,
    { ...agent, timeouts: Object.assign({}, QUICK, agent["timeouts"]) },
  ]);
  const document = {
    server: SERVER,
    store: { driver: "sqlite", path: ":memory:" },
    ...more,
    agents: Object.fromEntries(quick),
  };
  const { config } = await parseConfig(stringify(document), "test.yaml", { adapters, env: {} });
  const proxy = await startProxy(config, {
    adapters,
    log: pino({ level: "silent" }),
    ...deps,
  });
  return { ...proxy, agent: (name) => `${proxy.url}/agents/${name}/` };
}
