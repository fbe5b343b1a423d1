/** A task has one owner: what two clients, or a client and the clock, want of it at the same time. */
import { describe, expect, test } from "@jest/globals";
import type { AgentTask, Backend } from "../../src/adapter.ts";
import { Leases } from "../../src/gateway/turn/turn.ts";
import type { Message, Task } from "../../src/protocol/model.ts";
import type { MessageSendParams } from "../../src/protocol/params.ts";
import { code, fedStream, status, task } from "../support/agent-events.ts";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import type { TaskStore } from "../../src/store/store.ts";
import {
  asTask,
  callerOf,
  type FakeAgentOptions,
  gatewayOver,
  params,
  reader,
} from "../support/fake-agent.ts";

/** A store whose next look at a task waits until it is let go on; `looking` resolves when that look has begun. */
function heldStore(store: TaskStore) {
  const [looking, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let skip = Number.POSITIVE_INFINITY;
  const getTask: TaskStore["getTask"] = async (key) => {
    if (skip-- === 0) {
      looking.resolve();
      await go.promise;
    }
    return await store.getTask(key);
  };
  const held = new Proxy(store, {
    get: (target, name) => {
      if (name === "getTask") return getTask;
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
  /** @param looks that pass before the one that waits */
  const hold = (looks: number): void => {
    skip = looks;
  };
  return { held, hold, looking: looking.promise, go: go.resolve };
}

/** A gateway whose agent has asked for input in the task v1; `later` answers from then on. */
async function interrupted(later: Partial<Backend>, options: FakeAgentOptions = {}) {
  const sent: MessageSendParams[] = [];
  const { send } = later;
  const backend: Partial<Backend> = {
    ...later,
    send: async (message, call) => {
      sent.push(message);
      if (sent.length === 1 || !send) return task("v1", "input-required");
      return await send(message, call);
    },
  };
  const made = await gatewayOver(backend, options);
  const { caller } = callerOf();
  await made.gateway.sendMessage(params("hi"), caller);
  return { ...made, caller, sent };
}

/** What a promise came to: the state of the task, or the code of the error. */
const outcome = (answer: Promise<Task | Message>): Promise<unknown> =>
  answer.then((result) => asTask(result).status.state, code);

describe("an interrupted task", () => {
  test("takes one of two messages at the same time, and refuses the other", async () => {
    const { gateway, caller, sent } = await interrupted({ send: async () => task("v1", "completed") });
    const answer = (text: string) => outcome(gateway.sendMessage(params(text, { taskId: "v1" }), caller));
    const outcomes = await Promise.all([answer("one"), answer("two")]);
    expect(outcomes).toEqual(["completed", "unsupported-operation"]);
    expect(sent).toHaveLength(2);
  });

  test("refuses a message while it is being canceled at the agent", async () => {
    const asked = Promise.withResolvers<void>();
    const canceled = Promise.withResolvers<AgentTask>();
    const { gateway, caller, sent } = await interrupted({
      cancelTask: () => {
        asked.resolve();
        return canceled.promise;
      },
    });
    const cancel = outcome(gateway.cancelTask({ id: "v1" }, caller));
    await asked.promise;
    const message = outcome(gateway.sendMessage(params("more", { taskId: "v1" }), caller));
    expect(await message).toBe("unsupported-operation");
    canceled.resolve(task("v1", "canceled"));
    expect(await cancel).toBe("canceled");
    expect(sent).toHaveLength(1);
  });

  test("takes a message again after the agent has refused the cancel", async () => {
    const { gateway, caller } = await interrupted({
      send: async () => task("v1", "completed"),
      cancelTask: () => Promise.reject(new Error("not now")),
    });
    expect(await outcome(gateway.cancelTask({ id: "v1" }, caller))).not.toBe("canceled");
    expect(await outcome(gateway.sendMessage(params("more", { taskId: "v1" }), caller))).toBe("completed");
  });

  test("is canceled once, however many cancel it at the same time", async () => {
    const { gateway, store, caller } = await interrupted({});
    const cancels = [1, 2, 3].map(() => outcome(gateway.cancelTask({ id: "v1" }, caller)));
    expect(await Promise.all(cancels)).toEqual(["canceled", "canceled", "canceled"]);
    const logged = await store.eventsAfter({ agent: "fake", id: "v1" }, 0, 100);
    expect(logged.filter(({ json }) => json.includes('"final":true'))).toHaveLength(1);
    expect(await outcome(gateway.cancelTask({ id: "v1" }, caller))).toBe("task-not-cancelable");
  });

  test("is canceled in the turn of a message that is just being sent", async () => {
    const source = fedStream();
    source.push(status("working"));
    const { held, hold, looking, go } = heldStore(
      await openSqliteStore({ path: ":memory:", synchronous: "normal" }),
    );
    const { gateway, store, caller } = await interrupted(
      { stream: (sent, call) => source.stream(sent, call) },
      { store: held },
    );
    // The first look finds the task, the second is the one under the lease.
    hold(1);
    const streamed = gateway.streamMessage(params("more", { taskId: "v1" }), caller);
    await looking;
    const canceled = outcome(gateway.cancelTask({ id: "v1" }, caller));
    go();
    expect(await canceled).toBe("canceled");
    const events = await reader(await streamed).rest();
    expect(events.at(-1)).toMatchObject({ final: true, status: { state: "canceled" } });
    const logged = await store.eventsAfter({ agent: "fake", id: "v1" }, 0, 100);
    expect(JSON.parse(logged.at(-1)?.json ?? "null")).toMatchObject({ status: { state: "canceled" } });
  });

  test("that has gone on at the agent is followed once, however many ask for it", async () => {
    const report = Promise.withResolvers<AgentTask>();
    const { gateway, store, caller } = await interrupted({ getTask: () => report.promise });
    const answers = [1, 2, 3].map(() => gateway.getTask({ id: "v1" }, caller));
    report.resolve(task("v1", "completed", "done"));
    await Promise.all(answers);
    expect((await gateway.getTask({ id: "v1" }, caller)).status.state).toBe("completed");
    const logged = await store.eventsAfter({ agent: "fake", id: "v1" }, 0, 100);
    expect(logged.filter(({ json }) => json.includes('"final":true'))).toHaveLength(1);
  });

  test("keeps a message's turn from an older report of the agent", async () => {
    const source = fedStream();
    source.push(status("working"));
    const report = Promise.withResolvers<AgentTask>();
    const { gateway, caller } = await interrupted({
      stream: (sent, call) => source.stream(sent, call),
      getTask: () => report.promise,
    });
    const asked = outcome(gateway.getTask({ id: "v1" }, caller));
    const events = reader(await gateway.streamMessage(params("more", { taskId: "v1" }), caller));
    report.resolve(task("v1", "canceled"));
    expect(await asked).toBe("input-required");
    source.push(status("completed"));
    source.end();
    expect((await events.rest()).at(-1)).toMatchObject({ status: { state: "completed" } });
  });
});

test("a turn whose total time ends with the wait for its answer leaves no task behind", async () => {
  const silent: Partial<Backend> = { send: () => new Promise(() => {}) };
  const { gateway, store } = await gatewayOver(silent, { timeouts: { blocking: 20, total: 20 } });
  expect(await outcome(gateway.sendMessage(params("hi"), callerOf().caller))).toBe("agent-unavailable");
  expect(await store.unfinishedTasks()).toEqual([]);
});

test.each(["streamMessage", "sendMessage"] as const)(
  "a client of onDisconnect: cancel that leaves before its %s has begun ends the turn",
  async (method) => {
    const source = fedStream();
    const { gateway } = await gatewayOver(source, { onDisconnect: "cancel" });
    const { caller, disconnect } = callerOf();
    const answer = gateway[method](params("hi"), caller).catch(code);
    disconnect();
    expect(await answer).toBe("agent-unavailable");
    expect(source.calls.every(({ call }) => call.signal.aborted)).toBe(true);
  },
);

test("a lease has one holder, and an old one does not release the next holder's", () => {
  const leases = new Leases();
  const first = leases.take("t");
  if (!first) throw new Error("the first lease was refused");
  expect([leases.take("t"), leases.take("u")?.taskId]).toEqual([undefined, "u"]);
  leases.release(first);
  const second = leases.take("t");
  expect(second?.token).toBeGreaterThan(first.token);
  leases.release(first);
  expect(leases.take("t")).toBeUndefined();
});
