/** The card at an agent's usual URL, which clients of 0.3 and of 1.0 both read, and the cards of one dialect. */
import { generateKeyPairSync } from "node:crypto";
import { AgentCard as AgentCard10, canonicalizeAgentCard } from "@a2a-js/sdk";
import {
  ClientFactory as Factory10,
  DefaultAgentCardResolver as Resolver10,
  JsonRpcTransportFactory as JsonRpc10,
} from "@a2a-js/sdk/client";
import { A2AClient } from "a2a02/client";
import { afterAll, describe, expect, test } from "@jest/globals";
import { createRemoteJWKSet, flattenedVerify } from "jose";
import { z } from "zod";
import { sparseCardPayload } from "../../src/protocol/card-payload.ts";
import { apiKeys } from "../auth/support.ts";
import { post } from "../support/client.ts";
import { message10 } from "../support/official-client.ts";
import { schemaFaults } from "../support/official-schema.ts";
import { SERVER, startTestProxy } from "../support/proxy.ts";

const CARD = {
  protocolVersion: "0.3.0",
  name: "Jester",
  description: "",
  url: "http://vendor.example/rpc",
  version: "1",
  capabilities: { streaming: true, extensions: [{ uri: "urn:a2a-compat-proxy:a2a-1.0" }] },
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: [{ id: "joke", name: "Joke", description: "Tells one.", tags: [] }],
};

const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const key = privateKey.export({ format: "jwk" });
const { keys, hashes } = apiKeys("alice");
const proxy = await startTestProxy(
  {
    jester: {
      adapter: "a2a-0.3",
      url: "http://127.0.0.1:9/",
      card: CARD,
      extendedCard: { overlay: { description: "For those who are known." } },
    },
  },
  {
    server: { ...SERVER, cardSigning: { key, alg: "ES256", kid: "proxy-1" } },
    auth: { apiKeys: { keys: { alice: { hash: hashes.alice } } } },
  },
);
afterAll(() => proxy.stop());

const BASE = proxy.agent("jester");
const PATH = ".well-known/agent-card.json";
const PUBLIC = "http://proxy.test/agents/jester/";
const OWN = [
  { url: `${PUBLIC}a2a-1.0/`, protocolBinding: "JSONRPC", protocolVersion: "1.0" },
  { url: `${PUBLIC}a2a-1.0`, protocolBinding: "HTTP+JSON", protocolVersion: "1.0" },
];
const OF_03 = [
  { url: PUBLIC, protocolBinding: "JSONRPC", protocolVersion: "0.3" },
  { url: PUBLIC.slice(0, -1), protocolBinding: "HTTP+JSON", protocolVersion: "0.3" },
];

const Signed = z.looseObject({
  signatures: z.array(z.looseObject({ protected: z.string(), signature: z.string() })),
});

const cardAt = async (url: string, headers: Record<string, string> = {}) => {
  const response = await fetch(url, { headers });
  expect(response.status).toBe(200);
  return { card: Signed.parse(await response.json()), headers: response.headers };
};

/** How many signatures of the card fit what a reader knows of it. */
async function fitting({ signatures }: z.infer<typeof Signed>, known: Uint8Array | string): Promise<number> {
  const found = createRemoteJWKSet(new URL(`${proxy.url}/.well-known/jwks.json`));
  const payload = Buffer.from(known).toString("base64url");
  const tries = signatures.map((one) => flattenedVerify({ ...one, payload }, found));
  return (await Promise.allSettled(tries)).filter(({ status }) => status === "fulfilled").length;
}

/** As the official SDK of 1.0 knows the card. */
const knownTo10 = (card: object): string =>
  canonicalizeAgentCard(Object(AgentCard10.toJSON(AgentCard10.fromJSON(card))));

describe("the card at the usual URL", () => {
  test("is one of 0.3.0 and one of 1.0 at once", async () => {
    const { card, headers } = await cardAt(BASE + PATH);
    expect(schemaFaults("AgentCard", card)).toEqual([]);
    expect(card).toMatchObject({
      protocolVersion: "0.3.0",
      url: PUBLIC,
      supportedInterfaces: [...OWN, ...OF_03],
      capabilities: { extendedAgentCard: true },
      securitySchemes: {
        apiKey: {
          type: "apiKey",
          in: "header",
          name: "X-API-Key",
          apiKeySecurityScheme: { location: "header", name: "X-API-Key" },
        },
      },
      security: [{ apiKey: [] }],
      securityRequirements: [{ schemes: { apiKey: {} } }],
    });
    expect(headers.get("vary")).toContain("A2A-Version");
  });

  test("is 1.0's alone for a request of that version, under another ETag", async () => {
    const usual = await cardAt(BASE + PATH);
    const { card, headers } = await cardAt(BASE + PATH, { "A2A-Version": "1.0" });
    expect(card).not.toHaveProperty("url");
    expect(card).not.toHaveProperty("protocolVersion");
    expect(card).toMatchObject({
      supportedInterfaces: [...OWN, ...OF_03],
      securitySchemes: { apiKey: { apiKeySecurityScheme: { location: "header", name: "X-API-Key" } } },
    });
    expect(headers.get("etag")).not.toBe(usual.headers.get("etag"));
    expect(headers.get("vary")).toContain("A2A-Version");
    expect((await cardAt(BASE + PATH, { "A2A-Version": "0.3" })).card).toEqual(usual.card);
  });

  test("has a signature for every reader, who knows only a part of it", async () => {
    const { card } = await cardAt(BASE + PATH);
    const { supportedInterfaces: _i, securityRequirements: _r, ...rest } = card;
    const of03 = {
      ...rest,
      capabilities: {
        streaming: true,
        pushNotifications: true,
        stateTransitionHistory: false,
        extensions: CARD.capabilities.extensions,
      },
      securitySchemes: { apiKey: { type: "apiKey", in: "header", name: "X-API-Key" } },
    };
    expect(await fitting(card, sparseCardPayload(of03))).toBe(1);
    expect(await fitting(card, knownTo10(card))).toBe(1);
  });

  test("leads the official client of 1.0 to the URL that speaks 1.0, and that of 0.2 to the usual one", async () => {
    const paths: string[] = [];
    const fetchImpl: typeof fetch = (input, init) => {
      const { pathname, search } = new URL(input instanceof Request ? input.url : input);
      paths.push(pathname);
      return fetch(proxy.url + pathname + search, init);
    };
    const client = await new Factory10({
      transports: [new JsonRpc10({ fetchImpl })],
      cardResolver: new Resolver10({ fetchImpl }),
    }).createFromUrl(BASE);
    await expect(client.sendMessage(message10("hello"))).rejects.toThrow(/Authentication is required|401/);
    expect(paths.at(-1)).toBe("/agents/jester/a2a-1.0/");
    expect((await new A2AClient(BASE).getAgentCard()).url).toBe(PUBLIC);
  });
});

describe("the card at the URL of one dialect", () => {
  test.each([PATH, ".well-known/agent.json"])("names nothing else, at %s, and is signed", async (path) => {
    const { card, headers } = await cardAt(`${BASE}a2a-1.0/${path}`);
    expect(card).toMatchObject({ supportedInterfaces: OWN });
    expect(card).not.toHaveProperty("url");
    expect(await fitting(card, knownTo10(card))).toBe(1);
    expect(headers.get("vary") ?? "").not.toContain("A2A-Version");
  });

  test("is so for those who are known, too", async () => {
    const headers = { "X-API-Key": keys.alice };
    const extendedBy = async (url: string): Promise<unknown> => {
      const call = { jsonrpc: "2.0", id: 1, method: "GetExtendedAgentCard" };
      const answer = await post(url, call, { headers: { ...headers, "content-type": "application/json" } });
      return z.looseObject({ result: z.unknown() }).parse(await answer.json()).result;
    };
    const result = await extendedBy(`${BASE}a2a-1.0/`);
    const { card } = await cardAt(`${BASE}a2a-1.0/extendedAgentCard`, headers);
    for (const extended of [Signed.parse(result), card]) {
      expect(extended).toMatchObject({
        description: "For those who are known.",
        supportedInterfaces: OWN,
        capabilities: { extendedAgentCard: true },
      });
      expect(extended).not.toHaveProperty("url");
      expect(await fitting(extended, knownTo10(extended))).toBe(1);
    }
    expect(await extendedBy(BASE)).toMatchObject({ supportedInterfaces: [...OWN, ...OF_03] });
  });
});
