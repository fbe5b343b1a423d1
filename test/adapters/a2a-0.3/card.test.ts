import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { toCanonicalCard } from "../../../adapters/a2a-0.3/card.ts";
import { AgentCard } from "../../../src/protocol/card.ts";

const DEFAULTS = { name: "planner", url: "https://agent.example/a2a" };
const canonical = (raw: unknown) => toCanonicalCard(raw, DEFAULTS);

const CARD = {
  protocolVersion: "0.3.0",
  name: "Planner",
  description: "Plans",
  url: "http://0.0.0.0:9999",
  version: "1",
  capabilities: { streaming: true },
  defaultInputModes: ["text"],
  defaultOutputModes: ["text"],
  skills: [{ id: "s", name: "S", description: "", tags: [] }],
};

test("a card that is right is the same object", () => {
  const card = { ...CARD, "x-own": 1 };
  expect(canonical(card)).toBe(card);
});

test("what a card lacks gets neutral values", () => {
  expect(canonical({ description: null })).toEqual({
    protocolVersion: "0.2.0",
    name: "planner",
    description: "",
    url: "https://agent.example/a2a",
    version: "0.0.0",
    capabilities: {},
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain"],
    skills: [],
  });
});

test("a card of 0.2.0 keeps what it has", () => {
  const { protocolVersion: _version, ...card } = { ...CARD, securitySchemes: { key: { type: "apiKey" } } };
  expect(canonical(card)).toEqual({ ...card, protocolVersion: "0.2.0" });
});

test("a card of the REST and gRPC bindings", () => {
  const raw = {
    ...CARD,
    preferred_transport: "JSONRPC",
    capabilities: { streaming: true, push_notifications: false },
    security_schemes: {
      key: { apiKeySecurityScheme: { location: "header", name: "X-Key" } },
      http: { httpAuthSecurityScheme: { scheme: "bearer" } },
      odd: {},
    },
    security: [{ schemes: { key: { list: ["read"] } } }],
  };
  expect(canonical({ ...raw, provider: null })).toEqual({
    ...CARD,
    preferredTransport: "JSONRPC",
    capabilities: { streaming: true, pushNotifications: false },
    securitySchemes: {
      key: { type: "apiKey", in: "header", name: "X-Key" },
      http: { type: "http", scheme: "bearer" },
    },
    security: [{ key: ["read"] }],
  });
});

describe("members of the wrong shape", () => {
  test.each([
    ["security as one map", { security: { key: ["a"] } }, { security: [{ key: ["a"] }] }],
    ["security as names", { security: ["key"] }, { security: [{ key: [] }] }],
    ["a provider's name alone", { provider: "Acme" }, { provider: { organization: "Acme", url: "" } }],
    ["a provider without a name", { provider: {} }, {}],
    [
      "skills by name",
      { skills: ["plan"] },
      { skills: [{ id: "plan", name: "plan", description: "", tags: [] }] },
    ],
    [
      "a skill without tags",
      { skills: [{ name: "P" }] },
      { skills: [{ id: "P", name: "P", description: "", tags: [] }] },
    ],
    ["a numeric version", { version: 2 }, { version: "2" }],
    ["one mode", { defaultInputModes: "text" }, { defaultInputModes: ["text"] }],
    [
      "an interface without a URL",
      { additionalInterfaces: [{ transport: "GRPC" }] },
      { additionalInterfaces: [] },
    ],
    ["signatures that are none", { signatures: "x" }, {}],
    ["streaming as a word", { capabilities: { streaming: "yes" } }, { capabilities: {} }],
  ])("%s", (_what, raw, expected) => {
    expect(canonical({ ...CARD, ...raw })).toEqual({ ...CARD, ...expected });
  });

  test("a card that is no object is the agent's fault", () => {
    expect(() => canonical("<html>")).toThrow(expect.objectContaining({ code: "invalid-agent-response" }));
  });
});

test("any object becomes a valid card", () => {
  const values = fc.dictionary(fc.constantFrom(...Object.keys(AgentCard.shape)), fc.jsonValue());
  fc.assert(
    fc.property(values, (raw) => {
      expect(AgentCard.safeParse(canonical(raw)).error).toBeUndefined();
    }),
  );
});
