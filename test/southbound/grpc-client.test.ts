/** The gRPC seam against servers that a test writes: what is sent, what is let in, and what every fault becomes. */
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { afterEach, describe, expect, test } from "@jest/globals";
import {
  Metadata,
  Server,
  ServerCredentials,
  status,
  type ServerUnaryCall,
  type ServerWritableStream,
} from "@grpc/grpc-js";
import { A2AError } from "../../src/protocol/errors.ts";
import { loadService, type ProtoMessage } from "../../src/protocol/grpc-codec.ts";
import type { Authorizer } from "../../src/southbound/authorizer.ts";
import { createGrpcClient, type GrpcClientOptions } from "../../src/southbound/grpc-client.ts";
import { grpcTargetOf } from "../../src/southbound/grpc-target.ts";
import { createRedactor } from "../../src/southbound/redact.ts";
import { authority, certificate } from "../auth/support.ts";

const SECRET = "s3cret-key/42";
const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0).toReversed()) stop();
});

const codecs = loadService();
const definition = Object.fromEntries(codecs);

interface Behaviour {
  readonly getTask?: (
    call: ServerUnaryCall<ProtoMessage, ProtoMessage>,
    answer: (error: object | null, task?: ProtoMessage) => void,
  ) => void;
  readonly subscribe?: (call: ServerWritableStream<ProtoMessage, ProtoMessage>) => void;
}

async function serve({ getTask, subscribe }: Behaviour, security = ServerCredentials.createInsecure()) {
  const server = new Server();
  server.addService(definition, {
    ...(getTask && { GetTask: getTask }),
    ...(subscribe && { TaskSubscription: subscribe }),
  });
  stops.push(() => server.forceShutdown());
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", security, (error, bound) => (error ? reject(error) : resolve(bound)));
  });
  return { server, port };
}

const authorizerOf = (...headers: Record<string, string>[]): Authorizer => ({
  authorize: async () => ({ headers: headers[0] ?? {}, query: undefined }),
  refused: () => headers.length > 1 && headers.shift() !== undefined,
});

function clientOf(port: number, given: Partial<GrpcClientOptions> = {}) {
  const client = createGrpcClient({
    agent: "planner",
    target: grpcTargetOf(`grpc://127.0.0.1:${port}`, "http://127.0.0.1"),
    authorizer: authorizerOf({}),
    tls: {},
    timeouts: { connect: 5000 },
    limits: { responseBody: 1000, event: 500 },
    redact: createRedactor([SECRET]),
    ...given,
  });
  stops.push(() => client.close());
  return client;
}

const idle = new AbortController().signal;
const get = { rpc: "GetTask", message: { name: "tasks/t" }, call: { signal: idle } };
const subscribe = { rpc: "TaskSubscription", message: { name: "tasks/t" }, call: { signal: idle } };

async function faultOf(work: Promise<unknown>): Promise<A2AError> {
  const thrown: unknown = await work.catch((error: unknown) => error);
  if (thrown instanceof A2AError) return thrown;
  throw new Error(`no A2AError but ${String(thrown)}`);
}

async function closedPort(): Promise<number> {
  const { server, port } = await serve({});
  server.forceShutdown();
  return port;
}

async function tcp(onConnection: (socket: Socket) => void): Promise<number> {
  const server = createServer((socket) => {
    stops.push(() => socket.destroy());
    socket.on("error", () => {});
    onConnection(socket);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  stops.push(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no TCP address");
  return address.port;
}

describe("a call", () => {
  test("carries headers and credentials, and is sent once more where the agent refuses the first ones", async () => {
    const seen: Record<string, unknown>[] = [];
    const { port } = await serve({
      getTask: ({ metadata }, answer) => {
        const { "user-agent": _, ...rest } = metadata.getMap();
        seen.push(rest);
        if (seen.length === 1) answer({ code: status.UNAUTHENTICATED, details: "expired" });
        else answer(null, { id: "t" });
      },
    });
    const authorizer = authorizerOf({ authorization: "Bearer old" }, { authorization: "Bearer new" });
    const client = clientOf(port, { authorizer });
    expect(await client.unary({ ...get, headers: { "X-A2A-Extensions": "urn:a" } })).toEqual({ id: "t" });
    expect(seen).toEqual([
      { "x-a2a-extensions": "urn:a", authorization: "Bearer old" },
      { "x-a2a-extensions": "urn:a", authorization: "Bearer new" },
    ]);
  });

  test("with a key that belongs into a query is not sent", async () => {
    const client = clientOf(1, {
      authorizer: { authorize: async () => ({ headers: {}, query: ["key", SECRET] }), refused: () => false },
    });
    const fault = await faultOf(client.unary(get));
    expect(fault).toMatchObject({ code: "agent-unavailable", data: { agent: "planner", stage: "request" } });
  });

  test("nested deeper than protobuf allows is not sent", async () => {
    let metadata: ProtoMessage = {};
    for (let depth = 0; depth < 100; depth++) metadata = { a: metadata };
    const request = { rpc: "SendMessage", message: { metadata }, call: { signal: idle } };
    expect(await faultOf(clientOf(1).unary(request))).toMatchObject({
      code: "invalid-params",
      data: { agent: "planner", stage: "request" },
    });
  });

  test("with a header that HTTP cannot carry is not sent, and the header not quoted", async () => {
    const client = clientOf(1);
    const fault = await faultOf(client.unary({ ...get, headers: { "x-note": "line\nbreak" } }));
    expect(fault).toMatchObject({ data: { stage: "request", cause: "ERR_INVALID_CHAR" } });
    expect(fault.message).not.toContain("break");
  });

  test("over TLS shows the agent's certificate and trusts its CA alone", async () => {
    const ca = await authority();
    const [own, shown] = [await certificate("server", ca), await certificate("proxy", ca)];
    const security = ServerCredentials.createSsl(
      Buffer.from(ca.cert),
      [{ cert_chain: Buffer.from(own.cert), private_key: Buffer.from(own.key) }],
      true,
    );
    const names: unknown[] = [];
    const { port } = await serve(
      {
        getTask: (call, answer) => {
          names.push(call.getAuthContext().sslPeerCertificate?.subject.CN);
          answer(null, { id: "t" });
        },
      },
      security,
    );
    const target = grpcTargetOf(`grpcs://127.0.0.1:${port}`, "http://x");
    const tls = { cert: shown.cert, key: shown.key, ca: ca.cert };
    expect(await clientOf(port, { target, tls }).unary(get)).toEqual({ id: "t" });
    expect(names).toEqual(["proxy"]);
    const { ca: _, ...untrusting } = tls;
    expect(await faultOf(clientOf(port, { target, tls: untrusting }).unary(get))).toMatchObject({
      code: "agent-unavailable",
      data: { agent: "planner", stage: "tls" },
    });
  });
});

describe("a fault", () => {
  test("is a refused connection, with the address", async () => {
    const port = await closedPort();
    const address = `grpc://127.0.0.1:${port}`;
    expect(await faultOf(clientOf(port).unary(get))).toMatchObject({
      code: "agent-unavailable",
      message: `The agent planner refused the connection (${address})`,
      data: { agent: "planner", stage: "connect", cause: "ECONNREFUSED", address },
    });
  });

  test("is a host that does not resolve", async () => {
    const target = grpcTargetOf("grpc://no-such-host.invalid:1", "http://x");
    expect(await faultOf(clientOf(1, { target }).unary(get))).toMatchObject({
      data: { stage: "dns", cause: "ENOTFOUND" },
    });
  });

  test("is a connection that does not come about in time", async () => {
    const port = await tcp(() => {});
    expect(await faultOf(clientOf(port, { timeouts: { connect: 50 } }).unary(get))).toMatchObject({
      code: "agent-unavailable",
      data: { stage: "connect", cause: "ETIMEDOUT" },
    });
  });

  test("is a server that speaks something else", async () => {
    const port = await tcp((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
    expect(await faultOf(clientOf(port).unary(get))).toMatchObject({ data: { stage: "connect" } });
  });

  test("is the call's own end, which the agent is told", async () => {
    const cancelled = Promise.withResolvers<void>();
    const reason = new A2AError("agent-unavailable", { message: "too slow" });
    const ended = new AbortController();
    const { port } = await serve({
      getTask: (call) => {
        call.on("cancelled", () => cancelled.resolve());
        ended.abort(reason);
      },
    });
    expect(await faultOf(clientOf(port).unary({ ...get, call: { signal: ended.signal } }))).toBe(reason);
    await cancelled.promise;
  });

  test("is a stream that breaks, after what came before it", async () => {
    const { port } = await serve({ subscribe: (call) => call.write({ task: { id: "t" } }) });
    const cables: Socket[] = [];
    const between = await tcp((socket) => {
      const cable = connect(port, "127.0.0.1").on("error", () => {});
      cables.push(socket, cable);
      socket.pipe(cable).pipe(socket);
    });
    const events = clientOf(between).stream(subscribe)[Symbol.asyncIterator]();
    expect(await events.next()).toEqual({ done: false, value: { task: { id: "t" } } });
    for (const cable of cables) cable.destroy();
    expect(await faultOf(events.next())).toMatchObject({
      code: "agent-unavailable",
      data: { agent: "planner", stage: "body" },
    });
  });

  test("is a message beyond the limit of its call", async () => {
    const { port } = await serve({
      getTask: (_call, answer) => answer(null, { id: "t".repeat(1001) }),
      subscribe: (call) => {
        call.write({ task: { id: "t".repeat(501) } });
        call.end();
      },
    });
    const client = clientOf(port);
    const tooLarge = { code: "invalid-agent-response", data: { agent: "planner", stage: "body" } };
    expect(await faultOf(client.unary(get))).toMatchObject(tooLarge);
    expect(await faultOf(Array.fromAsync(client.stream(subscribe)))).toMatchObject({
      ...tooLarge,
      data: { limit: 500 },
    });
  });

  test("is the agent's own, without the secrets that it echoes", async () => {
    const metadata = new Metadata();
    const told = { code: -32002, message: `no ${SECRET}`, data: { key: SECRET } };
    metadata.set("a2a-error", JSON.stringify(told));
    const { port } = await serve({
      getTask: (_call, answer) => answer({ code: status.FAILED_PRECONDITION, details: SECRET, metadata }),
    });
    const { code, message, data } = await faultOf(clientOf(port).unary(get));
    expect({ code, message, data }).toEqual({
      code: "task-not-cancelable",
      message: "no [redacted]",
      data: {
        agent: "planner",
        stage: "response",
        grpcStatus: "FAILED_PRECONDITION",
        vendor: { code: -32002, message: "no [redacted]", data: { key: "[redacted]" } },
      },
    });
  });

  test("is that the proxy stops, for calls that are open and for those to come", async () => {
    const { port } = await serve({ subscribe: (call) => call.write({ task: { id: "t" } }) });
    const client = clientOf(port);
    const events = client.stream(subscribe)[Symbol.asyncIterator]();
    await events.next();
    client.close();
    expect(await faultOf(events.next())).toMatchObject({ code: "shutting-down" });
    expect(await faultOf(client.unary(get))).toMatchObject({ code: "shutting-down" });
  });
});

test("a reader that leaves a stream ends it at the agent", async () => {
  const cancelled = Promise.withResolvers<void>();
  const { port } = await serve({
    subscribe: (call) => {
      call.on("cancelled", () => cancelled.resolve());
      call.write({ task: { id: "t" } });
    },
  });
  for await (const _event of clientOf(port).stream(subscribe)) break;
  await cancelled.promise;
});
