/** Tokens of an issuer on loopback, with its real discovery document and keys, through sockets. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { generateKeyPair, SignJWT } from "jose";
import { OidcTokens } from "../../src/auth/oidc.ts";
import type { OidcConfig } from "../../src/config/auth.ts";
import { post, type RpcAnswer } from "../support/client.ts";
import { startTestProxy, type TestProxy } from "../support/proxy.ts";
import { startIssuer, startVendor, type TestIssuer } from "./support.ts";

let vendor: Awaited<ReturnType<typeof startVendor>>;
let issuer: TestIssuer;
let proxy: TestProxy;

beforeAll(async () => {
  [vendor, issuer] = await Promise.all([startVendor(), startIssuer()]);
  const grants = [{ claim: "scope", value: "read", methods: ["tasks/*"] }];
  proxy = await startTestProxy(
    { one: { adapter: "a2a-0.3", url: vendor.url } },
    { auth: { publicCard: false, oidc: [{ issuer: issuer.url, audience: "proxy", grants }] } },
  );
});
afterAll(async () => {
  await proxy.stop();
  issuer.stop();
  vendor.stop();
});

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

async function get(token: string, method = "tasks/get") {
  const response = await post(
    proxy.agent("one"),
    { jsonrpc: "2.0", id: 1, method, params: { id: "none" } },
    { headers: { "content-type": "application/json", ...bearer(token) } },
  );
  const { error } = (await response.json()) as RpcAnswer;
  return { status: response.status, error, challenge: response.headers.get("www-authenticate") };
}

const READER = { sub: "ann", scope: "write read" };

describe("a token", () => {
  test("lets its bearer in to what its claims grant", async () => {
    expect(await get(await issuer.token(READER))).toMatchObject({ status: 200, error: { code: -32001 } });
  });

  test("that grants less is refused with 403 and insufficient_scope", async () => {
    const scarce = await get(await issuer.token({ sub: "ann", scope: "write" }));
    expect(scarce).toMatchObject({ status: 403, error: { code: -32043 } });
    expect(scarce.challenge).toBe('Bearer realm="a2a-proxy", error="insufficient_scope"');
    expect((await get(await issuer.token(READER), "message/send")).status).toBe(403);
  });

  const now = Math.floor(Date.now() / 1_000);
  const bad: [string, () => Promise<string>, string][] = [
    ["has expired", () => issuer.token(READER, { expires: now - 60 }), "the token has expired"],
    [
      "is for somebody else",
      () => issuer.token(READER, { audience: "other" }),
      "the claim aud of the token is missing or not as required",
    ],
    [
      "never expires",
      () => issuer.token(READER, { expires: "never" }),
      "the claim exp of the token is missing or not as required",
    ],
    [
      "is of another issuer",
      () => issuer.token(READER, { issuer: "https://other.example" }),
      "the token is of an issuer that is not known",
    ],
    [
      "is signed with another key",
      async () => issuer.token(READER, { key: (await generateKeyPair("ES256")).privateKey }),
      "the token's signature cannot be verified",
    ],
    ["is not signed", async () => unsigned(READER), "the token's algorithm is not accepted"],
    ["is signed with a shared secret", () => symmetric(), "the token's algorithm is not accepted"],
    ["names nobody", () => issuer.token({ scope: "read" }), "the token has no text in the claim sub"],
    ["is no JWT", async () => "abc", "the token is no JWT"],
  ];

  test.each(bad)("that %s is refused with 401, which says so", async (_, make, reason) => {
    const { status, error, challenge } = await get(await make());
    expect(status).toBe(401);
    expect(error?.data).toStrictEqual({ reason });
    expect(challenge).toBe(`Bearer realm="a2a-proxy", error="invalid_token", error_description="${reason}"`);
  });

  test("within the clock skew is good, though it has expired", async () => {
    expect((await get(await issuer.token(READER, { expires: now - 10 }))).status).toBe(200);
  });
});

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

const unsigned = (claims: Record<string, unknown>): string =>
  `${encode({ alg: "none" })}.${encode({ iss: issuer.url, aud: "proxy", ...claims })}.`;

/** Signed with what everybody knows: the mistake of taking a public key for a secret. */
const symmetric = (): Promise<string> =>
  new SignJWT(READER)
    .setProtectedHeader({ alg: "HS256", kid: "1" })
    .setIssuer(issuer.url)
    .setAudience("proxy")
    .setExpirationTime("5m")
    .sign(new TextEncoder().encode("a public key, as everybody knows it"));

test("the card asks for the issuer's tokens, and is only for callers who may reach the agent", async () => {
  const url = `${proxy.agent("one")}.well-known/agent-card.json`;
  expect((await fetch(url)).status).toBe(401);
  expect((await fetch(url, { headers: bearer(await issuer.token({ sub: "ann" })) })).status).toBe(403);
  const response = await fetch(url, { headers: bearer(await issuer.token(READER)) });
  expect(response.headers.get("cache-control")).toBe("private, max-age=60");
  expect(await response.json()).toMatchObject({
    securitySchemes: {
      oidc: {
        type: "openIdConnect",
        openIdConnectUrl: `${issuer.url}/.well-known/openid-configuration`,
      },
    },
    security: [{ oidc: [] }],
  });
});

describe("the issuer's keys", () => {
  const presented = (token: string) => ({
    headers: bearer(token),
    query: new URLSearchParams(),
    address: undefined,
    certificate: undefined,
  });
  const configOf = ({ url }: TestIssuer, more: Partial<OidcConfig> = {}): OidcConfig => ({
    issuer: url,
    audience: ["proxy"],
    algorithms: ["ES256"],
    clockSkew: 0,
    principal: "sub",
    ...more,
  });
  const options = { cooldown: 0, now: () => Date.now() };

  test("are fetched once for many tokens, and anew for a key that is not among them", async () => {
    const own = await startIssuer();
    const tokens = new OidcTokens([configOf(own)], options);
    const old = presented(await own.token({ sub: "a" }));
    await Promise.all([tokens.identify(old), tokens.identify(old), tokens.identify(old)]);
    expect(own.fetches).toStrictEqual({ discovery: 1, keys: 1 });
    await own.rotate();
    const principal = await tokens.identify(presented(await own.token({ sub: "b" })));
    expect(principal?.id).toBe(`${own.url}#sub=b`);
    expect(own.fetches).toStrictEqual({ discovery: 1, keys: 2 });
    await expect(tokens.identify(old)).rejects.toMatchObject({ name: "Refusal" });
    own.stop();
  });

  test("that cannot be fetched are not the caller's fault: 503", async () => {
    const own = await startIssuer();
    own.fail();
    const tokens = new OidcTokens([configOf(own)], options);
    await expect(tokens.identify(presented(await own.token({ sub: "a" })))).rejects.toMatchObject({
      code: "issuer-unavailable",
      httpStatus: 503,
    });
    own.stop();
  });

  test.each([
    ["all", { discovery: 1, keys: 0 }, { discovery: 2, keys: 1 }],
    ["keys", { discovery: 1, keys: 1 }, { discovery: 1, keys: 2 }],
  ] as const)(
    "that could not be fetched (%s) are asked for again after five seconds, however many tokens come",
    async (what, once, again) => {
      const own = await startIssuer();
      own.fail(what);
      let now = 1_000;
      const tokens = new OidcTokens([configOf(own)], { cooldown: 0, now: () => now });
      const token = presented(await own.token({ sub: "a" }));
      for (let index = 0; index < 30; index++) {
        await expect(tokens.identify(token)).rejects.toMatchObject({ code: "issuer-unavailable" });
      }
      expect(own.fetches).toStrictEqual(once);
      own.fail(false);
      now += 4_999;
      await expect(tokens.identify(token)).rejects.toMatchObject({ code: "issuer-unavailable" });
      now += 1;
      expect((await tokens.identify(token))?.id).toBe(`${own.url}#sub=a`);
      expect(own.fetches).toStrictEqual(again);
      own.stop();
    },
  );

  test("serve several audiences of one issuer, with a principal of each", async () => {
    const own = await startIssuer();
    const tokens = new OidcTokens(
      [configOf(own), configOf(own, { audience: ["robots"], principal: "client" })],
      options,
    );
    const robot = await own.token({ client: "r2" }, { audience: "robots" });
    expect((await tokens.identify(presented(robot)))?.id).toBe(`${own.url}#client=r2`);
    own.stop();
  });
});
