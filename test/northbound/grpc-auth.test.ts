/** gRPC asks for the same credentials as the transports over HTTP, and is as open or closed as they are. */
import { once } from "node:events";
import { connect } from "node:http2";
import { expect, jest, test } from "@jest/globals";
import { status } from "@grpc/grpc-js";
import { pino } from "pino";
import protobuf from "protobufjs";
import { newApiKey } from "../../src/auth/api-key.ts";
import { startTestProxy } from "../support/proxy.ts";
import { GrpcClient } from "./grpc-harness.ts";

const server = { host: "127.0.0.1", port: 0, publicUrl: "http://proxy.test", grpc: { port: 0 } };
const planner = { adapter: "a2a-0.3", url: "http://127.0.0.1:9/" };
const get = { name: "tasks/none" };

test("a call needs a key, in the metadata, that may call the method", async () => {
  const { key, hash } = newApiKey();
  const proxy = await startTestProxy(
    { planner },
    { server, default: "planner", auth: { apiKeys: { keys: { reader: { hash, methods: ["tasks/get"] } } } } },
  );
  try {
    using client = new GrpcClient(proxy.grpcPort ?? 0);
    const codes: (status | undefined)[] = [];
    for (const [rpc, metadata] of [
      ["GetTask", {}],
      ["GetTask", { "x-api-key": "wrong" }],
      ["GetTask", { "x-api-key": key }],
      ["CancelTask", { "x-api-key": key }],
    ] as const) {
      codes.push((await client.call(rpc, get, metadata)).error?.code);
    }
    expect(codes).toEqual([
      status.UNAUTHENTICATED,
      status.UNAUTHENTICATED,
      status.NOT_FOUND,
      status.PERMISSION_DENIED,
    ]);
  } finally {
    await proxy.stop();
  }
});

test("the message of a call without credentials is not decoded", async () => {
  const { key, hash } = newApiKey();
  const auth = { apiKeys: { keys: { reader: { hash } } } };
  const proxy = await startTestProxy({ planner }, { server, default: "planner", auth });
  const decoding = jest.spyOn(protobuf.Reader, "create");
  try {
    using client = new GrpcClient(proxy.grpcPort ?? 0);
    await client.call("GetTask", get, {});
    expect(decoding).not.toHaveBeenCalled();
    await client.call("GetTask", get, { "x-api-key": key });
    expect(decoding).toHaveBeenCalled();
  } finally {
    decoding.mockRestore();
    await proxy.stop();
  }
});

test("a stranger is refused before its message is there, and the log says so", async () => {
  const { hash } = newApiKey();
  const lines: { outcome?: string; rpc?: string; method?: string }[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const auth = { apiKeys: { keys: { reader: { hash } } } };
  const proxy = await startTestProxy({ planner }, { server, default: "planner", auth }, { log });
  const session = connect(`http://127.0.0.1:${proxy.grpcPort}`);
  try {
    const stream = session.request({
      ":method": "POST",
      ":path": "/a2a.v1.A2AService/SendMessage",
      "content-type": "application/grpc",
      te: "trailers",
      "a2a-agent": "none",
    });
    stream.on("error", () => {});
    // Of a message of 8 MiB, as its first bytes say, the client sends no more than these.
    stream.write(Buffer.from([0, 0, 0x80, 0, 0, 1, 2, 3]));
    const [headers] = await once(stream, "response");
    expect(headers["grpc-status"]).toBe(String(status.UNAUTHENTICATED));
    expect(lines).toContainEqual(
      expect.objectContaining({
        outcome: "unauthenticated",
        rpc: "SendMessage",
        method: "message/send",
      }),
    );
  } finally {
    session.destroy();
    await proxy.stop();
  }
});

test("a proxy that asks nobody does not listen for gRPC elsewhere than on loopback", async () => {
  const open = { ...server, grpc: { port: 0, host: "0.0.0.0" } };
  await expect(startTestProxy({ planner }, { server: open })).rejects.toThrow("does not listen on 0.0.0.0");
});
