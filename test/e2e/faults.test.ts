/** Vendors that fail in every way, as a client sees it: which agent, at which stage, and never a secret. */
import { afterEach, describe, expect, test } from "@jest/globals";
import type { IncomingMessage, ServerResponse } from "node:http";
import { cleanUp, deadOrigin, SECRET, serve, serveTcp } from "../southbound/loopback.ts";
import { post, rpcStream, userMessage, type RpcAnswer } from "../support/client.ts";
import { expectValidStream } from "../support/invariants.ts";
import { startTestProxy, type TestProxy } from "../support/proxy.ts";
import { chunk, task } from "./puppet.ts";

/** Configured, so that only the call itself can fail. */
const card = {
  protocolVersion: "0.3.0",
  name: "Planner",
  description: "Fails.",
  version: "1",
  url: "http://agent.test/",
  capabilities: { streaming: true },
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: [],
};

let proxy: TestProxy;

afterEach(async () => {
  await proxy.stop();
  await cleanUp();
});

async function startWith(url: string): Promise<string> {
  const credentials = { type: "bearer", token: SECRET };
  const limits = { responseBody: "4kb", event: "4kb" };
  proxy = await startTestProxy({ planner: { adapter: "a2a-0.3", url, card, credentials, limits } });
  return proxy.agent("planner");
}

/** The answer, with the certainty that it holds no form of the secret. */
async function call(url: string, method: string): Promise<RpcAnswer> {
  const response = await post(url, { jsonrpc: "2.0", id: 1, method, params: userMessage("hello") });
  const body = await response.text();
  expect(response.status).toBe(200);
  for (const form of [SECRET, encodeURIComponent(SECRET), btoa(SECRET)]) expect(body).not.toContain(form);
  return JSON.parse(body.replace(/^data: /, "")) as RpcAnswer;
}

/** What an upset vendor shows: what it was sent. */
const echoed = ({ headers }: IncomingMessage) => ({
  code: "denied",
  message: `You sent ${headers.authorization}`,
  headers: { [String(headers.authorization)]: headers.authorization },
});

const answering =
  (status: number, type: string, body: (request: IncomingMessage) => string) =>
  (request: IncomingMessage, response: ServerResponse): void => {
    response.writeHead(status, { "content-type": type, location: "http://elsewhere.test/x" });
    response.end(body(request));
  };

const events = (...results: readonly object[]): string =>
  results.map((result) => `data: ${JSON.stringify({ jsonrpc: "2.0", id: 1, result })}\n\n`).join("");

const huge = "x".repeat(5000);

const FAULTS: readonly (readonly [string, () => Promise<string>, number, object])[] = [
  ["refuses the connection", deadOrigin, -32603, { stage: "connect" }],
  [
    "resets the connection",
    () => serveTcp((socket) => socket.once("data", () => socket.resetAndDestroy())),
    -32603,
    { stage: "headers" },
  ],
  ...[401, 403, 404, 429, 500, 503].map(
    (status) =>
      [
        `answers ${status}, and what it was sent`,
        () => serve(answering(status, "application/json", (request) => JSON.stringify(echoed(request)))),
        -32006,
        { stage: "response", status, vendor: { code: "denied" } },
      ] as const,
  ),
  [
    "answers 502 and HTML",
    () => serve(answering(502, "text/html", (request) => `<p>${JSON.stringify(echoed(request))}</p>`)),
    -32006,
    { stage: "response", status: 502 },
  ],
  [
    "answers an error of JSON-RPC, and what it was sent",
    () =>
      serve(
        answering(200, "application/json", (request) => {
          const error = { code: -32000, message: echoed(request).message, data: echoed(request) };
          return JSON.stringify({ jsonrpc: "2.0", id: 1, error });
        }),
      ),
    -32006,
    { stage: "response", status: 200, vendor: { code: -32000 } },
  ],
  [
    "answers HTML",
    () => serve(answering(200, "text/html", () => "<html></html>")),
    -32006,
    { stage: "body", status: 200 },
  ],
  [
    "redirects",
    () => serve(answering(302, "text/plain", () => "")),
    -32006,
    { stage: "headers", status: 302, location: "http://elsewhere.test/x" },
  ],
  [
    "breaks off in mid-answer",
    () =>
      serve((_, response) => {
        response.writeHead(200, { "content-type": "application/json", "content-length": 1000 });
        response.write('{"jsonrpc":', () => response.destroy());
      }),
    -32603,
    { stage: "body", status: 200 },
  ],
];

describe("an agent that", () => {
  describe.each(FAULTS)("%s", (_, start, code, data) => {
    test.each(["message/send", "message/stream"])("is reported to a client that calls %s", async (method) => {
      const { error, result } = await call(await startWith(await start()), method);
      expect(result).toBeUndefined();
      expect(error).toMatchObject({ code, data: { agent: "planner", ...data } });
      expect(error?.message).not.toBe("");
    });
  });

  test("answers more than the limit is refused", async () => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, result: task("completed", { metadata: { huge } }) });
    const url = await startWith(await serve(answering(200, "application/json", () => body)));
    const { error } = await call(url, "message/send");
    expect(error).toMatchObject({ code: -32006, data: { agent: "planner", stage: "body", limit: 4096 } });
  });

  test("begins its stream with an event beyond the limit is refused", async () => {
    const body = events(task("working", { metadata: { huge } }));
    const url = await startWith(await serve(answering(200, "text/event-stream", () => body)));
    const { error } = await call(url, "message/stream");
    expect(error).toMatchObject({ code: -32006, data: { agent: "planner", stage: "event", limit: 4096 } });
  });

  test.each<[string, (response: ServerResponse) => void]>([
    ["resets the connection", (response) => response.socket?.resetAndDestroy()],
    ["sends an event beyond the limit", (response) => response.end(events(chunk(huge, true)))],
  ])("%s in mid-stream fails the task, which says so and keeps what it had said", async (_, fail) => {
    const begun = events(task("working"), chunk("first ", false));
    const url = await startWith(
      await serve(async (request, response) => {
        const { method } = JSON.parse(await bodyOf(request)) as { method: string };
        if (method === "message/stream") {
          response.writeHead(200, { "content-type": "text/event-stream" });
          response.write(begun, () => setImmediate(fail, response));
        } else {
          response.writeHead(404).end();
        }
      }),
    );
    const results: unknown[] = [];
    for await (const { result } of rpcStream(url, "message/stream", userMessage("hello")))
      results.push(result);
    expect([...expectValidStream(results).values()]).toEqual(["first "]);
    expect(results.at(-1)).toMatchObject({ status: { state: "failed" }, final: true });
    expect(JSON.stringify(results.at(-1))).toMatch(/"text":"The agent [^"]+"/);
  });
});

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = "";
  for await (const part of request) body += String(part);
  return body === "" ? "{}" : body;
}
