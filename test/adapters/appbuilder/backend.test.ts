import { describe, expect, test } from "@jest/globals";
import { pino } from "pino";
import { appbuilder, type AppBuilderOptions } from "../../../adapters/appbuilder/index.ts";
import type { AgentEvent, Call } from "../../../src/adapter.ts";
import { A2AError } from "../../../src/protocol/errors.ts";
import type { Message } from "../../../src/protocol/model.ts";
import type { HttpRequest } from "../../../src/southbound/http.ts";

const URL = "https://qianfan.baidubce.com/v2/a2a/app-1";
const message: Message = {
  kind: "message",
  role: "user",
  messageId: "m1",
  taskId: "t1",
  contextId: "c1",
  parts: [{ kind: "text", text: "北京" }],
};
const signal = new AbortController().signal;
const call: Call = { signal, newTaskId: "n1", newContextId: "n2", extensions: [] };
const completed = { kind: "status-update", taskId: "t1", status: { state: "completed" } };
const interrupt = {
  artifact: {
    artifactId: "i1",
    parts: [],
    metadata: { event: { status: "interrupt" }, text: { info: "Which?" } },
  },
};

interface Vendor {
  readonly results?: readonly unknown[];
  /** Thrown after the results. */
  readonly breaks?: Error;
  readonly card?: unknown;
  readonly options?: AppBuilderOptions;
}

function connect({ results = [], breaks, card, options = {} }: Vendor) {
  const requests: HttpRequest[] = [];
  const envelope = (result: unknown) => ({ jsonrpc: "2.0", id: "not-ours", result });
  async function* values() {
    for (const result of results) yield { value: envelope(result) };
    if (breaks) throw breaks;
  }
  const backend = appbuilder.connect(options, {
    agent: "planner",
    url: URL,
    fetchCard: async () => card,
    log: pino({ level: "silent" }),
    newId: () => "id-1",
    http: {
      unary: async (request) => {
        requests.push(request);
        return { status: 200, headers: {}, json: envelope(results[0]), excerpt: "" };
      },
      stream: async (request) => {
        requests.push(request);
        return { ok: true, status: 200, values: values() };
      },
    },
  });
  const stream = async (more: Partial<Call> = {}): Promise<AgentEvent[]> => {
    if (!backend.stream) throw new Error("no stream");
    return Array.fromAsync(backend.stream({ message }, { ...call, ...more }));
  };
  const send = async () => backend.send?.({ message, configuration: { blocking: true } }, call);
  return { backend, requests, stream, send };
}

test("unknown options are refused", () => {
  expect(appbuilder.options.safeParse({ send: "send" }).success).toBe(true);
  expect(appbuilder.options.safeParse({ sned: true }).success).toBe(false);
});

describe("stream", () => {
  test("posts message/stream to the operator's URL, with the vendor's task and context", async () => {
    const { backend, requests, stream } = connect({ results: [completed], card: { url: "http://demo.com" } });
    await expect(backend.card(signal)).resolves.toMatchObject({ url: URL });
    await expect(stream()).resolves.toEqual([completed]);
    expect(requests.map(({ method, url, body }) => ({ method, url, body }))).toEqual([
      {
        method: "POST",
        url: URL,
        body: { jsonrpc: "2.0", id: "id-1", method: "message/stream", params: { message } },
      },
    ]);
  });

  test("rejects with the vendor's words where a refusal comes with HTTP 200", async () => {
    const { stream } = connect({ results: [{ code: "QuotaExceeded", message: "no more", requestId: "r1" }] });
    await expect(stream()).rejects.toMatchObject({
      code: "invalid-agent-response",
      data: { status: 200, vendor: { code: "QuotaExceeded", request_id: "r1" } },
    });
  });

  test("rejects where the connection breaks in mid-answer", async () => {
    const breaks = new A2AError("agent-unavailable");
    await expect(connect({ results: [], breaks }).stream()).rejects.toBe(breaks);
  });

  test("does not mind that the connection breaks after an interrupt", async () => {
    const events = await connect({
      results: [interrupt],
      breaks: new A2AError("agent-unavailable"),
    }).stream();
    expect(events).toMatchObject([{ status: { state: "input-required" } }]);
  });
});

test("an aborted stream is aborted, interrupt or not", async () => {
  const breaks = new A2AError("agent-unavailable");
  const { stream } = connect({ results: [interrupt], breaks });
  await expect(stream({ signal: AbortSignal.abort() })).rejects.toBe(breaks);
});

describe("send", () => {
  const task = { kind: "task", id: "t1", contextId: "c1", status: { state: "completed" } };

  test("is not tried unless the options or the card say so", async () => {
    const { requests, send } = connect({ results: [task] });
    await expect(send()).rejects.toMatchObject({ code: "unsupported-operation" });
    expect(requests).toEqual([]);
  });

  test("is tried where the options say so", async () => {
    const { requests, send } = connect({ results: [task], options: { send: "send" } });
    await expect(send()).resolves.toEqual(task);
    expect(requests.map(({ body }) => body)).toEqual([
      { jsonrpc: "2.0", id: "id-1", method: "message/send", params: { message } },
    ]);
  });

  test("is the only way where the card denies streaming", async () => {
    const vendor = { results: [task], card: { capabilities: { streaming: false } } };
    const { backend, send, stream } = connect(vendor);
    const card = await backend.card(signal);
    expect(backend.native?.(card)).toMatchObject({ send: true, stream: false });
    await expect(stream()).rejects.toMatchObject({ code: "unsupported-operation" });
    await expect(send()).resolves.toEqual(task);
  });

  test("is tried after the app has denied message/stream", async () => {
    const { send, stream } = connect({ results: [task], breaks: new A2AError("method-not-found") });
    await expect(stream()).rejects.toMatchObject({ code: "method-not-found" });
    await expect(send()).resolves.toEqual(task);
  });

  test("refuses an answer that is neither Task nor Message", async () => {
    const { send } = connect({ results: [completed], options: { send: "send" } });
    await expect(send()).rejects.toMatchObject({ code: "invalid-agent-response" });
  });
});

test("nothing but what AppBuilder has is native", () => {
  const { backend } = connect({});
  expect(backend).not.toHaveProperty("getTask");
  expect(backend).not.toHaveProperty("cancelTask");
  expect(backend).not.toHaveProperty("resubscribe");
});
