/** Which transport an agent is called over. */
import { expect, test } from "@jest/globals";
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
  expect(transportOf({ ...CARD, ...preferred, additionalInterfaces })).toBe(expected);
});

test("an address of another scheme is refused with the configuration", () => {
  const parsed = a2a03.options.safeParse({ transport: "grpc", grpcUrl: "https://a.example:443" });
  expect(parsed.error?.issues).toMatchObject([{ path: ["grpcUrl"] }]);
});
