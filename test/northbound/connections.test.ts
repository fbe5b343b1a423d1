/** Connections: how many there may be, clients that end their side of one, and those that never read their answer. */
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { connect as connectTls } from "node:tls";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { pino } from "pino";
import { CARD, authority, certificate } from "../auth/support.ts";
import { startTestProxy, type TestProxy } from "../support/proxy.ts";
import { GrpcClient } from "./grpc-harness.ts";
import { until } from "./harness.ts";

const BIG = "x".repeat(32 * 1024 * 1024);

/** Answers that are waited for, in the order in which they were asked for. */
const pending: { answer(text: string): void; readonly isLeft: boolean }[] = [];
let vendorUrl = "";

const reply = (text: string) => ({
  kind: "message",
  messageId: "m",
  role: "agent",
  parts: [{ kind: "text", text }],
});

async function ask(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { id } = JSON.parse(await text(request)) as { id: unknown };
  pending.push({
    answer: (words) => response.end(JSON.stringify({ jsonrpc: "2.0", id, result: reply(words) })),
    get isLeft() {
      return isGone(response);
    },
  });
}

const vendor = createServer((request, response) => {
  if (request.method === "POST") void ask(request, response);
  else response.end(JSON.stringify({ ...CARD, capabilities: { streaming: false } }));
});
const isGone = (response: ServerResponse): boolean => response.destroyed && !response.writableFinished;

beforeAll(async () => {
  vendor.listen(0, "127.0.0.1");
  await once(vendor, "listening");
  const address = vendor.address();
  vendorUrl = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
});
afterAll(() => (vendor.closeAllConnections(), void vendor.close()));

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
  pending.splice(0);
});

const lines: { msg: string; refused?: number }[] = [];

async function start(server: object = {}, agent: object = {}): Promise<TestProxy> {
  lines.splice(0);
  const write = (line: string): void => void lines.push(JSON.parse(line));
  const proxy = await startTestProxy(
    { agent: { adapter: "a2a-0.3", url: vendorUrl, onDisconnect: "cancel", ...agent } },
    {
      default: "agent",
      server: {
        host: "127.0.0.1",
        port: 0,
        publicUrl: "http://proxy.test",
        shutdownGrace: "50ms",
        ...server,
      },
    },
    { log: pino({}, { write }) },
  );
  stops.push(() => proxy.stop());
  return proxy;
}

const portOf = ({ url }: TestProxy): number => Number(new URL(url).port);

function opened(proxy: TestProxy): Socket {
  const socket = connect({ port: portOf(proxy), host: "127.0.0.1", allowHalfOpen: true });
  socket.on("error", () => {});
  stops.push(() => socket.destroy());
  return socket;
}

const request = (method: string): string => {
  const message = { kind: "message", messageId: "m", role: "user", parts: [{ kind: "text", text: "hi" }] };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { message } });
  const head = "POST /agents/agent HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
  return `${head}Content-Length: ${body.length}\r\n\r\n${body}`;
};
const METHODS = ["message/send", "message/stream"];

/** Resolves once the agent has been asked, and the proxy has looked twice whether the client is still there. */
async function lookedFor(socket: Socket): Promise<void> {
  let looks = "";
  const take = (bytes: Buffer): void => void (looks += String(bytes));
  socket.on("data", take);
  await until(() => pending.length === 1 && looks.split("100 Continue").length > 2);
  socket.off("data", take).pause();
}

describe("a connection too many", () => {
  const refusals = () => lines.filter(({ refused }) => refused !== undefined);

  test("over HTTP is closed, others live on, and the log says so once", async () => {
    const proxy = await start({ maxConnections: 2 });
    const first = opened(proxy);
    const second = opened(proxy);
    await Promise.all([once(first, "connect"), once(second, "connect")]);
    for (let n = 0; n < 5; n++) expect(await text(opened(proxy))).toBe("");
    expect(refusals()).toMatchObject([{ limit: 2, refused: 1, level: 40 }]);
    first.end("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    expect(await text(first)).toMatch(/^HTTP\/1\.1 200 /);
    // There is room again.
    await expect(fetch(`${proxy.url}/healthz`)).resolves.toMatchObject({ status: 200 });
    expect(refusals()).toHaveLength(1);
  });

  test("over gRPC is closed, others live on, and the log says so once", async () => {
    const proxy = await start({ grpc: { port: 0, maxConnections: 1 } });
    const port = proxy.grpcPort ?? 0;
    using known = new GrpcClient(port);
    const get = async (client: GrpcClient) => (await client.call("GetTask", { name: "tasks/none" })).error;
    expect((await get(known))?.details).toBe("Task not found");
    for (let n = 0; n < 3; n++) {
      const socket = connect({ port, host: "127.0.0.1" });
      expect(await text(socket)).toBe("");
    }
    expect(refusals()).toMatchObject([{ limit: 1, refused: 1 }]);
    expect((await get(known))?.details).toBe("Task not found");
  });
});

describe("a client that ends its side after the request", () => {
  test.each(METHODS)("gets its answer to %s", async (method) => {
    const socket = opened(await start());
    socket.end(request(method));
    await lookedFor(socket);
    expect(pending[0]?.isLeft).toBe(false);
    pending[0]?.answer("here it is");
    const answer = await text(socket);
    expect(answer).toMatch(/HTTP\/1\.1 200 OK/);
    expect(answer).toContain("here it is");
  });

  test("gets its answer over TLS", async () => {
    const ca = await authority();
    const pair = await certificate("localhost", ca);
    const folder = mkdtempSync(join(tmpdir(), "half-"));
    stops.push(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, "cert.pem"), pair.cert);
    writeFileSync(join(folder, "key.pem"), pair.key);
    const proxy = await start({ tls: { cert: join(folder, "cert.pem"), key: join(folder, "key.pem") } });
    const socket = connectTls({ socket: opened(proxy), host: "127.0.0.1", ca: ca.cert });
    await once(socket, "secureConnect");
    socket.end(request("message/send"));
    await lookedFor(socket);
    pending[0]?.answer("here it is");
    expect(await text(socket)).toContain("here it is");
  });

  test.each(METHODS)("and has gone is noticed while %s is under way", async (method) => {
    const socket = opened(await start());
    socket.write(request(method));
    await until(() => pending.length === 1);
    socket.destroy();
    await until(() => pending[0]?.isLeft === true);
  });
});

describe("an answer", () => {
  const agent = { timeouts: { stalledClient: "500ms" } };

  test("that its client never reads is dropped", async () => {
    const proxy = await start({}, agent);
    const socket = opened(proxy);
    socket.pause();
    socket.write(request("message/send"));
    await until(() => pending.length === 1);
    // The time of the agent is not the client's.
    await delay(700);
    pending[0]?.answer(BIG);
    await until(() => lines.some(({ msg }) => msg.startsWith("dropped an answer")));
    const { length } = await text(socket);
    expect(length).toBeLessThan(BIG.length);
  });

  test("that its client reads slowly comes to its end", async () => {
    const proxy = await start({}, agent);
    const socket = opened(proxy);
    socket.write(request("message/send").replace("HTTP/1.1\r\n", "HTTP/1.1\r\nConnection: close\r\n"));
    await until(() => pending.length === 1);
    pending[0]?.answer(BIG);
    let length = 0;
    let pauses = 0;
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > (pauses + 1) * 2 * 1024 * 1024 && pauses < 8) {
        pauses += 1;
        await delay(100);
      }
    }
    expect(pauses).toBe(8);
    expect(length).toBeGreaterThan(BIG.length);
  });
});
