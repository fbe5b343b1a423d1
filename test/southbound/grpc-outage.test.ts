/** An agent over gRPC that goes away and comes back. */
import { createServer } from "node:net";
import { once } from "node:events";
import { afterEach, expect, test } from "@jest/globals";
import { Server, ServerCredentials, type sendUnaryData, type ServerUnaryCall } from "@grpc/grpc-js";
import { loadService, type ProtoMessage } from "../../src/protocol/grpc-codec.ts";
import { rpc, userMessage } from "../support/client.ts";
import { startTestProxy } from "../support/proxy.ts";

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no TCP address");
  server.close();
  await once(server, "close");
  return address.port;
}

async function serveAt(port: number): Promise<Server> {
  const send = loadService().get("SendMessage");
  if (!send) throw new Error("no SendMessage");
  const server = new Server();
  const answer = (
    _call: ServerUnaryCall<ProtoMessage, ProtoMessage>,
    reply: sendUnaryData<ProtoMessage>,
  ): void =>
    reply(null, { message: { messageId: "m", role: "ROLE_AGENT", content: [{ text: "here again" }] } });
  server.addService({ SendMessage: send }, { SendMessage: answer });
  await new Promise<void>((resolve, reject) =>
    server.bindAsync(`127.0.0.1:${port}`, ServerCredentials.createInsecure(), (error) =>
      error ? reject(error) : resolve(),
    ),
  );
  stops.push(() => server.forceShutdown());
  return server;
}

test("is called again with the first call after its return", async () => {
  const port = await freePort();
  const proxy = await startTestProxy({ one: { adapter: "a2a-0.3", url: `grpc://127.0.0.1:${port}` } });
  stops.push(() => proxy.stop());
  const send = () => rpc(proxy.agent("one"), "message/send", userMessage("hi"));
  const refused = { error: { code: -32603, data: { stage: "connect", cause: "ECONNREFUSED" } } };
  const answered = { result: { kind: "message", parts: [{ kind: "text", text: "here again" }] } };
  for (let outage = 0; outage < 2; outage++) {
    for (let call = 0; call < 4; call++) expect(await send()).toMatchObject(refused);
    const server = await serveAt(port);
    expect(await send()).toMatchObject(answered);
    server.forceShutdown();
    // The first calls may still meet the connection that breaks.
    while ((await send()).error?.data?.["cause"] !== "ECONNREFUSED") continue;
  }
});
