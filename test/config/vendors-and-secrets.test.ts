/** What the configuration would show to vendors, or to whoever listens on the way, by mistake. */
import { describe, expect, test } from "@jest/globals";
import { faultsOf, load, withAgent } from "./support.ts";

const DIGEST = `sha256:${"A".repeat(43)}`;
const withKeys = (header: string, ...lines: string[]): string =>
  `${withAgent(...lines)}\nauth: { apiKeys: { ${header}keys: { ci: { hash: "${DIGEST}" } } } }`;

describe("the header of the proxy's own keys", () => {
  test.each([
    ["", "x-api-key"],
    ["header: X-Proxy-Key, ", "X-PROXY-KEY"],
  ])("is not passed on to a vendor (%j)", async (header, forwarded) => {
    expect(await faultsOf(withKeys(header, `forward: { headers: [X-User, ${forwarded}] }`))).toEqual([
      "5:34 agents.a.forward.headers[1]: is the header of auth.apiKeys: vendors must not see keys of the proxy",
    ]);
  });

  test("may be passed on where it is not the proxy's", async () => {
    const forward = "forward: { headers: [X-API-Key] }";
    for (const text of [withAgent(forward), withKeys("header: X-Proxy-Key, ", forward)]) {
      expect((await load(text)).config.agents.get("a")?.forward).toEqual(["x-api-key"]);
    }
  });
});

test.each([
  ["headers: { X-Tenant: blue }", "headers"],
  ["forward: { headers: [X-User] }", "forward"],
  ["credentials: { type: bearer, token: t }", "credentials"],
])("%s over http is warned of", async (line, part) => {
  const text = withAgent(line);
  expect((await load(text)).warnings).toEqual([]);
  const open = text.replace("https:", "http:");
  expect((await load(open)).warnings).toEqual([
    `agents.a.${part}: travel unencrypted, because the url is http://`,
  ]);
});
