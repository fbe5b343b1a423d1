import { describe, expect, test } from "@jest/globals";
import type { Gateway } from "../../src/gateway/gateway.ts";
import { A2AError } from "../../src/protocol/errors.ts";
import { chunk, code, fedStream, status, task } from "../support/agent-events.ts";
import { expectValidStream } from "../support/invariants.ts";
import { callerOf, gatewayOver, params, reader, textOf } from "../support/fake-agent.ts";

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
      stream: (sent, call) => source.stream(sent, call),
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
      stream: (sent, call) => source.stream(sent, call),
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

  test("reaches an agent that has not answered yet, where the client mints the ids", async () => {
    const source = fedStream();
    const asked: string[] = [];
    const { gateway } = await gatewayOver(
      {
        clientMintsTaskIds: true,
        send: async (_params, { signal }) =>
          new Promise<never>((_resolve, reject) => {
            signal.addEventListener("abort", () => reject(signal.reason));
          }),
        stream: (sent, call) => source.stream(sent, call),
        cancelTask: async ({ id }) => {
          asked.push(id);
          return task(id, "canceled");
        },
      },
      { timeouts: { blocking: 20 } },
    );
    const { caller } = callerOf();
    const sent = await gateway.sendMessage(params("hi"), caller);
    const id = sent.kind === "task" ? sent.id : "";
    expect((await gateway.cancelTask({ id }, caller)).status.state).toBe("canceled");
    expect(asked).toEqual([id]);
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

  test("answers with the task as it is where the agent leaves it waiting for input", async () => {
    const { gateway } = await gatewayOver({
      send: async () => task("v1", "input-required"),
      getTask: async ({ id }) => task(id, "input-required"),
      cancelTask: async ({ id }) => task(id, "input-required"),
    });
    const { caller } = callerOf();
    await gateway.sendMessage(params("hi"), caller);
    expect((await gateway.cancelTask({ id: "v1" }, caller)).status.state).toBe("input-required");
    expect((await gateway.getTask({ id: "v1" }, caller)).status.state).toBe("input-required");
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

/** Someone who listens to a task from its beginning until `leave`, and someone else who has joined. */
async function twoListeners(gateway: Gateway) {
  const { caller, disconnect } = callerOf();
  const events = reader(await gateway.streamMessage(params("hi"), caller));
  await events.next();
  const other = reader(await gateway.resubscribe({ id: "v1" }, callerOf().caller));
  await other.next();
  const leave = (): void => {
    events.close();
    disconnect();
  };
  return { leave, other };
}

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

  test("stops it with onDisconnect: cancel, here and at the agent", async () => {
    const source = fedStream();
    const canceled = Promise.withResolvers<string>();
    const { gateway } = await gatewayOver(
      {
        stream: (sent, call) => source.stream(sent, call),
        cancelTask: async ({ id }) => {
          canceled.resolve(id);
          return task(id, "canceled");
        },
      },
      { onDisconnect: "cancel" },
    );
    source.push(task("v1", "working"));
    const { leave, other } = await twoListeners(gateway);
    other.close();
    leave();
    expect(await canceled.promise).toBe("v1");
  });

  test("goes on with onDisconnect: cancel while somebody else listens", async () => {
    const source = fedStream();
    const { gateway } = await gatewayOver(source, { onDisconnect: "cancel" });
    source.push(task("v1", "working"));
    const { leave, other } = await twoListeners(gateway);
    leave();
    expect((await gateway.getTask({ id: "v1" }, callerOf().caller)).status.state).toBe("working");
    source.push(status("completed"));
    source.end();
    expect((await other.rest()).at(-1)).toMatchObject({ status: { state: "completed" } });
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
    while (textOf(await gateway.getTask({ id: "v1" }, caller)) !== "ab") {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  });
});
