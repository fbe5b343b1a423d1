/** Clients that name their tasks themselves, as those of A2A 0.1 do. */
import { describe, expect, test } from "@jest/globals";
import type { Caller } from "../../src/gateway/gateway.ts";
import type { MessageSendParams } from "../../src/protocol/params.ts";
import { asTask, callerOf, gatewayOver, params } from "../support/fake-agent.ts";

const minting = (principal: string): Caller => ({ ...callerOf(principal).caller, mintsTaskIds: true });

/** An agent whose tasks are called vendor-1, vendor-2, … and which asks back if it is told to. */
const counting = () => {
  let count = 0;
  return {
    send: async ({ message }: MessageSendParams) => ({
      kind: "task" as const,
      id: message.taskId ?? `vendor-${++count}`,
      status: {
        state: JSON.stringify(message.parts).includes("ask") ? "input-required" : "completed",
      } as const,
    }),
  };
};

describe("a task that its client has named", () => {
  test("has that name, and nobody else learns of it", async () => {
    const { gateway } = await gatewayOver(counting());
    const hers = asTask(await gateway.sendMessage(params("hi", { taskId: "task-1" }), minting("ann")));
    expect(hers.id).toBe("task-1");
    await expect(gateway.getTask({ id: "task-1" }, minting("bob"))).rejects.toMatchObject({
      code: "task-not-found",
    });
  });

  test("of two principals' tasks of one name, each has its own", async () => {
    const { gateway } = await gatewayOver(counting());
    const first = { ...params("ask", { taskId: "task-1" }) };
    const [hers, his] = await Promise.all([
      gateway.sendMessage(first, minting("ann")),
      gateway.sendMessage(params("hi", { taskId: "task-1" }), minting("bob")),
    ]);
    expect(asTask(hers).id).not.toBe(asTask(his).id);
    const read = async (name: string) =>
      (await gateway.getTask({ id: "task-1" }, minting(name))).status.state;
    expect(await read("ann")).toBe("input-required");
    expect(await read("bob")).toBe("completed");
    const canceled = await gateway.cancelTask({ id: "task-1" }, minting("ann"));
    expect(canceled.status.state).toBe("canceled");
    expect(await read("bob")).toBe("completed");
  });

  test("is continued under its name", async () => {
    const { gateway } = await gatewayOver(counting());
    await gateway.sendMessage(params("hi", { taskId: "task-1" }), minting("bob"));
    await gateway.sendMessage(params("ask", { taskId: "task-1" }), minting("ann"));
    await gateway.sendMessage(params("hi", { taskId: "task-1" }), minting("ann"));
    const task = await gateway.getTask({ id: "task-1" }, minting("ann"));
    expect(task.history?.map(({ parts: [part] }) => part)).toEqual([
      { kind: "text", text: "ask" },
      { kind: "text", text: "hi" },
    ]);
  });

  test("is begun once, whoever sends it twice at a time", async () => {
    const open = Promise.withResolvers<void>();
    const { send } = counting();
    const { gateway } = await gatewayOver({
      send: async (sent) => {
        await open.promise;
        return send(sent);
      },
    });
    const both = [1, 2].map(() => gateway.sendMessage(params("hi", { taskId: "task-1" }), minting("ann")));
    await Promise.race(both).catch(() => {});
    open.resolve();
    const results = await Promise.allSettled(both);
    expect(results.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect(results.find(({ status }) => status === "rejected")).toMatchObject({
      reason: { code: "unsupported-operation" },
    });
  });

  test("can be canceled while its first answer is awaited", async () => {
    const { gateway } = await gatewayOver({ send: () => new Promise(() => {}) });
    const sent = gateway.sendMessage(params("hi", { taskId: "task-1" }), minting("ann"));
    const read = async (): Promise<string> => {
      for (;;) {
        const task = await gateway.getTask({ id: "task-1" }, minting("ann")).catch(() => undefined);
        if (task) return task.status.state;
        await new Promise((resolve) => void setImmediate(resolve));
      }
    };
    expect(await read()).toBe("submitted");
    await gateway.cancelTask({ id: "task-1" }, minting("ann"));
    expect(asTask(await sent).status.state).toBe("canceled");
  });

  test("is a task also if the agent answers with a message", async () => {
    const { gateway } = await gatewayOver({
      send: async () => ({ kind: "message", role: "agent", parts: [{ kind: "text", text: "hello" }] }),
    });
    const task = asTask(await gateway.sendMessage(params("hi", { taskId: "task-1" }), minting("ann")));
    expect(task).toMatchObject({
      id: "task-1",
      status: { state: "completed", message: { parts: [{ kind: "text", text: "hello" }] } },
    });
    expect((await gateway.getTask({ id: "task-1" }, minting("ann"))).status.state).toBe("completed");
  });

  test("leaves its name free if the agent could not be called", async () => {
    let isDown = true;
    const { send } = counting();
    const { gateway } = await gatewayOver({
      send: (sent) => (isDown ? Promise.reject(new Error("down")) : send(sent)),
    });
    const call = () => gateway.sendMessage(params("hi", { taskId: "task-1" }), minting("ann"));
    await expect(call()).rejects.toMatchObject({ code: "internal-error" });
    isDown = false;
    expect(asTask(await call()).id).toBe("task-1");
  });

  test("is not written over by a task to which the agent gives the same name", async () => {
    const { gateway } = await gatewayOver(counting());
    const hers = asTask(await gateway.sendMessage(params("hi", { taskId: "vendor-2" }), minting("ann")));
    const his = asTask(await gateway.sendMessage(params("hi"), callerOf("bob").caller));
    expect(hers.id).toBe("vendor-2");
    expect(his.id).not.toBe("vendor-2");
    expect((await gateway.getTask({ id: "vendor-2" }, minting("ann"))).history).toEqual(hers.history);
  });
});

test("a client that does not name its tasks begins none under an unknown id", async () => {
  const { gateway } = await gatewayOver(counting());
  await expect(
    gateway.sendMessage(params("hi", { taskId: "task-1" }), callerOf("ann").caller),
  ).rejects.toMatchObject({ code: "task-not-found" });
});
