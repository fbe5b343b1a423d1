import { expect, test } from "@jest/globals";
import { toCanonicalCard } from "../../adapters/a2a-0.3/card.ts";
import type { AgentCard } from "../../src/protocol/card.ts";
import { toProtoJsonCard } from "../../src/protocol/proto-json-card.ts";

const CARD: AgentCard = {
  protocolVersion: "0.3.0",
  name: "Planner",
  description: "Plans.",
  url: "http://proxy.example",
  version: "1",
  capabilities: {},
  defaultInputModes: [],
  defaultOutputModes: [],
  skills: [],
  securitySchemes: {
    key: { type: "apiKey", in: "header", name: "X-API-Key" },
    token: { type: "http", scheme: "bearer", bearerFormat: "JWT" },
    cert: { type: "mutualTLS" },
  },
  security: [{ key: [] }, { token: ["read"], cert: [] }],
};

test("security is told as the proto has it", () => {
  const { securitySchemes: _schemes, security: _security, ...rest } = CARD;
  expect(toProtoJsonCard(CARD)).toEqual({
    ...rest,
    securitySchemes: {
      key: { apiKeySecurityScheme: { location: "header", name: "X-API-Key" } },
      token: { httpAuthSecurityScheme: { scheme: "bearer", bearerFormat: "JWT" } },
      cert: { mtlsSecurityScheme: {} },
    },
    security: [
      { schemes: { key: { list: [] } } },
      { schemes: { token: { list: ["read"] }, cert: { list: [] } } },
    ],
  });
  expect(toProtoJsonCard(rest)).toEqual(rest);
});

test("a scheme of an unknown type is empty", () => {
  expect(toProtoJsonCard({ ...CARD, securitySchemes: { odd: { type: "odd" } } })["securitySchemes"]).toEqual({
    odd: {},
  });
});

test("what is written is what is read from an agent of that binding", () => {
  const read = toCanonicalCard(toProtoJsonCard(CARD), { name: "", url: "" });
  expect(read.security).toEqual(CARD.security);
});
