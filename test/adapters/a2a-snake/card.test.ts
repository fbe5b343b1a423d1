import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { chosenInterface, fromCanonicalCard, toCanonicalCard } from "../../../adapters/a2a-snake/card.ts";
import { EXTENSION } from "../../../adapters/a2a-snake/extras.ts";
import { WireCard } from "../../../adapters/a2a-snake/wire.ts";
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
  supported_interfaces: [
    { url: "https://agent.example/grpc", protocol_binding: "grpc", protocol_version: "1.0" },
    {
      url: "https://agent.example/rpc",
      protocol_binding: "jsonrpc",
      tenant: "acme",
      protocol_version: "1.0",
    },
  ],
  provider: { organization: "Example", url: "https://example.com" },
  icon_url: "https://example.com/i.png",
  documentation_url: "https://example.com/docs",
  capabilities: {
    streaming: true,
    push_notifications: false,
    extended_agent_card: true,
    extensions: [{ uri: "urn:x", required: false, params: { snake_key: 1, camelKey: 2 } }],
  },
  security_schemes: {
    bearer: { type: "http", scheme: "bearer", bearer_format: "JWT" },
    api_key: { type: "apiKey", in: "header", name: "x-api-key" },
    oauth: {
      type: "oauth2",
      flows: {
        authorization_code: {
          authorization_url: "https://example.com/authorize",
          token_url: "https://example.com/token",
          scopes: { read_all: "reads" },
        },
      },
    },
    oidc: {
      type: "openIdConnect",
      open_id_connect_url: "https://example.com/.well-known/openid-configuration",
    },
  },
  security_requirements: [{ bearer: [] }, { oauth: ["read_all"] }],
  default_input_modes: ["text/plain"],
  default_output_modes: ["text/plain", "application/json"],
  skills: [
    {
      id: "search",
      name: "Search",
      description: "Searches",
      tags: ["flights"],
      examples: ["SFO to JFK"],
      input_modes: ["text/plain"],
      security_requirements: [{ bearer: [] }],
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
    { url: "https://agent.example/grpc", transport: "GRPC", protocolVersion: "1.0" },
    { url: "https://agent.example/rpc", transport: "JSONRPC", tenant: "acme", protocolVersion: "1.0" },
  ],
  provider: { organization: "Example", url: "https://example.com" },
  iconUrl: "https://example.com/i.png",
  documentationUrl: "https://example.com/docs",
  capabilities: {
    streaming: true,
    pushNotifications: false,
    extensions: [
      { uri: "urn:x", required: false, params: { snake_key: 1, camelKey: 2 } },
      { uri: EXTENSION, description: "What the agent said that A2A 0.3.0 has no field for" },
    ],
  },
  securitySchemes: {
    bearer: { type: "http", scheme: "bearer", bearerFormat: "JWT" },
    api_key: { type: "apiKey", in: "header", name: "x-api-key" },
    oauth: {
      type: "oauth2",
      flows: {
        authorizationCode: {
          authorizationUrl: "https://example.com/authorize",
          tokenUrl: "https://example.com/token",
          scopes: { read_all: "reads" },
        },
      },
    },
    oidc: { type: "openIdConnect", openIdConnectUrl: "https://example.com/.well-known/openid-configuration" },
  },
  security: [{ bearer: [] }, { oauth: ["read_all"] }],
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

  test("and comes back", () => {
    expect(fromCanonicalCard(read(wire))).toEqual(wire);
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

  test("camelCase is read as well", () => {
    const card = read({
      name: "Camel",
      supportedInterfaces: [{ url: ENDPOINT, protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
      capabilities: { pushNotifications: true, extendedAgentCard: true },
      securitySchemes: { b: { type: "http", scheme: "bearer", bearerFormat: "JWT" } },
      securityRequirements: [{ schemes: { b: { list: ["s"] } } }],
      defaultInputModes: ["image/png"],
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

  test("unknown members stay where the card's objects allow them, else in the extension's params, and come back", () => {
    const extended = {
      ...wire,
      build_info: { commit_id: "abc" },
      capabilities: { ...wire.capabilities, batch_mode: true },
      skills: [{ ...wire.skills[0], cost_hint: 3 }],
    };
    const card = read(extended);
    expect(card.capabilities).toMatchObject({ batch_mode: true });
    expect(card.skills[0]).toMatchObject({ cost_hint: 3 });
    expect(card.capabilities.extensions?.at(-1)?.params).toEqual({
      fields: { build_info: { commit_id: "abc" } },
    });
    expect(fromCanonicalCard(card)).toEqual(extended);
  });

  test("a security scheme without a type, which 0.3.0 refuses, is kept in the extension and comes back", () => {
    const odd = {
      ...wire,
      security_schemes: { bearer: wire.security_schemes.bearer, odd: { flavour: "x" } },
    };
    const card = read(odd);
    expect(card.securitySchemes).toEqual({ bearer: canonical.securitySchemes.bearer });
    expect(fromCanonicalCard(card)).toEqual(odd);
  });

  test("signatures, which sign the card as it was, are dropped", () => {
    const card = read({ ...wire, signatures: [{ protected: "p", signature: "s" }] });
    expect(card).toEqual(canonical);
  });

  test("state_transition_history survives", () => {
    const card = read({ name: "n", capabilities: { state_transition_history: true } });
    expect(card.capabilities.stateTransitionHistory).toBe(true);
    expect(fromCanonicalCard(card).capabilities).toEqual({ state_transition_history: true });
  });

  test("what is no card is an invalid agent response", () => {
    expect(() => parse({ description: "no name" })).toThrow("no valid agent card");
    expect(() => parse("<html>")).toThrow("no valid agent card");
  });
});

describe("the chosen interface", () => {
  const rpc = (url: string, tenant: string) => ({ url, protocol_binding: "jsonrpc", tenant });
  const tenantOf = (supported_interfaces: object[]) =>
    chosenInterface(parse({ name: "n", supported_interfaces }), ENDPOINT)?.tenant;

  test("is the JSON-RPC one at the endpoint", () => {
    expect(tenantOf([rpc("https://other.example", "a"), rpc("https://AGENT.example/rpc/", "b")])).toBe("b");
  });

  test("else the first JSON-RPC one", () => {
    const grpc = { url: ENDPOINT, protocol_binding: "grpc", tenant: "g" };
    expect(tenantOf([grpc, rpc("https://other.example", "a"), rpc("https://third.example", "b")])).toBe("a");
  });

  test("else none", () => {
    expect(tenantOf([{ url: ENDPOINT, protocol_binding: "grpc", tenant: "g" }])).toBeUndefined();
  });
});

describe("round trips", () => {
  const text = fc.string({ minLength: 1, maxLength: 6 });
  const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
  const card = fc
    .record({
      name: text,
      description: text,
      version: text,
      supported_interfaces: fc.array(
        fc
          .record({
            url: fc.webUrl(),
            protocol_binding: fc.constantFrom("jsonrpc", "grpc", "http+json", "carrier-pigeon"),
            tenant: optional(text),
            protocol_version: fc.constantFrom("1.0", "0.9"),
          })
          .map(dense),
        { minLength: 1, maxLength: 3 },
      ),
      icon_url: optional(fc.webUrl()),
      capabilities: fc
        .record({
          streaming: optional(fc.boolean()),
          push_notifications: optional(fc.boolean()),
          extended_agent_card: optional(fc.boolean()),
          extensions: optional(
            fc.array(fc.record({ uri: fc.webUrl(), params: userData }), { minLength: 1, maxLength: 2 }),
          ),
        })
        .map(dense),
      security_requirements: optional(fc.array(fc.constant({ bearer: ["a_b"] }), { maxLength: 2 })),
      default_input_modes: fc.array(text, { maxLength: 2 }),
      default_output_modes: fc.array(text, { maxLength: 2 }),
      skills: fc.array(fc.record({ id: text, name: text, description: text, tags: fc.array(text) }), {
        maxLength: 2,
      }),
    })
    .map(dense)
    .filter(({ supported_interfaces }) =>
      supported_interfaces.some((one) => one.protocol_binding === "jsonrpc"),
    );

  test("any card with a JSON-RPC interface comes back from 0.3.0, valid on the way", () => {
    fc.assert(
      fc.property(card, (original) => {
        const translated = read(original);
        expect(AgentCard.safeParse(translated).success).toBe(true);
        expect(fromCanonicalCard(translated)).toEqual(original);
      }),
    );
  });
});
