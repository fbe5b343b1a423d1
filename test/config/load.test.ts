import { describe, expect, test } from "@jest/globals";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DEFAULT_LIMITS, DEFAULT_TIMEOUTS } from "../../src/config/config.ts";
import { loadConfig } from "../../src/config/load.ts";
import { adapters, load, withAgent } from "./support.ts";

const agentOf = async (text: string, env = {}) => {
  const agent = (await load(text, env)).config.agents.get("a");
  if (!agent) throw new Error("no agent a");
  return agent;
};

describe("the least configuration", () => {
  test("gets every default", async () => {
    const { config, warnings } = await load(withAgent());
    expect({ ...config, agents: [...config.agents] }).toStrictEqual({
      server: {
        host: "127.0.0.1",
        port: 8080,
        maxBytesInFlight: 268_435_456,
        publicUrl: "http://127.0.0.1:8080",
        maxConnections: 10_000,
        heartbeat: 15_000,
        shutdownGrace: 10_000,
      },
      store: {
        driver: "sqlite",
        path: "./data/proxy.db",
        retention: 7 * 24 * 3_600_000,
        synchronous: "normal",
      },
      log: { level: "info" },
      push: {
        enabled: true,
        allowHttp: false,
        allowPrivate: false,
        allowHosts: [],
        allowPorts: [443],
        configsPerTask: 10,
        maxPending: 100,
        offAfter: 259_200_000,
        timeout: 10_000,
        retryMin: 1_000,
        retryMax: 900_000,
        maxAge: 86_400_000,
        maxAttempts: 200,
        concurrency: 64,
        concurrencyPerHost: 4,
        concurrencyPerPrincipal: 32,
        keepDeadLetters: 604_800_000,
        jwt: undefined,
      },
      auth: "absent",
      rateLimits: { per: 60_000, failedLogins: 100 },
      default: undefined,
      agents: [
        [
          "a",
          {
            name: "a",
            adapter: "plain",
            url: "https://vendor.example/a",
            card: {
              urls: [
                "https://vendor.example/a/.well-known/agent-card.json",
                "https://vendor.example/a/.well-known/agent.json",
                "https://vendor.example/.well-known/agent-card.json",
                "https://vendor.example/.well-known/agent.json",
                "https://vendor.example/a/v1/card",
              ],
            },
            credentials: { type: "none" },
            options: {},
            timeouts: DEFAULT_TIMEOUTS,
            limits: DEFAULT_LIMITS,
            onDisconnect: "continue",
          },
        ],
      ],
      secrets: [],
    });
    expect(warnings).toStrictEqual([]);
  });
});

describe("what an agent says", () => {
  test("wins over `defaults`, and these over the built-in values", async () => {
    const text = [
      "defaults: { timeouts: { idle: 5s, poll: 1s }, limits: { parts: 7 }, onDisconnect: cancel }",
      withAgent("timeouts: { idle: 9s }", "limits: { event: 4MiB }"),
    ].join("\n");
    const agent = await agentOf(text);
    expect(agent.timeouts).toStrictEqual({ ...DEFAULT_TIMEOUTS, idle: 9_000, poll: 1_000 });
    expect(agent.limits).toStrictEqual({ ...DEFAULT_LIMITS, parts: 7, event: 4 * 1024 * 1024 });
    expect(agent.onDisconnect).toBe("cancel");
  });

  test("may hold credentials of each type", async () => {
    const credentials = [
      { type: "none" },
      { type: "bearer", token: "t0ken" },
      { type: "apiKey", in: "query", name: "api_key", value: "v4lue" },
      { type: "apiKey", in: "header", name: "X-Appbuilder-Authorization", value: "Bearer v4lue" },
      { type: "basic", username: "me", password: "pa ss" },
    ];
    for (const each of credentials) {
      const agent = await agentOf(withAgent(`credentials: ${JSON.stringify(each)}`));
      expect(agent.credentials).toStrictEqual(each);
    }
  });

  test("holds the options as the adapter's schema makes them", async () => {
    const text = withAgent("options: { endUserId: u1 }").replace("plain", "fancy");
    expect((await agentOf(text)).options).toStrictEqual({ endUserId: "u1", retries: 3 });
  });
});

describe("publicUrl", () => {
  test.each([
    ["{ host: 0.0.0.0, port: 1 }", "http://localhost:1"],
    ['{ host: "::", port: 1 }', "http://localhost:1"],
    ['{ host: "::1", port: 1 }', "http://[::1]:1"],
    ["{ host: proxy.internal }", "http://proxy.internal:8080"],
    ["{ publicUrl: https://a2a.example/base// }", "https://a2a.example/base"],
  ])("of server %s is %s", async (server, publicUrl) => {
    expect((await load(`server: ${server}\n${withAgent()}`)).config.server.publicUrl).toBe(publicUrl);
  });
});

describe("the result", () => {
  test("is frozen all the way down", async () => {
    const text = withAgent("options: { deep: { flag: true } }", "card: { skills: [{ id: s }] }").replace(
      "plain",
      "fancy",
    );
    const { config } = await load(text);
    const agent = config.agents.get("a");
    const parts: unknown[] = [
      config,
      config.server,
      config.store,
      config.log,
      config.secrets,
      config.agents,
      agent,
    ];
    parts.push(
      agent?.card,
      agent?.card.inline,
      agent?.credentials,
      agent?.timeouts,
      agent?.limits,
      agent?.options,
    );
    parts.push(
      Reflect.get(Object(agent?.options), "deep"),
      Reflect.get(Object(agent?.card.inline?.["skills"]), 0),
    );
    expect(parts.map((part) => Object.isFrozen(part))).toStrictEqual(parts.map(() => true));
  });

  test("keeps its map of agents from changing", async () => {
    const { agents } = (await load(withAgent())).config;
    const change = (method: string) => () => Reflect.apply(Reflect.get(agents, method), agents, ["b"]);
    for (const method of ["set", "delete", "clear"]) expect(change(method)).toThrow("frozen");
    expect([...agents.keys()]).toStrictEqual(["a"]);
  });
});

describe("secrets", () => {
  test("are the values under credentials, in files, and keys in URLs", async () => {
    const directory = await mkdtemp(join(tmpdir(), "config-"));
    const file = join(directory, "secret");
    await writeFile(file, "from-file\n");
    const text = `
agents:
  a: { adapter: plain, url: "https://v.example/a?key=in-url&v=1", credentials: { type: bearer, token: literal } }
  b: { adapter: plain, url: https://v.example/b, credentials: { type: basic, username: admin, password: "\${PASS}" } }
  c: { adapter: plain, url: https://v.example/c, credentials: { type: basic, username: "\${USER}", password: p } }
  d: { adapter: plain, url: https://v.example/d, card: "/card?api_key=in%20card" }
  e: { adapter: fancy, url: https://v.example/e, options: { endUserId: "\${file:${file}}" } }
`;
    const { config } = await load(text, { PASS: "from-env", USER: "hidden-user" });
    expect([...config.secrets].sort()).toStrictEqual(
      ["from-env", "from-file", "hidden-user", "in card", "in-url", "literal", "p"].sort(),
    );
    await rm(directory, { recursive: true });
  });
});

test("a zone of an agent's times is one that the program knows", async () => {
  const { config } = await load(withAgent("timeZone: Asia/Shanghai"));
  expect(config.agents.get("a")?.timeZone).toBe("Asia/Shanghai");
  await expect(load(withAgent("timeZone: China"))).rejects.toThrow(
    "agents.a.timeZone: is no time zone; write one such as Asia/Shanghai or +08:00",
  );
});

describe("warnings", () => {
  test.each([
    ["http://vendor.example/a", ["agents.a.credentials: travel unencrypted, because the url is http://"]],
    ["https://vendor.example/a", []],
    ["http://127.0.0.1:1/a", []],
    ["http://[::1]:1/a", []],
    ["http://localhost/a", []],
  ])("for credentials to %s are %j", async (url, expected) => {
    const text = withAgent("credentials: { type: bearer, token: t }").replace(
      "https://vendor.example/a",
      url,
    );
    expect((await load(text)).warnings).toStrictEqual(expected);
  });

  test.each([
    [
      "mode: instead-of-polling",
      ["agents.a.vendorPush: the vendor cannot reach a callback on this machine; set callbackUrl"],
    ],
    ["mode: instead-of-polling, callbackUrl: https://proxy.example", []],
    ["mode: off", []],
  ])("for a vendor that is to push by {%s} are %j", async (vendorPush, expected) => {
    expect((await load(withAgent(`vendorPush: { ${vendorPush} }`))).warnings).toStrictEqual(expected);
  });

  test.each([
    ["{ blocking: 60s, total: 60s }", ["agents.a.timeouts.blocking: 1m is not less than total, 1m: "]],
    ["{ total: 2m }", ["agents.a.timeouts.blocking: 5m is not less than total, 2m: "]],
    ["{ blocking: 59s, total: 60s }", []],
  ])("for timeouts of %s are %j", async (timeouts, expected) => {
    const { warnings } = await load(withAgent(`timeouts: ${timeouts}`));
    expect(warnings.map((warning) => warning.replace(/(?<=: )a message.*/, ""))).toStrictEqual(expected);
  });

  test("say that credentials do not follow the card to another origin", async () => {
    const card = "card: https://cards.example/a.json";
    expect((await load(withAgent(card))).warnings).toStrictEqual([]);
    expect((await load(withAgent(card, "credentials: { type: bearer, token: t }"))).warnings).toStrictEqual([
      "agents.a.card: is at another origin than the url; the credentials are not sent there",
    ]);
  });
});

describe("the file", () => {
  test("is read from disk, with the fault that it is not there", async () => {
    const file = join(tmpdir(), "no-such-directory", "config.yaml");
    await expect(loadConfig(file, { adapters, env: {} })).rejects.toMatchObject({
      faults: [{ path: "", line: 0, column: 0, message: "there is no such file" }],
      message: `There is an error in the configuration:\n  ${file}  there is no such file`,
    });
  });
});
