/**
 * A served card has the members that 0.3.0 and the dialects of clients name and no others, so that no client finds a way past
 * the proxy in it.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { once } from "node:events";
import { globSync, readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { z } from "zod";
import { adapters } from "../../adapters/index.ts";
import { servedCard } from "../../src/northbound/agent-card.ts";
import type { AgentCard } from "../../src/protocol/card.ts";
import { rpc } from "../support/client.ts";
import { SERVER_WITH_GRPC, startTestProxy } from "../support/proxy.ts";
import { addressesIn, strangers } from "./card-reading.ts";
import { GrpcClient } from "./grpc-harness.ts";

const DIALECTS = [...adapters.values()].flatMap(({ serves }) => serves ?? []);

/** Where the cards of an agent are, by the dialect whose clients read them. */
const cardUrls = (base: string): Record<string, string> =>
  Object.fromEntries([
    ["0.3.0", `${base}.well-known/agent.json`],
    ["1.0 by its version", `${base}.well-known/agent-card.json?A2A-Version=1.0`],
    ...DIALECTS.map(({ name }) => [name, `${base}${name}/.well-known/agent-card.json`]),
  ]);

/** Of the card that a server of the JavaScript SDK 1.3.0 with `legacyCompat` has. Constructed from a recording. */
const BOTH_VERSIONS = {
  protocolVersion: "0.3.0",
  name: "Both",
  description: "Speaks 0.3 and 1.0.",
  url: "http://inside.example:12105/",
  preferredTransport: "JSONRPC",
  additionalInterfaces: [{ url: "http://inside.example:12105/", transport: "JSONRPC" }],
  version: "1.0.0",
  supportedInterfaces: [
    { url: "http://inside.example:12105/", protocolBinding: "JSONRPC", tenant: "", protocolVersion: "1.0" },
    { url: "http://inside.example:12105/a2a/rest", protocolBinding: "HTTP+JSON", protocolVersion: "1.0" },
    { url: "inside.example:12015", protocolBinding: "GRPC", protocolVersion: "1.0" },
  ],
  tenant: "inside",
  provider: { organization: "Acme", url: "https://acme.example", contact: "http://inside.example" },
  capabilities: {
    streaming: true,
    extendedAgentCard: true,
    extensions: [{ uri: "https://acme.example/ext", params: { a: 1 }, endpoint: "http://inside.example" }],
  },
  securityRequirements: [{ schemes: { key: { list: [] } } }],
  securitySchemes: { key: { apiKeySecurityScheme: { location: "header", name: "X-Inside" } } },
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: [
    {
      id: "talk",
      name: "Talk",
      description: "Talks.",
      tags: [],
      securityRequirements: [{ schemes: { key: { list: [] } } }],
      endpoint: "http://inside.example",
    },
  ],
  supportsAuthenticatedExtendedCard: true,
};

const Request = z.looseObject({ id: z.unknown(), method: z.string() });

/** A vendor whose public and extended card are this one. */
async function startVendor(card: object) {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { id } = Request.parse(await json(request));
    response.end(JSON.stringify({ jsonrpc: "2.0", id, result: card }));
  };
  const server = createServer((request, response) => {
    response.setHeader("content-type", "application/json");
    if (request.method !== "POST") return void response.end(JSON.stringify(card));
    return void answer(request, response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

const cardOf = async (url: string): Promise<unknown> => {
  const response = await fetch(url);
  expect(response.status).toBe(200);
  return await response.json();
};

describe("a card that also offers 1.0", () => {
  test("names no way past the proxy, on any transport, public or extended", async () => {
    await using vendor = await startVendor(BOTH_VERSIONS);
    const agent = { adapter: "a2a-0.3", url: vendor.url, extendedCard: { public: true } };
    const server = { ...SERVER_WITH_GRPC };
    const proxy = await startTestProxy({ both: agent }, { server, default: "both" });
    using client = new GrpcClient(proxy.grpcPort ?? 0);
    try {
      const base = proxy.agent("both");
      for (const [name, url] of Object.entries(cardUrls(base))) {
        const card = await cardOf(url);
        expect({ name, text: JSON.stringify(card) }).toEqual({
          name,
          text: expect.not.stringMatching(/inside/i),
        });
        expect(addressesIn(card, `127.0.0.1:${proxy.grpcPort}`)).toEqual([]);
      }
      const cards = {
        public: await cardOf(`${base}.well-known/agent-card.json`),
        "JSON-RPC": (await rpc(base, "agent/getAuthenticatedExtendedCard", undefined)).result,
        REST: await cardOf(`${base}v1/card`),
        gRPC: (await client.call("GetAgentCard", {})).message,
      };
      for (const card of Object.values(cards)) {
        expect(strangers(card)).toEqual([]);
        expect(card).toMatchObject({ name: "Both", url: "http://proxy.test/agents/both/" });
        expect(JSON.stringify(card)).not.toMatch(/inside/i);
      }
      expect(cards.public).toMatchObject({
        provider: { organization: "Acme", url: "https://acme.example" },
        capabilities: { extensions: [{ uri: "https://acme.example/ext", params: { a: 1 } }] },
        skills: [{ id: "talk", name: "Talk", description: "Talks.", tags: [] }],
      });
    } finally {
      await proxy.stop();
    }
  });

  test("in snake_case has its interfaces nowhere, the extension of the adapter included", async () => {
    const card = {
      name: "Flights",
      version: "1",
      supported_interfaces: [{ url: "http://inside.example/", protocol_binding: "jsonrpc" }],
      more_interfaces: [{ url: "http://inside.example/" }],
      capabilities: { inside: "http://inside.example" },
      skills: [],
    };
    await using vendor = await startVendor(card);
    const proxy = await startTestProxy({ snake: { adapter: "a2a-snake", url: vendor.url } });
    try {
      const served = await cardOf(`${proxy.agent("snake")}.well-known/agent-card.json`);
      expect(JSON.stringify(served)).not.toContain("inside");
      expect(strangers(served)).toEqual([]);
      expect(served).toMatchObject({
        capabilities: { extensions: [{ uri: expect.stringMatching(/^urn:a2a-compat-proxy:/) }] },
      });
    } finally {
      await proxy.stop();
    }
  });
});

test("every card of the fixtures is served with known members and the addresses of the proxy alone", async () => {
  const files = globSync("test/fixtures/*/*/card.json");
  expect(files.length).toBeGreaterThan(50);
  const agents = files.map((file, index): [string, Record<string, unknown>] => {
    const [, , dialect = ""] = file.split("/");
    // What `auto` would choose takes a probe; every card is one for a2a-0.3.
    const adapter = dialect === "auto" ? "a2a-0.3" : dialect;
    const card: unknown = JSON.parse(readFileSync(file, "utf8"));
    return [`card-${index}`, { adapter, url: "http://127.0.0.1:9/", card }];
  });
  const proxy = await startTestProxy(Object.fromEntries(agents));
  try {
    for (const [name] of agents) {
      const url = proxy.agent(name);
      const card = await cardOf(`${url}.well-known/agent-card.json`);
      expect({ name, strangers: strangers(card) }).toEqual({ name, strangers: [] });
      expect(card).toMatchObject({ url: `http://proxy.test/agents/${name}/` });
      for (const other of Object.values(cardUrls(url))) {
        expect({ name, other, addresses: addressesIn(await cardOf(other)) }).toEqual({
          name,
          other,
          addresses: [],
        });
      }
    }
  } finally {
    await proxy.stop();
  }
});

const INSIDE = "http://inside.example";

/** Members of any name, some of them well known. */
const others = fc.dictionary(
  fc.oneof(
    fc.constantFrom("supportedInterfaces", "securityRequirements", "tenant", "endpoint", "interfaces"),
    fc.string({ minLength: 1 }).map((name) => `x-${name}`),
  ),
  fc.constantFrom<unknown>(INSIDE, [INSIDE], [{ url: INSIDE, protocolVersion: "1.0" }], { url: INSIDE }),
);

type Others = Record<string, unknown>;

const vendorCard = fc
  .record({
    top: others,
    skill: others,
    provider: others,
    capabilities: others,
    extension: others,
    params: others,
  })
  .map(cardWith);

function cardWith(
  more: Record<"top" | "skill" | "provider" | "capabilities" | "extension" | "params", Others>,
) {
  const { top, skill, provider, capabilities, extension, params } = more;
  const card: AgentCard = {
    ...top,
    protocolVersion: "0.3.0",
    name: "Any",
    description: "",
    url: INSIDE,
    version: "1",
    preferredTransport: "JSONRPC",
    additionalInterfaces: [{ url: INSIDE, transport: "JSONRPC" }],
    provider: { ...provider, organization: "Acme", url: "https://acme.example" },
    capabilities: {
      ...capabilities,
      extensions: [
        { ...extension, uri: "urn:ext:a", required: true },
        { ...extension, uri: "urn:a2a-compat-proxy:any", params: { fields: params } },
      ],
    },
    defaultInputModes: [],
    defaultOutputModes: [],
    skills: [{ ...skill, id: "a", name: "A", description: "", tags: [] }],
    signatures: [{ protected: "p", signature: "s" }],
  };
  return card;
}

test("whatever else a vendor's card says, at any level, is not served", () => {
  fc.assert(
    fc.property(vendorCard, (card) => {
      const served = servedCard(card, "https://proxy.example/agents/any/");
      expect(strangers(served)).toEqual([]);
      const place = { url: "https://proxy.example/agents/any/dialect/" };
      const documents = DIALECTS.flatMap((dialect) => [
        dialect.fromCard(served, place),
        dialect.extendReference?.(served, place).document,
      ]);
      for (const text of [served, ...documents].map((document) => JSON.stringify(document) ?? "")) {
        expect(text).not.toContain(INSIDE);
        expect(text).not.toMatch(/"x-/);
      }
    }),
  );
});
