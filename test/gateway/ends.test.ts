import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turnOfLoop } from "node:timers/promises";
import { describe, expect, test } from "@jest/globals";
import type { Backend } from "../../src/adapter.ts";
import { A2AError } from "../../src/protocol/errors.ts";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import { chunk, code, fedStream, task } from "../support/agent-events.ts";
import { asTask, callerOf, gatewayOver, params, reader, textOf } from "../support/fake-agent.ts";
import { expectValidStream } from "../support/invariants.ts";

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

  test("fails with what broke it where the agent does not know the task any more", async () => {
    const { gateway } = await gatewayOver({
      async *stream() {
        yield task("v1", "working");
        throw new A2AError("agent-unavailable", { message: "connection reset" });
      },
      getTask: async () => {
        throw new A2AError("task-not-found");
      },
    });
    const sent = asTask(await gateway.sendMessage(params("hi"), callerOf().caller));
    expect(sent.status.message?.parts).toEqual([{ kind: "text", text: "connection reset" }]);
  });

  test("is asked for before its first event, where the client mints the ids and the call may have arrived", async () => {
    const backend = (stage: string): Partial<Backend> => ({
      clientMintsTaskIds: true,
      send: async () => {
        throw new A2AError("agent-unavailable", { message: "broken", data: { stage } });
      },
      getTask: async ({ id }) => task(id, "completed", "done all the same"),
    });
    const arrived = await gatewayOver(backend("headers"));
    const sent = asTask(await arrived.gateway.sendMessage(params("hi"), callerOf().caller));
    expect([sent.status.state, textOf(sent)]).toEqual(["completed", "done all the same"]);
    const never = await gatewayOver(backend("connect"));
    expect(await never.gateway.sendMessage(params("hi"), callerOf().caller).catch(code)).toBe(
      "agent-unavailable",
    );
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

  test("says which time is over where nothing has come", async () => {
    const silent: Partial<Backend> = { send: () => new Promise(() => {}) };
    const { gateway } = await gatewayOver(silent, { timeouts: { total: 20 } });
    const error = await gateway
      .sendMessage(params("hi"), callerOf().caller)
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: "agent-unavailable",
      data: { agent: "fake", stage: "timeout", timeout: "total" },
    });
  });

  test("ends although the agent never stops after its final state, and so does the reading", async () => {
    const ended = Promise.withResolvers<string>();
    const { gateway } = await gatewayOver(
      {
        async *stream(_params, { signal }) {
          try {
            yield task("v1", "completed");
            while (!signal.aborted) {
              yield chunk("late ");
              await new Promise((resolve) => setTimeout(resolve, 1));
            }
          } finally {
            ended.resolve("the stream was left");
          }
        },
      },
      { timeouts: { linger: 3 } },
    );
    const events = await reader(await gateway.streamMessage(params("hi"), callerOf().caller)).rest();
    expectValidStream(events);
    expect(events.at(-1)).toMatchObject({ final: true, status: { state: "completed" } });
    expect(await ended.promise).toBe("the stream was left");
  });

  test("fails a task whose messages outgrow its limit", async () => {
    const { gateway } = await gatewayOver(
      {
        async *stream() {
          for (let n = 0; n < 100; n++) {
            const parts = [{ kind: "text" as const, text: `thought ${n}` }];
            const message = { kind: "message" as const, role: "agent" as const, parts };
            yield { kind: "status-update", status: { state: "working", message } };
          }
          yield task("v1", "completed");
        },
      },
      { limits: { task: 1000 } },
    );
    const events = await reader(await gateway.streamMessage(params("hi"), callerOf().caller)).rest();
    expectValidStream(events);
    expect(events.at(-1)).toMatchObject({ status: { state: "failed" } });
  });

  test("fails a task that outgrows its limit, and leaves the agent's stream", async () => {
    const left = Promise.withResolvers<string>();
    const { gateway } = await gatewayOver(
      {
        async *stream() {
          try {
            for (;;) yield chunk("0123456789");
          } finally {
            left.resolve("the stream was left");
          }
        },
      },
      { limits: { task: 100 } },
    );
    const events = await reader(await gateway.streamMessage(params("hi"), callerOf().caller)).rest();
    expectValidStream(events);
    expect(events.at(-1)).toMatchObject({ status: { state: "failed" } });
    expect(await left.promise).toBe("the stream was left");
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
  /** A message/send that waits for the answer when the gateway stops, and the store of before and after. */
  async function stopped(backend: Partial<Backend>, path: string) {
    const source = fedStream();
    const asked = Promise.withResolvers<void>();
    const store = await openSqliteStore({ path, synchronous: "normal" });
    const { gateway } = await gatewayOver(
      {
        ...backend,
        async *stream(sent, call) {
          asked.resolve();
          yield* source.stream(sent, call);
        },
      },
      { store },
    );
    source.push(task("v1", "working"), chunk("one "));
    const answer = gateway.sendMessage(params("hi"), callerOf().caller).then(asTask, code);
    await asked.promise;
    while (source.waiting > 0) await turnOfLoop();
    await gateway.stop(5);
    return { answer: await answer, store };
  }

  test("leaves a task that the agent can be asked for to the next start, and tells the client of it", async () => {
    const folder = await mkdtemp(join(tmpdir(), "ends-"));
    const getTask = async () => task("v1", "completed", "one two");
    const { answer, store } = await stopped({ getTask }, join(folder, "proxy.db"));
    expect(answer).toMatchObject({ kind: "task", id: "v1", status: { state: "working" } });
    const [record] = await store.unfinishedTasks();
    if (!record) throw new Error("the running task is not in the store");
    const after = await gatewayOver({ getTask }, { store });
    await after.gateway.recover(record);
    const recovered = await after.gateway.getTask({ id: "v1" }, callerOf().caller);
    expect([recovered.status.state, textOf(recovered)]).toEqual(["completed", "one two"]);
    await store.close();
    await rm(folder, { recursive: true });
  });

  test("fails it if the store keeps nothing for the next start", async () => {
    const getTask = async () => task("v1", "completed", "one two");
    const { answer, store } = await stopped({ getTask }, ":memory:");
    expect(answer).toMatchObject({ id: "v1", status: { state: "failed" } });
    expect(await store.unfinishedTasks()).toEqual([]);
  });

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
