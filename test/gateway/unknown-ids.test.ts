/**
 * What the vendor is given for contexts and tasks that the store does not know, or not any more: never the client's id,
 * which may be another caller's, whom the vendor may still remember.
 */
import { describe, expect, test } from "@jest/globals";
import { A2AError } from "../../src/protocol/errors.ts";
import { asTask, callerOf, gatewayOver, params } from "../support/fake-agent.ts";

/** An agent that announces contexts of its own, unless it is to be silent about them or to fail. */
async function start({ announces = true } = {}) {
  const seen: { contextId: string | undefined; references: string[] | undefined }[] = [];
  let fails = false;
  const { gateway, store } = await gatewayOver({
    send: async ({ message }) => {
      seen.push({ contextId: message.contextId, references: message.referenceTaskIds });
      if (fails) throw new A2AError("invalid-agent-response");
      const contextId = announces ? (message.contextId ?? `vendor-context-${seen.length}`) : undefined;
      return {
        kind: "task",
        id: `vendor-${seen.length}`,
        ...(contextId && { contextId }),
        status: { state: "completed" },
      };
    },
  });
  return {
    send: async (principal: string, more: Parameters<typeof params>[1] = {}) =>
      asTask(await gateway.sendMessage(params("hi", more), callerOf(principal).caller)),
    fail: () => (fails = true),
    sweep: () => store.sweep(Date.now() + 1_000),
    /** What the vendor was given last. */
    given: () => seen.at(-1),
  };
}

describe("a context that the client names first", () => {
  test.each([true, false])("has one id at the vendor, turn for turn (announced: %j)", async (announces) => {
    const agent = await start({ announces });
    expect((await agent.send("ann", { contextId: "mine" })).contextId).toBe("mine");
    const first = agent.given()?.contextId;
    expect(first).toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
    expect((await agent.send("ann", { contextId: "mine" })).contextId).toBe("mine");
    expect(agent.given()?.contextId).toBe(first);
    await agent.send("bob", { contextId: "mine" });
    expect(agent.given()?.contextId).not.toBe(first);
    await agent.sweep();
    await agent.send("ann", { contextId: "mine" });
    expect(agent.given()?.contextId).toBe(first);
  });

  test("keeps that id where its first turn fails", async () => {
    const agent = await start();
    const hers = (await agent.send("ann")).contextId;
    await agent.sweep();
    agent.fail();
    for (const _turn of [1, 2]) {
      await expect(agent.send("bob", { contextId: hers })).rejects.toThrow(A2AError);
      expect(agent.given()?.contextId).not.toBe(hers);
    }
  });
});

test("a context of the vendor's is the same towards both, until the store has forgotten it", async () => {
  const agent = await start();
  const hers = (await agent.send("ann")).contextId;
  expect(hers).toBe("vendor-context-1");
  await agent.send("ann", { contextId: hers });
  expect(agent.given()?.contextId).toBe(hers);
  await agent.sweep();
  for (const principal of ["bob", "ann"]) {
    expect((await agent.send(principal, { contextId: hers })).contextId).toBe(hers);
    expect(agent.given()?.contextId).not.toBe(hers);
  }
});

test("a task that the store has forgotten cannot be referred to", async () => {
  const agent = await start();
  const { id } = await agent.send("ann");
  await agent.send("ann", { referenceTaskIds: [id] });
  expect(agent.given()?.references).toEqual([id]);
  await agent.sweep();
  for (const principal of ["bob", "ann"]) {
    await agent.send(principal, { referenceTaskIds: [id] });
    expect(agent.given()?.references).toBeUndefined();
  }
});
