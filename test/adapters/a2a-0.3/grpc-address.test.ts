/** Which address gRPC calls go to when the card names another one than the configuration. */
import type { RequestListener } from "node:http";
import { afterEach, describe, expect, test } from "@jest/globals";
import { asGrpcUrl, cardAddress } from "../../../adapters/a2a-0.3/grpc-address.ts";
import { cleanUp, serve } from "../../southbound/loopback.ts";
import { rpc, streamResults, userMessage } from "../../support/client.ts";
import { startTestProxy } from "../../support/proxy.ts";
import { CARD, startGrpcAgent } from "./grpc-agent.ts";

const cardOf = (url: string) => ({ ...CARD, url, capabilities: {} });

describe("the port of the card", () => {
  test.each([
    ["agent.example:13004", "https://agent.example", "grpcs://agent.example:13004"],
    ["agent.example:13004", "http://agent.example:80", "grpc://agent.example:13004"],
    ["https://agent.example:13004", "http://agent.example", "grpcs://agent.example:13004"],
    ["http://agent.example:13004", "https://agent.example", "grpcs://agent.example:13004"],
    ["grpc://AGENT.example:13004/", "https://agent.example/a2a", "grpcs://agent.example:13004"],
    ["dns:///agent.example:13004", "https://agent.example", "grpcs://agent.example:13004"],
    ["0.0.0.0:13004", "http://10.0.0.7:13005", "grpc://10.0.0.7:13004"],
    ["[::]:13004", "http://[::1]:13005", "grpc://[::1]:13004"],
  ])("%s, for an agent at %s, is called at %s", (onCard, url, called) => {
    expect(cardAddress(cardOf(onCard), url)).toBe(called);
  });

  test.each([
    ["other.example:13004", "https://agent.example"],
    ["agent.example.other.example:13004", "https://agent.example"],
    ["agent.example@other.example:13004", "https://agent.example"],
    ["http://127.0.0.1:13004", "http://10.0.0.7"],
    ["unix:/run/agent.sock", "https://agent.example"],
    ["", "https://agent.example"],
  ])("%s, for an agent at %s, is not called", (onCard, url) => {
    expect(cardAddress(cardOf(onCard), url)).toBeUndefined();
  });

  test("of a card that prefers another transport is that of its gRPC interface", () => {
    const additionalInterfaces = [{ transport: "grpc", url: "agent.example:7" }];
    const card = {
      ...cardOf("https://agent.example/a2a"),
      preferredTransport: "JSONRPC",
      additionalInterfaces,
    };
    expect(cardAddress(card, "https://agent.example")).toBe("grpcs://agent.example:7");
    expect(cardAddress({ ...card, additionalInterfaces: [] }, "https://agent.example")).toBeUndefined();
  });
});

test("an address is told as that of a gRPC server, whatever its scheme", () => {
  expect(asGrpcUrl("https://agent.example/a2a")).toBe("grpcs://agent.example:443");
  expect(asGrpcUrl("agent.example:7")).toBe("grpc://agent.example:7");
});

describe.each(["a2a-0.3", "auto"])(
  "an agent whose card, behind %s, names gRPC at another port",
  (adapter) => {
    const stops: (() => unknown)[] = [];
    afterEach(async () => {
      for (const stop of stops.splice(0).toReversed()) await stop();
      await cleanUp();
    });

    async function fronted(options: object) {
      const agent = await startGrpcAgent();
      stops.push(() => agent.stop());
      const listener: RequestListener = ({ method }, response) => {
        response.statusCode = method === "GET" ? 200 : 404;
        response.end(JSON.stringify({ ...CARD, url: `127.0.0.1:${agent.port}` }));
      };
      const url = await serve(listener);
      const credentials = { type: "bearer", token: "k" };
      const proxy = await startTestProxy({ files: { adapter, url, options, credentials } });
      stops.push(() => proxy.stop());
      return { agent, url, endpoint: proxy.agent("files") };
    }

    test("is called there, with its credentials, where the operator allows it", async () => {
      const { agent, endpoint } = await fronted({ grpcPort: "card" });
      const { result } = await rpc(endpoint, "message/send", userMessage("go"));
      expect(result).toMatchObject({ kind: "task", status: { state: "completed" } });
      const events = await streamResults(endpoint, "message/stream", userMessage("go"));
      expect(events.at(-1)).toMatchObject({ final: true, status: { state: "completed" } });
      expect(agent.calls.map((call) => call["authorization"])).toEqual(agent.calls.map(() => "Bearer k"));
    });

    test("is not called there otherwise, and the error names both addresses", async () => {
      const { agent, url, endpoint } = await fronted({});
      for (const method of ["message/send", "message/stream"]) {
        const { error } = await rpc(endpoint, method, userMessage("go"));
        expect(error?.message).toContain(
          `(grpc://${new URL(url).host}); its card names 127.0.0.1:${agent.port} for gRPC, which the option grpcUrl may name`,
        );
      }
      expect(agent.calls).toEqual([]);
    });
  },
);
