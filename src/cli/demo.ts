/** `demo`: the bundled vendors, and the proxy in front of them, until a signal ends both. */
import type { Config } from "../config/config.ts";
import type { CliDeps } from "./deps.ts";
import { EXIT, Failure, listening } from "./failure.ts";
import { line, paint, table } from "./print.ts";
import { loadLoudly } from "./serve.ts";
import { untilSignal } from "./signals.ts";

const DEFAULT_PORT = 9100;
const HINT =
  "stop what listens there, or choose other ports with PORT and GRPC_PORT (the proxy's) and DEMO_PORT (the vendors')";

export async function demo(deps: CliDeps): Promise<number> {
  const vendors = await listening(deps.startVendors(vendorPort(deps.env)), HINT);
  try {
    const env = { ...deps.env, DEMO_PORT: String(vendors.port) };
    const { config } = await loadLoudly(deps.shippedConfig, deps, env);
    const { adapters } = deps;
    const proxy = await listening(deps.startProxy(config, { adapters }), HINT);
    printWhere(config, { proxy: proxy.url, grpcPort: proxy.grpcPort, vendors: vendors.url }, deps);
    await untilSignal(deps, () => proxy.stop());
    return EXIT.ok;
  } finally {
    await vendors.stop();
  }
}

function vendorPort({ DEMO_PORT: text }: CliDeps["env"]): number {
  if (text === undefined || text === "") return DEFAULT_PORT;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new Failure("DEMO_PORT must be a port, 0 to 65535");
}

interface Urls {
  readonly proxy: string;
  readonly grpcPort: number | undefined;
  readonly vendors: string;
}

function printWhere(config: Config, urls: Urls, { out }: CliDeps): void {
  const agents = [...config.agents.values()];
  const base = urls.proxy.replace(/\/+$/, "");
  line(out, `The proxy listens on ${base}, the demo vendors on ${urls.vendors}.`);
  line(out);
  const rows = agents.map((agent) => [agent.name, agent.adapter, `${base}/agents/${agent.name}/`]);
  const [head = "", ...body] = table([["agent", "vendor speaks", "as A2A 0.3.0"], ...rows]);
  line(out, paint(out, "bold", head));
  for (const row of body) line(out, row);
  const { grpc } = config.server;
  if (grpc && urls.grpcPort !== undefined) {
    line(out);
    line(out, `gRPC is on ${grpc.host}:${urls.grpcPort}; the metadata a2a-agent names the agent.`);
  }
  const first = agents[0];
  if (!first) return;
  line(out);
  line(out, "Try it:");
  line(out, `  ${curl(`${base}/agents/${first.name}/`)}`);
  line(out);
  line(out, "Ctrl-C ends it.");
}

function curl(url: string): string {
  const message = {
    kind: "message",
    role: "user",
    messageId: "message-1",
    parts: [{ kind: "text", text: "What is the weather in Kyoto?" }],
  };
  const request = { jsonrpc: "2.0", id: 1, method: "message/stream", params: { message } };
  return `curl -N ${url} -H 'Content-Type: application/json' -d '${JSON.stringify(request)}'`;
}
