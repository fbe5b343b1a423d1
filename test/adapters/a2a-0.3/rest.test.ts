/** Agents that speak HTTP+JSON alone: the official SDK's server behind the proxy, and answers that it would not give. */
import { once } from "node:events";
import { createServer } from "node:http";
import { isDeepStrictEqual } from "node:util";
import { afterEach, describe, expect, test } from "@jest/globals";
import {
  DefaultRequestHandler,
  InMemoryTaskStore,
  type ExecutionEventBus,
  type RequestContext,
} from "a2a03/server";
import { UserBuilder, restHandler } from "a2a03/server/express";
import express from "express";
import { pino } from "pino";
import { RestClient } from "../../../adapters/a2a-0.3/rest.ts";
import type {
  HttpClient,
  HttpRequest,
  HttpResponse,
  HttpStream,
  StreamedValue,
} from "../../../src/southbound/http.ts";
import { rpc, streamResults, userMessage } from "../../support/client.ts";
import { startTestProxy } from "../../support/proxy.ts";

const CARD = {
  protocolVersion: "0.3.0",
  name: "Files",
  description: "Answers with a file.",
  url: "http://agent.test/",
  version: "1",
  preferredTransport: "HTTP+JSON",
  capabilities: { streaming: true },
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: [],
};

const BYTES = Buffer.from("some bytes of a file").toString("base64");

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

async function startRestAgent(): Promise<string> {
  const execute = async ({ taskId, contextId }: RequestContext, bus: ExecutionEventBus): Promise<void> => {
    const ids = { taskId, contextId };
    bus.publish({ kind: "task", id: taskId, contextId, status: { state: "working" }, history: [] });
    const parts = [
      { kind: "text" as const, text: "here" },
      { kind: "file" as const, file: { bytes: BYTES, mimeType: "text/plain" } },
      { kind: "data" as const, data: { n: 1 } },
    ];
    bus.publish({ kind: "artifact-update", ...ids, artifact: { artifactId: "a", parts }, lastChunk: true });
    bus.publish({ kind: "status-update", ...ids, status: { state: "completed" }, final: true });
    bus.finished();
  };
  const requestHandler = new DefaultRequestHandler({ ...CARD }, new InMemoryTaskStore(), {
    execute,
    cancelTask: async () => {},
  });
  const app = express();
  app.use("/rest", restHandler({ requestHandler, userBuilder: UserBuilder.noAuthentication }));
  app.get("/rest/.well-known/agent-card.json", (_request, response) => response.json(CARD));
  const server = createServer(app).listen(0, "127.0.0.1");
  await once(server, "listening");
  stops.push(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no TCP address");
  return `http://127.0.0.1:${address.port}/rest`;
}

test.each(["auto", "http+json"])(
  "the official server is fronted over HTTP+JSON, transport: %s",
  async (transport) => {
    const url = await startRestAgent();
    const proxy = await startTestProxy({ files: { adapter: "a2a-0.3", url, options: { transport } } });
    stops.push(() => proxy.stop());
    const parts = [
      { kind: "text", text: "here" },
      { kind: "file", file: { bytes: BYTES, mimeType: "text/plain" } },
      { kind: "data", data: { n: 1 } },
    ];
    const { result } = await rpc(proxy.agent("files"), "message/send", userMessage("go"));
    expect(result).toMatchObject({ kind: "task", status: { state: "completed" }, artifacts: [{ parts }] });
    const events = await streamResults(proxy.agent("files"), "message/stream", userMessage("go"));
    expect(events).toEqual([
      expect.objectContaining({ kind: "task" }),
      expect.objectContaining({ kind: "artifact-update", artifact: { artifactId: "a", parts } }),
      expect.objectContaining({ kind: "status-update", final: true }),
    ]);
  },
);

/** A client of an agent that gives these answers in order, and what it was asked. */
function scripted(...answers: (Partial<HttpResponse> | readonly StreamedValue[])[]) {
  const requests: [string, string, unknown][] = [];
  const next = ({ method, url, body }: HttpRequest) => {
    requests.push([method, url, body]);
    return answers[requests.length - 1] ?? { status: 500 };
  };
  const response = (answer: Partial<HttpResponse>): HttpResponse => ({
    status: 200,
    headers: {},
    json: undefined,
    excerpt: "",
    ...answer,
  });
  async function* values(list: readonly StreamedValue[]): AsyncGenerator<StreamedValue> {
    yield* list;
  }
  const isList = (answer: object): answer is readonly StreamedValue[] => Array.isArray(answer);
  const http: HttpClient = {
    unary: async (request) => {
      const answer = next(request);
      if (isList(answer)) throw new Error("not a stream");
      return response(answer);
    },
    stream: async (request): Promise<HttpStream> => {
      const answer = next(request);
      return isList(answer)
        ? { ok: true, status: 200, values: values(answer) }
        : { ok: false, response: response(answer) };
    },
  };
  const client = new RestClient(
    { http, log: pino({ level: "silent" }), newId: () => "1", url: "http://agent.test/base/v1/" },
    { layout: "auto", fileBytes: "auto" },
  );
  return { client, requests };
}

const about = { call: { signal: new AbortController().signal }, headers: {} };
const get = { method: "tasks/get", params: { id: "t/1", historyLength: 2 }, ...about } as const;
const subscribe = { method: "tasks/resubscribe", params: { id: "t" }, ...about } as const;

describe("the routes", () => {
  test("are under /v1, whether the URL ends in it or not, with the id encoded", async () => {
    const { client, requests } = scripted({ json: {} });
    await client.call(get);
    expect(requests).toEqual([["GET", "http://agent.test/base/v1/tasks/t%2F1?historyLength=2", undefined]]);
  });

  test.each([404, 405, 501])("a subscription that POST has no route for (%s) is a GET", async (status) => {
    const { client, requests } = scripted({ status }, [{ value: { task: { id: "t" } } }]);
    const events: unknown[] = [];
    for await (const value of client.stream(subscribe)) events.push(value);
    expect(events).toEqual([{ task: { id: "t" } }]);
    expect(requests).toEqual([
      ["POST", "http://agent.test/base/v1/tasks/t:subscribe", {}],
      ["GET", "http://agent.test/base/v1/tasks/t:subscribe", undefined],
    ]);
  });
});

test("the verb by which the agent lets subscribe is remembered", async () => {
  const { client, requests } = scripted({ status: 405, json: { detail: "Method Not Allowed" } }, [], []);
  for (let turn = 0; turn < 2; turn++) expect(await Array.fromAsync(client.stream(subscribe))).toEqual([]);
  expect(requests.map(([verb]) => verb)).toEqual(["POST", "GET", "GET"]);
});

test("a subscription to a task that is not known is not tried again in another way", async () => {
  const { client, requests } = scripted({ status: 404, json: { code: -32001, message: "Task not found" } });
  await expect(client.stream(subscribe).next()).rejects.toMatchObject({ code: "task-not-found" });
  expect(requests).toHaveLength(1);
});

describe("an error", () => {
  test.each([
    [404, { code: -32001, message: "gone" }, "task-not-found"],
    [404, { message: "gone" }, "task-not-found"],
    [409, { message: "too late" }, "task-not-cancelable"],
    [422, { message: "no parts" }, "invalid-params"],
    [415, {}, "content-type-not-supported"],
    [501, { error: { code: -32003, message: "no" } }, "push-not-supported"],
    [501, undefined, "unsupported-operation"],
    [401, { message: "who?" }, "invalid-agent-response"],
    // Recorded from a2a-java 0.3.3.
    [404, { error: "io.a2a.spec.TaskNotFoundError", message: "Task not found" }, "task-not-found"],
    [500, { error: "io.a2a.spec.TaskNotCancelableError", message: "" }, "task-not-cancelable"],
    [404, { type: "TaskNotFoundError", message: "Task not found" }, "task-not-found"],
  ])("of status %s with %j is %s", async (status, json, code) => {
    const { client } = scripted({ status, json });
    await expect(client.call(get)).rejects.toMatchObject({ code });
  });

  test.each([
    [{ event: "error", value: { code: -32603, message: "out of paper" } }],
    [{ value: { code: -32603, message: "out of paper" } }],
    // The form of a2a-java 0.3.3, recorded but for the text.
    [{ value: { error: "io.a2a.spec.InternalError", message: "out of paper" } }],
    [{ value: { type: "InternalError", message: "out of paper" } }],
  ])("in a stream ends it: %j", async (value) => {
    const { client } = scripted([value]);
    await expect(client.stream(subscribe).next()).rejects.toMatchObject({ message: "out of paper" });
  });
});

describe("bytes", () => {
  const sent = async (fileWithBytes: string): Promise<unknown> => {
    const { client } = scripted({ json: { artifacts: [{ parts: [{ file: { fileWithBytes } }] }] } });
    return client.call(get);
  };
  const twice = Buffer.from(BYTES).toString("base64");

  test("that were encoded twice are encoded once", async () => {
    expect(await sent(twice)).toEqual({ artifacts: [{ parts: [{ file: { fileWithBytes: BYTES } }] }] });
  });

  test("of many megabytes that were encoded twice are encoded once, too", async () => {
    const once = Buffer.alloc(9_000_000, BYTES).toString("base64");
    const json = { file: { fileWithBytes: Buffer.from(once).toString("base64") } };
    const { client } = scripted({ json });
    const answer = await client.call(get);
    expect(isDeepStrictEqual(answer, { file: { fileWithBytes: once } })).toBe(true);
  });

  test("that were encoded once stay as they are", async () => {
    expect(await sent(BYTES)).toEqual({ artifacts: [{ parts: [{ file: { fileWithBytes: BYTES } }] }] });
  });

  test("in data and metadata are nobody's business", async () => {
    const json = { metadata: { fileWithBytes: twice }, data: { fileWithBytes: twice } };
    const { client } = scripted({ json });
    expect(await client.call(get)).toEqual(json);
  });
});
