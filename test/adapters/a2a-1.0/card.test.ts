import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { fromCanonicalCard, interfacesOf, toCanonicalCard } from "../../../adapters/a2a-1.0/card.ts";
import { EXTENSION } from "../../../adapters/a2a-1.0/preserved.ts";
import { WireCard } from "../../../adapters/a2a-1.0/wire.ts";
import { parseWire } from "../../../adapters/shared/wire.ts";
import { AgentCard } from "../../../src/protocol/card.ts";
import { dense, userData } from "./arbitraries.ts";

const ENDPOINT = "https://agent.example/rpc";
const parse = (card: unknown) => parseWire(WireCard, card, "agent card");
const read = (card: unknown) => toCanonicalCard(parse(card), ENDPOINT);

const wire = {
  name: "Flights",
  description: "Finds flights",
  version: "2.1.0",
  supportedInterfaces: [
    { url: "https://agent.example/rpc", protocolBinding: "JSONRPC", tenant: "acme", protocolVersion: "1.0" },
    { url: "agent.example:443", protocolBinding: "GRPC", protocolVersion: "1.0" },
  ],
  provider: { organization: "Example", url: "https://example.com" },
  iconUrl: "https://example.com/i.png",
  documentationUrl: "https://example.com/docs",
  capabilities: {
    streaming: true,
    pushNotifications: false,
    extendedAgentCard: true,
    extensions: [{ uri: "urn:x", required: false, params: { snakeKey: 1, camelKey: 2 } }],
  },
  securitySchemes: {
    bearer: { httpAuthSecurityScheme: { scheme: "bearer", bearerFormat: "JWT" } },
    apiKey: { apiKeySecurityScheme: { location: "header", name: "x-api-key" } },
    oauth: {
      oauth2SecurityScheme: {
        flows: {
          authorizationCode: {
            authorizationUrl: "https://example.com/authorize",
            tokenUrl: "https://example.com/token",
            scopes: { readAll: "reads", read_some: "reads some" },
          },
        },
      },
    },
    oidc: {
      openIdConnectSecurityScheme: {
        openIdConnectUrl: "https://example.com/.well-known/openid-configuration",
      },
    },
  },
  securityRequirements: [{ schemes: { bearer: {} } }, { schemes: { oauth: { list: ["readAll"] } } }],
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain", "application/json"],
  skills: [
    {
      id: "search",
      name: "Search",
      description: "Searches",
      tags: ["flights"],
      examples: ["SFO to JFK"],
      inputModes: ["text/plain"],
      securityRequirements: [{ schemes: { bearer: {} } }],
    },
  ],
};

const canonical = {
  protocolVersion: "0.3.0",
  name: "Flights",
  description: "Finds flights",
  version: "2.1.0",
  url: "https://agent.example/rpc",
  preferredTransport: "JSONRPC",
  additionalInterfaces: [
    { url: "https://agent.example/rpc", transport: "JSONRPC" },
    { url: "agent.example:443", transport: "GRPC" },
  ],
  provider: { organization: "Example", url: "https://example.com" },
  iconUrl: "https://example.com/i.png",
  documentationUrl: "https://example.com/docs",
  capabilities: {
    streaming: true,
    pushNotifications: false,
    extensions: [
      { uri: "urn:x", required: false, params: { snakeKey: 1, camelKey: 2 } },
      { uri: EXTENSION, description: "What the agent said that A2A 0.3.0 has no field for" },
    ],
  },
  securitySchemes: {
    bearer: { type: "http", scheme: "bearer", bearerFormat: "JWT" },
    apiKey: { type: "apiKey", in: "header", name: "x-api-key" },
    oauth: {
      type: "oauth2",
      flows: {
        authorizationCode: {
          authorizationUrl: "https://example.com/authorize",
          tokenUrl: "https://example.com/token",
          scopes: { readAll: "reads", read_some: "reads some" },
        },
      },
    },
    oidc: { type: "openIdConnect", openIdConnectUrl: "https://example.com/.well-known/openid-configuration" },
  },
  security: [{ bearer: [] }, { oauth: ["readAll"] }],
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain", "application/json"],
  skills: [
    {
      id: "search",
      name: "Search",
      description: "Searches",
      tags: ["flights"],
      examples: ["SFO to JFK"],
      inputModes: ["text/plain"],
      security: [{ bearer: [] }],
    },
  ],
  supportsAuthenticatedExtendedCard: true,
};

describe("the card to 0.3.0", () => {
  test("every field has its place", () => {
    expect(read(wire)).toEqual(canonical);
    expect(AgentCard.safeParse(read(wire)).success).toBe(true);
  });

  test("and comes back, with the interfaces that the proxy serves", () => {
    const interfaces = [{ url: "https://proxy.example/agents/flights/", binding: "JSONRPC" as const }];
    expect(fromCanonicalCard(read(wire), interfaces)).toEqual({
      ...wire,
      // False is the default, which 1.0 leaves out.
      capabilities: {
        ...wire.capabilities,
        extensions: [{ uri: "urn:x", params: { snakeKey: 1, camelKey: 2 } }],
      },
      supportedInterfaces: [
        {
          url: "https://proxy.example/agents/flights/",
          protocolBinding: "JSONRPC",
          protocolVersion: "1.0",
        },
      ],
    });
  });

  test("a card with nothing but a name is completed", () => {
    const card = read({ name: "Bare" });
    expect(card).toEqual({
      protocolVersion: "0.3.0",
      name: "Bare",
      description: "",
      version: "",
      url: ENDPOINT,
      preferredTransport: "JSONRPC",
      capabilities: { extensions: [{ uri: EXTENSION, description: expect.any(String) }] },
      defaultInputModes: ["text/plain"],
      defaultOutputModes: ["text/plain"],
      skills: [],
    });
    expect(AgentCard.safeParse(card).success).toBe(true);
  });

  test("snake_case and 0.3.0's forms are read as well", () => {
    const card = read({
      name: "Hybrid",
      supported_interfaces: [{ url: ENDPOINT, protocol_binding: "jsonrpc", protocol_version: "1.0" }],
      capabilities: { push_notifications: true, extended_agent_card: true },
      security_schemes: { b: { type: "http", scheme: "bearer", bearer_format: "JWT" } },
      security: [{ b: ["s"] }],
      default_input_modes: ["image/png"],
    });
    expect(card).toMatchObject({
      url: ENDPOINT,
      capabilities: { pushNotifications: true },
      securitySchemes: { b: { type: "http", scheme: "bearer", bearerFormat: "JWT" } },
      security: [{ b: ["s"] }],
      defaultInputModes: ["image/png"],
      supportsAuthenticatedExtendedCard: true,
    });
  });

  test("members that A2A does not name are left out, so that none leads a client past the proxy", () => {
    const interfaces = [{ url: ENDPOINT, binding: "JSONRPC" as const }];
    const extended = {
      ...wire,
      directUrl: "https://agent.example/",
      capabilities: { ...wire.capabilities, endpoint: "https://agent.example/" },
      skills: [{ ...wire.skills[0], endpoint: "https://agent.example/" }],
    };
    expect(read(extended)).toEqual(canonical);
    expect(fromCanonicalCard(read(extended), interfaces)).toEqual(fromCanonicalCard(read(wire), interfaces));
  });

  test("a security scheme without a type, which no client could use, is left out", () => {
    const { bearer } = wire.securitySchemes;
    const card = read({ ...wire, securitySchemes: { bearer, odd: { flavour: "x" } } });
    expect(card.securitySchemes).toEqual({ bearer: canonical.securitySchemes.bearer });
  });

  test("signatures, which sign the card as it was, are dropped", () => {
    const card = read({ ...wire, signatures: [{ protected: "p", signature: "s" }] });
    expect(card).toEqual(canonical);
  });

  test("what is no card is an invalid agent response", () => {
    expect(() => parse({ description: "no name" })).toThrow("no valid agent card");
    expect(() => parse("<html>")).toThrow("no valid agent card");
  });
});

describe("the interfaces of 1.0", () => {
  test("are those of 1.x, and those that name no version", () => {
    const supportedInterfaces = ["1.0", "0.3", undefined, "1.1", "2.0"].map((protocolVersion) => ({
      url: ENDPOINT,
      protocolBinding: "JSONRPC",
      protocolVersion,
    }));
    const versions = interfacesOf(parse({ name: "n", supportedInterfaces })).map(
      (one) => one.protocolVersion,
    );
    expect(versions).toEqual(["1.0", undefined, "1.1"]);
  });
});

describe("any card", () => {
  const text = fc.string({ minLength: 1, maxLength: 6 });
  const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
  const modes = fc.array(text, { minLength: 1, maxLength: 2 });
  const card = fc
    .record({
      name: text,
      description: text,
      version: text,
      iconUrl: optional(fc.webUrl()),
      capabilities: fc
        .record({
          streaming: optional(fc.boolean()),
          pushNotifications: optional(fc.boolean()),
          extendedAgentCard: optional(fc.boolean()),
          extensions: optional(
            fc.array(fc.record({ uri: fc.webUrl(), params: userData }), { minLength: 1, maxLength: 2 }),
          ),
        })
        .map(dense),
      securityRequirements: optional(
        fc.array(fc.constant({ schemes: { bearer: { list: ["aB"] } } }), { minLength: 1, maxLength: 2 }),
      ),
      defaultInputModes: modes,
      defaultOutputModes: modes,
      skills: fc.array(fc.record({ id: text, name: text, description: text, tags: fc.array(text) }), {
        maxLength: 2,
      }),
    })
    .map(dense);

  test("is valid in 0.3.0, and comes back but for its interfaces", () => {
    fc.assert(
      fc.property(card, (original) => {
        const translated = read({ ...original, supportedInterfaces: [{ url: ENDPOINT }] });
        expect(AgentCard.safeParse(translated).success).toBe(true);
        expect(fromCanonicalCard(translated, [])).toEqual({ ...original, supportedInterfaces: [] });
      }),
    );
  });
});
