import { describe, expect, test } from "@jest/globals";
import pino from "pino";
import { a2aSnake } from "../../../adapters/a2a-snake/index.ts";
import type { Call } from "../../../src/adapter.ts";
import { A2AError } from "../../../src/protocol/errors.ts";
import type { HttpRequest } from "../../../src/southbound/http.ts";
import { collect } from "../../support/collect.ts";

const ENDPOINT = "https://agent.example/rpc";
const streamingCard = {
  name: "Flights",
  supported_interfaces: [
    { url: ENDPOINT, protocol_binding: "jsonrpc", tenant: "acme", protocol_version: "1.0" },
  ],
  capabilities: { streaming: true },
};
const plainCard = { name: "Flights", capabilities: {} };
const message = {
  kind: "message" as const,
  messageId: "msg-001",
  role: "user" as const,
  parts: [{ kind: "text" as const, text: "Find flights" }],
};
const wireMessage = { message_id: "msg-001", role: "user", parts: [{ text: "Find flights" }] };
const callWith = (changes: Partial<Call> = {}): Call => ({
  signal: new AbortController().signal,
  newTaskId: "new-task",
  newContextId: "new-context",
  extensions: [],
  ...changes,
});

/** A vendor that answers every call with the given values, and keeps what it was asked. */
function connect(card: unknown, answers: unknown[], options: { tenant?: string } = {}) {
  const bodies: unknown[] = [];
  const cards = { fetched: 0 };
  const backend = a2aSnake.connect(options, {
    agent: "flights",
    url: ENDPOINT,
    fetchCard: async () => {
      cards.fetched += 1;
      if (card instanceof Error) throw card;
      return card;
    },
    http: {
      unary: async ({ body }: HttpRequest) => {
        bodies.push(body);
        return { status: 200, headers: {}, json: answers[0], excerpt: "" };
      },
      stream: async ({ body }: HttpRequest) => {
        bodies.push(body);
        const values = async function* () {
          for (const value of answers) yield { value };
        };
        return { ok: true as const, status: 200, values: values() };
      },
    },
    log: pino({ level: "silent" }),
    newId: () => "rpc-1",
  });
  return { backend, bodies, cards };
}

const enveloped = (result: unknown) => ({ jsonrpc: "2.0", id: "rpc-1", result });
const codeOf = (work: Promise<unknown> | undefined): Promise<unknown> =>
  work?.then(
    () => "nothing was thrown",
    (error: unknown) => (error instanceof A2AError ? error.code : error),
  ) ?? Promise.resolve("no such method");

describe("options", () => {
  test("an unknown key is refused", () => {
    expect(a2aSnake.options.safeParse({ tenant: "acme" }).success).toBe(true);
    expect(a2aSnake.options.safeParse({ tennant: "acme" }).success).toBe(false);
  });
});

describe("calls", () => {
  test("send names the version, the extensions and the tenant inside the params", async () => {
    const result = { task: { id: "t1", context_id: "c1", status: { state: "completed" } } };
    const { backend, bodies } = connect(streamingCard, [enveloped(result)]);
    const configuration = { acceptedOutputModes: ["text/plain"], blocking: true };
    const reply = await backend.send?.(
      { message, configuration },
      callWith({ extensions: ["urn:a", "urn:b"] }),
    );
    expect(reply).toEqual({ kind: "task", id: "t1", contextId: "c1", status: { state: "completed" } });
    expect(bodies).toEqual([
      {
        jsonrpc: "2.0",
        id: "rpc-1",
        method: "a2a.sendMessage",
        params: {
          message: wireMessage,
          configuration: { accepted_output_modes: ["text/plain"], return_immediately: false },
          tenant: "acme",
          "a2a-version": "1.0",
          "a2a-extensions": "urn:a,urn:b",
        },
      },
    ]);
  });

  test("get, cancel and subscribe name the vendor's task", async () => {
    const { backend, bodies } = connect(streamingCard, [
      enveloped({ id: "t1", status: { state: "working" } }),
    ]);
    const task = { id: "t1", historyLength: 10 };
    expect(await backend.getTask?.(task, callWith())).toEqual({
      kind: "task",
      id: "t1",
      status: { state: "working" },
    });
    await backend.cancelTask?.(task, callWith());
    await collect(backend.resubscribe?.(task, callWith()));
    const common = { tenant: "acme", "a2a-version": "1.0" };
    expect(bodies).toMatchObject([
      { method: "a2a.getTask", params: { id: "t1", history_length: 10, ...common } },
      { method: "a2a.cancelTask", params: { id: "t1", ...common } },
      { method: "a2a.subscribeToTask", params: { id: "t1", ...common } },
    ]);
  });

  test("the proxy's callback goes along with a message, where it is to", async () => {
    const { backend, bodies } = connect(streamingCard, [enveloped({ message: wireMessage })]);
    const pushNotificationConfig = { id: "one", url: "https://proxy.example", token: "secret" };
    const params = { message, configuration: { blocking: false, pushNotificationConfig } };
    await backend.send?.(params, callWith());
    await collect(backend.stream?.(params, callWith()));
    const configuration = { return_immediately: true, push_notification_config: pushNotificationConfig };
    expect(bodies).toMatchObject([{ params: { configuration } }, { params: { configuration } }]);
  });

  test("the operator's tenant wins over the card's", async () => {
    const { backend, bodies } = connect(streamingCard, [enveloped({ message: wireMessage })], {
      tenant: "mine",
    });
    await backend.send?.({ message }, callWith());
    expect(bodies).toMatchObject([{ params: { tenant: "mine" } }]);
  });

  test("events come with the JSON-RPC envelope and without, and what is no event is passed over", async () => {
    const update = { statusUpdate: { task_id: "t1", status: { state: "working" } } };
    const { backend, bodies } = connect(streamingCard, [enveloped(update), { ping: 1 }, update]);
    const event = { kind: "status-update", taskId: "t1", status: { state: "working" } };
    expect(await collect(backend.stream?.({ message }, callWith()))).toEqual([event, event]);
    expect(bodies).toMatchObject([{ method: "a2a.sendStreamingMessage", params: { message: wireMessage } }]);
  });

  test("a refusal is an A2AError, in an envelope or bare, answered or streamed", async () => {
    const refusal = { code: -32009, message: "VersionNotSupportedError" };
    const failed = { jsonrpc: "2.0", id: null, error: refusal };
    for (const answer of [failed, refusal]) {
      const { backend } = connect(streamingCard, [answer]);
      expect(await codeOf(backend.send?.({ message }, callWith()))).toBe("invalid-agent-response");
      expect(await codeOf(collect(backend.stream?.({ message }, callWith())))).toBe("invalid-agent-response");
    }
  });
});

describe("streaming", () => {
  test.each([
    ["does not declare it", plainCard],
    ["cannot be had", new A2AError("agent-unavailable")],
  ])("is refused before any call where the card %s", async (_, card) => {
    const { backend, bodies } = connect(card, []);
    expect(await codeOf(collect(backend.stream?.({ message }, callWith())))).toBe("unsupported-operation");
    expect(await codeOf(collect(backend.resubscribe?.({ id: "t1" }, callWith())))).toBe(
      "unsupported-operation",
    );
    expect(bodies).toEqual([]);
  });

  test("is native where the translated card says so", async () => {
    const native = async (card: unknown) => {
      const { backend } = connect(card, []);
      return backend.native?.(await backend.card(new AbortController().signal));
    };
    expect(await native(streamingCard)).toEqual({
      send: true,
      stream: true,
      getTask: true,
      cancelTask: true,
      resubscribe: true,
    });
    expect(await native(plainCard)).toMatchObject({ send: true, stream: false, resubscribe: false });
  });

  test("sending works without a card", async () => {
    const { backend, bodies } = connect(new A2AError("agent-unavailable"), [
      enveloped({ message: wireMessage }),
    ]);
    await backend.send?.({ message }, callWith());
    expect(bodies).toMatchObject([{ params: { message: wireMessage, "a2a-version": "1.0" } }]);
  });
});

describe("the card", () => {
  test("is fetched once for calls at the same time and for those after", async () => {
    const { backend, cards } = connect(streamingCard, [enveloped({ message: wireMessage })]);
    await Promise.all([backend.send?.({ message }, callWith()), backend.send?.({ message }, callWith())]);
    await backend.send?.({ message }, callWith());
    expect(cards.fetched).toBe(1);
  });

  test("is fetched again where it is asked for", async () => {
    const { backend, cards } = connect(streamingCard, []);
    const { signal } = new AbortController();
    await backend.card(signal);
    await backend.card(signal);
    expect(cards.fetched).toBe(2);
  });

  test("a caller who has gone gets its own reason, not a call without a tenant", async () => {
    const { backend, bodies } = connect(streamingCard, [enveloped({ message: wireMessage })]);
    const reason = new A2AError("shutting-down");
    expect(await codeOf(backend.send?.({ message }, callWith({ signal: AbortSignal.abort(reason) })))).toBe(
      "shutting-down",
    );
    expect(bodies).toEqual([]);
  });
});
