/**
 * What Unicode calls the end of a line is text in JSON. Python's `splitlines`, and httpx's `aiter_lines` with it, cuts a
 * frame there all the same, so that these characters leave the proxy escaped, wherever JSON does.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { text as textOf, json } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { z } from "zod";
import { post } from "../support/client.ts";
import { startTestProxy, type TestProxy } from "../support/proxy.ts";

const TEXT = "one\u2028two\u2029three\u0085four 北京";
const ESCAPED = String.raw`one\u2028two\u2029three\u0085four 北京`;
const RAW = /[\u0085\u2028\u2029]/;

const CARD = {
  protocolVersion: "0.3.0",
  name: TEXT,
  description: "",
  url: "http://vendor.example/",
  version: "1",
  capabilities: { streaming: true },
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: [],
};

const ids = { taskId: "t-1", contextId: "c-1" };
const task = (state: string) => ({
  kind: "task",
  id: "t-1",
  contextId: "c-1",
  status: { state },
  artifacts: [{ artifactId: "a-1", parts: [{ kind: "text", text: TEXT }] }],
});
const STREAM = [
  { kind: "task", id: "t-1", contextId: "c-1", status: { state: "working" } },
  {
    kind: "artifact-update",
    ...ids,
    artifact: { artifactId: "a-1", parts: [{ kind: "text", text: TEXT }] },
    lastChunk: true,
  },
  { kind: "status-update", ...ids, status: { state: "completed" }, final: true },
];

const Request = z.looseObject({ id: z.unknown(), method: z.string(), params: z.unknown() });

/** An agent that answers, streams and fails with such text, raw in every one of its bytes; and a webhook. */
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.url === "/webhook") {
    notified.resolve(await textOf(request));
    return void response.end();
  }
  response.setHeader("Content-Type", "application/json");
  if (request.method !== "POST") return void response.end(JSON.stringify(CARD));
  const { id, method, params } = Request.parse(await json(request));
  const envelope = (members: object): string => JSON.stringify({ jsonrpc: "2.0", id, ...members });
  if (JSON.stringify(params).includes("fail")) {
    return void response.end(envelope({ error: { code: -32000, message: TEXT } }));
  }
  if (method !== "message/stream") return void response.end(envelope({ result: task("completed") }));
  response.setHeader("Content-Type", "text/event-stream");
  response.end(STREAM.map((result) => `data: ${envelope({ result })}\n\n`).join(""));
}

const agent = createServer((request, response) => void answer(request, response));
let proxy: TestProxy;
let notified: PromiseWithResolvers<string>;
let url: string;

beforeEach(async () => {
  notified = Promise.withResolvers();
  agent.listen(0, "127.0.0.1");
  await once(agent, "listening");
  const { port } = agent.address() as AddressInfo;
  url = `http://127.0.0.1:${port}`;
  const push = { allowHttp: true, allowPrivate: true, allowPorts: "any" };
  proxy = await startTestProxy({ lines: { adapter: "a2a-0.3", url } }, { push });
});

afterEach(async () => {
  await proxy.stop();
  agent.closeAllConnections();
  agent.close();
});

const message = (text: string) => ({ role: "user", parts: [{ kind: "text", text }] });
const rpcBody = (method: string, params: object) => ({ jsonrpc: "2.0", id: "\u2028", method, params });
const send = (method: string, params: object): Promise<Response> =>
  post(proxy.agent("lines"), rpcBody(method, params));
const rest = (route: string, text: string): Promise<Response> =>
  post(`${proxy.agent("lines")}v1/message:${route}`, { message: message(text) });

describe("NEL, LS and PS are escaped in", () => {
  test.each<[string, () => Promise<Response>]>([
    ["a JSON-RPC answer", () => send("message/send", { message: message("go") })],
    ["a JSON-RPC stream", () => send("message/stream", { message: message("go") })],
    ["a JSON-RPC error", () => send("message/send", { message: message("fail") })],
    ["a REST answer", () => rest("send", "go")],
    ["a REST stream", () => rest("stream", "go")],
    ["a REST error", () => rest("send", "fail")],
    ["the card", () => fetch(`${proxy.agent("lines")}.well-known/agent-card.json`)],
  ])("%s", async (_title, ask) => {
    const body = await (await ask()).text();
    expect(body).not.toMatch(RAW);
    expect(body).toContain(ESCAPED);
  });

  test("a webhook's notification", async () => {
    const configuration = { pushNotificationConfig: { url: `${url}/webhook` } };
    await send("message/send", { message: message("go"), configuration });
    const body = await notified.promise;
    expect(body).toContain(ESCAPED);
    expect(body).not.toMatch(RAW);
  });
});

test("the list of agents is safe too, and its length is that of its bytes", async () => {
  await fetch(`${proxy.agent("lines")}.well-known/agent-card.json`);
  const response = await fetch(`${proxy.url}/agents`);
  const body = await response.text();
  expect(body).toContain(ESCAPED);
  expect(response.headers.get("content-length")).toBe(String(Buffer.byteLength(body)));
});
