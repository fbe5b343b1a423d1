import { describe, expect, test } from "@jest/globals";
import type { AgentArtifactUpdate, AgentEvent, AgentTask, Backend, Call } from "../../src/adapter.ts";
import { A2AError } from "../../src/protocol/errors.ts";
import type { MessageSendParams } from "../../src/protocol/params.ts";
import { asTask, callerOf, gatewayOver, params, reader, textOf } from "../support/fake-agent.ts";
import { expectValidStream } from "../support/invariants.ts";

const chunk = (text: string, append = true): AgentArtifactUpdate => ({
  kind: "artifact-update",
  append,
  artifact: { artifactId: "a", parts: [{ kind: "text", text }] },
});
const status = (state: "working" | "completed" | "input-required"): AgentEvent => ({
  kind: "status-update",
  status: { state },
});
const task = (id: string, state: AgentTask["status"]["state"], text?: string): AgentTask => ({
  kind: "task",
  id,
  contextId: "vendor-context",
  status: { state },
  ...(text === undefined ? {} : { artifacts: [{ artifactId: "a", parts: [{ kind: "text", text }] }] }),
});

/** A stream that a test feeds; it stays open until `end`. */
function fedStream() {
  const queue: AgentEvent[] = [];
  let wake = Promise.withResolvers<void>();
  let ended = false;
  const calls: { params: MessageSendParams; call: Call }[] = [];
  return {
    calls,
    push(...events: AgentEvent[]) {
      queue.push(...events);
      wake.resolve();
    },
    end() {
      ended = true;
      wake.resolve();
    },
    async *stream(sent: MessageSendParams, call: Call): AsyncGenerator<AgentEvent> {
      calls.push({ params: sent, call });
      const aborted = new Promise<never>((_resolve, reject) => {
        call.signal.addEventListener("abort", () => reject(call.signal.reason as Error));
      });
      aborted.catch(() => {});
      for (;;) {
        const next = queue.shift();
        if (next) yield next;
        else if (ended) return;
        else {
          await Promise.race([wake.promise, aborted]);
          wake = Promise.withResolvers<void>();
        }
      }
    },
  };
}

const code = (error: unknown): unknown => (error instanceof A2AError ? error.code : error);

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

describe("a stream that breaks", () => {
  test("is completed from the agent's own record, without doubling text", async () => {
    const { gateway } = await gatewayOver({
      async *stream() {
        yield { ...task("v1", "working") };
        yield chunk("one ");
        throw new A2AError("agent-unavailable", { message: "connection reset" });
      },
      getTask: async () => task("v1", "completed", "one two"),
    });
    const events = await reader(await gateway.streamMessage(params("hi"), callerOf().caller)).rest();
    expect([...expectValidStream(events).values()]).toEqual(["one two"]);
    expect(events.at(-1)).toMatchObject({ status: { state: "completed" } });
  });

  test("fails with the reason where the agent cannot be asked", async () => {
    const { gateway } = await gatewayOver({
      async *stream() {
        yield chunk("one");
        throw new A2AError("agent-unavailable", { message: "connection reset" });
      },
    });
    const events = await reader(await gateway.streamMessage(params("hi"), callerOf().caller)).rest();
    expectValidStream(events);
    expect(events.at(-1)).toMatchObject({
      final: true,
      status: { state: "failed", message: { parts: [{ text: "connection reset" }] } },
    });
  });

  test("fails when it ends without a final state", async () => {
    const { gateway } = await gatewayOver({
      async *stream() {
        yield chunk("one");
      },
    });
    const sent = asTask(await gateway.sendMessage(params("hi"), callerOf().caller));
    expect([sent.status.state, textOf(sent)]).toEqual(["failed", "one"]);
  });

  test("is an error where nothing had come", async () => {
    const { gateway } = await gatewayOver({ async *stream() {} });
    expect(await gateway.streamMessage(params("hi"), callerOf().caller).catch(code)).toBe(
      "invalid-agent-response",
    );
  });

  test("fails after the idle time, and the agent's connection is closed", async () => {
    const source = fedStream();
    const { gateway } = await gatewayOver(source, { timeouts: { idle: 20 } });
    source.push(chunk("one"));
    const events = await reader(await gateway.streamMessage(params("hi"), callerOf().caller)).rest();
    expect(events.at(-1)).toMatchObject({ status: { state: "failed" } });
    expect(source.calls[0]?.call.signal.aborted).toBe(true);
  });

  test("is an error after the first-event time", async () => {
    const { gateway } = await gatewayOver(fedStream(), { timeouts: { firstEvent: 20 } });
    const error = await gateway
      .streamMessage(params("hi"), callerOf().caller)
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: "agent-unavailable",
      data: { stage: "timeout", timeout: "firstEvent" },
    });
  });

  test("ends in the total time", async () => {
    const { gateway } = await gatewayOver(
      {
        async *stream(_params, { signal }) {
          for (let n = 0; !signal.aborted; n++) {
            yield chunk(String(n));
            await new Promise((resolve) => setTimeout(resolve, 5));
          }
          throw signal.reason;
        },
      },
      { timeouts: { total: 60 } },
    );
    const events = await reader(await gateway.streamMessage(params("hi"), callerOf().caller)).rest();
    expectValidStream(events);
    expect(events.at(-1)).toMatchObject({ status: { state: "failed" } });
  });

  test("fails a task that outgrows its limit", async () => {
    const { gateway } = await gatewayOver(
      {
        async *stream() {
          for (;;) yield chunk("0123456789");
        },
      },
      { limits: { task: 100 } },
    );
    const events = await reader(await gateway.streamMessage(params("hi"), callerOf().caller)).rest();
    expectValidStream(events);
    expect(events.at(-1)).toMatchObject({ status: { state: "failed" } });
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

describe("cancel", () => {
  test("ends the upstream call where the agent has no tasks/cancel, and tells listeners", async () => {
    const source = fedStream();
    const { gateway } = await gatewayOver(source);
    const { caller } = callerOf();
    source.push(chunk("one"));
    const events = reader(await gateway.streamMessage(params("hi"), caller));
    const first = await events.next();
    const id = first?.kind === "task" ? first.id : "";
    expect((await gateway.cancelTask({ id }, caller)).status.state).toBe("canceled");
    expect((await events.rest()).at(-1)).toMatchObject({ final: true, status: { state: "canceled" } });
    expect(source.calls[0]?.call.signal.aborted).toBe(true);
  });

  test("asks the agent where it can, under the agent's id", async () => {
    const source = fedStream();
    const asked: string[] = [];
    const { gateway } = await gatewayOver({
      stream: source.stream,
      cancelTask: async ({ id }) => {
        asked.push(id);
        return task(id, "canceled");
      },
    });
    const { caller } = callerOf();
    source.push(task("v1", "working"));
    const events = reader(await gateway.streamMessage(params("hi"), caller));
    await events.next();
    expect((await gateway.cancelTask({ id: "v1" }, caller)).status.state).toBe("canceled");
    expect(asked).toEqual(["v1"]);
    expect(await events.rest()).toMatchObject([{ final: true, status: { state: "canceled" } }]);
  });

  test("passes on the agent's refusal, and the task goes on", async () => {
    const source = fedStream();
    const { gateway } = await gatewayOver({
      stream: source.stream,
      cancelTask: async () => {
        throw new A2AError("task-not-cancelable");
      },
    });
    const { caller } = callerOf();
    source.push(task("v1", "working"));
    const events = reader(await gateway.streamMessage(params("hi"), caller));
    await events.next();
    expect(await gateway.cancelTask({ id: "v1" }, caller).catch(code)).toBe("task-not-cancelable");
    source.push(status("completed"));
    source.end();
    expect((await events.rest()).at(-1)).toMatchObject({ status: { state: "completed" } });
  });

  test("refuses a finished task", async () => {
    const { gateway } = await gatewayOver({ send: async () => task("v1", "completed") });
    await gateway.sendMessage(params("hi"), callerOf().caller);
    expect(await gateway.cancelTask({ id: "v1" }, callerOf().caller).catch(code)).toBe("task-not-cancelable");
  });

  test("cancels a task that waits for input", async () => {
    const { gateway } = await gatewayOver({ send: async () => task("v1", "input-required") });
    const { caller } = callerOf();
    await gateway.sendMessage(params("hi"), caller);
    expect((await gateway.cancelTask({ id: "v1" }, caller)).status.state).toBe("canceled");
    expect((await gateway.getTask({ id: "v1" }, caller)).status.state).toBe("canceled");
  });
});

describe("resubscribe", () => {
  test("begins with the Task as it is now and follows, for any number of listeners", async () => {
    const source = fedStream();
    const { gateway } = await gatewayOver(source);
    const { caller } = callerOf();
    source.push(task("v1", "working"), chunk("one "));
    const first = reader(await gateway.streamMessage(params("hi"), caller));
    await first.next();
    await first.next();
    const others = await Promise.all(
      [1, 2, 3].map(async () => reader(await gateway.resubscribe({ id: "v1" }, caller))),
    );
    source.push(chunk("two"), status("completed"));
    source.end();
    for (const other of others) {
      const events = await other.rest();
      expect([...expectValidStream(events).values()]).toEqual(["one two"]);
      expect(events).toHaveLength(3);
    }
  });

  test("gives a finished task and ends", async () => {
    const { gateway } = await gatewayOver({ send: async () => task("v1", "completed", "x") });
    const sent = await gateway.sendMessage(params("hi"), callerOf().caller);
    expect(await reader(await gateway.resubscribe({ id: "v1" }, callerOf().caller)).rest()).toEqual([sent]);
  });
});

describe("a client that disconnects", () => {
  test("does not stop its task", async () => {
    const source = fedStream();
    const { gateway } = await gatewayOver(source);
    const { caller, disconnect } = callerOf();
    source.push(task("v1", "working"));
    const events = reader(await gateway.streamMessage(params("hi"), caller));
    await events.next();
    events.close();
    disconnect();
    const again = reader(await gateway.resubscribe({ id: "v1" }, callerOf().caller));
    source.push(chunk("x"), status("completed"));
    source.end();
    expect([...expectValidStream(await again.rest()).values()]).toEqual(["x"]);
  });

  test("stops it with onDisconnect: cancel, when nobody else listens", async () => {
    const source = fedStream();
    const { gateway } = await gatewayOver(source, { onDisconnect: "cancel" });
    const { caller, disconnect } = callerOf();
    source.push(task("v1", "working"));
    const events = reader(await gateway.streamMessage(params("hi"), caller));
    await events.next();
    const other = reader(await gateway.resubscribe({ id: "v1" }, callerOf().caller));
    await other.next();
    events.close();
    disconnect();
    expect((await gateway.getTask({ id: "v1" }, callerOf().caller)).status.state).toBe("working");
    source.push(status("completed"));
    source.end();
    expect((await other.rest()).at(-1)).toMatchObject({ status: { state: "completed" } });
  });
});

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
    expect(seen).toEqual(["mine", "vendor-context"]);
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
    expect(seen).toEqual([undefined, undefined, undefined]);
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
      stream: source.stream,
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

describe("what comes late", () => {
  test("is stored with the task when the stream has ended", async () => {
    const source = fedStream();
    const { gateway } = await gatewayOver(source);
    const { caller } = callerOf();
    source.push(task("v1", "working"), chunk("a"), status("completed"));
    const events = await reader(await gateway.streamMessage(params("hi"), caller)).rest();
    expect([...expectValidStream(events).values()]).toEqual(["a"]);
    source.push(chunk("b"));
    source.end();
    for (let tries = 0; tries < 100; tries++) {
      if (textOf(await gateway.getTask({ id: "v1" }, caller)) === "ab") return;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    throw new Error("the late artifact was lost");
  });
});

describe("a restart", () => {
  async function interrupted(backend: Partial<Backend>) {
    const source = fedStream();
    const before = await gatewayOver(source);
    source.push(task("v1", "working"), chunk("one "));
    const events = reader(await before.gateway.streamMessage(params("hi"), callerOf().caller));
    await events.next();
    await events.next();
    const after = await gatewayOver(backend, { store: before.store });
    const [record] = await before.store.unfinishedTasks();
    if (!record) throw new Error("the running task is not in the store");
    await after.gateway.recover(record);
    return after.gateway.getTask({ id: "v1" }, callerOf().caller);
  }

  test("takes a task up where the agent can tell of it", async () => {
    const recovered = await interrupted({ getTask: async () => task("v1", "completed", "one two") });
    expect([recovered.status.state, textOf(recovered)]).toEqual(["completed", "one two"]);
  });

  test("fails it, with all its text, where the agent cannot", async () => {
    const failed = await interrupted({});
    expect([failed.status.state, textOf(failed)]).toEqual(["failed", "one "]);
    expect(failed.status.message?.parts).toMatchObject([{ text: expect.stringContaining("restarted") }]);
  });

  test("fails it where the agent has forgotten it", async () => {
    const failed = await interrupted({
      getTask: async () => {
        throw new A2AError("task-not-found");
      },
    });
    expect(failed.status.state).toBe("failed");
  });
});

describe("stopping", () => {
  test("gives running turns a final state and refuses new ones", async () => {
    const source = fedStream();
    const { gateway } = await gatewayOver(source);
    source.push(chunk("x"));
    const events = reader(await gateway.streamMessage(params("hi"), callerOf().caller));
    await gateway.stop(20);
    const all = await events.rest();
    expectValidStream(all);
    expect(all.at(-1)).toMatchObject({ final: true, status: { state: "failed" } });
    expect(await gateway.sendMessage(params("hi"), callerOf().caller).catch(code)).toBe("shutting-down");
  });
});
