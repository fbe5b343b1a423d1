/** Servers of the Python SDK, 0.3.26, by their recorded answers over HTTP+JSON, and their rules over gRPC; and files for others. */
import { setImmediate as turnOfLoop } from "node:timers/promises";
import { afterEach, describe, expect, test } from "@jest/globals";
import { Server, ServerCredentials, status, type sendUnaryData, type ServerUnaryCall } from "@grpc/grpc-js";
import { loadService, type ProtoMessage } from "../../../src/protocol/grpc-codec.ts";
import { rpc, userMessage } from "../../support/client.ts";
import { startTestProxy } from "../../support/proxy.ts";
import { startRoutedVendor, type Routes, type RoutedVendor } from "../../support/routed-vendor.ts";

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

async function fronted(agent: Record<string, unknown>): Promise<string> {
  const proxy = await startTestProxy({ python: { adapter: "a2a-0.3", ...agent } });
  stops.push(() => proxy.stop());
  return proxy.agent("python");
}

const vendorOf = async (routes: Routes): Promise<RoutedVendor> => {
  const vendor = await startRoutedVendor(routes);
  stops.push(() => vendor.stop());
  return vendor;
};

/** Recorded; without `blocking: true`, the SDK answers before the work is done. */
const SUBMITTED =
  '{"task":{"id":"19b2462e-8b76-4d25-bba1-be6a39631238","contextId":"eb4a7985-ab61-4668-bb71-93aee58dacec","status":{"state":"TASK_STATE_SUBMITTED"},"history":[{"messageId":"m1","contextId":"eb4a7985-ab61-4668-bb71-93aee58dacec","taskId":"19b2462e-8b76-4d25-bba1-be6a39631238","role":"ROLE_USER","content":[{"text":"hello"}],"metadata":{}}]}}';
const COMPLETED =
  '{"task":{"id":"00a7a4ca-ea3d-4f6a-a31c-2e783520dc8b","contextId":"999fcf7a-3cc4-4fa1-9289-c09f08ebc8f5","status":{"state":"TASK_STATE_COMPLETED"},"artifacts":[{"artifactId":"answer","parts":[{"text":"北京 (Beijing) "},{"text":"Hello "},{"text":"wörld 🎉 "},{"text":"\\n tab\\t\\"quotes\\" \\\\ back"},{"text":"\u2028line "},{"text":"end. "}]}],"history":[{"messageId":"m1","contextId":"999fcf7a-3cc4-4fa1-9289-c09f08ebc8f5","taskId":"00a7a4ca-ea3d-4f6a-a31c-2e783520dc8b","role":"ROLE_USER","content":[{"text":"hello"}],"metadata":{}}]}}';
const TEXT = '北京 (Beijing) Hello wörld 🎉 \n tab\t"quotes" \\ back\u2028line end. ';
const NO_SUCH_TASK = { status: 404, body: '{"message":"Task not found"}' };

const isBlocking = (request: unknown): boolean =>
  (request as { configuration?: { blocking?: boolean } }).configuration?.blocking === true;

const answerOf = (task: unknown) => {
  const { artifacts = [] } = task as { artifacts?: { parts: { text: string }[] }[] };
  return artifacts.map(({ parts }) => parts.map(({ text }) => text).join(""));
};

describe("message/send waits for the work, as it does over JSON-RPC", () => {
  const sends: Routes = {
    "POST /v1/message:send": ({ body }) => ({ body: isBlocking(body) ? COMPLETED : SUBMITTED }),
    "GET /v1/tasks/19b2462e-8b76-4d25-bba1-be6a39631238": () => NO_SUCH_TASK,
  };
  const options = { transport: "http+json" };

  test("over HTTP+JSON", async () => {
    const { url, asked } = await vendorOf(sends);
    const { result } = await rpc(await fronted({ url, options }), "message/send", userMessage("hello"));
    expect(result).toMatchObject({ status: { state: "completed" } });
    expect(answerOf(result)).toEqual([TEXT]);
    expect(asked().filter((route) => route.startsWith("POST"))).toEqual(["POST /v1/message:send"]);
  });

  test("unless the client does not want to wait", async () => {
    const { url, requests } = await vendorOf(sends);
    const params = { ...userMessage("hello"), configuration: { blocking: false } };
    const { result } = await rpc(await fronted({ url, options }), "message/send", params);
    expect(result).toMatchObject({ status: { state: "submitted" } });
    const sent = () => requests.find(({ route }) => route === "POST /v1/message:send");
    while (!sent()) await turnOfLoop();
    expect(sent()?.body).toMatchObject({ configuration: { blocking: false } });
  });

  test("over gRPC", async () => {
    const agent = await startGrpc({
      SendMessage: (request) => JSON.parse(isBlocking(request) ? COMPLETED : SUBMITTED),
    });
    const url = await fronted({ url: agent.url });
    const { result } = await rpc(url, "message/send", userMessage("hello"));
    expect(result).toMatchObject({ status: { state: "completed" } });
    expect(answerOf(result)).toEqual([TEXT]);
    expect(agent.calls).toMatchObject([["SendMessage", {}]]);
  });
});

/** A gRPC server of some methods; what throws a string is refused as the SDK does, with NOT_FOUND and those details. */
async function startGrpc(methods: Record<string, (request: ProtoMessage) => ProtoMessage>) {
  const calls: [string, ProtoMessage][] = [];
  const server = new Server();
  const codecs = [...loadService()].filter(([name]) => name in methods);
  const handlers = Object.entries(methods).map(([name, answer]) => [
    name,
    ({ request }: ServerUnaryCall<ProtoMessage, ProtoMessage>, reply: sendUnaryData<ProtoMessage>): void => {
      calls.push([name, request]);
      try {
        reply(null, answer(request));
      } catch (details) {
        reply({ code: status.NOT_FOUND, details: String(details) });
      }
    },
  ]);
  server.addService(Object.fromEntries(codecs), Object.fromEntries(handlers));
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  );
  stops.push(() => server.forceShutdown());
  return { url: `grpc://127.0.0.1:${port}`, calls };
}

/** Bytes that are no UTF-8: what reads their base64 as text fails or spoils them. */
const BYTES = "gIGCAAEC/w==";
const TWICE = "Z0lHQ0FBRUMvdz09";
const fileMessage = () => ({
  message: {
    ...userMessage("look").message,
    parts: [
      { kind: "text", text: "look", metadata: { a: 1 } },
      { kind: "file", file: { bytes: BYTES, name: "a.bin", mimeType: "a/b" } },
    ],
  },
});
const contentOf = (body: unknown): unknown => (body as { message: { content: unknown } }).message.content;

describe("files over HTTP+JSON are encoded twice", () => {
  const framework = { status: 404, body: '{"detail":"Not Found"}' };
  const options = { transport: "http+json" };

  /** An agent that answers tasks/get of an unknown task, and unknown paths, as given. */
  const agentOf = async (noTask: object, noPath: object) => {
    const vendor = await startRoutedVendor(
      { "POST /v1/message:send": () => ({ body: COMPLETED }) },
      ({ route }) => (route.startsWith("GET /v1/tasks/no-such-task") ? noTask : noPath),
    );
    stops.push(() => vendor.stop());
    const sent = () => vendor.requests.filter(({ route }) => route === "POST /v1/message:send");
    const asked = () => vendor.asked().filter((route) => route.includes("no-such-task"));
    return { url: vendor.url, sent, asked };
  };

  const GOOGLE = {
    status: 404,
    body: '{"error":{"code":404,"status":"NOT_FOUND","message":"Task not found","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org","metadata":{}}]}}',
  };
  const express = { status: 404, headers: { "content-type": "text/html" }, body: "<pre>Cannot GET</pre>" };

  test.each([
    ["0.3.26 (recorded)", NO_SUCH_TASK, framework, TWICE],
    ["1.3.0 (constructed from its source)", GOOGLE, framework, TWICE],
    ["another SDK of Google's form", GOOGLE, express, BYTES],
    [
      "a2a-java 0.3.3 (recorded)",
      { status: 404, body: '{"error": "io.a2a.spec.TaskNotFoundError", "message": "Task not found"}' },
      express,
      TWICE,
    ],
    [
      "the JavaScript SDK",
      { status: 404, body: '{"code":-32001,"message":"Task not found"}' },
      express,
      BYTES,
    ],
    ["a server of its own", framework, framework, BYTES],
    [
      "one with both a code and a class",
      {
        status: 404,
        body: '{"code":-32001,"error":"io.a2a.spec.TaskNotFoundError","message":"Task not found"}',
      },
      express,
      BYTES,
    ],
  ])("to servers that are known for it: %s", async (_name, noTask, noPath, expected) => {
    const { url, sent, asked } = await agentOf(noTask, noPath);
    const agent = await fronted({ url, options });
    await rpc(agent, "message/send", userMessage("no file"));
    expect(asked()).toEqual([]);
    for (let turn = 0; turn < 2; turn++)
      expect((await rpc(agent, "message/send", fileMessage())).result).toMatchObject({ kind: "task" });
    const file = { fileWithBytes: expected, name: "a.bin", mimeType: "a/b" };
    const content = [{ text: "look", metadata: { a: 1 } }, { file }];
    expect(
      sent()
        .slice(1)
        .map(({ body }) => contentOf(body)),
    ).toEqual([content, content]);
    expect(asked().filter((route) => route.startsWith("GET /v1/tasks/"))).toHaveLength(1);
  });

  test.each([
    ["once", BYTES],
    ["twice", TWICE],
  ])("as the configuration says: %s, without asking", async (fileBytes, expected) => {
    const { url, sent, asked } = await agentOf(NO_SUCH_TASK, framework);
    await rpc(await fronted({ url, options: { ...options, fileBytes } }), "message/send", fileMessage());
    expect(contentOf(sent()[0]?.body)).toMatchObject([{}, { file: { fileWithBytes: expected } }]);
    expect(asked()).toEqual([]);
  });

  test("not as long as the agent does not tell, which is asked again", async () => {
    const { url, sent, asked } = await agentOf({ status: 503 }, framework);
    const agent = await fronted({ url, options });
    for (let turn = 0; turn < 2; turn++) await rpc(agent, "message/send", fileMessage());
    expect(contentOf(sent()[0]?.body)).toMatchObject([{}, { file: { fileWithBytes: BYTES } }]);
    expect(asked()).toHaveLength(2);
  });
});

describe("files over gRPC are encoded twice", () => {
  test.each([
    [
      "where the details name the error, as Python's and Java's do (recorded)",
      "TaskNotFoundError: Task not found",
      TWICE,
    ],
    ["if the details are those of a2a-go 0.3 (recorded)", "failed to get task: task not found", TWICE],
    ["not else", "task not found", BYTES],
  ])("%s", async (_when, details, expected) => {
    const { url, calls } = await startGrpc({
      SendMessage: () => JSON.parse(COMPLETED),
      GetTask: () => {
        // oxlint-disable-next-line only-throw-error
        throw details;
      },
    });
    const agent = await fronted({ url });
    for (let turn = 0; turn < 2; turn++) await rpc(agent, "message/send", fileMessage());
    const sent = calls.filter(([name]) => name === "SendMessage").map(([, request]) => contentOf(request));
    const content = [{}, { file: { fileWithBytes: expected } }];
    expect(sent).toMatchObject([content, content]);
    expect(calls.filter(([name]) => name === "GetTask")).toHaveLength(1);
  });
});
