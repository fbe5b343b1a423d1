/** What gRPC leaves in the log, and on standard error, when nothing is wrong with the proxy. */
import { once } from "node:events";
import { connect } from "node:http2";
import { createServer, type AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, jest, test } from "@jest/globals";
import { Metadata } from "@grpc/grpc-js";
import { pino, type Logger } from "pino";
import type { RunningVendors } from "../../src/demo/server.ts";
import { startVendors } from "../../src/demo/vendors.ts";
import { loadService } from "../../src/protocol/grpc-codec.ts";
import { SERVER, startTestProxy } from "../support/proxy.ts";
import { GrpcClient } from "./grpc-harness.ts";
import { until } from "./harness.ts";

const SLOW = { message: { messageId: "m-1", role: "ROLE_USER", content: [{ text: "slow" }] } };

let vendors: RunningVendors;
beforeAll(async () => {
  vendors = await startVendors(0, { pace: 20 });
});
afterAll(() => vendors.stop());

function recorder(): { lines: Record<string, unknown>[]; log: Logger } {
  const lines: Record<string, unknown>[] = [];
  const write = (text: string): void => void lines.push(JSON.parse(text));
  return { lines, log: pino({ base: null, timestamp: false, level: "debug" }, { write }) };
}

function start(grpcPort: number, log: Logger) {
  const agent = { adapter: "a2a-0.3", url: `${vendors.url}/canonical`, onDisconnect: "cancel" };
  const server = { ...SERVER, grpc: { port: grpcPort } };
  return startTestProxy({ traveller: agent }, { server, default: "traveller" }, { log });
}

/** Begins a stream and breaks the connection. */
async function openAndBreak(port: number): Promise<void> {
  const { path = "", requestSerialize } = loadService().get("SendStreamingMessage") ?? {};
  const message = requestSerialize?.(SLOW) ?? Buffer.alloc(0);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  const session = connect(`http://127.0.0.1:${port}`).on("error", () => {});
  const headers = { ":method": "POST", ":path": path, "content-type": "application/grpc", te: "trailers" };
  const stream = session.request(headers).on("error", () => {});
  stream.end(Buffer.concat([head, message]));
  await once(stream, "data");
  session.destroy();
}

test("a client that leaves its stream or its call leaves one quiet line, and no stack", async () => {
  const { lines, log } = recorder();
  const proxy = await start(0, log);
  const port = proxy.grpcPort ?? 0;
  using canceling = new GrpcClient(port);
  const stream = canceling.open("SendStreamingMessage", SLOW);
  stream.on("error", () => {});
  await once(stream, "data");
  stream.cancel();
  await openAndBreak(port);
  await canceling.call("SendMessage", SLOW, {}, { deadline: Date.now() + 200 });
  const quiet = () => lines.filter(({ msg }) => msg === "The client disconnected");
  await until(() => quiet().length >= 2);
  await proxy.stop();
  for (const line of quiet()) {
    expect(line).toEqual({ level: 20, taskId: expect.any(String), agent: "traveller", msg: line["msg"] });
  }
  expect(lines.filter(({ level, err }) => err !== undefined || Number(level) > 30)).toEqual([]);
});

test("a port that is taken is an error of the start and nothing else; what the library says is for debugging", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  const { port } = taken.address() as AddressInfo;
  const { lines, log } = recorder();
  const printed = jest.spyOn(console, "error").mockImplementation(() => {});
  try {
    await expect(start(port, log)).rejects.toThrow(`server.grpc.port: 127.0.0.1:${port} is already in use`);
    Metadata.fromHttp2Headers({ "no name": "x" });
    expect(printed.mock.calls).toEqual([]);
    expect(lines).toContainEqual({ level: 20, grpc: expect.stringContaining("no name"), msg: "grpc-js" });
  } finally {
    printed.mockRestore();
    taken.close();
  }
});
