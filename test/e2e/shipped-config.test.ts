/** The configuration that comes with the program, in front of the demo vendors: every agent, on every transport. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, expect, test } from "@jest/globals";
import { pino } from "pino";
import { adapters } from "../../adapters/index.ts";
import { parseConfig } from "../../src/config/load.ts";
import { startVendors } from "../../src/demo/vendors.ts";
import { startProxy } from "../../src/server.ts";
import { grpcClient } from "../support/transports/grpc.ts";
import { jsonRpcClient } from "../support/transports/json-rpc.ts";
import { restClient } from "../support/transports/rest.ts";
import { params } from "../support/fake-agent.ts";

const vendors = await startVendors(0);
const shipped = await readFile(join(import.meta.dirname, "../../config.yaml"), "utf8");
const env = { PORT: "0", DEMO_PORT: String(vendors.port) };
const { config, warnings } = await parseConfig(
  shipped.replace("./data/proxy.db", "':memory:'"),
  "config.yaml",
  {
    adapters,
    env,
  },
);
const proxy = await startProxy(config, { adapters, log: pino({ level: "silent" }) });
afterAll(async () => {
  await proxy.stop();
  await vendors.stop();
});

test("warns of nothing, and listens on this machine alone", () => {
  expect([warnings, config.server.host, config.server.grpc?.host]).toEqual([[], "127.0.0.1", "127.0.0.1"]);
});

test("the default agent's card names no gRPC, which some clients refuse", async () => {
  const response = await fetch(`${proxy.url}/.well-known/agent-card.json`);
  expect(await response.text()).not.toContain("GRPC");
});

test.each([...config.agents.keys()])("%s answers over JSON-RPC, HTTP+JSON and gRPC", async (agent) => {
  const target = { agent, key: undefined };
  const clients = [
    jsonRpcClient(proxy.url, target, () => {}),
    restClient(proxy.url, target),
    grpcClient(proxy.grpcPort ?? 0, target),
  ];
  const states: unknown[] = [];
  for (const client of clients) {
    states.push(await client.send(params("hello")));
    client.close();
  }
  const completed = expect.objectContaining({ status: expect.objectContaining({ state: "completed" }) });
  expect(states).toEqual([completed, completed, completed]);
});
