import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { fromCanonicalCard, toCanonicalCard } from "../../../adapters/a2a-0.1/card.ts";
import { fromCanonicalModes, toCanonicalModes } from "../../../adapters/a2a-0.1/modes.ts";
import { WireCard } from "../../../adapters/a2a-0.1/wire.ts";
import { AgentCard } from "../../../src/protocol/card.ts";

const EXTENSION = "urn:a2a-compat-proxy:a2a-0.1";
const read = (raw: unknown) => toCanonicalCard(WireCard.parse(raw));
const bare = { name: "a", url: "https://example.com", version: "1", capabilities: {}, skills: [] };

describe("a card from the wire", () => {
  test("gains what 0.3.0 requires", () => {
    const card = read(bare);
    expect(card).toEqual({
      protocolVersion: "0.3.0",
      name: "a",
      description: "",
      url: "https://example.com",
      version: "1",
      preferredTransport: "JSONRPC",
      capabilities: {
        streaming: false,
        pushNotifications: false,
        stateTransitionHistory: false,
        extensions: [{ uri: EXTENSION, description: expect.any(String) }],
      },
      defaultInputModes: ["text/plain"],
      defaultOutputModes: ["text/plain"],
      skills: [],
    });
    expect(AgentCard.parse(card)).toEqual(card);
  });

  test("keeps provider, skills, modes and what it does not know; nulls vanish", () => {
    const card = read({
      ...bare,
      description: "d",
      provider: { organization: "o", url: null },
      documentationUrl: null,
      capabilities: { streaming: true, pushNotifications: null },
      defaultInputModes: ["text", "text/plain", "image/png"],
      skills: [{ id: "s", name: "S", description: null, tags: null, examples: ["e"], outputModes: ["text"] }],
      icon: "i",
    });
    expect(card).toMatchObject({
      description: "d",
      provider: { organization: "o", url: "" },
      capabilities: { streaming: true, pushNotifications: false },
      defaultInputModes: ["text/plain", "image/png"],
      skills: [
        { id: "s", name: "S", description: "", tags: [], examples: ["e"], outputModes: ["text/plain"] },
      ],
      icon: "i",
    });
    expect(card).not.toHaveProperty("documentationUrl");
  });

  test("names a skill without id by its name", () => {
    expect(read({ ...bare, skills: [{ name: "plan" }] }).skills[0]).toMatchObject({
      id: "plan",
      name: "plan",
    });
  });

  test.each([
    ["Bearer", { type: "http", scheme: "bearer" }],
    ["basic", { type: "http", scheme: "basic" }],
    ["jwt", { type: "http", scheme: "bearer", bearerFormat: "JWT" }],
    ["api_key", { type: "apiKey", in: "header", name: "X-API-Key" }],
    ["OAuth2", { type: "oauth2", flows: {} }],
    ["openIdConnect", { type: "openIdConnect", openIdConnectUrl: "" }],
    ["hoba", { type: "http", scheme: "hoba" }],
  ])("turns the scheme %s into OpenAPI's", (name, scheme) => {
    const card = read({ ...bare, authentication: { schemes: [name] } });
    expect(card.securitySchemes).toEqual({ [name]: scheme });
    expect(card.security).toEqual([{ [name]: [] }]);
  });

  test("has alternatives where it lists several schemes", () => {
    const card = read({ ...bare, authentication: { schemes: ["bearer", "none", "basic"] } });
    expect(card.security).toEqual([{ bearer: [] }, { basic: [] }]);
  });

  test.each([[{ schemes: "OAuth2" }], ["OAuth2"]])(
    "may name its scheme as a bare string: %j",
    (authentication) => {
      expect(read({ ...bare, authentication }).security).toEqual([{ OAuth2: [] }]);
    },
  );

  test.each([[null], [{ schemes: "none" }], [{ schemes: [] }], [{ schemes: null }], ["public"]])(
    "needs nothing with %j",
    (authentication) => {
      const card = read({ ...bare, authentication });
      expect(card).not.toHaveProperty("securitySchemes");
      expect(card).not.toHaveProperty("security");
    },
  );

  test("does not pass credentials on", () => {
    const card = read({ ...bare, authentication: { schemes: ["bearer"], credentials: "s3cret" } });
    expect(JSON.stringify(card)).not.toContain("s3cret");
  });
});

describe("a card to the wire", () => {
  test("has authentication for security schemes, and loses what 0.3.0 added", () => {
    const card = {
      ...read({ ...bare, description: "d" }),
      securitySchemes: {
        mine: { type: "http", scheme: "bearer" },
        key: { type: "apiKey", in: "query", name: "k" },
      },
      security: [{ mine: [] }],
      iconUrl: "https://example.com/icon",
      supportsAuthenticatedExtendedCard: true,
    };
    expect(fromCanonicalCard(card)).toEqual({
      name: "a",
      description: "d",
      url: "https://example.com",
      version: "1",
      capabilities: { streaming: false, pushNotifications: false, stateTransitionHistory: false },
      authentication: { schemes: ["bearer", "apiKey"] },
      defaultInputModes: ["text/plain", "text"],
      defaultOutputModes: ["text/plain", "text"],
      skills: [],
    });
  });

  test("comes back as it was", () => {
    const modes = fc.uniqueArray(fc.constantFrom("text/plain", "image/png", "data"), { minLength: 1 });
    const skill = fc.record(
      {
        id: fc.string(),
        name: fc.string(),
        description: fc.string(),
        tags: fc.array(fc.string()),
        inputModes: modes,
      },
      { requiredKeys: ["id", "name", "description", "tags"] },
    );
    const schemes = fc.uniqueArray(fc.constantFrom("bearer", "basic", "apiKey", "oauth2"));
    const wireCard = fc.record({
      name: fc.string(),
      description: fc.string(),
      url: fc.webUrl(),
      version: fc.string(),
      documentationUrl: fc.webUrl(),
      provider: fc.record({ organization: fc.string(), url: fc.webUrl() }),
      capabilities: fc.record({ streaming: fc.boolean(), pushNotifications: fc.boolean() }),
      authentication: fc.record({ schemes }),
      defaultInputModes: modes,
      defaultOutputModes: modes,
      skills: fc.array(skill, { maxLength: 2 }),
    });
    fc.assert(
      fc.property(wireCard, (wire) => {
        const canonical = read(wire);
        expect(read(fromCanonicalCard(canonical))).toEqual(canonical);
      }),
    );
  });
});

describe("modes", () => {
  test("are media types from the wire, text/plain by default", () => {
    expect(toCanonicalModes(undefined)).toEqual(["text/plain"]);
    expect(toCanonicalModes(["text/plain", "text", "data"])).toEqual(["text/plain", "data"]);
  });

  test("to the wire name plain text both ways", () => {
    expect(fromCanonicalModes(["image/png", "text/plain", "text"])).toEqual([
      "image/png",
      "text/plain",
      "text",
    ]);
  });
});
