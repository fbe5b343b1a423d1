/** The memory that the bodies of all requests take together has a bound, and no caller can take all of it. */
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { status } from "@grpc/grpc-js";
import { BytesInFlight } from "../../src/auth/bytes-in-flight.ts";
import { GrpcClient } from "../northbound/grpc-harness.ts";
import { SERVER_WITH_GRPC, startTestProxy, type TestProxy } from "../support/proxy.ts";
import { CARD, apiKeys } from "./support.ts";

const overloaded = expect.objectContaining({ code: "overloaded" });

describe("the budget", () => {
  test("gives a caller as much as is left for the others", () => {
    const budget = new BytesInFlight(1_200);
    const [alice, bob, carol] = [budget.open("alice"), budget.open("bob"), budget.open("carol")];
    alice.take(600);
    expect(() => budget.open("alice").take(1)).toThrow(overloaded);
    bob.take(300);
    expect(() => bob.take(1)).toThrow(overloaded);
    carol.take(150);
    alice.release();
    bob.take(225);
    expect(() => bob.take(1)).toThrow(overloaded);
  });

  test("counts values, gets everything back once, and is not touched by what it has refused", () => {
    const budget = new BytesInFlight(1_280);
    const held = budget.open("alice");
    held.takeValues(10);
    expect(() => held.takeValues(1)).toThrow(overloaded);
    held.release();
    held.release();
    budget.open("alice").take(640);
    expect(() => budget.open("alice").take(1)).toThrow(overloaded);
  });
});

describe("requests that wait for a silent agent", () => {
  const { keys, hashes } = apiKeys("alice", "bob");
  const text = "x".repeat(100_000);
  let vendor: Server;
  let proxy: TestProxy;
  let arrived: () => void;

  beforeEach(async () => {
    vendor = createServer(() => arrived()).listen(0, "127.0.0.1");
    await once(vendor, "listening");
    const { port } = vendor.address() as AddressInfo;
    const agent = {
      adapter: "a2a-0.3",
      url: `http://127.0.0.1:${port}/`,
      card: CARD,
      onDisconnect: "cancel",
    };
    const auth = { apiKeys: { keys: { alice: { hash: hashes.alice }, bob: { hash: hashes.bob } } } };
    const server = { ...SERVER_WITH_GRPC, maxBytesInFlight: "450KB" };
    proxy = await startTestProxy({ planner: agent }, { auth, server, default: "planner" });
  });
  afterEach(async () => {
    vendor.closeAllConnections();
    vendor.close();
    await proxy.stop();
  });

  const send = (key: string, signal?: AbortSignal, path = "/") => {
    const message = { kind: "message", messageId: "m", role: "user", parts: [{ kind: "text", text }] };
    const params = { jsonrpc: "2.0", id: 1, method: "message/send", params: { message } };
    const body = JSON.stringify(path === "/" ? params : { message });
    const headers = { "content-type": "application/json", "x-api-key": key };
    return fetch(proxy.url + path, { method: "POST", headers, body, ...(signal && { signal }) });
  };
  /** Sends what will not be answered; resolves once it is at the agent. */
  const sendAndWait = async (key: string, signal: AbortSignal): Promise<void> => {
    const atAgent = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    send(key, signal).catch(() => {});
    await atAgent;
  };

  test("hold their bodies: too many are 503 with Retry-After, on each transport, and others still get theirs", async () => {
    const gone = new AbortController();
    await sendAndWait(keys.alice, gone.signal);
    await sendAndWait(keys.alice, gone.signal);
    const refused = await send(keys.alice);
    expect(refused.status).toBe(503);
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(await refused.json()).toMatchObject({ id: null, error: { code: -32603 } });
    expect((await send(keys.alice, undefined, "/v1/message:send")).status).toBe(503);
    using client = new GrpcClient(proxy.grpcPort ?? 0);
    const message = { role: "ROLE_USER", content: [{ text }] };
    const { error } = await client.call("SendMessage", { message }, { "x-api-key": keys.alice });
    expect(error?.code).toBe(status.UNAVAILABLE);
    await sendAndWait(keys.bob, gone.signal);
    gone.abort();
  });

  test("give them back when the client leaves", async () => {
    for (let round = 0; round < 4; round++) {
      const gone = new AbortController();
      await sendAndWait(keys.alice, gone.signal);
      await sendAndWait(keys.alice, gone.signal);
      expect(await get()).toBe(503);
      gone.abort();
      await until(async () => (await get()) === 200);
    }
  });

  test("count from the first byte on, not by what they announce", async () => {
    const sockets: Socket[] = [];
    const { port } = new URL(proxy.url);
    const open = async (bytes: string): Promise<Socket> => {
      const socket = connect(Number(port), "127.0.0.1");
      sockets.push(socket);
      const head = [
        "POST / HTTP/1.1",
        "Host: localhost",
        `X-API-Key: ${keys.alice}`,
        "Content-Length: 200000",
      ];
      socket.write(`${[...head, "Content-Type: application/json"].join("\r\n")}\r\n\r\n${bytes}`);
      await once(socket, "connect");
      return socket;
    };
    for (let index = 0; index < 10; index++) await open("");
    await open(`"${text}`);
    await open(`"${text}`);
    await until(async () => (await get()) === 503);
    for (const socket of sockets) socket.destroy();
    await until(async () => (await get()) === 200);
  });

  /** The status of a small call. */
  const get = async (): Promise<number> => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tasks/get", params: { id: "none", text } });
    const headers = { "content-type": "application/json", "x-api-key": keys.alice };
    const response = await fetch(proxy.url, { method: "POST", headers, body });
    await response.body?.cancel();
    return response.status;
  };
});

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}
