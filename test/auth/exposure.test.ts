/** Rate limits, names the proxy answers to, where it listens without credentials, and what the configuration refuses. */
import { once } from "node:events";
import { createServer, request } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { createWorld } from "../cli/support.ts";
import { faultsOf, load, withAgent } from "../config/support.ts";
import { post, userMessage } from "../support/client.ts";
import { startTestProxy } from "../support/proxy.ts";
import { CARD, apiKeys, startVendor } from "./support.ts";

let vendor: Awaited<ReturnType<typeof startVendor>>;
beforeAll(async () => {
  vendor = await startVendor();
});
afterAll(() => vendor.stop());

const start = (more: Record<string, unknown>) => {
  const agent = { adapter: "a2a-0.3", url: vendor.url };
  return startTestProxy({ one: agent, two: agent }, more);
};
const get = { jsonrpc: "2.0", id: 7, method: "tasks/get", params: { id: "none" } };

test("calls beyond a caller's limit for an agent are 429, with Retry-After, on each transport", async () => {
  const { keys, hashes } = apiKeys("alice", "bob");
  const auth = {
    apiKeys: { keys: { alice: { hash: hashes.alice }, bob: { hash: hashes.bob } } },
  };
  const proxy = await start({ auth, rateLimits: { calls: 2, per: "1h" } });
  const call = (key: string, agent = "one") =>
    post(proxy.agent(agent), get, { headers: { "content-type": "application/json", "x-api-key": key } });
  expect([await call(keys.alice), await call(keys.alice)].map(({ status }) => status)).toStrictEqual([
    200, 200,
  ]);
  const refused = await call(keys.alice);
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(3_000);
  expect(await refused.json()).toMatchObject({
    // Its body has not been read.
    id: null,
    error: { code: -32603, data: { agent: "one", limit: 2 } },
  });
  const rest = await fetch(`${proxy.agent("one")}v1/tasks/none`, { headers: { "x-api-key": keys.alice } });
  expect(rest.status).toBe(429);
  expect(Number(rest.headers.get("retry-after"))).toBeGreaterThan(3_000);
  expect((await call(keys.alice, "two")).status).toBe(200);
  expect((await call(keys.bob)).status).toBe(200);
  await proxy.stop();
});

test("streams beyond a caller's limit are 429, until one ends", async () => {
  const silent = createServer(() => {}).listen(0, "127.0.0.1");
  await once(silent, "listening");
  const address = silent.address();
  if (address === null || typeof address === "string") throw new Error("no address");
  const agent = {
    adapter: "a2a-0.3",
    url: `http://127.0.0.1:${address.port}`,
    card: { ...CARD, capabilities: { streaming: false } },
    onDisconnect: "cancel",
  };
  const proxy = await startTestProxy({ one: agent }, { rateLimits: { streams: 1 } });
  const stream = (signal?: AbortSignal) =>
    post(
      proxy.agent("one"),
      { ...get, method: "message/stream", params: userMessage("hi") },
      signal && { signal, headers: { "content-type": "application/json" } },
    );
  const leaving = new AbortController();
  expect((await stream(leaving.signal)).status).toBe(200);
  const refused = await stream();
  expect(refused.status).toBe(429);
  expect(await refused.json()).toMatchObject({ error: { data: { streams: 1 } } });
  leaving.abort();
  const next = new AbortController();
  while ((await stream(next.signal)).status === 429);
  next.abort();
  await proxy.stop();
  silent.closeAllConnections();
  silent.close();
});

describe("without credentials, on loopback", () => {
  const statusFor = async (url: string, host: string): Promise<number> => {
    const sent = request(`${url}/healthz`, { headers: { host }, agent: false }).end();
    const [response] = await once(sent, "response");
    response.resume();
    return response.statusCode;
  };

  test("only this machine's names and the configured ones are answered", async () => {
    const server = {
      host: "127.0.0.1",
      port: 0,
      publicUrl: "http://proxy.test:99",
      allowedHosts: ["Inner"],
    };
    const proxy = await start({ server });
    const good = ["localhost", "localhost:8080", "127.0.0.1:1", "[::1]:8080", "PROXY.test", "inner:80"];
    for (const host of good) expect([host, await statusFor(proxy.url, host)]).toStrictEqual([host, 200]);
    const bad = ["evil.example", "evil.example:8080", "localhost.evil.example", "127.0.0.1.evil.example"];
    for (const host of bad) expect([host, await statusFor(proxy.url, host)]).toStrictEqual([host, 403]);
    await proxy.stop();
  });

  test("where credentials are asked for, every name is", async () => {
    const { hashes } = apiKeys("alice");
    const proxy = await start({ auth: { apiKeys: { keys: { alice: { hash: hashes.alice } } } } });
    expect(await statusFor(proxy.url, "any.example")).toBe(200);
    await proxy.stop();
  });
});

test("the proxy listens for others only where that was decided on", async () => {
  const server = { host: "0.0.0.0", port: 0, publicUrl: "http://proxy.test" };
  await expect(start({ server })).rejects.toThrow(/^auth: is absent/);
  const open = await start({ server, auth: "none" });
  await open.stop();
  const { warnings } = await load(["server: { host: 0.0.0.0 }", withAgent()].join("\n"));
  expect(warnings).toStrictEqual([]);
});

describe("the configuration", () => {
  const { hashes } = apiKeys("k");
  const keys = (more = "") => `auth: { apiKeys: { keys: { k: { hash: "${hashes.k}"${more} } } } }`;

  test.each([
    ["auth: {}", "1:1 auth: must have apiKeys, oidc or mtls, or be `none`"],
    ["auth: off", "1:7 auth: must be `none`, or have apiKeys, oidc or mtls"],
    ["auth: { apiKey: {} }", "1:9 auth.apiKey: unknown key; did you mean `apiKeys`?"],
    [
      "auth: { apiKeys: { keys: { k: { hash: secret } } } }",
      "1:39 auth.apiKeys.keys.k.hash: must be a hash as `a2a-proxy key new` prints it",
    ],
    ["auth: { mtls: {} }", "1:9 auth.mtls: needs server.tls.clientCa"],
    [
      'auth: { oidc: [{ issuer: "http://issuer.example", audience: x }] }',
      "1:26 auth.oidc[0].issuer: must be https://, or on this machine",
    ],
  ])("%s is a fault", async (text, fault) => {
    expect(await faultsOf(`${text}\n${withAgent()}`)).toContain(fault);
  });

  test("names the skills of a grant, and the key they are named by", async () => {
    const text = keys(", skills: [forecast]").replace("auth: {", "auth: { skillKey: skill,");
    const { config } = await load(`${text}\n${withAgent()}`);
    expect(config.auth).toMatchObject({
      skillKey: "skill",
      apiKeys: { keys: { k: { skills: ["forecast"] } } },
    });
    expect((await faultsOf(`${keys(", skills: []")}\n${withAgent()}`)).join()).toMatch(
      /^\d+:\d+ auth\.apiKeys\.keys\.k\.skills: must not be empty$/,
    );
  });

  test("names the agents and methods that a grant has and nothing else does", async () => {
    expect((await faultsOf(`${keys(", agents: [b]")}\n${withAgent()}`)).join()).toMatch(
      /auth\.apiKeys\.keys\.k\.agents\[0\]: no such agent/,
    );
    expect((await faultsOf(`${keys(", methods: [task/*]")}\n${withAgent()}`)).join()).toMatch(
      /methods\[0\]: must be a method of A2A/,
    );
    const good = await load(`${keys(", agents: [a], methods: [tasks/*, message/send]")}\n${withAgent()}`);
    expect(good.config.auth).toMatchObject({ apiKeys: { header: "X-API-Key", bearer: false } });
  });
});

test("`key new` prints a key and the hash that lets it in", async () => {
  const world = createWorld();
  expect(await world.run("key", "new")).toBe(0);
  const [, key = "", hash = ""] =
    /^key {3}(a2a_[\w-]{43})\nhash {2}(sha256:[\w-]{43})\n$/.exec(world.out.text) ?? [];
  const proxy = await start({ auth: { apiKeys: { keys: { printed: { hash } } } } });
  const headers = { "content-type": "application/json", "x-api-key": key };
  expect((await post(proxy.agent("one"), get, { headers })).status).toBe(200);
  await proxy.stop();
});
