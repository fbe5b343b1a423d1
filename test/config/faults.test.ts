import { describe, expect, test } from "@jest/globals";
import { nearest } from "../../src/config/faults.ts";
import { parseConfig } from "../../src/config/load.ts";
import { adapterNamed, configError, faultsIn, faultsOf, withAgent } from "./support.ts";

describe("faults", () => {
  test("are all reported at once, in the order of the file, each with its place", async () => {
    const text = `server: { prot: 1, heartbeat: 30 }
default: planer
agents:
  planner:
    adapter: fanc
    url: ftp://vendor.example
    timeouts: { first_event: 30s, total: 100d }
    credentials:
      type: apiKey
      name: a b
  Other:
    adapter: fancy
    url:
    options:
      enduserId: x
      deep: { flg: true }
  planner:
    adapter: plain
`;
    const durations = "write a number and a unit (ms, s, m, h, d, w), as in `500ms`, `30s` or `1h`";
    expect(await faultsOf(text)).toStrictEqual([
      "1:11 server.prot: unknown key; did you mean `port`?",
      `1:31 server.heartbeat: needs a unit: ${durations}`,
      "2:10 default: no such agent; did you mean `planner`?",
      "5:14 agents.planner.adapter: unknown adapter; did you mean `fancy`?",
      "6:10 agents.planner.url: must be an absolute http:// or https:// URL",
      "7:17 agents.planner.timeouts.first_event: unknown key; did you mean `firstEvent`?",
      "7:42 agents.planner.timeouts.total: must be at most 24d",
      "8:5 agents.planner.credentials.in: is missing",
      "8:5 agents.planner.credentials.value: is missing",
      "10:13 agents.planner.credentials.name: must be a header, query parameter or cookie name",
      "11:3 agents.Other: is no agent name: it goes into URLs, so it is made of lower-case letters, digits, `-`, `_` and `.`, and begins with a letter or digit",
      "13:5 agents.Other.url: must be text, but is empty",
      "15:7 agents.Other.options.enduserId: unknown key; did you mean `endUserId`?",
      "16:7 agents.Other.options.deep.flag: is missing",
      "16:15 agents.Other.options.deep.flg: unknown key; did you mean `flag`?",
      "17:3 agents.planner: duplicate key",
    ]);
  });

  test("of YAML's syntax are all reported, without a word of what stands in the file", async () => {
    const text = 'agents: { a: s3cret: c }\n x: [hunter2, "\n';
    const error = await configError(text);
    expect(error.faults.map(({ line, column }) => `${line}:${column}`)).toStrictEqual([
      "1:14",
      "2:1",
      "3:1",
      "3:1",
    ]);
    expect(error.faults[0]?.message).toBe("YAML: block collections are not allowed within flow collections");
    expect(error.message).not.toMatch(/s3cret|hunter2/);
  });

  test.each([
    ["", "1:1 : the file is empty; it needs `agents`"],
    ["# nothing", "1:1 : the file is empty; it needs `agents`"],
    ["[1]", "1:1 : must be a mapping, but is a list"],
    ["log: {}", "1:1 agents: is missing"],
    ["agents: {}", "1:1 agents: must name at least one agent"],
    ["agents: { a: *nowhere }", "1:14 agents.a: YAML: there is no such anchor before this alias"],
    [
      `${withAgent()}\n---\n`,
      "5:1 : YAML: source contains multiple documents; please use YAML.parseAllDocuments()",
    ],
  ])("of %j as a whole: %s", async (text, fault) => {
    expect(await faultsOf(text)).toContain(fault);
  });

  test.each([
    [
      "url: https://u:p@vendor.example",
      "agents.a.url: must not hold credentials: put them under `credentials`",
    ],
    [
      "card: agent.json",
      "agents.a.card: must be an http(s) URL, a path that begins with `/`, or an inline card",
    ],
    [
      "card: //elsewhere/x",
      "agents.a.card: must be an http(s) URL, a path that begins with `/`, or an inline card",
    ],
    [
      "credentials: { type: bearr }",
      "agents.a.credentials.type: must be one of none, bearer, apiKey, basic, oauth2",
    ],
    [
      "credentials: { type: bearer, token: Bearer x }",
      "agents.a.credentials.token: must be visible ASCII characters without spaces or line breaks",
    ],
    [
      "credentials: { type: bearer, token: 1234567 }",
      "agents.a.credentials.token: must be text: put it in quotes",
    ],
    [
      "credentials: { type: basic, username: u, passwrd: p }",
      "agents.a.credentials.passwrd: unknown key; did you mean `password`?",
    ],
    [
      "onDisconnect: cancle",
      "agents.a.onDisconnect: must be one of continue, cancel; did you mean `cancel`?",
    ],
    ["limits: { parts: 0 }", "agents.a.limits.parts: must be at least 1"],
    ["limits: { parts: 1.5 }", "agents.a.limits.parts: must be a whole number, but is a number"],
    ["options: 7", "agents.a.options: must be a mapping, but is a number"],
    ["adaptor: plain", "agents.a.adaptor: unknown key; did you mean `adapter`?"],
  ])("of an agent with `%s`", async (line, fault) => {
    const text = line.startsWith("url")
      ? withAgent(line).replace("    url: https://vendor.example/a\n", "")
      : withAgent(line);
    expect((await faultsOf(text)).map((each) => each.replace(/^\d+:\d+ /, ""))).toContain(fault);
  });

  test("name a path that a reader can follow where a key has a dot", async () => {
    const [fault] = await faultsIn(withAgent("options: { x: 1 }").replace("  a:", "  a.b:"));
    expect(fault?.path).toBe('agents["a.b"].options.x');
  });

  test("of an adapter that is not at all like one list what there is", async () => {
    expect(await faultsOf(withAgent().replace("plain", "zzzzzzzz"))).toStrictEqual([
      "3:14 agents.a.adapter: unknown adapter; there are plain, fancy",
    ]);
  });

  test("of an adapter for another version list what there is, and suggest none", async () => {
    const adapters = new Map(["a2a-0.1", "a2a-0.3"].map((name) => [name, adapterNamed(name)]));
    const faultOf = async (name: string): Promise<string> => {
      const text = withAgent().replace("plain", name);
      const parsed = parseConfig(text, "config.yaml", { adapters, env: {} });
      return parsed.then(() => "no fault", String);
    };
    expect(await faultOf("a2a-1.0")).toContain(
      "agents.a.adapter: unknown adapter; there are a2a-0.1, a2a-0.3",
    );
    expect(await faultOf("a2a-0.2")).toContain("adapter: unknown adapter; there are a2a-0.1, a2a-0.3");
  });

  test("name what is wrong with YAML once", async () => {
    expect(await faultsOf("agents: { a: { adapter: plain\n")).toStrictEqual([
      "2:1 : YAML: flow map in block collection must be sufficiently indented and end with a }",
    ]);
  });

  test("of certificates name the file's place where it cannot be read", async () => {
    const text = `server: { tls: { cert: /nope/cert.pem, key: ${import.meta.filename} } }\n${withAgent("tls: { ca: /nope/ca.pem }")}`;
    expect(await faultsOf(text)).toStrictEqual([
      "1:24 server.tls.cert: the file cannot be read (ENOENT)",
      "6:16 agents.a.tls.ca: the file cannot be read (ENOENT)",
    ]);
  });

  test("refuse a public URL that no path can be put after", async () => {
    expect(await faultsOf(`server: { publicUrl: "https://a.example/?x=1" }\n${withAgent()}`)).toStrictEqual([
      "1:22 server.publicUrl: must not have a query",
    ]);
  });

  test("survive a file that refers to itself", async () => {
    expect(await faultsOf("agents: &loop\n  a: *loop\n")).toContain("1:1 agents: is nested too deeply");
  });

  test("do not show a secret that an adapter's schema quotes", async () => {
    const text = withAgent("options: { colour: hunter2 }", "credentials: { type: bearer, token: hunter2 }");
    expect(await faultsOf(text.replace("plain", "fancy"))).toStrictEqual([
      "5:24 agents.a.options.colour: no such colour: [redacted]",
    ]);
  });

  test("read well as one text", async () => {
    expect(String(await configError(withAgent("x: 1", "y: 2")))).toBe(
      [
        "There are 2 errors in the configuration:",
        "  config.yaml:5:5  agents.a.x: unknown key",
        "  config.yaml:6:5  agents.a.y: unknown key",
      ].join("\n"),
    );
  });
});

describe("the nearest name", () => {
  test.each([
    ["publicURL", ["port", "publicUrl"], "publicUrl"],
    ["first-event", ["idle", "firstEvent"], "firstEvent"],
    ["tokn", ["type", "token"], "token"],
    ["x", ["host", "in"], undefined],
    ["colour", ["host", "port"], undefined],
  ])("to %s among %j is %s", (name, names, expected) => {
    expect(nearest(name, names)).toBe(expected);
  });
});
