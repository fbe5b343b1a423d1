/** Signatures of cards: the vendor's checked, the proxy's made, with keys that exist for one test. */
import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { describe, expect, test } from "@jest/globals";
import { FlattenedSign, createRemoteJWKSet, flattenedVerify } from "jose";
import { z } from "zod";
import { cardPayload, sparseCardPayload } from "../../src/protocol/card-payload.ts";
import { rpc } from "../support/client.ts";
import { schemaFaults } from "../support/official-schema.ts";
import { startTestProxy } from "../support/proxy.ts";

const CARD = {
  protocolVersion: "0.3.0",
  name: "Plänner",
  description: "",
  url: "http://vendor.example/rpc",
  version: "1",
  capabilities: { streaming: true },
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: [],
};

const p256 = () => generateKeyPairSync("ec", { namedCurve: "P-256" });
const jwkOf = (key: KeyObject, kid: string) => ({ ...key.export({ format: "jwk" }), kid });
const OURS = p256();
const THEIRS = p256();
const KEYS = { keys: [jwkOf(OURS.publicKey, "ours")] };

interface Signing {
  readonly key?: KeyObject;
  readonly kid?: string;
  readonly payload?: (card: object) => Uint8Array;
}

async function signed(
  card: object,
  { key = OURS.privateKey, kid = "ours", payload = cardPayload }: Signing = {},
) {
  const head = { alg: "ES256", typ: "JOSE", kid, jku: "http://evil.example/jwks.json" };
  const jws = await new FlattenedSign(payload(card)).setProtectedHeader(head).sign(key);
  return { ...card, signatures: [{ protected: jws.protected, signature: jws.signature }] };
}

/** A host of JSON documents by path; everything else is a 404. */
async function host(documents: Record<string, unknown>) {
  const server = createServer((request, response) => {
    const document = documents[request.url ?? ""];
    if (document === undefined) response.writeHead(404).end();
    else response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(document));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

const Fault = z.looseObject({ error: z.looseObject({ message: z.string() }) });
const PATH = "/.well-known/agent-card.json";

/** The name on the served card, or why there is none. */
async function outcome(card: unknown, cardSignature: Record<string, unknown>): Promise<unknown> {
  await using vendor = await host({ [PATH]: card });
  const proxy = await startTestProxy({ planner: { adapter: "a2a-0.3", url: vendor.url, cardSignature } });
  try {
    const response = await fetch(proxy.agent("planner") + PATH.slice(1));
    const body: unknown = await response.json();
    if (response.status !== 200) return [response.status, Fault.parse(body).error.message];
    expect(body).not.toHaveProperty("signatures");
    return z.looseObject({ name: z.string() }).parse(body).name;
  } finally {
    await proxy.stop();
  }
}

const untrusted = (reason: string) => [502, `The card of the agent planner is not trusted: ${reason}`];
const NO_FIT = untrusted("no signature fits its content and the keys");

describe("a vendor's signature", () => {
  test("that fits lets the card be served, without it", async () => {
    expect(await outcome(await signed(CARD), { keys: KEYS })).toBe("Plänner");
  });

  test("may be over the card without its empty members, as the official SDKs sign", async () => {
    expect(await outcome(await signed(CARD, { payload: sparseCardPayload }), { keys: KEYS })).toBe("Plänner");
  });

  test("does not depend on the order of members", async () => {
    const { signatures, ...card } = await signed(CARD);
    const turned = Object.fromEntries([...Object.entries(card), ["signatures", signatures]].toReversed());
    expect(await outcome(turned, { keys: KEYS })).toBe("Plänner");
  });

  test("one of several is enough", async () => {
    const [theirs, ours] = [
      await signed(CARD, { key: THEIRS.privateKey, kid: "theirs" }),
      await signed(CARD),
    ];
    const both = { ...CARD, signatures: [...theirs.signatures, ...ours.signatures] };
    expect(await outcome(both, { keys: KEYS })).toBe("Plänner");
  });

  test("without a key id is tried with every key that fits", async () => {
    const jws = await new FlattenedSign(cardPayload(CARD))
      .setProtectedHeader({ alg: "ES256" })
      .sign(OURS.privateKey);
    const card = { ...CARD, signatures: [{ protected: jws.protected, signature: jws.signature }] };
    const keys = { keys: [jwkOf(THEIRS.publicKey, "theirs"), jwkOf(OURS.publicKey, "ours")] };
    expect(await outcome(card, { keys })).toBe("Plänner");
  });

  test("does not fit a card that was changed since", async () => {
    const card = { ...(await signed(CARD)), url: "http://evil.example" };
    expect(await outcome(card, { keys: KEYS })).toEqual(NO_FIT);
  });

  test("by another key under the same id does not fit", async () => {
    expect(await outcome(await signed(CARD, { key: THEIRS.privateKey }), { keys: KEYS })).toEqual(NO_FIT);
  });

  test("by a key that is not configured is refused, whatever its jku says", async () => {
    const card = await signed(CARD, { key: THEIRS.privateKey, kid: "theirs" });
    expect(await outcome(card, { keys: KEYS })).toEqual(
      untrusted("it is signed with a key that is not configured"),
    );
  });

  test("that is missing refuses the card, unless it is not required", async () => {
    expect(await outcome(CARD, { keys: KEYS })).toEqual(untrusted("it is not signed"));
    expect(await outcome(CARD, { keys: KEYS, required: false })).toBe("Plänner");
  });

  test("that is wrong refuses the card also where none is required", async () => {
    const card = { ...(await signed(CARD)), name: "Other" };
    expect(await outcome(card, { keys: KEYS, required: false })).toEqual(NO_FIT);
  });

  test.each([
    [{ protected: "?", signature: "?" }],
    [{ protected: Buffer.from('{"alg":"none"}').toString("base64url"), signature: "" }],
    [{ signature: "x" }],
  ])("%j refuses the card", async (signature) => {
    const result = await outcome({ ...CARD, signatures: [signature] }, { keys: KEYS });
    expect(result).toEqual([502, expect.stringContaining("is not trusted")]);
  });

  test("is checked with keys from a URL", async () => {
    await using keys = await host({ "/keys": KEYS });
    const jwksUrl = `${keys.url}/keys`;
    expect(await outcome(await signed(CARD), { jwksUrl })).toBe("Plänner");
    expect(await outcome(await signed(CARD), { jwksUrl: `${keys.url}/none` })).toEqual(
      untrusted("its signatures could not be checked, because the keys cannot be had"),
    );
  });

  test("is wanted of the extended card too", async () => {
    const card = await signed({ ...CARD, supportsAuthenticatedExtendedCard: true });
    const answer = { jsonrpc: "2.0", id: 1, result: { ...CARD, name: "Anybody's" } };
    await using vendor = await host({ [PATH]: card, "/": answer });
    const proxy = await startTestProxy({
      planner: {
        adapter: "a2a-0.3",
        url: vendor.url,
        cardSignature: { keys: KEYS },
        extendedCard: { public: true },
      },
    });
    const { error } = await rpc(proxy.agent("planner"), "agent/getAuthenticatedExtendedCard", undefined);
    await proxy.stop();
    expect(error).toMatchObject({ code: -32006, data: { reason: "it is not signed" } });
  });
});

describe("the served card's signature", () => {
  const pem = OURS.privateKey.export({ format: "pem", type: "pkcs8" }).toString();
  const jwk = OURS.privateKey.export({ format: "jwk" });

  test.each([
    ["PEM", pem],
    ["a JWK", jwk],
    ["a JWK as text", JSON.stringify(jwk)],
  ])("is made with a key in %s and fits the published one", async (_title, key) => {
    await using vendor = await host({ [PATH]: await signed(CARD) });
    const cardSigning = { key, alg: "ES256", kid: "proxy-1" };
    const proxy = await startTestProxy(
      { planner: { adapter: "a2a-0.3", url: vendor.url, extendedCard: { public: true, overlay: {} } } },
      {
        server: {
          host: "127.0.0.1",
          port: 0,
          publicUrl: "http://proxy.test",
          shutdownGrace: "1ms",
          cardSigning,
        },
      },
    );
    try {
      const jwks = await (await fetch(`${proxy.url}/.well-known/jwks.json`)).json();
      expect(jwks).toEqual({
        keys: [{ kty: "EC", crv: "P-256", x: jwk.x, y: jwk.y, kid: "proxy-1", alg: "ES256", use: "sig" }],
      });
      const found = createRemoteJWKSet(new URL(`${proxy.url}/.well-known/jwks.json`));
      const endpoint = proxy.agent("planner");
      const first = await fetch(endpoint + PATH.slice(1));
      const extended = await rpc(endpoint, "agent/getAuthenticatedExtendedCard", undefined);
      for (const card of [await first.json(), extended.result]) {
        const { signatures, ...content } = z
          .looseObject({
            signatures: z.array(z.looseObject({ protected: z.string(), signature: z.string() })),
          })
          .parse(card);
        expect(schemaFaults("AgentCard", card)).toEqual([]);
        // Over the whole, and over what is left of it at a client of 0.3 and at one of 1.0.
        expect(signatures).toHaveLength(3);
        const [signature = { protected: "", signature: "" }] = signatures;
        const payload = Buffer.from(cardPayload(content)).toString("base64url");
        const { protectedHeader } = await flattenedVerify({ ...signature, payload }, found);
        expect(protectedHeader).toEqual({
          alg: "ES256",
          typ: "JOSE",
          kid: "proxy-1",
          jku: "http://proxy.test/.well-known/jwks.json",
        });
        const altered = Buffer.from(cardPayload({ ...content, name: "x" })).toString("base64url");
        await expect(flattenedVerify({ ...signature, payload: altered }, found)).rejects.toThrow(
          "signature verification failed",
        );
      }
      const again = await fetch(endpoint + PATH.slice(1));
      expect(again.headers.get("etag")).toBe(first.headers.get("etag"));
    } finally {
      await proxy.stop();
    }
  });

  test("without a key there is none, and no published key", async () => {
    await using vendor = await host({ [PATH]: CARD });
    const proxy = await startTestProxy({ planner: { adapter: "a2a-0.3", url: vendor.url } });
    const card = await (await fetch(proxy.agent("planner") + PATH.slice(1))).json();
    const jwks = await (await fetch(`${proxy.url}/.well-known/jwks.json`)).json();
    await proxy.stop();
    expect(card).not.toHaveProperty("signatures");
    expect(jwks).toEqual({ keys: [] });
  });

  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
  test.each([
    [{ key: "no key", alg: "ES256", kid: "a" }, "server.cardSigning.key"],
    [{ key: pem, alg: "ES384", kid: "a" }, "server.cardSigning.key"],
    [{ key: rsa.export({ format: "jwk" }), alg: "ES256", kid: "a" }, "server.cardSigning.key"],
    [{ key: pem, alg: "HS256", kid: "a" }, "server.cardSigning.alg"],
    [{ key: OURS.publicKey.export({ format: "jwk" }), alg: "ES256", kid: "a" }, "server.cardSigning.key"],
  ])("a key that cannot sign is a fault of the configuration (%#)", async (cardSigning, path) => {
    const agents = { planner: { adapter: "a2a-0.3", url: "http://127.0.0.1:9" } };
    await expect(startTestProxy(agents, { server: { cardSigning } })).rejects.toMatchObject({
      faults: [{ path }],
    });
  });

  test.each([
    [{ keys: {} }],
    [{ keys: "no JSON" }],
    [{ keys: { keys: [] } }],
    [{}],
    [{ keys: KEYS, jwksUrl: "http://127.0.0.1:9" }],
  ])("keys that cannot verify are a fault of the configuration (%#)", async (cardSignature) => {
    const agents = { planner: { adapter: "a2a-0.3", url: "http://127.0.0.1:9", cardSignature } };
    await expect(startTestProxy(agents)).rejects.toMatchObject({
      faults: [{ path: expect.stringContaining("agents.planner.cardSignature") }],
    });
  });
});
