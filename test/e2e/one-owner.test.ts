/** Several clients at one task while the proxy looks up the names of their webhooks, which takes as long as it takes. */
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { pino } from "pino";
import { Task } from "../../src/protocol/model.ts";
import { LOOPBACK_PUSH } from "../push/webhook.ts";
import { cleanUp } from "../southbound/loopback.ts";
import { rpc, type RpcAnswer, userMessage } from "../support/client.ts";
import { startTestProxy, type TestProxy } from "../support/proxy.ts";
import { startPuppet, task } from "./puppet.ts";

let puppet: Awaited<ReturnType<typeof startPuppet>>;
let proxy: TestProxy;
let log: string[];
/** The look-ups that wait, and how to wait for so many. */
let lookups: PromiseWithResolvers<void>[];
let arrived: PromiseWithResolvers<void>;

async function untilLookups(count: number): Promise<void> {
  while (lookups.length < count) {
    await arrived.promise;
    arrived = Promise.withResolvers();
  }
}

beforeEach(async () => {
  [log, lookups, arrived] = [[], [], Promise.withResolvers()];
  puppet = await startPuppet();
  proxy = await startTestProxy(
    { waiting: { adapter: "a2a-0.3", url: puppet.url } },
    { push: LOOPBACK_PUSH },
    {
      log: pino({ level: "debug" }, { write: (line: string) => void log.push(line) }),
      resolve: async () => {
        const lookup = Promise.withResolvers<void>();
        lookups.push(lookup);
        arrived.resolve();
        await lookup.promise;
        return ["127.0.0.1"];
      },
    },
  );
});

afterEach(async () => {
  for (const lookup of lookups) lookup.resolve();
  await proxy.stop();
  await cleanUp();
});

const withWebhook = (text: string, more: Record<string, unknown> = {}) => ({
  ...userMessage(text, more),
  configuration: { pushNotificationConfig: { url: "http://hooks.example/" } },
});

const stateOf = ({ result, error }: RpcAnswer): unknown => error?.code ?? Task.parse(result).status.state;

async function interrupted(): Promise<string> {
  const asked = rpc(proxy.agent("waiting"), "message/send", userMessage("hello"));
  (await puppet.turn()).answer(task("input-required"));
  return Task.parse((await asked).result).id;
}

describe("a task that waits for input", () => {
  test("takes one of two messages that come at the same time; the other is told that the task works", async () => {
    const taskId = await interrupted();
    const answers = ["one", "two"].map((text) =>
      rpc(proxy.agent("waiting"), "message/send", withWebhook(text, { taskId })),
    );
    await untilLookups(2);
    for (const lookup of lookups) lookup.resolve();
    const turn = await puppet.turn();
    // The other's answer does not wait for the agent's.
    const refused = await Promise.race(answers);
    expect(refused.error).toMatchObject({ code: -32004, message: expect.stringContaining("still working") });
    turn.answer(task("completed"));
    expect(new Set((await Promise.all(answers)).map(stateOf))).toEqual(new Set([-32004, "completed"]));
    expect(puppet.waiting).toBe(0);
    expect(log.filter((line) => line.includes("could not"))).toEqual([]);
  });

  test("that is canceled meanwhile takes no message any more", async () => {
    const taskId = await interrupted();
    const url = proxy.agent("waiting");
    const message = rpc(url, "message/send", withWebhook("more", { taskId }));
    await untilLookups(1);
    expect(stateOf(await rpc(url, "tasks/cancel", { id: taskId }))).toBe("canceled");
    lookups[0]?.resolve();
    expect(stateOf(await message)).toBe(-32602);
    expect(stateOf(await rpc(url, "tasks/get", { id: taskId }))).toBe("canceled");
    expect(puppet.waiting).toBe(0);
  });
});
