import { readFileSync } from "node:fs";
import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { fromCanonicalCard, toCanonicalCard } from "../../../adapters/appbuilder/card.ts";
import { EXTENSION } from "../../../adapters/appbuilder/wire.ts";
import { AgentCard } from "../../../src/protocol/card.ts";
import { card } from "./arbitraries.ts";

const URL = "https://qianfan.baidubce.com/v2/a2a/app-1";
const file = new globalThis.URL("../../fixtures/appbuilder/sample-compact/card.json", import.meta.url);
const sample = (): Record<string, unknown> => JSON.parse(readFileSync(file, "utf8"));
const { extensions } = toCanonicalCard({}, URL).capabilities;

describe("toCanonicalCard", () => {
  test("the document's sample becomes a valid 0.3.0 card at the operator's URL", () => {
    const canonical = toCanonicalCard(sample(), URL);
    expect(AgentCard.safeParse(canonical).success).toBe(true);
    expect(canonical).toMatchObject({ protocolVersion: "0.3.0", url: URL, preferredTransport: "JSONRPC" });
  });

  test("declares the key that the vendor's metadata is kept under", () => {
    expect(extensions).toEqual([{ uri: EXTENSION, description: expect.any(String) }]);
  });

  test("an apiKey whose value needs a Bearer prefix is the http scheme bearer", () => {
    expect(toCanonicalCard(sample(), URL).securitySchemes).toEqual({
      apiKeyAuth: { type: "http", scheme: "bearer", description: "API Key认证鉴权" },
    });
  });

  test("another apiKey stays one", () => {
    const scheme = { type: "apiKey", in: "header", name: "X-Appbuilder-Authorization", description: "d" };
    expect(toCanonicalCard({ securitySchemes: { k: scheme } }, URL).securitySchemes).toEqual({ k: scheme });
  });

  test.each([
    ["a list", [{ apiKeyAuth: [] }]],
    ["a map", { apiKeyAuth: [] }],
  ])("reads security as %s", (_form, security) => {
    expect(toCanonicalCard({ ...sample(), security }, URL).security).toEqual([{ apiKeyAuth: [] }]);
  });

  test("reads the provider's misspelled organization", () => {
    const provider = { origanization: "baidu", url: "u" };
    expect(toCanonicalCard({ provider }, URL).provider).toEqual({ organization: "baidu", url: "u" });
  });

  test("an empty card becomes a valid one that streams", () => {
    const canonical = toCanonicalCard({ skills: [{ name: "n" }], capabilities: null }, URL);
    expect(AgentCard.safeParse(canonical).success).toBe(true);
    expect(canonical.capabilities.streaming).toBe(true);
    expect(canonical.skills).toEqual([{ id: "n", name: "n", description: "", tags: [] }]);
  });

  test("refuses what is no object", () => {
    expect(() => toCanonicalCard("<html>", URL)).toThrow("The agent's card is not a JSON object");
  });
});

test("every card that AppBuilder can say survives the way there and back", () => {
  fc.assert(
    fc.property(card(extensions), (canonical) => {
      const wire: unknown = JSON.parse(JSON.stringify(fromCanonicalCard(canonical)));
      expect(toCanonicalCard(wire, canonical.url)).toEqual(canonical);
    }),
  );
});

describe("fromCanonicalCard", () => {
  const canonical = toCanonicalCard(sample(), "http://demo.com");

  test("the document's sample comes back as it was", () => {
    expect(fromCanonicalCard(canonical)).toEqual(sample());
  });

  test("loses interfaces, icon, documentation, extensions, push and signatures", () => {
    const rich: AgentCard = {
      ...canonical,
      additionalInterfaces: [{ url: "u", transport: "GRPC" }],
      iconUrl: "u",
      documentationUrl: "u",
      supportsAuthenticatedExtendedCard: true,
      signatures: [{ protected: "p", signature: "s" }],
      capabilities: { ...canonical.capabilities, pushNotifications: true },
    };
    expect(fromCanonicalCard(rich)).toEqual(sample());
  });
});
