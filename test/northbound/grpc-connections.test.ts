/** What one connection over gRPC may do, as the configuration says it; seen by a client of bare HTTP/2. */
import { once } from "node:events";
import { connect as connectTcp } from "node:net";
import { connect, type ClientHttp2Session } from "node:http2";
import { afterEach, expect, test } from "@jest/globals";
import { GrpcClient, startGrpcHarness, type GrpcHarness } from "./grpc-harness.ts";
import { FakeSubscription, fakeGateway, recording } from "./harness.ts";

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

async function start(options: Partial<Parameters<typeof startGrpcHarness>[0]>): Promise<GrpcHarness> {
  const proxy = await startGrpcHarness({ gateways: { planner: recording().gateway }, ...options });
  stops.push(() => proxy[Symbol.asyncDispose]());
  return proxy;
}

function open(proxy: GrpcHarness): ClientHttp2Session {
  const session = connect(`http://127.0.0.1:${proxy.server.port}`).on("error", () => {});
  stops.push(() => session.destroy());
  return session;
}

/** A call that the client never gets to the end of saying. */
function beginCall(session: ClientHttp2Session) {
  const path = "/a2a.v1.A2AService/GetTask";
  const headers = { ":method": "POST", ":path": path, "content-type": "application/grpc", te: "trailers" };
  return session.request(headers).on("error", () => {});
}

test("it may have so many calls open", async () => {
  const session = open(await start({ connections: { calls: 7 } }));
  const [settings] = await once(session, "remoteSettings");
  expect(settings).toMatchObject({ maxConcurrentStreams: 7 });
});

test("it is closed when it has had no call for a while, and a client then makes a new one", async () => {
  const proxy = await start({ connections: { idle: 50 } });
  using client = new GrpcClient(proxy.server.port);
  expect((await client.call("GetTask", { name: "tasks/t-1" })).error).toBeUndefined();
  const session = open(proxy);
  const [code] = await once(session, "goaway");
  await once(session, "close");
  expect(code).toBe(0);
  expect((await client.call("GetTask", { name: "tasks/t-1" })).error).toBeUndefined();
});

test("it takes no more calls once it is old, while those that are open go on", async () => {
  const subscription = new FakeSubscription();
  const resubscribe = async () => subscription;
  const proxy = await start({
    gateways: { planner: fakeGateway({ resubscribe }) },
    connections: { age: 50 },
  });
  using client = new GrpcClient(proxy.server.port);
  const stream = client.open("TaskSubscription", { name: "tasks/t-1" });
  const session = open(proxy);
  await once(session, "goaway");
  subscription.push(undefined);
  await expect(stream.toArray()).resolves.toEqual([]);
});

test("its calls are ended when it is old and their grace is over", async () => {
  const session = open(await start({ connections: { age: 30, ageGrace: 30 } }));
  const call = beginCall(session);
  await Promise.all([once(call, "close"), once(session, "close")]);
});

test("it is closed where a ping stays unanswered", async () => {
  const proxy = await start({ heartbeat: 30, connections: { ping: 30 } });
  const socket = connectTcp(proxy.server.port, "127.0.0.1").on("error", () => {});
  stops.push(() => socket.destroy());
  // The preface and an empty SETTINGS frame; nothing after that.
  socket.write(
    Buffer.concat([
      Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
      Buffer.from("000000040000000000", "hex"),
    ]),
  );
  socket.resume();
  await once(socket, "close");
});
