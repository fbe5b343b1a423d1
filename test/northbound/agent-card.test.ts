import { describe, expect, test } from "@jest/globals";
import { CARD_PATHS, agentUrl, cardDocument, servedCard } from "../../src/northbound/agent-card.ts";
import { ServedCard } from "../../src/northbound/served-card.ts";
import type { AgentCard } from "../../src/protocol/card.ts";
import { A2AError } from "../../src/protocol/errors.ts";
import { schemaFaults } from "../support/official-schema.ts";
import { CARD, fakeGateway, start } from "./harness.ts";

const URL_OF_AGENT = "https://proxy.example/agents/planner/";

/** Everything a vendor may say that is not true of the proxy. */
const VENDOR: AgentCard = {
  ...CARD,
  preferredTransport: "GRPC",
  additionalInterfaces: [{ url: "grpc://vendor.example", transport: "GRPC" }],
  iconUrl: "https://vendor.example/icon.png",
  documentationUrl: "https://vendor.example/docs",
  provider: { organization: "Vendor", url: "https://vendor.example" },
  capabilities: {
    streaming: false,
    pushNotifications: true,
    stateTransitionHistory: true,
    extensions: [{ uri: "urn:ext:a", required: true, params: { p: 1 } }],
  },
  securitySchemes: { key: { type: "apiKey" } },
  security: [{ key: [] }],
  skills: [
    {
      id: "plan",
      name: "Plan",
      description: "Plans a trip.",
      tags: ["travel"],
      examples: ["Go!"],
      security: [{ key: [] }],
    },
  ],
  supportsAuthenticatedExtendedCard: true,
  signatures: [{ protected: "p", signature: "s" }],
};

/** The required members of AgentCard and AgentSkill in the 0.3.0 schema. */
const REQUIRED = [
  "capabilities",
  "defaultInputModes",
  "defaultOutputModes",
  "description",
  "name",
  "protocolVersion",
  "skills",
  "url",
  "version",
];
const REQUIRED_OF_SKILL = ["description", "id", "name", "tags"];

/** What is wrong with the card: by hand always, and by the official schema where it is at hand. */
function faults(card: AgentCard): unknown[] {
  const found: unknown[] = REQUIRED.filter((key) => !Object.hasOwn(card, key));
  for (const skill of card.skills)
    found.push(...REQUIRED_OF_SKILL.filter((key) => !Object.hasOwn(skill, key)));
  return [...found, ...schemaFaults("AgentCard", card)];
}

describe("the served card", () => {
  test("says what the proxy does at its own URL, and of the agent what the vendor says", () => {
    expect(servedCard(VENDOR, URL_OF_AGENT)).toEqual({
      protocolVersion: "0.3.0",
      name: "Planner",
      description: "Plans trips.",
      version: "7",
      url: URL_OF_AGENT,
      preferredTransport: "JSONRPC",
      additionalInterfaces: [
        { url: URL_OF_AGENT, transport: "JSONRPC" },
        { url: URL_OF_AGENT.slice(0, -1), transport: "HTTP+JSON" },
      ],
      iconUrl: "https://vendor.example/icon.png",
      documentationUrl: "https://vendor.example/docs",
      provider: { organization: "Vendor", url: "https://vendor.example" },
      capabilities: {
        streaming: true,
        pushNotifications: false,
        stateTransitionHistory: false,
        extensions: [{ uri: "urn:ext:a", required: true, params: { p: 1 } }],
      },
      defaultInputModes: ["text/plain"],
      defaultOutputModes: ["text/plain"],
      skills: [
        { id: "plan", name: "Plan", description: "Plans a trip.", tags: ["travel"], examples: ["Go!"] },
      ],
      supportsAuthenticatedExtendedCard: false,
    });
  });

  test("is valid 0.3.0", () => {
    expect(faults(servedCard(VENDOR, URL_OF_AGENT))).toEqual([]);
    const { extensions: _, ...capabilities } = VENDOR.capabilities;
    const bare = { ...CARD, capabilities, skills: [], defaultInputModes: [], defaultOutputModes: [] };
    expect(faults(servedCard(bare, URL_OF_AGENT))).toEqual([]);
  });

  test("names text where the vendor names no mode", () => {
    const card = servedCard({ ...VENDOR, defaultInputModes: [], defaultOutputModes: [] }, URL_OF_AGENT);
    expect(card.defaultInputModes).toEqual(["text/plain"]);
    expect(card.defaultOutputModes).toEqual(["text/plain"]);
  });

  test("leaves the vendor's card as it was", () => {
    const before = structuredClone(VENDOR);
    servedCard(VENDOR, URL_OF_AGENT);
    expect(VENDOR).toEqual(before);
  });

  test("has an ETag of its content", () => {
    const { etag } = cardDocument(new ServedCard(VENDOR, VENDOR));
    expect(etag).toMatch(/^"[\w-]{43}"$/);
    expect(cardDocument(new ServedCard(VENDOR, structuredClone(VENDOR))).etag).toBe(etag);
    expect(cardDocument(new ServedCard(VENDOR, { ...VENDOR, version: "8" })).etag).not.toBe(etag);
  });

  test("an agent's name is escaped in its URL", () => {
    expect(agentUrl("https://proxy.example/base", { name: "a b" })).toBe(
      "https://proxy.example/base/agents/a%20b/",
    );
  });
});

describe("the card's resource", () => {
  const paths = CARD_PATHS.flatMap((path) => [path, `/agents/planner${path}`]);

  test.each(paths)("%s has the card, whatever Host says", async (path) => {
    await using proxy = await start({ gateway: fakeGateway({ card: async () => VENDOR }) });
    const response = await fetch(proxy.origin + path, { headers: { "X-Forwarded-Host": "evil.example" } });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(response.headers.get("cache-control")).toBe("public, max-age=60");
    expect(await response.json()).toEqual(servedCard(VENDOR, URL_OF_AGENT));
  });

  test("HEAD answers the same headers and nothing else", async () => {
    await using proxy = await start();
    const path = proxy.origin + CARD_PATHS[0];
    const get = await fetch(path);
    const head = await fetch(path, { method: "HEAD" });
    for (const name of ["content-length", "etag", "content-type"]) {
      expect(head.headers.get(name)).toBe(get.headers.get(name));
    }
    expect(Number(head.headers.get("content-length"))).toBe((await get.text()).length);
    expect(await head.text()).toBe("");
  });

  test("a client that has the card already is told so, until the card changes", async () => {
    let card = VENDOR;
    await using proxy = await start({ gateway: fakeGateway({ card: async () => card }) });
    const path = proxy.origin + CARD_PATHS[0];
    const etag = (await fetch(path)).headers.get("etag") ?? "";
    const again = await fetch(path, { headers: { "If-None-Match": etag }, cache: "no-store" });
    expect(again.status).toBe(200);
    const conditional = { headers: { "If-None-Match": etag, "Cache-Control": "max-age=0" } };
    expect((await fetch(path, conditional)).status).toBe(304);
    card = { ...VENDOR, version: "8" };
    expect((await fetch(path, conditional)).status).toBe(200);
  });

  test.each<[unknown, number, string]>([
    [new A2AError("agent-unavailable", { data: { stage: "card", status: 503 } }), 503, "agent-unavailable"],
    [new A2AError("invalid-agent-response"), 502, "invalid-agent-response"],
    [new A2AError("task-not-found"), 502, "task-not-found"],
    [new A2AError("shutting-down"), 503, "shutting-down"],
    [new Error("secret"), 500, "internal-error"],
  ])("%p answers %i and JSON", async (error, status, code) => {
    const card = async (): Promise<never> => {
      throw error;
    };
    await using proxy = await start({ gateway: fakeGateway({ card }) });
    const response = await fetch(proxy.origin + CARD_PATHS[1]);
    expect(response.status).toBe(status);
    expect(response.headers.get("cache-control")).toBe("no-store");
    const text = await response.text();
    expect(JSON.parse(text)).toMatchObject({ error: { code: status, status: code } });
    expect(text).not.toContain("secret");
  });

  test("another method is refused with what is allowed", async () => {
    await using proxy = await start();
    const response = await fetch(proxy.origin + CARD_PATHS[0], { method: "POST", body: "{}" });
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe("GET, HEAD");
  });
});
