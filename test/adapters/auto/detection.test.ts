import { afterEach, describe, expect, test } from "@jest/globals";
import type { Adapter, Backend, Call } from "../../../src/adapter.ts";
import { cleanUp, deadOrigin } from "../../southbound/loopback.ts";
import { connect, DIALECTS, startAgent, type AgentOptions } from "./agents.ts";

afterEach(cleanUp);

const call = (signal = new AbortController().signal): Call => ({
  signal,
  newTaskId: "t",
  newContextId: "c",
  extensions: [],
});
const PARAMS = {
  message: {
    kind: "message" as const,
    messageId: "m",
    role: "user" as const,
    parts: [{ kind: "text" as const, text: "hi" }],
  },
};
/** The dialect that took the message. */
async function send(backend: Backend, signal?: AbortSignal): Promise<unknown> {
  const reply = await backend.send?.(PARAMS, call(signal));
  return reply?.kind === "message" ? reply.parts[0] : reply;
}
const by = (text: string) => ({ kind: "text", text });

const CARD_03 = { protocolVersion: "0.3.0", url: "http://0.0.0.0:1" };
const OK = { ok: true };
/** The methods each generation really has; -32001 is "no such task". */
const SERVES_03 = {
  "message/send": OK,
  "tasks/get": -32001,
  "tasks/pushNotificationConfig/get": -32001,
};
const SERVES_01 = { "tasks/send": OK, "tasks/get": -32001, "tasks/pushNotification/get": -32001 };
const SERVES_SNAKE = { "a2a.sendMessage": OK, "a2a.getTask": -32001 };

async function detect(options: AgentOptions) {
  const agent = await startAgent(options);
  const { backend, log } = connect(agent.url);
  return { agent, backend, log, text: await send(backend) };
}

describe("what an agent says and does", () => {
  test.each<[string, AgentOptions, string]>([
    ["0.3 card, serves 0.3", { card: CARD_03, methods: SERVES_03 }, "a2a-0.3"],
    ["0.3 card, serves 0.1", { card: CARD_03, methods: SERVES_01 }, "a2a-0.1"],
    ["0.3 card, serves 0.1, python", { card: CARD_03, methods: SERVES_01, otherwise: -32600 }, "a2a-0.1"],
    ["0.3 card, serves snake_case", { card: CARD_03, methods: SERVES_SNAKE }, "a2a-snake"],
    [
      "0.3 card, no push methods",
      { card: CARD_03, methods: { "message/send": OK, "tasks/get": -32001 } },
      "a2a-0.3",
    ],
    [
      "0.3 card, knows a2a.getTask too",
      { card: CARD_03, methods: { "message/send": OK, "tasks/get": -32001, "a2a.getTask": -32001 } },
      "a2a-0.3",
    ],
    ["0.3 card, send alone", { card: CARD_03, methods: { "message/send": OK } }, "a2a-0.3"],
    ["1.0 card, serves 0.3", { card: { supportedInterfaces: [{}] }, methods: SERVES_03 }, "a2a-0.3"],
    [
      "1.0 version, tasks/get",
      { card: { protocolVersion: "1.0" }, methods: { "message/send": OK, "tasks/get": -32001 } },
      "a2a-0.3",
    ],
    [
      "1.0 card, serves snake_case",
      { card: { supportedInterfaces: [{}] }, methods: SERVES_SNAKE },
      "a2a-snake",
    ],
    ["snake card", { card: { supported_interfaces: [] }, methods: SERVES_SNAKE }, "a2a-snake"],
    [
      "hybrid card, serves 0.3",
      { card: { ...CARD_03, supported_interfaces: [] }, methods: SERVES_03 },
      "a2a-0.3",
    ],
    ["0.1 card", { card: { authentication: {} }, methods: SERVES_01 }, "a2a-0.1"],
    ["0.1 card, serves 0.3", { card: { authentication: {} }, methods: SERVES_03 }, "a2a-0.3"],
    ["no card, serves 0.3", { methods: SERVES_03 }, "a2a-0.3"],
    ["no card, serves 0.1", { methods: SERVES_01 }, "a2a-0.1"],
    ["no card, serves snake_case", { methods: SERVES_SNAKE }, "a2a-snake"],
    ["no card, message/send alone", { methods: { "message/send": OK } }, "a2a-0.3"],
    ["a card that does not tell, serves 0.1", { card: { name: "A" }, methods: SERVES_01 }, "a2a-0.1"],
    [
      "0.3 card, -32603 to whatever it does not know",
      { card: CARD_03, methods: SERVES_03, otherwise: -32603 },
      "a2a-0.3",
    ],
    [
      "AppBuilder",
      { card: { ...CARD_03, provider: { organization: "baiduqianfan" } }, methods: { "message/send": OK } },
      "appbuilder",
    ],
  ])("%s", async (_what, options, dialect) => {
    const { text, agent } = await detect(options);
    expect(text).toEqual(by(dialect));
    // The message itself is the only call with effects, and the agent has taken it once.
    const harmless = /\/get$|^a2a\.getTask$/;
    const effects = agent.calls.filter((method) => !harmless.test(method));
    expect(effects).toHaveLength(1);
  });

  test("an agent that is known for certain is not probed", async () => {
    const card = { provider: { organization: "baiduqianfan" } };
    const { agent } = await detect({ card, methods: { "message/send": OK } });
    expect(agent.calls).toEqual(["message/send"]);
  });

  test("a probe asks for a task that cannot exist, and names the version where the dialect wants it", async () => {
    const { agent } = await detect({ card: { supported_interfaces: [] }, methods: SERVES_SNAKE });
    expect(agent.params[0]).toEqual({
      "a2a-version": "1.0",
      id: expect.stringMatching(/^no-such-task-/),
      task_id: expect.stringMatching(/^no-such-task-/),
    });
  });
});

describe("the decision", () => {
  test("is made once for all callers, logged once and told in a sentence", async () => {
    const agent = await startAgent({ card: CARD_03, methods: SERVES_01 });
    const { backend, log } = connect(agent.url);
    expect(backend.decision?.()).toBeUndefined();
    await Promise.all([send(backend), send(backend), send(backend)]);
    const sentence =
      "The agent speaks a2a-0.1: its card says protocolVersion 0.3.0, but a probe shows that it serves the methods of a2a-0.1 instead.";
    expect(backend.decision?.()).toBe(sentence);
    expect(log).toEqual([sentence]);
    expect(agent.calls.filter((method) => method === "tasks/pushNotification/get")).toHaveLength(1);
  });

  test("is made again after the agent was down", async () => {
    const agent = await startAgent({ status: 503 });
    const { backend, log } = connect(agent.url);
    await expect(send(backend)).rejects.toMatchObject({ code: "agent-unavailable" });
    expect(log).toEqual([]);
    agent.options = { methods: SERVES_01 };
    expect(await send(backend)).toEqual(by("a2a-0.1"));
  });

  test("cannot be made where nobody listens", async () => {
    const { backend } = connect(await deadOrigin());
    await expect(send(backend)).rejects.toMatchObject({ code: "agent-unavailable" });
    expect(backend.decision?.()).toBeUndefined();
  });

  test("cannot be made where the agent refuses the credentials", async () => {
    const agent = await startAgent({ status: 401 });
    const { backend } = connect(agent.url);
    await expect(send(backend)).rejects.toMatchObject({
      code: "agent-unavailable",
      message: "The agent refuses the credentials, so its dialect cannot be told",
    });
  });

  test("an agent that speaks 1.0 alone is a clear error", async () => {
    const agent = await startAgent({ card: { supportedInterfaces: [{ protocolVersion: "1.0" }] } });
    const { backend } = connect(agent.url);
    await expect(send(backend)).rejects.toMatchObject({
      code: "unsupported-operation",
      message:
        "The agent speaks A2A 1.0 alone, which this proxy does not support yet: its card has supportedInterfaces",
    });
  });

  test("does not fail others when the caller that asked first goes away", async () => {
    const agent = await startAgent({ card: CARD_03, methods: SERVES_03 });
    const { backend } = connect(agent.url);
    const first = new AbortController();
    const both = Promise.allSettled([send(backend, first.signal), send(backend)]);
    first.abort();
    expect(await both).toMatchObject([{ status: "rejected" }, { status: "fulfilled", value: by("a2a-0.3") }]);
  });
});

describe("an agent that cannot be probed apart", () => {
  test("gets the message in the sibling dialect once it has refused the method, and is known from then on", async () => {
    const methods = { "tasks/send": OK, "tasks/get": -32001 };
    const { agent, backend, text } = await detect({ card: CARD_03, methods });
    expect(text).toEqual(by("a2a-0.1"));
    expect(agent.calls.filter((method) => method.endsWith("send"))).toEqual(["message/send", "tasks/send"]);
    expect(backend.decision?.()).toBe(
      "The agent speaks a2a-0.1: it refused the message as a2a-0.3 and took it as a2a-0.1.",
    );
    expect(await send(backend)).toEqual(by("a2a-0.1"));
    expect(agent.calls.at(-2)).toBe("tasks/send");
  });

  test("keeps its dialect where the sibling is refused too", async () => {
    const agent = await startAgent({ card: CARD_03, methods: { "tasks/get": -32001 } });
    const { backend } = connect(agent.url);
    await expect(send(backend)).rejects.toMatchObject({ message: "no message/send" });
    expect(backend.decision?.()).toContain("a2a-0.3");
  });

  test("does not get a message again that was refused for another reason", async () => {
    const agent = await startAgent({ card: CARD_03, methods: { ...SERVES_03, "message/send": -32603 } });
    const { backend } = connect(agent.url);
    await expect(send(backend)).rejects.toMatchObject({ code: "internal-error" });
    expect(agent.calls.filter((method) => method.endsWith("send"))).toEqual(["message/send"]);
  });
});

describe("the chosen dialect", () => {
  test("lacks what its adapter lacks, without a call", async () => {
    const { agent, backend } = await detect({ card: CARD_03, methods: SERVES_03 });
    const before = agent.calls.length;
    const refused = { code: "unsupported-operation" };
    await expect(backend.getTask?.({ id: "t" }, call())).rejects.toMatchObject(refused);
    await expect(backend.cancelTask?.({ id: "t" }, call())).rejects.toMatchObject(refused);
    await expect(Array.fromAsync(backend.stream?.(PARAMS, call()) ?? [])).rejects.toMatchObject(refused);
    await expect(Array.fromAsync(backend.resubscribe?.({ id: "t" }, call()) ?? [])).rejects.toMatchObject(
      refused,
    );
    expect(agent.calls).toHaveLength(before);
  });

  test("is asked for its card, its methods and its tasks", async () => {
    const agent = await startAgent({ card: CARD_03, methods: SERVES_03 });
    const card = {
      ...CARD_03,
      name: "A",
      description: "",
      version: "1",
      capabilities: {},
      defaultInputModes: [],
      defaultOutputModes: [],
      skills: [],
    };
    const task = { kind: "task" as const, status: { state: "working" as const } };
    const native = { send: true, stream: true, getTask: false, cancelTask: false, resubscribe: false };
    const whole: Backend = {
      card: async () => card,
      native: () => native,
      async *stream() {
        yield task;
      },
      getTask: async () => task,
      cancelTask: async () => task,
      async *resubscribe() {
        yield task;
      },
    };
    const candidates: Adapter[] = DIALECTS.map((adapter) => ({ ...adapter, connect: () => whole }));
    const { backend } = connect(agent.url, candidates);
    expect(await backend.card(call().signal)).toBe(card);
    expect(backend.native?.(card)).toBe(native);
    expect(await Array.fromAsync(backend.stream?.(PARAMS, call()) ?? [])).toEqual([task]);
    expect(await backend.getTask?.({ id: "t" }, call())).toBe(task);
    expect(await backend.cancelTask?.({ id: "t" }, call())).toBe(task);
    expect(await Array.fromAsync(backend.resubscribe?.({ id: "t" }, call()) ?? [])).toEqual([task]);
  });

  test("must be among the candidates", async () => {
    const agent = await startAgent({ card: CARD_03, methods: SERVES_03 });
    const { backend } = connect(agent.url, DIALECTS.slice(1));
    await expect(send(backend)).rejects.toThrow("No adapter for a2a-0.3 is available.");
  });
});
