/** Which transport an agent is called over. */
import { describe, expect, test } from "@jest/globals";
import { a2a03 } from "../../../adapters/a2a-0.3/index.ts";
import { transportOf } from "../../../adapters/a2a-0.3/transport.ts";

const CARD = {
  protocolVersion: "0.3.0",
  name: "Files",
  description: "",
  url: "http://agent.test",
  version: "1",
  capabilities: {},
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: [],
};

test.each([
  ["GRPC", [], "grpc"],
  ["grpc", ["GRPC"], "grpc"],
  ["OTHER", ["GRPC"], "grpc"],
  ["GRPC", ["JSONRPC"], "jsonrpc"],
  ["GRPC", ["HTTP+JSON"], "http+json"],
  [undefined, ["GRPC"], "jsonrpc"],
  ["OTHER", [], "jsonrpc"],
])("a card with %s and %j is called over %s", (preferredTransport, others, expected) => {
  const additionalInterfaces = others.map((transport) => ({ transport, url: "x" }));
  const preferred = preferredTransport === undefined ? {} : { preferredTransport };
  expect(transportOf({ ...CARD, ...preferred, additionalInterfaces }, "https://agent.example/a2a")).toBe(
    expected,
  );
});

describe("a card with JSON-RPC at /jsonrpc/ and HTTP+JSON at the root", () => {
  const card = {
    ...CARD,
    url: "http://127.0.0.1:19008/jsonrpc/",
    preferredTransport: "JSONRPC",
    additionalInterfaces: [
      { transport: "HTTP+JSON", url: "http://127.0.0.1:19008" },
      { transport: "GRPC", url: "127.0.0.1:19009" },
    ],
  };

  test.each([
    ["http://127.0.0.1:19008", "http+json"],
    ["http://127.0.0.1:19008/v1/", "http+json"],
    ["http://127.0.0.1:19008/jsonrpc/", "jsonrpc"],
    ["https://elsewhere.example/jsonrpc", "jsonrpc"],
    ["https://elsewhere.example", "http+json"],
    ["https://elsewhere.example/agents/1", "jsonrpc"],
  ])("is called at %s over %s", (url, expected) => {
    expect(transportOf(card, url)).toBe(expected);
  });

  test("is not called over gRPC, whose address may be written as a URL", () => {
    const grpc = { transport: "GRPC", url: "http://127.0.0.1:19008" };
    expect(transportOf({ ...card, additionalInterfaces: [grpc] }, "http://127.0.0.1:19008")).toBe("jsonrpc");
  });

  test("is called over the one at the configured URL, not over one at the same path elsewhere", () => {
    const elsewhere = { ...card, url: "http://other.example/" };
    expect(transportOf(elsewhere, "http://127.0.0.1:19008/")).toBe("http+json");
  });
});

test("an address of another scheme is refused with the configuration", () => {
  const parsed = a2a03.options.safeParse({ transport: "grpc", grpcUrl: "https://a.example:443" });
  expect(parsed.error?.issues).toMatchObject([{ path: ["grpcUrl"] }]);
});
