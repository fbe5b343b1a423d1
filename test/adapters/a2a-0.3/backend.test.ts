import { describe, expect, test } from "@jest/globals";
import { pino } from "pino";
import { a2a03 } from "../../../adapters/a2a-0.3/index.ts";
import type { Call } from "../../../src/adapter.ts";
import { A2AError } from "../../../src/protocol/errors.ts";
import type { MessageSendParams } from "../../../src/protocol/params.ts";
import type { HttpRequest } from "../../../src/southbound/http.ts";
import type { Southbound } from "../../../src/southbound/southbound.ts";

const CARD = {
  protocolVersion: "0.3.0",
  name: "Planner",
  description: "",
  url: "http://0.0.0.0:9999",
  version: "1",
  capabilities: {},
  defaultInputModes: ["text"],
  defaultOutputModes: ["text"],
  skills: [],
};
const streaming = (streaming: boolean) => ({ ...CARD, capabilities: { streaming } });
const TASK = { kind: "task", id: "t", contextId: "c", status: { state: "completed" } };
const PARAMS: MessageSendParams = {
  message: { kind: "message", messageId: "m", role: "user", parts: [{ kind: "text", text: "hi" }] },
};
const call = (more: Partial<Call> = {}): Call => ({
  signal: new AbortController().signal,
  newTaskId: "new-task",
  newContextId: "new-context",
  extensions: [],
  ...more,
});

async function* streamed(values: readonly unknown[]) {
  for (const value of values) yield { value };
}

/** A vendor that answers each call with the next of `answers`: one value, or a list for a stream. */
function connect({
  card,
  answers = [],
  options = {},
}: {
  card?: unknown;
  answers?: unknown[];
  options?: object;
}) {
  const requests: HttpRequest[] = [];
  const fetches: AbortSignal[] = [];
  const warnings: string[] = [];
  const southbound: Southbound = {
    agent: "planner",
    url: "https://agent.example/a2a",
    fetchCard: async (signal) => {
      fetches.push(signal);
      signal.throwIfAborted();
      if (card === undefined) throw new A2AError("agent-unavailable");
      return card;
    },
    http: {
      unary: async (request) => {
        requests.push(request);
        return { status: 200, headers: {}, json: answers.shift(), excerpt: "" };
      },
      stream: async (request) => {
        requests.push(request);
        const values = answers.shift();
        return { ok: true, status: 200, values: streamed(Array.isArray(values) ? values : [values]) };
      },
    },
    log: pino({ base: null }, { write: (line: string) => warnings.push(line) }),
    newId: () => "id-1",
  };
  const backend = a2a03.connect(a2a03.options.parse(options), southbound);
  return { backend, requests, fetches, warnings };
}

const result = (value: unknown) => ({ jsonrpc: "2.0", id: "id-1", result: value });
const failure = (code: number) => ({ jsonrpc: "2.0", id: "id-1", error: { code, message: "no" } });
const bodyOf = (method: string, params: unknown) => ({ jsonrpc: "2.0", id: "id-1", method, params });
const streamOf = (backend: ReturnType<typeof connect>["backend"], more?: Partial<Call>) =>
  Array.fromAsync(backend.stream?.(PARAMS, call(more)) ?? []);

describe("calls", () => {
  test("message/send goes to the configured URL and its reply comes back as the same object", async () => {
    const { backend, requests } = connect({ card: CARD, answers: [result(TASK)] });
    expect(await backend.send?.(PARAMS, call())).toBe(TASK);
    expect(requests.map(({ url, body }) => ({ url, body }))).toEqual([
      { url: "https://agent.example/a2a", body: bodyOf("message/send", PARAMS) },
    ]);
  });

  test("the client's extensions go along in X-A2A-Extensions, and no header where there are none", async () => {
    const { backend, requests } = connect({ answers: [result(TASK), result(TASK), [result(TASK)]] });
    await backend.send?.(PARAMS, call({ extensions: ["https://a.example/1", "urn:b"] }));
    await backend.send?.(PARAMS, call());
    await streamOf(backend, { extensions: ["urn:b"] });
    expect(requests.map(({ headers }) => headers?.["X-A2A-Extensions"])).toEqual([
      "https://a.example/1, urn:b",
      undefined,
      "urn:b",
    ]);
  });

  test("tasks/get, tasks/cancel and tasks/resubscribe name the vendor's task", async () => {
    const { backend, requests } = connect({ answers: [result(TASK), result(TASK), [result(TASK)]] });
    const task = { id: "t", contextId: "c", historyLength: 2, metadata: { a: 1 } };
    expect(await backend.getTask?.(task, call())).toBe(TASK);
    expect(await backend.cancelTask?.(task, call())).toBe(TASK);
    expect(await Array.fromAsync(backend.resubscribe?.(task, call()) ?? [])).toEqual([TASK]);
    expect(requests.map(({ body }) => body)).toEqual([
      bodyOf("tasks/get", { id: "t", historyLength: 2, metadata: { a: 1 } }),
      bodyOf("tasks/cancel", { id: "t", metadata: { a: 1 } }),
      bodyOf("tasks/resubscribe", { id: "t", metadata: { a: 1 } }),
    ]);
  });

  test("a Message in answer to tasks/get is no answer", async () => {
    const { backend } = connect({ answers: [result({ role: "agent", parts: [] })] });
    await expect(backend.getTask?.({ id: "t" }, call())).rejects.toMatchObject({
      code: "invalid-agent-response",
    });
  });

  test("a reply that is no A2A object is shown in the error", async () => {
    const { backend } = connect({ answers: [result({ ok: true })] });
    await expect(backend.send?.(PARAMS, call())).rejects.toMatchObject({
      code: "invalid-agent-response",
      data: { stage: "body", excerpt: '{"ok":true}' },
    });
  });
});

describe("streams", () => {
  test("events come as they are; what is no event is skipped and logged", async () => {
    const { backend, warnings } = connect({ answers: [[result(TASK), { type: "ping" }, {}]] });
    expect(await streamOf(backend)).toEqual([TASK]);
    expect(warnings).toHaveLength(1);
  });

  test("a stream of nothing that could be read is an error", async () => {
    const { backend } = connect({ answers: [[{ type: "ping" }]] });
    await expect(streamOf(backend)).rejects.toMatchObject({ code: "invalid-agent-response" });
  });

  test("a card that says streaming: false saves the call, and is fetched once for all streams", async () => {
    const { backend, requests, fetches } = connect({ card: streaming(false) });
    const refused = { code: "unsupported-operation" };
    await Promise.all([
      expect(streamOf(backend)).rejects.toMatchObject(refused),
      expect(streamOf(backend)).rejects.toMatchObject(refused),
      expect(Array.fromAsync(backend.resubscribe?.({ id: "t" }, call()) ?? [])).rejects.toMatchObject(
        refused,
      ),
    ]);
    expect(requests).toEqual([]);
    expect(fetches).toHaveLength(1);
  });

  test.each([
    ["says streaming: true", streaming(true)],
    ["says nothing of streaming", CARD],
    ["cannot be had", undefined],
  ])("an agent whose card %s is tried", async (_what, card) => {
    const { backend, fetches } = connect({ card, answers: [[result(TASK)], [result(TASK)]] });
    expect(await streamOf(backend)).toEqual([TASK]);
    expect(await streamOf(backend)).toEqual([TASK]);
    expect(fetches).toHaveLength(1);
  });

  test("a card that was refreshed counts from then on", async () => {
    const card = streaming(true);
    const { backend } = connect({ card, answers: [[result(TASK)]] });
    expect(await streamOf(backend)).toEqual([TASK]);
    card.capabilities.streaming = false;
    await backend.card(new AbortController().signal);
    await expect(streamOf(backend)).rejects.toMatchObject({ code: "unsupported-operation" });
  });

  test("the first of two callers, which goes away while the card is fetched, does not decide for the second", async () => {
    const card = Promise.withResolvers<unknown>();
    const { backend, requests, fetches } = connect({ card: card.promise, answers: [{ task: TASK }] });
    const leaving = new AbortController();
    const first = backend.send?.(PARAMS, call({ signal: leaving.signal }));
    const second = backend.send?.(PARAMS, call());
    leaving.abort();
    await expect(first).rejects.toThrow("aborted");
    card.resolve({ ...CARD, preferredTransport: "HTTP+JSON" });
    expect(await second).toMatchObject({ kind: "task", id: "t" });
    expect(requests.map(({ url }) => url)).toEqual(["https://agent.example/a2a/v1/message:send"]);
    expect(fetches).toHaveLength(1);
  });

  test("workingText: answer makes chunks of working statuses", async () => {
    const message = { kind: "message", messageId: "m", role: "agent", parts: [{ kind: "text", text: "hi" }] };
    const status = { state: "working", message };
    const event = { kind: "status-update", taskId: "t", contextId: "c", status, final: false };
    const { backend } = connect({ answers: [[result(event)]], options: { workingText: "answer" } });
    expect(await streamOf(backend)).toMatchObject([
      { kind: "status-update", status: { state: "working" } },
      { kind: "artifact-update", append: false },
    ]);
  });
});

describe("refusals", () => {
  test.each([-32601, -32004])("%d: the gateway can do without the method", async (code) => {
    const { backend } = connect({ card: streaming(true), answers: [[failure(code)], failure(code)] });
    await expect(streamOf(backend)).rejects.toMatchObject({ code: "unsupported-operation" });
    await expect(backend.cancelTask?.({ id: "t" }, call())).rejects.toMatchObject({
      code: "unsupported-operation",
      data: { vendor: { code } },
    });
  });

  test("an unknown message/send hints at the other dialects, an unknown tasks/cancel does not", async () => {
    const { backend } = connect({ answers: [failure(-32601), failure(-32601)] });
    await expect(backend.send?.(PARAMS, call())).rejects.toThrow("a2a-0.1");
    await expect(backend.cancelTask?.({ id: "t" }, call())).rejects.toThrow(
      /^The agent does not know tasks\/cancel$/,
    );
  });

  test.each([
    [-32001, "task-not-found"],
    [-32002, "task-not-cancelable"],
    [-32602, "invalid-params"],
    [-32009, "invalid-agent-response"],
  ])("%d is %s", async (code, canonical) => {
    const { backend } = connect({ answers: [failure(code)] });
    await expect(backend.getTask?.({ id: "t" }, call())).rejects.toMatchObject({ code: canonical });
  });
});

test("what is native is what the card says of streaming", () => {
  const { backend } = connect({});
  const natively = (stream: boolean) => ({
    send: true,
    stream,
    getTask: true,
    cancelTask: true,
    resubscribe: stream,
  });
  expect(backend.native?.(streaming(false))).toEqual(natively(false));
  expect(backend.native?.(streaming(true))).toEqual(natively(true));
  expect(backend.native?.(CARD)).toEqual(natively(true));
});

test("options are strict", () => {
  expect(a2a03.options.safeParse({ workingTexts: "answer" }).success).toBe(false);
  expect(a2a03.options.parse({})).toEqual({
    workingText: "status",
    artifactIds: "stable",
    transport: "auto",
    rest: "auto",
    grpcPort: "configured",
    fileBytes: "auto",
  });
});
