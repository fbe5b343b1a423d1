import { describe, expect, test } from "@jest/globals";
import pino from "pino";
import { legacy } from "../../../adapters/a2a-0.1/index.ts";
import type { Call } from "../../../src/adapter.ts";
import type { HttpRequest } from "../../../src/southbound/http.ts";
import type { Southbound } from "../../../src/southbound/southbound.ts";
import { collect } from "../../support/collect.ts";

const params = {
  message: { kind: "message" as const, messageId: "m", role: "user" as const, parts: [] },
};
const call: Call = {
  signal: new AbortController().signal,
  newTaskId: "new-task",
  newContextId: "new-context",
  extensions: [],
};
const card = { name: "a", url: "u", version: "1", capabilities: { streaming: true }, skills: [] };

interface Vendor {
  readonly card?: unknown;
  /** The JSON body of the answer to a call. */
  readonly answer?: unknown;
  readonly status?: number;
  /** The values of the answer to a streaming call. */
  readonly values?: readonly unknown[];
}

/** A backend in front of a vendor that answers as told, and the requests the vendor got. */
function connect(vendor: Vendor, options: unknown = {}) {
  const requests: { url: string; body: unknown }[] = [];
  const note = ({ url, body }: HttpRequest) => requests.push({ url, body });
  const { status = 200 } = vendor;
  const response = { status, headers: {}, json: vendor.answer, excerpt: "" };
  async function* values() {
    for (const value of vendor.values ?? []) yield { value };
  }
  const southbound: Southbound = {
    agent: "legacy",
    url: "https://example.com/agent/",
    fetchCard: async () => vendor.card ?? card,
    http: {
      unary: async (request) => {
        note(request);
        return response;
      },
      stream: async (request) => {
        note(request);
        return vendor.values ? { ok: true, status, values: values() } : { ok: false, response };
      },
    },
    log: pino({ level: "silent" }),
    newId: () => "rpc-1",
  };
  return { backend: legacy.connect(legacy.options.parse(options), southbound), requests };
}

const result = (value: unknown) => ({ jsonrpc: "2.0", id: "rpc-1", result: value });
const task = { id: "t-1", sessionId: "s-1", status: { state: "completed" } };
const canonicalTask = { kind: "task", id: "t-1", contextId: "s-1", status: { state: "completed" } };
const request = (method: string, body: unknown) => ({
  url: "https://example.com/agent/",
  body: { jsonrpc: "2.0", id: "rpc-1", method, params: body },
});

describe("the options", () => {
  test("have defaults", () => {
    expect(legacy.options.parse({})).toEqual({ artifacts: "auto", endpoint: "single" });
  });

  test("are strict", () => {
    expect(legacy.options.safeParse({ artefacts: "auto" }).success).toBe(false);
    expect(legacy.options.safeParse({ artifacts: "both" }).success).toBe(false);
  });
});

describe("the backend", () => {
  test("sends with the offered ids", async () => {
    const { backend, requests } = connect({ answer: result(task) });
    expect(await backend.send?.(params, call)).toEqual(canonicalTask);
    const message = { role: "user", parts: [] };
    expect(requests).toEqual([request("tasks/send", { id: "new-task", sessionId: "new-context", message })]);
  });

  test("gets a task, with as much history as was asked for", async () => {
    const { backend, requests } = connect({ answer: result(task) });
    expect(await backend.getTask?.({ id: "t-1", contextId: "s-1", historyLength: 10 }, call)).toEqual(
      canonicalTask,
    );
    expect(requests).toEqual([request("tasks/get", { id: "t-1", historyLength: 10 })]);
  });

  test("cancels", async () => {
    const { backend, requests } = connect({ answer: result({ ...task, status: { state: "canceled" } }) });
    expect(await backend.cancelTask?.({ id: "t-1", historyLength: 10 }, call)).toMatchObject({
      status: { state: "canceled" },
    });
    expect(requests).toEqual([request("tasks/cancel", { id: "t-1" })]);
  });

  test("streams, and leaves out what is no event", async () => {
    const event = result({ id: "t-1", status: { state: "working" }, final: false });
    const { backend, requests } = connect({ values: [event, "[DONE]"] });
    const events = await collect(backend.stream?.(params, call));
    expect(events).toEqual([
      {
        kind: "status-update",
        taskId: "t-1",
        contextId: "new-context",
        status: { state: "working" },
        final: false,
      },
    ]);
    expect(requests.map(({ body }) => body)).toMatchObject([{ method: "tasks/sendSubscribe" }]);
  });

  test("resubscribes", async () => {
    const { backend, requests } = connect({ values: [result(task)] });
    expect(await collect(backend.resubscribe?.({ id: "t-1" }, call))).toEqual([canonicalTask]);
    expect(requests).toEqual([request("tasks/resubscribe", { id: "t-1" })]);
  });

  test("says what is native by the card", async () => {
    const { backend } = connect({});
    const known = await backend.card(call.signal);
    expect(backend.native?.(known)).toEqual({
      send: true,
      stream: true,
      getTask: true,
      cancelTask: true,
      resubscribe: true,
    });
    const plain = { ...known, capabilities: {} };
    expect(backend.native?.(plain)).toMatchObject({ send: true, stream: false, resubscribe: false });
  });

  test("does not call an agent for a stream whose card says it has none", async () => {
    const { backend, requests } = connect({
      card: { ...card, capabilities: { streaming: false } },
      values: [],
    });
    await expect(collect(backend.stream?.(params, call))).rejects.toMatchObject({
      code: "unsupported-operation",
    });
    expect(requests).toEqual([]);
  });

  test("asks an agent without a card, which then refuses or streams", async () => {
    const { backend, requests } = connect({ card: "<html>", values: [] });
    expect(await collect(backend.stream?.(params, call))).toEqual([]);
    expect(requests).toHaveLength(1);
  });

  test("refuses a card that is none", async () => {
    const { backend } = connect({ card: { url: "u" } });
    await expect(backend.card(call.signal)).rejects.toMatchObject({ code: "invalid-agent-response" });
  });

  test("adds the method to the path where each has its own", async () => {
    const { backend, requests } = connect({ answer: result(task) }, { endpoint: "per-method" });
    await backend.send?.(params, call);
    expect(requests.map(({ url }) => url)).toEqual(["https://example.com/agent/tasks/send"]);
  });

  test("reads growing artifacts as its options say", async () => {
    const chunk = { id: "t-1", artifact: { parts: [{ text: "a" }], append: true } };
    const { backend } = connect({ values: [result(chunk)] }, { artifacts: "cumulative" });
    expect(await collect(backend.stream?.(params, call))).toMatchObject([{ append: false }]);
  });

  test("maps an error that comes with HTTP 400 and no id", async () => {
    const answer = { jsonrpc: "2.0", error: { code: -32005, message: "Incompatible content types" } };
    const { backend } = connect({ answer, status: 400 });
    await expect(backend.send?.(params, call)).rejects.toMatchObject({ code: "content-type-not-supported" });
  });

  test("maps an error in the middle of a stream", async () => {
    const { backend } = connect({
      values: [{ jsonrpc: "2.0", id: null, error: { code: -32603, message: "boom" } }],
    });
    await expect(collect(backend.stream?.(params, call))).rejects.toMatchObject({
      code: "internal-error",
      message: "boom",
    });
  });
});
