import { afterEach, describe, expect, test } from "@jest/globals";
import { legacy } from "../../../adapters/a2a-0.1/index.ts";
import type { Adapter, Backend } from "../../../src/adapter.ts";
import { cleanUp, deadOrigin } from "../../southbound/loopback.ts";
import {
  CARD_03,
  DIALECTS,
  OK,
  PARAMS,
  SERVES_01,
  SERVES_03,
  by,
  call,
  connect,
  detect,
  send,
  startAgent,
} from "./agents.ts";

afterEach(cleanUp);

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

  test("names its agent once in a line of the log", async () => {
    const agent = await startAgent({ card: CARD_03, methods: SERVES_03 });
    const { backend, lines } = connect(agent.url);
    await send(backend);
    expect(lines.map((line) => line.match(/"agent":/g)?.length)).toEqual([1]);
  });

  test("cannot be made where every probe is answered with HTTP 500 and no card says anything", async () => {
    const agent = await startAgent({ status: 500 });
    const { backend } = connect(agent.url);
    await expect(send(backend)).rejects.toMatchObject({
      code: "agent-unavailable",
      message: "The agent answers every probe with HTTP 500, so its dialect cannot be told",
    });
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

  test("gets it there too where the refusal is wrapped in an internal error", async () => {
    const methods = { "tasks/send": OK, "tasks/get": -32001 };
    const { agent, text } = await detect({ card: CARD_03, methods, wraps: true });
    expect(text).toEqual(by("a2a-0.1"));
    expect(agent.calls.filter((method) => method.endsWith("send"))).toEqual(["message/send", "tasks/send"]);
  });

  test("does not get a message again because of what a tool of the agent was told", async () => {
    const error = {
      code: -32603,
      message: "oops",
      data: { code: -32601, message: "Method not found: tools/call" },
    };
    const agent = await startAgent({
      card: CARD_03,
      methods: { "tasks/get": -32001 },
      errors: { "message/send": error },
    });
    const { backend } = connect(agent.url);
    await expect(send(backend)).rejects.toMatchObject({ message: "oops" });
    expect(agent.calls.filter((method) => method.endsWith("send"))).toEqual(["message/send"]);
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
  test("says whether its clients choose the ids of tasks", async () => {
    const methods = { "tasks/pushNotification/get": -32001, "tasks/get": -32001 };
    const agent = await startAgent({ card: CARD_03, methods });
    const { backend } = connect(agent.url, [legacy]);
    expect(backend.clientMintsTaskIds).toBe(false);
    await expect(backend.getTask?.({ id: "t" }, call())).rejects.toMatchObject({ code: "task-not-found" });
    expect(backend.decision?.()).toContain("a2a-0.1");
    expect(backend.clientMintsTaskIds).toBe(true);
  });

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
