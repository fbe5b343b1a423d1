/**
 * Files and parts over HTTP+JSON and gRPC with clients of the Java and the Python SDK: what they send is what the agent
 * gets, and what the agent has is what they read. Their bytes are constructed from recordings.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { z } from "zod";
import { post, rpc } from "../support/client.ts";
import { SERVER_WITH_GRPC, startTestProxy, type TestProxy } from "../support/proxy.ts";
import { GrpcClient } from "./grpc-harness.ts";

/** 24 bytes that are no text. */
const BYTES = Buffer.from("d432846f2c3ef1f0b600ff80fe7f0102030405060708090a", "hex");
const ONCE = BYTES.toString("base64");
const TWICE = Buffer.from(ONCE).toString("base64");

const TASK = {
  kind: "task",
  id: "t-1",
  contextId: "c-1",
  status: { state: "completed" },
  artifacts: [
    {
      artifactId: "a-1",
      metadata: { kept: true },
      parts: [
        { kind: "text", text: "hi", metadata: { a: 1 } },
        { kind: "file", file: { bytes: ONCE, name: "x.bin", mimeType: "a/b" } },
        { kind: "data", data: { parts: [{ metadata: 1 }], file: { name: "n" } } },
      ],
    },
  ],
};

const Request = z.looseObject({
  id: z.unknown(),
  method: z.string(),
  params: z.looseObject({ message: z.looseObject({ parts: z.array(z.unknown()) }) }),
});

/** The parts that the agent has got. */
let received: unknown[] = [];

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { id, method, params } = Request.parse(await json(request));
  received = params.message.parts;
  const body = JSON.stringify({ jsonrpc: "2.0", id, result: TASK });
  if (method !== "message/stream") return void response.end(body);
  response.setHeader("Content-Type", "text/event-stream");
  response.end(`data: ${body}\n\n`);
}

const vendor = createServer((request, response) => void answer(request, response));
let proxy: TestProxy;
let grpc: GrpcClient;

beforeAll(async () => {
  vendor.listen(0, "127.0.0.1");
  await once(vendor, "listening");
  const { port } = vendor.address() as AddressInfo;
  const card = { name: "Files", capabilities: { streaming: true } };
  const agent = { adapter: "a2a-0.3", url: `http://127.0.0.1:${port}/`, card };
  const agents = {
    auto: agent,
    any: { ...agent, clientSdk: "any" },
    java: { ...agent, clientSdk: "java" },
    python: { ...agent, clientSdk: "python" },
  };
  proxy = await startTestProxy(agents, { server: SERVER_WITH_GRPC });
  grpc = new GrpcClient(proxy.grpcPort ?? 0);
});

beforeEach(() => {
  received = [];
});

afterAll(async () => {
  grpc[Symbol.dispose]();
  await proxy.stop();
  vendor.closeAllConnections();
  vendor.close();
});

const sent = (fileWithBytes: string) => ({
  message: { messageId: "m-1", role: "ROLE_USER", content: [{ file: { fileWithBytes } }] },
});
const JAVA = { "User-Agent": "Java-http-client/17.0.9" };

async function overRest(agent: string, body: object, headers: Record<string, string> = {}): Promise<unknown> {
  const init = { headers: { "Content-Type": "application/json", ...headers } };
  const response = await post(`${proxy.agent(agent)}v1/message:send`, body, init);
  return JSON.parse(await response.text());
}

const overGrpc = async (agent: string, body: object): Promise<unknown> =>
  (await grpc.call("SendMessage", { ...body }, { "a2a-agent": agent })).message;

const TRANSPORTS = [
  ["HTTP+JSON", overRest],
  ["gRPC", overGrpc],
] as const;

describe.each(TRANSPORTS)("a file that a client sends over %s", (_transport, send) => {
  test.each([
    ["auto", "once", ONCE],
    ["auto", "twice", TWICE],
    ["java", "twice", TWICE],
    ["python", "twice", TWICE],
    ["any", "once", ONCE],
  ])("with clientSdk %s, encoded %s, is the file itself at the agent", async (agent, _times, bytes) => {
    await send(agent, sent(bytes));
    expect(received).toEqual([{ kind: "file", file: { bytes: ONCE } }]);
  });

  test("with clientSdk any is not touched, whatever it looks like", async () => {
    await send("any", sent(TWICE));
    expect(received).toEqual([{ kind: "file", file: { bytes: TWICE } }]);
  });

  test("is not touched where it is a short text", async () => {
    const bytes = Buffer.from("abcdefgh").toString("base64");
    await send("auto", sent(bytes));
    expect(received).toEqual([{ kind: "file", file: { bytes } }]);
  });
});

test("a file over JSON-RPC is never touched", async () => {
  const parts = [{ kind: "file", file: { bytes: TWICE } }];
  await rpc(proxy.agent("java"), "message/send", { message: { role: "user", parts } });
  expect(received).toEqual(parts);
});

const DATA = { data: { data: { parts: [{ metadata: 1 }], file: { name: "n" } } } };
const file = (fileWithBytes: string, more = {}) => ({ file: { fileWithBytes, mimeType: "a/b", ...more } });
const whole = [{ text: "hi", metadata: { a: 1 } }, file(ONCE, { name: "x.bin" }), DATA];
const strict = [{ text: "hi" }, file(TWICE), DATA];
const doubled = [{ text: "hi", metadata: { a: 1 } }, file(TWICE, { name: "x.bin" }), DATA];

const Answer = z.looseObject({
  task: z.looseObject({ artifacts: z.tuple([z.looseObject({ metadata: z.unknown(), parts: z.unknown() })]) }),
});
/** The parts of the one artifact, whose own metadata is always there. */
function partsOf(answer: unknown): unknown {
  const [{ metadata, parts }] = Answer.parse(answer).task.artifacts;
  expect(metadata).toEqual({ kept: true });
  return parts;
}

describe("what an agent answers", () => {
  test.each<[string, Record<string, string>, unknown[]]>([
    ["auto", {}, whole],
    ["auto", { "User-Agent": "python-httpx/0.28.1" }, whole],
    ["auto", JAVA, strict],
    ["any", JAVA, whole],
    ["java", {}, strict],
    ["python", {}, doubled],
  ])("over HTTP+JSON with clientSdk %s for %j", async (agent, headers, parts) => {
    expect(partsOf(await overRest(agent, sent(ONCE), headers))).toEqual(parts);
  });

  test.each([
    ["auto", whole],
    ["any", whole],
    ["java", doubled],
    ["python", doubled],
  ])("over gRPC with clientSdk %s", async (agent, parts) => {
    expect(partsOf(await overGrpc(agent, sent(ONCE)))).toEqual(parts);
  });

  test("in streams and in the record as in an answer", async () => {
    const init = { headers: { "Content-Type": "application/json", ...JAVA } };
    const stream = await post(`${proxy.agent("auto")}v1/message:stream`, sent(ONCE), init);
    const text = await stream.text();
    expect(text).toContain(TWICE);
    expect(text).not.toMatch(/x\.bin|"a":1/);
    const [, id = ""] = /"id":"([^"]+)"/.exec(text) ?? [];
    const task = await fetch(`${proxy.agent("auto")}v1/tasks/${id}`, { headers: JAVA });
    expect(partsOf({ task: await task.json() })).toEqual(strict);
    const events: unknown[] = [];
    for await (const event of grpc.open("SendStreamingMessage", sent(ONCE), { "a2a-agent": "python" })) {
      events.push(event);
    }
    expect(JSON.stringify(events)).toContain(TWICE);
  });
});
