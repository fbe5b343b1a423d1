import { describe, expect, test } from "@jest/globals";
import { setImmediate as turn } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Config } from "../../src/config/config.ts";
import { adapterNamed } from "../config/support.ts";
import { createWorld } from "./support.ts";

const shippedConfig = fileURLToPath(new URL("../../config.yaml", import.meta.url));
const NAMES = ["appbuilder", "a2a-0.1", "a2a-snake", "a2a-0.3"];
const adapters = new Map(NAMES.map((name) => [name, adapterNamed(name)]));

/** Runs `demo` until Ctrl-C; tells what was started with what, and in which order it was stopped. */
async function runDemo(env: Record<string, string>, failure?: Error) {
  const ports: number[] = [];
  const configs: Config[] = [];
  const stopped: string[] = [];
  const world = createWorld({
    adapters,
    env,
    shippedConfig,
    startVendors: async (port) => {
      ports.push(port);
      return { url: "http://127.0.0.1:4321", port: 4321, stop: async () => void stopped.push("vendors") };
    },
    startProxy: async (config) => {
      configs.push(config);
      if (failure) throw failure;
      return { url: config.server.publicUrl, grpcPort: 8082, stop: async () => void stopped.push("proxy") };
    },
  });
  const code = world.run("demo");
  if (!failure) while (world.signals.listenerCount("SIGINT") === 0) await turn();
  world.signals.emit("SIGINT", "SIGINT");
  return { world, code: await code, ports, config: configs[0], stopped };
}

describe("demo", () => {
  test("points the shipped configuration at the vendors it has started", async () => {
    const { code, ports, config, stopped } = await runDemo({});
    expect(ports).toStrictEqual([9100]);
    expect(
      [...(config?.agents.values() ?? [])].map(({ name, adapter, url }) => [name, adapter, url]),
    ).toStrictEqual([
      ["planner", "appbuilder", "http://127.0.0.1:4321/v2/a2a/demo-app"],
      ["jester", "a2a-0.1", "http://127.0.0.1:4321/legacy"],
      ["flights", "a2a-snake", "http://127.0.0.1:4321/snake"],
      ["traveller", "a2a-0.3", "http://127.0.0.1:4321/canonical"],
    ]);
    expect(config?.default).toBe("planner");
    expect([code, stopped]).toStrictEqual([0, ["proxy", "vendors"]]);
  });

  test("prints where each agent is, and a curl line whose body is a message/stream request", async () => {
    const { world } = await runDemo({ PORT: "8123" });
    const lines = world.out.text.split("\n");
    expect(lines.slice(0, 9)).toStrictEqual([
      "The proxy listens on http://127.0.0.1:8123, the demo vendors on http://127.0.0.1:4321.",
      "",
      "agent      vendor speaks  as A2A 0.3.0",
      "planner    appbuilder     http://127.0.0.1:8123/agents/planner/",
      "jester     a2a-0.1        http://127.0.0.1:8123/agents/jester/",
      "flights    a2a-snake      http://127.0.0.1:8123/agents/flights/",
      "traveller  a2a-0.3        http://127.0.0.1:8123/agents/traveller/",
      "",
      "gRPC is on 127.0.0.1:8082; the metadata a2a-agent names the agent.",
    ]);
    const curl = lines.find((line) => line.includes("curl")) ?? "";
    expect(curl).toContain(
      "curl -N http://127.0.0.1:8123/agents/planner/ -H 'Content-Type: application/json' -d '",
    );
    expect(JSON.parse(curl.split("-d ")[1]?.replaceAll("'", "") ?? "")).toMatchObject({
      jsonrpc: "2.0",
      id: 1,
      method: "message/stream",
      params: {
        message: { kind: "message", role: "user", parts: [{ kind: "text", text: expect.any(String) }] },
      },
    });
  });

  test("takes the vendors' port from DEMO_PORT", async () => {
    expect((await runDemo({ DEMO_PORT: "0" })).ports).toStrictEqual([0]);
    const world = createWorld({ env: { DEMO_PORT: "ninety" } });
    expect(await world.run("demo")).toBe(1);
    expect(world.err.text).toBe("error DEMO_PORT must be a port, 0 to 65535\n");
  });

  test("stops the vendors where the proxy cannot start, and says how to choose ports", async () => {
    const failure = Object.assign(new Error("x"), { code: "EADDRINUSE", address: "::1", port: 8080 });
    const { world, code, stopped } = await runDemo({}, failure);
    expect([code, stopped]).toStrictEqual([1, ["vendors"]]);
    expect(world.err.text).toBe(
      "error [::1]:8080 is already in use: stop what listens there, or choose other ports with PORT and GRPC_PORT (the proxy's) and DEMO_PORT (the vendors')\n",
    );
  });
});
