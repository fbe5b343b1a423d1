/** The extended card over sockets, as the official clients ask for it, on every transport: for callers who are known. */
import { status } from "@grpc/grpc-js";
import { afterAll, describe, expect, test } from "@jest/globals";
import { z } from "zod";
import { CARD, apiKeys, startIssuer } from "../auth/support.ts";
import { GrpcClient } from "../northbound/grpc-harness.ts";
import { post } from "../support/client.ts";
import { client03, client10 } from "../support/official-client.ts";
import { startTestProxy } from "../support/proxy.ts";
import { startScriptedVendor } from "../support/scripted-vendor.ts";
import { TRANSPORTS } from "../support/transports/transport.ts";

const VENDOR = "http://vendor.test/";
const skill = (id: string) => ({ id, name: id, description: `Does ${id}.`, tags: ["travel"] });
const VENDOR_CARD = { ...CARD, supportsAuthenticatedExtendedCard: true, skills: [skill("plan")] };
const EXTENDED = {
  ...VENDOR_CARD,
  description: "For those who are known.",
  url: VENDOR,
  additionalInterfaces: [{ url: "vendor.test:443", transport: "GRPC" }],
  skills: [skill("plan"), skill("bill")],
};

const answer = { body: JSON.stringify({ jsonrpc: "2.0", id: 1, result: EXTENDED }) };
const vendor = await startScriptedVendor(
  VENDOR_CARD,
  Array.from({ length: 40 }, () => answer),
);
const issuer = await startIssuer();
const { keys, hashes } = apiKeys("alice");
const proxy = await startTestProxy(
  { planner: { adapter: "a2a-0.3", url: vendor.url } },
  {
    server: { host: "127.0.0.1", port: 0, publicUrl: "https://proxy.test", grpc: { port: 0 } },
    default: "planner",
    auth: {
      apiKeys: { keys: { alice: { hash: hashes.alice } } },
      oidc: [{ issuer: issuer.url, audience: "proxy" }],
    },
  },
);
afterAll(async () => {
  await proxy.stop();
  await vendor.stop();
  issuer.stop();
});

const CREDENTIALS: Readonly<Record<string, () => Promise<Record<string, string>>>> = {
  "an API key": async () => ({ "x-api-key": keys.alice }),
  "a token": async () => ({ authorization: `Bearer ${await issuer.token({ sub: "alice" })}` }),
};

interface CardClient {
  /** The card for known callers, as the client understands it. */
  getAgentCard(options?: { serviceParameters?: Record<string, string> }): Promise<unknown>;
}

/** Made from the public card, which needs no credentials. */
const CLIENTS: Readonly<Record<string, (...of: Parameters<typeof client03>) => Promise<CardClient>>> = {
  "0.3.14": client03,
  "1.3.0": client10,
};

/** What both versions of the client say of a card. */
const Interfaces = z.array(z.looseObject({ url: z.string() })).transform((all) => all.map(({ url }) => url));
const Seen = z.looseObject({
  description: z.string(),
  skills: z.array(z.looseObject({ id: z.string() })).transform((skills) => skills.map(({ id }) => id)),
  securitySchemes: z.record(z.string(), z.unknown()),
  additionalInterfaces: Interfaces.optional(),
  supportedInterfaces: Interfaces.optional(),
});

const ROWS = Object.keys(CLIENTS).flatMap((version) =>
  TRANSPORTS.map((transport) => ({ version, transport })),
);

describe.each(ROWS)("the official client $version over $transport", ({ version, transport }) => {
  test("gets no extended card without credentials", async () => {
    const before = vendor.requests.length;
    const client = await CLIENTS[version]?.(proxy, { agent: "planner", transport });
    await expect(client?.getAgentCard()).rejects.toThrow(/401|[Aa]uthenticat/);
    expect(vendor.requests).toHaveLength(before);
  });

  test.each(Object.keys(CREDENTIALS))(
    "gets the extended card, at the proxy's addresses, with %s",
    async (shown) => {
      const client = await CLIENTS[version]?.(proxy, { agent: "planner", transport });
      const serviceParameters = await CREDENTIALS[shown]?.();
      const card = await client?.getAgentCard(serviceParameters && { serviceParameters });
      const { description, skills, securitySchemes, ...seen } = Seen.parse(card);
      expect([description, skills]).toEqual(["For those who are known.", ["plan", "bill"]]);
      expect(JSON.stringify(securitySchemes.apiKey)).toContain("X-API-Key");
      expect(JSON.stringify(securitySchemes.oidc)).toContain(issuer.url);
      expect(Object.keys(securitySchemes)).toEqual(["apiKey", "oidc"]);
      const urls = new Set(seen.additionalInterfaces ?? seen.supportedInterfaces);
      const base = "https://proxy.test/agents/planner";
      // The client of 1.0 speaks it at the URL that speaks nothing else; over gRPC there is no such URL.
      const own = [`${base}/a2a-1.0/`, `${base}/a2a-1.0`];
      const of03 = [`${base}/`, base];
      const byHttp = version === "1.3.0" ? own : of03;
      const byGrpc = version === "1.3.0" ? [...own, ...of03] : of03;
      const expected = [...(transport === "GRPC" ? byGrpc : byHttp), `127.0.0.1:${proxy.grpcPort}`];
      expect(urls).toEqual(new Set(expected));
      expect(JSON.stringify(card)).not.toContain("vendor");
    },
  );
});

test("without credentials the answer is 401, and UNAUTHENTICATED over gRPC", async () => {
  const rest = await fetch(`${proxy.agent("planner")}v1/card`);
  expect([rest.status, await rest.json()]).toEqual([401, expect.objectContaining({ code: -32041 })]);
  const request = { jsonrpc: "2.0", id: 1, method: "agent/getAuthenticatedExtendedCard" };
  const json = await post(proxy.agent("planner"), request);
  expect([json.status, await json.json()]).toMatchObject([401, { error: { code: -32041 } }]);
  using client = new GrpcClient(proxy.grpcPort ?? 0);
  for (const metadata of [{}, { "x-api-key": "wrong" }, { authorization: "Bearer wrong" }]) {
    const { error } = await client.call("GetAgentCard", {}, metadata);
    expect(error?.code).toBe(status.UNAUTHENTICATED);
  }
});
