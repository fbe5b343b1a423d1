import { describe, expect, test } from "@jest/globals";
import type { AgentTask, Backend } from "../../src/adapter.ts";
import { A2AError } from "../../src/protocol/errors.ts";
import type { MessageSendParams } from "../../src/protocol/params.ts";
import { chunk, code, fedStream, status, task } from "../support/agent-events.ts";
import { asTask, callerOf, gatewayOver, params, reader, textOf } from "../support/fake-agent.ts";
import { expectValidStream } from "../support/invariants.ts";

describe("an agent that only streams", () => {
  const backend: Partial<Backend> = {
    async *stream() {
      yield chunk("Hello, ");
      yield chunk("world");
      yield status("completed");
    },
  };

  test("answers message/send with the whole Task", async () => {
    const { gateway } = await gatewayOver(backend);
    const sent = asTask(await gateway.sendMessage(params("hi"), callerOf().caller));
    expect([sent.status.state, textOf(sent)]).toEqual(["completed", "Hello, world"]);
  });

  test("has its finished task found by tasks/get", async () => {
    const { gateway } = await gatewayOver(backend);
    const sent = asTask(await gateway.sendMessage(params("hi"), callerOf().caller));
    expect(await gateway.getTask({ id: sent.id }, callerOf().caller)).toEqual(sent);
  });

  test("refuses another principal the task", async () => {
    const { gateway } = await gatewayOver(backend);
    const { id } = asTask(await gateway.sendMessage(params("hi"), callerOf("alice").caller));
    const bob = callerOf("bob").caller;
    for (const attempt of [
      gateway.getTask({ id }, bob),
      gateway.cancelTask({ id }, bob),
      gateway.resubscribe({ id }, bob),
      gateway.sendMessage(params("more", { taskId: id }), bob),
    ]) {
      expect(await attempt.catch(code)).toBe("task-not-found");
    }
  });
});

describe("an agent that only sends", () => {
  test("streams its Task as artifacts and a final status", async () => {
    const { gateway } = await gatewayOver({ send: async () => task("v1", "completed", "done") });
    const events = await reader(await gateway.streamMessage(params("hi"), callerOf().caller)).rest();
    expect([...expectValidStream(events).values()]).toEqual(["done"]);
    expect(events[0]).toMatchObject({ kind: "task", id: "v1", contextId: "vendor-context" });
  });

  test("streams its Message as the only event", async () => {
    const { gateway } = await gatewayOver({
      send: async () => ({ kind: "message", role: "agent", parts: [] }),
    });
    const events = await reader(await gateway.streamMessage(params("hi"), callerOf().caller)).rest();
    expect(events).toMatchObject([{ kind: "message", role: "agent" }]);
  });

  test("gives its stream's client a submitted Task while it is silent", async () => {
    const answer = Promise.withResolvers<AgentTask>();
    const { gateway } = await gatewayOver({ send: () => answer.promise });
    const events = reader(await gateway.streamMessage(params("hi"), callerOf().caller));
    expect(await events.next()).toMatchObject({ kind: "task", status: { state: "submitted" } });
    answer.resolve(task("v1", "completed", "late"));
    expect(await events.rest()).toMatchObject([{ artifact: { parts: [{ text: "late" }] } }, { final: true }]);
  });

  test("answers blocking: false at once and works on", async () => {
    const answer = Promise.withResolvers<AgentTask>();
    const { gateway } = await gatewayOver({ send: () => answer.promise });
    const { caller } = callerOf();
    const sent = asTask(await gateway.sendMessage(params("hi", {}, { blocking: false }), caller));
    expect(sent.status.state).toBe("submitted");
    const events = reader(await gateway.resubscribe({ id: sent.id }, caller));
    answer.resolve(task("v1", "completed", "late"));
    expectValidStream(await events.rest());
    expect(textOf(await gateway.getTask({ id: sent.id }, caller))).toBe("late");
  });

  test("is polled where it answers a Task that still runs", async () => {
    let looks = 0;
    const { gateway } = await gatewayOver({
      send: async () => task("v1", "submitted"),
      getTask: async () => (++looks < 3 ? task("v1", "working", "par") : task("v1", "completed", "partial")),
    });
    const events = await reader(await gateway.streamMessage(params("hi"), callerOf().caller)).rest();
    expect([...expectValidStream(events).values()]).toEqual(["partial"]);
  });

  test("answers a blocking send that takes too long with the Task as it is", async () => {
    const { gateway } = await gatewayOver(
      { send: () => new Promise(() => {}) },
      { timeouts: { blocking: 20, total: 10_000 } },
    );
    const { caller } = callerOf();
    const sent = asTask(await gateway.sendMessage(params("hi"), caller));
    expect(sent.status.state).toBe("submitted");
    expect((await gateway.cancelTask({ id: sent.id }, caller)).status.state).toBe("canceled");
  });
});

describe("a method that the agent turns out not to have", () => {
  test("falls back from stream to send, which is called once", async () => {
    let sends = 0;
    const { gateway } = await gatewayOver({
      // oxlint-disable-next-line require-yield
      async *stream() {
        throw new A2AError("unsupported-operation");
      },
      send: async () => task(`v${++sends}`, "completed", "sent"),
    });
    const events = await reader(await gateway.streamMessage(params("hi"), callerOf().caller)).rest();
    expect([...expectValidStream(events).values()]).toEqual(["sent"]);
    expect(sends).toBe(1);
  });

  test("does not send again after another error", async () => {
    let sends = 0;
    const { gateway } = await gatewayOver({
      // oxlint-disable-next-line require-yield
      async *stream() {
        throw new A2AError("agent-unavailable");
      },
      send: async () => task(`v${++sends}`, "completed"),
    });
    expect(await gateway.streamMessage(params("hi"), callerOf().caller).catch(code)).toBe(
      "agent-unavailable",
    );
    expect(sends).toBe(0);
  });
});

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

describe("turns and contexts", () => {
  test("continues an interrupted task under the agent's ids", async () => {
    const seen: MessageSendParams[] = [];
    const { gateway } = await gatewayOver({
      send: async (sent) => {
        seen.push(sent);
        return seen.length === 1 ? task("v1", "input-required") : task("v1", "completed", "thanks");
      },
    });
    const { caller } = callerOf();
    const first = asTask(await gateway.sendMessage(params("hi", { contextId: "mine" }), caller));
    expect([first.id, first.contextId, first.status.state]).toEqual(["v1", "mine", "input-required"]);
    const second = asTask(
      await gateway.sendMessage(params("more", { taskId: "v1", contextId: "mine" }), caller),
    );
    expect([second.id, second.contextId, second.status.state]).toEqual(["v1", "mine", "completed"]);
    expect(seen[1]?.message).toMatchObject({ taskId: "v1", contextId: "vendor-context" });
    expect(second.history?.map(({ parts }) => parts)).toEqual([
      [{ kind: "text", text: "hi" }],
      [{ kind: "text", text: "more" }],
    ]);
  });

  test("sends the agent's own context id on the next task of the client's context", async () => {
    const seen: (string | undefined)[] = [];
    const { gateway } = await gatewayOver({
      send: async ({ message }) => {
        seen.push(message.contextId);
        return task(`v${seen.length}`, "completed");
      },
    });
    const { caller } = callerOf();
    await gateway.sendMessage(params("1", { contextId: "mine" }), caller);
    const second = asTask(await gateway.sendMessage(params("2", { contextId: "mine" }), caller));
    expect(seen).toEqual([expect.stringMatching(UUID), "vendor-context"]);
    expect(second.contextId).toBe("mine");
  });

  test("keeps principals' contexts apart, also where the agent reuses one", async () => {
    const seen: (string | undefined)[] = [];
    const { gateway } = await gatewayOver({
      send: async ({ message }) => {
        seen.push(message.contextId);
        return { kind: "message", role: "agent", contextId: "shared", parts: [] };
      },
    });
    const alice = await gateway.sendMessage(params("1"), callerOf("alice").caller);
    const bob = await gateway.sendMessage(params("2"), callerOf("bob").caller);
    expect(alice.contextId).toBe("shared");
    expect(bob.contextId).not.toBe("shared");
    await gateway.sendMessage(params("3", { contextId: "shared" }), callerOf("bob").caller);
    expect(seen).toEqual([undefined, undefined, expect.stringMatching(UUID)]);
  });

  test("does not let a principal into another's context by the agent's own id of it", async () => {
    const seen: (string | undefined)[] = [];
    const { gateway } = await gatewayOver({
      send: async ({ message }) => {
        seen.push(message.contextId);
        return task(`v${seen.length}`, "completed");
      },
    });
    await gateway.sendMessage(params("1", { contextId: "mine" }), callerOf("alice").caller);
    await gateway.sendMessage(params("2", { contextId: "vendor-context" }), callerOf("bob").caller);
    expect(seen).toEqual([expect.stringMatching(UUID), expect.stringMatching(UUID)]);
    expect(seen[0]).not.toBe(seen[1]);
  });

  test("gives a new id to a task whose id the agent uses twice", async () => {
    const { gateway } = await gatewayOver({ send: async () => task("same", "completed") });
    const { caller } = callerOf();
    const first = asTask(await gateway.sendMessage(params("1"), caller));
    const second = asTask(await gateway.sendMessage(params("2"), caller));
    expect(first.id).toBe("same");
    expect(second.id).not.toBe("same");
  });

  test("recognises an interrupted task that the agent resumes although the client did not name it", async () => {
    let turn = 0;
    const { gateway } = await gatewayOver({
      send: async () => task("v1", ++turn === 1 ? "input-required" : "completed"),
    });
    const { caller } = callerOf();
    const first = asTask(await gateway.sendMessage(params("1"), caller));
    const second = asTask(await gateway.sendMessage(params("2", { contextId: first.contextId }), caller));
    expect(second.id).toBe(first.id);
    expect(second.history).toHaveLength(2);
  });

  test("refuses a message to a finished, a working, a foreign context's and an unknown task", async () => {
    const source = fedStream();
    const { gateway } = await gatewayOver({
      stream: (sent, call) => source.stream(sent, call),
      send: async () => task("done", "completed"),
    });
    const { caller } = callerOf();
    await gateway.sendMessage(params("1"), caller);
    source.push(task("busy", "working"));
    await gateway.streamMessage(params("2"), caller);
    const attempt = (taskId: string, contextId?: string) =>
      gateway
        .sendMessage(params("x", contextId === undefined ? { taskId } : { taskId, contextId }), caller)
        .catch(code);
    expect(await attempt("done")).toBe("invalid-params");
    expect(await attempt("done", "elsewhere")).toBe("invalid-params");
    expect(await attempt("busy")).toBe("unsupported-operation");
    expect(await attempt("nobody")).toBe("task-not-found");
  });
});
