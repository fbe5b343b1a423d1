import { describe, expect, test } from "@jest/globals";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { interpolate, mask, unmask } from "../../src/config/interpolate.ts";
import { faultsOf, load, withAgent } from "./support.ts";

const sources = {
  env: { NAME: "value", EMPTY: "", NESTED: "${NAME}" },
  readFile: (path: string) => {
    if (path === "/run/secrets/x") return "from file\r\n";
    throw Object.assign(new Error("no"), { code: "ENOENT" });
  },
};

describe("a reference", () => {
  test.each([
    ["${NAME}", "value"],
    ["a-${NAME}-${NAME}-b", "a-value-value-b"],
    ["${NAME:-other}", "value"],
    ["${MISSING:-other}", "other"],
    ["${EMPTY:-other}", "other"],
    ["${EMPTY}", ""],
    ["${MISSING:-}", ""],
    ["${MISSING:-http://x:1/?a=b, c # d}", "http://x:1/?a=b, c # d"],
    ["${file:/run/secrets/x}", "from file"],
    ["$${NAME}", "${NAME}"],
    ["$${", "${"],
    ["costs $5 {x}", "costs $5 {x}"],
    ["${NESTED}", "${NAME}"],
  ])("%s becomes %j", (text, value) => {
    expect(interpolate(text, sources)).toMatchObject({ value, faults: [] });
  });

  test.each([
    ["${MISSING}", "needs the environment variable MISSING, which is not set"],
    ["${not-a-name}", "is no reference: write `${NAME}`, `${NAME:-default}` or `${file:/path}`"],
    ["${file:}", "is no reference: `${file:` needs a path"],
    ["${file:/nowhere}", "needs the file /nowhere, which cannot be read (ENOENT)"],
    ["${NAME", "`${` without a `}` on the same line; write `$${` for a literal `${`"],
  ])("%s is refused", (text, fault) => {
    expect(interpolate(text, sources).faults).toStrictEqual([fault]);
  });

  test("to a file is secret, one to a variable is not by itself", () => {
    expect(interpolate("${file:/run/secrets/x} ${NAME}", sources).secrets).toStrictEqual(["from file"]);
  });

  test("keeps its length while it is hidden from the YAML parser", () => {
    const text = "a: { b: ${X:-ä, }, c: $${Y}, d: ${Z } # ${W}";
    expect(mask(text)).toHaveLength(text.length);
    expect(unmask(mask(text))).toBe(text);
    expect(mask("a: { b: 1 }")).toBe("a: { b: 1 }");
  });
});

describe("in the configuration, a reference", () => {
  test("needs no quotes inside a flow mapping", async () => {
    const { config } = await load(withAgent("credentials: { type: bearer, token: ${TOKEN:-x,y#z} }"));
    expect(config.agents.get("a")?.credentials).toStrictEqual({ type: "bearer", token: "x,y#z" });
  });

  test("is a number or a boolean where one is wanted, and text where text is", async () => {
    const agent = withAgent(
      "options: { retries: ${N}, deep: { flag: ${F} } }",
      "credentials: { type: bearer, token: ${N} }",
      "limits: { parts: ${N} }",
    ).replace("plain", "fancy");
    const { config } = await load(`server: { port: \${N} }\n${agent}`, { N: "12345", F: "true" });
    expect(config.server.port).toBe(12_345);
    expect(config.agents.get("a")).toMatchObject({
      options: { retries: 12_345, deep: { flag: true } },
      credentials: { token: "12345" },
      limits: { parts: 12_345 },
    });
  });

  test("that is no number where one is wanted is a fault that does not show it", async () => {
    expect(await faultsOf(`server: { port: \${PORT} }\n${withAgent()}`, { PORT: "eighty" })).toStrictEqual([
      "1:17 server.port: must be a number, but is text",
    ]);
  });

  test("keeps every column of its line right", async () => {
    expect(await faultsOf(withAgent("credentials: { type: none, x: ${A:-{b} , typo: 1 }"))).toStrictEqual([
      "5:32 agents.a.credentials.x: unknown key",
      "5:46 agents.a.credentials.typo: unknown key; did you mean `type`?",
    ]);
  });

  test("that is missing is the only fault of its value, and every one is named", async () => {
    const text = withAgent("card: ${B}/${C}", "onDisconnect: ${D}").replace(
      "https://vendor.example/a",
      "${A}/x",
    );
    expect(await faultsOf(text)).toStrictEqual([
      "4:10 agents.a.url: needs the environment variable A, which is not set",
      "5:11 agents.a.card: needs the environment variable B, which is not set",
      "5:11 agents.a.card: needs the environment variable C, which is not set",
      "6:19 agents.a.onDisconnect: needs the environment variable D, which is not set",
    ]);
  });

  test("is read from an anchor too", async () => {
    const text = "agents:\n  a: &a { adapter: plain, url: 'https://${HOST}/' }\n  b: *a\n";
    const { config } = await load(text, { HOST: "vendor.example" });
    expect([...config.agents.values()].map(({ url }) => url)).toStrictEqual([
      "https://vendor.example/",
      "https://vendor.example/",
    ]);
  });

  test("to a file leaves out the line break at its end", async () => {
    const directory = await mkdtemp(join(tmpdir(), "config-"));
    const file = join(directory, "token");
    await writeFile(file, "t0ken\n");
    const { config } = await load(withAgent(`credentials: { type: bearer, token: \${file:${file}} }`));
    expect(config.agents.get("a")?.credentials).toStrictEqual({ type: "bearer", token: "t0ken" });
    await rm(directory, { recursive: true });
  });

  test("in a key or a comment is left alone", async () => {
    expect(await faultsOf(`${withAgent()} # \${NOPE}\n\${KEY}: 1\n`)).toStrictEqual([
      '5:1 ["${KEY}"]: unknown key',
    ]);
  });
});
