/** Cards as clients get them, over sockets, with the proxy configured through its YAML. */
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { describe, expect, test } from "@jest/globals";
import { z } from "zod";
import { rpc } from "../support/client.ts";
import { schemaFaults } from "../support/official-schema.ts";
import { startTestProxy } from "../support/proxy.ts";

const skill = (id: string) => ({ id, name: id.toUpperCase(), description: `Does ${id}.`, tags: [] });

const CARD = {
  protocolVersion: "0.3.0",
  name: "Planner",
  description: "Plans trips.",
  url: "http://vendor.example/rpc",
  version: "1",
  capabilities: { streaming: true },
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: [skill("plan"), skill("book"), skill("bill")],
};
const EXTENDED = { ...CARD, description: "Plans trips for you.", skills: [...CARD.skills, skill("refund")] };
const ANNOUNCING = { ...CARD, supportsAuthenticatedExtendedCard: true };

const Request = z.looseObject({ id: z.unknown(), method: z.string() });
const Served = z.looseObject({
  skills: z.array(z.looseObject({ id: z.string() })),
  supportsAuthenticatedExtendedCard: z.boolean(),
});

interface Vendor extends AsyncDisposable {
  readonly url: string;
  /** `GET /path` or the RPC method of every request but those for the public card. */
  readonly asked: string[];
}

/** @param answer the answer to a call of this method, as members of the envelope */
async function startVendor(
  card: unknown,
  answer: (method: string) => object,
  get: RequestListener = (_request, response) => void response.writeHead(404).end(),
): Promise<Vendor> {
  const asked: string[] = [];
  const post = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { id, method } = Request.parse(await json(request));
    asked.push(method);
    response.end(JSON.stringify({ jsonrpc: "2.0", id, ...answer(method) }));
  };
  const server = createServer((request, response) => {
    response.setHeader("content-type", "application/json");
    if (request.method === "POST") {
      void post(request, response);
    } else if (request.url?.includes(".well-known")) {
      response.end(JSON.stringify(card));
    } else {
      asked.push(`GET ${request.url}`);
      get(request, response);
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/a2a`,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

const unknownMethod = () => ({ error: { code: -32601, message: "Method not found" } });

/** The public card and the answer to agent/getAuthenticatedExtendedCard, by one proxy over the vendor. */
async function ask({ url }: Vendor, agent: Record<string, unknown> = {}) {
  const proxy = await startTestProxy({ planner: { adapter: "a2a-0.3", url, ...agent } });
  try {
    const endpoint = proxy.agent("planner");
    const response = await fetch(`${endpoint}.well-known/agent-card.json`);
    const card = Served.parse(await response.json());
    const extended = await rpc(endpoint, "agent/getAuthenticatedExtendedCard", undefined);
    expect(schemaFaults("AgentCard", card)).toEqual([]);
    if (extended.result) expect(schemaFaults("AgentCard", extended.result)).toEqual([]);
    return { card, extended };
  } finally {
    await proxy.stop();
  }
}

const OURS = {
  url: "http://proxy.test/agents/planner/",
  preferredTransport: "JSONRPC",
  supportsAuthenticatedExtendedCard: true,
};

describe("the extended card", () => {
  test("is the vendor's, served at the proxy's URL", async () => {
    await using vendor = await startVendor(ANNOUNCING, () => ({ result: EXTENDED }));
    const { card, extended } = await ask(vendor, { extendedCard: { public: true } });
    expect(card.supportsAuthenticatedExtendedCard).toBe(true);
    expect(extended.result).toMatchObject({ ...OURS, description: "Plans trips for you." });
    expect(Served.parse(extended.result).skills.map(({ id }) => id)).toEqual([
      "plan",
      "book",
      "bill",
      "refund",
    ]);
    expect(vendor.asked).toEqual(["agent/getAuthenticatedExtendedCard"]);
  });

  test("is fetched by GET beside the agent's URL where the vendor has no method for it", async () => {
    await using vendor = await startVendor(ANNOUNCING, unknownMethod, (_request, response) =>
      response.end(JSON.stringify(EXTENDED)),
    );
    const { extended } = await ask(vendor, { extendedCard: { public: true } });
    expect(extended.result).toMatchObject({ ...OURS, description: "Plans trips for you." });
    expect(vendor.asked).toEqual([
      "agent/getAuthenticatedExtendedCard",
      "GET /agent/authenticatedExtendedCard",
    ]);
  });

  test("is refused to a caller of whom nothing is known, without asking the vendor", async () => {
    await using vendor = await startVendor(ANNOUNCING, () => ({ result: EXTENDED }));
    const { card, extended } = await ask(vendor);
    expect(card.supportsAuthenticatedExtendedCard).toBe(false);
    expect(extended.error?.code).toBe(-32007);
    expect(vendor.asked).toEqual([]);
  });

  test("is refused where the vendor's card announces none", async () => {
    await using vendor = await startVendor(CARD, () => ({ result: EXTENDED }));
    const { card, extended } = await ask(vendor, { extendedCard: { public: true } });
    expect(card.supportsAuthenticatedExtendedCard).toBe(false);
    expect(extended.error?.code).toBe(-32007);
    expect(vendor.asked).toEqual([]);
  });

  test.each([
    ["has it neither way", unknownMethod],
    ["says -32007", () => ({ error: { code: -32007, message: "not configured" } })],
  ])("is refused where the vendor %s", async (_title, answer) => {
    await using vendor = await startVendor(ANNOUNCING, answer);
    const { extended } = await ask(vendor, { extendedCard: { public: true } });
    expect(extended.error?.code).toBe(-32007);
  });

  test("a vendor that fails is told as such", async () => {
    await using vendor = await startVendor(ANNOUNCING, () => ({
      error: { code: -32603, message: "broken" },
    }));
    const { extended } = await ask(vendor, { extendedCard: { public: true, overlay: {} } });
    expect(extended.error?.code).toBe(-32603);
  });

  test("is made of the public one by the configuration, also of skills that the public one hides", async () => {
    await using vendor = await startVendor(CARD, unknownMethod);
    const { card, extended } = await ask(vendor, {
      cardOverlay: { name: "Our planner", skills: { exclude: ["bill", "book"] } },
      extendedCard: { public: true, overlay: { skills: { exclude: ["bill"] } } },
    });
    expect(card).toMatchObject({ name: "Our planner", supportsAuthenticatedExtendedCard: true });
    expect(card.skills.map(({ id }) => id)).toEqual(["plan"]);
    expect(extended.result).toMatchObject({ ...OURS, name: "Our planner" });
    expect(Served.parse(extended.result).skills.map(({ id }) => id)).toEqual(["plan", "book"]);
  });

  test("hides what the public card hides, unless told otherwise", async () => {
    await using vendor = await startVendor(ANNOUNCING, () => ({ result: EXTENDED }));
    const { extended } = await ask(vendor, {
      cardOverlay: { skills: { exclude: ["refund", "bill"] } },
      extendedCard: { public: true },
    });
    expect(Served.parse(extended.result).skills.map(({ id }) => id)).toEqual(["plan", "book"]);
  });

  test("of a snake_case vendor is asked for in its dialect", async () => {
    const snake = {
      name: "Flights",
      description: "",
      version: "1",
      supported_interfaces: [{ url: "http://vendor.example", protocol_binding: "jsonrpc" }],
      capabilities: { extended_agent_card: true },
      skills: [],
    };
    await using vendor = await startVendor(snake, () => ({ result: { ...snake, description: "More." } }));
    const { extended } = await ask(vendor, { adapter: "a2a-snake", extendedCard: { public: true } });
    expect(extended.result).toMatchObject({ ...OURS, description: "More." });
    expect(vendor.asked).toEqual(["a2a.getExtendedAgentCard"]);
  });

  test("that a dialect cannot ask for is not announced", async () => {
    await using vendor = await startVendor(ANNOUNCING, unknownMethod);
    const { card, extended } = await ask(vendor, { adapter: "a2a-0.1", extendedCard: { public: true } });
    expect(card.supportsAuthenticatedExtendedCard).toBe(false);
    expect(extended.error?.code).toBe(-32007);
  });
});

describe("the overlay", () => {
  test("replaces what it names and leaves the rest", async () => {
    await using vendor = await startVendor(
      { ...CARD, iconUrl: "http://vendor.example/i.png" },
      unknownMethod,
    );
    const overlay = {
      name: "Reisen",
      description: "Plant Reisen.",
      documentationUrl: "https://acme.example/docs",
      provider: { organization: "Acme", url: "https://acme.example" },
      skills: { include: ["book"] },
      defaultInputModes: ["text/plain", "image/png"],
    };
    const { card } = await ask(vendor, { cardOverlay: overlay });
    const { skills: _skills, ...texts } = overlay;
    expect(card).toMatchObject({
      ...texts,
      version: "1",
      iconUrl: "http://vendor.example/i.png",
      defaultOutputModes: ["text/plain"],
      skills: [skill("book")],
    });
  });

  test.each([
    [{ nmae: "x" }, "cardOverlay"],
    [{ skills: {} }, "cardOverlay.skills"],
    [{ skills: { include: ["a"], exclude: ["b"] } }, "cardOverlay.skills"],
    [{ skills: { include: [] } }, "cardOverlay.skills.include"],
    [{ defaultInputModes: [] }, "cardOverlay.defaultInputModes"],
    [{ iconUrl: "icon.png" }, "cardOverlay.iconUrl"],
  ])("%j is a fault of the configuration", async (cardOverlay, path) => {
    const agent = { adapter: "a2a-0.3", url: "http://127.0.0.1:9", cardOverlay };
    await expect(startTestProxy({ planner: agent })).rejects.toMatchObject({
      faults: [{ path: expect.stringContaining(`agents.planner.${path}`) }],
    });
  });
});
