/** Which agent a gRPC call reaches, and what else stands on the port. */
import { once } from "node:events";
import { createServer } from "node:net";
import { describe, expect, test } from "@jest/globals";
import { Client, credentials, status } from "@grpc/grpc-js";
import { service as healthService } from "grpc-health-check";
import { z } from "zod";
import type { Gateway } from "../../src/gateway/gateway.ts";
import { SERVER_WITH_GRPC, startTestProxy } from "../support/proxy.ts";
import { GrpcClient, startGrpcHarness } from "./grpc-harness.ts";
import { TASK, fakeGateway } from "./harness.ts";

const get = { name: "tasks/t-1" };

describe("the agent of a call", () => {
  const gateways = () => {
    const names = ["first", "second", "third"] as const;
    const called: string[] = [];
    const note = (name: string): Gateway => fakeGateway({ getTask: async () => (called.push(name), TASK) });
    return { called, gateways: Object.fromEntries(names.map((name) => [name, note(name)])) };
  };
  test("is told by the metadata, by the host that was called, or is the default one", async () => {
    const { called, gateways: all } = gateways();
    const agents = { third: { grpc: { publicUrl: "third.example:443" } } };
    await using proxy = await startGrpcHarness({ gateways: all, agents });
    using client = new GrpcClient(proxy.server.port);
    using third = new GrpcClient(proxy.server.port, { "grpc.default_authority": "third.example" });
    await client.call("GetTask", get, { "a2a-agent": "second" });
    await third.call("GetTask", get);
    await client.call("GetTask", get);
    expect(called).toEqual(["second", "third", "first"]);
    const { error } = await client.call("GetTask", get, { "a2a-agent": "none" });
    expect([error?.code, error?.details]).toEqual([
      status.INVALID_ARGUMENT,
      "Metadata a2a-agent: no such agent",
    ]);
  });

  test("has to be told where there is no default one", async () => {
    const { gateways: all } = gateways();
    await using proxy = await startGrpcHarness({ gateways: all, fallback: undefined });
    using client = new GrpcClient(proxy.server.port);
    expect((await client.call("GetTask", get)).error?.code).toBe(status.INVALID_ARGUMENT);
  });

  test("is the one agent of a port of its own", async () => {
    const { called, gateways: all } = gateways();
    await using proxy = await startGrpcHarness({ gateways: all, agents: { second: { grpc: { port: 0 } } } });
    const port = Number(proxy.server.urls.get("second")?.split(":")[1]);
    using client = new GrpcClient(port);
    await client.call("GetTask", get);
    expect(called).toEqual(["second"]);
    expect((await client.call("GetTask", get, { "a2a-agent": "first" })).error?.code).toBe(
      status.INVALID_ARGUMENT,
    );
  });

  test("has an address in its card only where that leads to it", async () => {
    const { gateways: all } = gateways();
    const agents = { third: { grpc: { publicUrl: "http://third.example:443" } } };
    await using proxy = await startGrpcHarness({ gateways: all, agents });
    expect([...proxy.server.urls]).toEqual([
      ["first", `proxy.example:${proxy.server.port}`],
      ["third", "http://third.example:443"],
    ]);
  });
});

describe("a card", () => {
  const CARD = { name: "Planner" };
  const planner = { adapter: "a2a-0.3", url: "http://127.0.0.1:9/", card: CARD };
  const Served = z.looseObject({ additionalInterfaces: z.array(z.looseObject({ transport: z.string() })) });

  test.each([
    [true, undefined, true],
    [true, false, false],
    [false, undefined, false],
    [false, true, true],
  ])("with server.grpc.onCard %j and the agent's %j names gRPC: %j", async (listener, agent, isNamed) => {
    const grpc = agent === undefined ? {} : { grpc: { onCard: agent } };
    const proxy = await startTestProxy(
      { planner: { ...planner, ...grpc } },
      { server: { ...SERVER_WITH_GRPC, grpc: { port: 0, onCard: listener } }, default: "planner" },
    );
    try {
      const response = await fetch(`${proxy.url}/.well-known/agent-card.json`);
      const { additionalInterfaces } = Served.parse(await response.json());
      const transports = additionalInterfaces.map(({ transport }) => transport);
      expect(transports).toEqual(["JSONRPC", "HTTP+JSON", ...(isNamed ? ["GRPC"] : [])]);
      using client = new GrpcClient(proxy.grpcPort ?? 0);
      expect((await client.call("GetTask", get)).error?.details).toBe("Task not found");
    } finally {
      await proxy.stop();
    }
  });
});

describe("the standard services", () => {
  test("health says whether the proxy serves", async () => {
    await using proxy = await startGrpcHarness({ gateways: { planner: fakeGateway() } });
    const client = new Client(`127.0.0.1:${proxy.server.port}`, credentials.createInsecure());
    const { path, requestSerialize, responseDeserialize } = healthService["Check"] ?? {};
    if (!path || !requestSerialize || !responseDeserialize) throw new Error("no Check");
    const answer = await new Promise((resolve, reject) => {
      client.makeUnaryRequest(
        path,
        requestSerialize,
        responseDeserialize,
        { service: "a2a.v1.A2AService" },
        (error, value) => (error ? reject(error) : resolve(value)),
      );
    });
    client.close();
    expect(answer).toMatchObject({ status: "SERVING" });
  });
});

test("a port that is taken is told by its place in the configuration", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  const address = taken.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  try {
    const started = startTestProxy(
      { planner: { adapter: "a2a-0.3", url: "http://127.0.0.1:9/", grpc: { port } } },
      { server: { host: "127.0.0.1", port: 0, publicUrl: "http://proxy.test", grpc: { port: 0 } } },
    );
    await expect(started).rejects.toThrow(`agents.planner.grpc.port: 127.0.0.1:${port} is already in use`);
  } finally {
    taken.close();
  }
});
