import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { z } from "zod";
import { createSnakeDemo } from "../../../src/demo/snake.ts";
import { startVendorServer, type RunningVendors } from "../../../src/demo/server.ts";
import { AgentCard } from "../../../src/protocol/card.ts";
import { Task } from "../../../src/protocol/model.ts";
import { rpc, rpcStream, streamResults, userMessage } from "../../support/client.ts";
import { expectValidStream } from "../../support/invariants.ts";
import { startTestProxy, type TestProxy } from "../../support/proxy.ts";

let vendors: RunningVendors;
let proxy: TestProxy;
let url: string;

beforeEach(async () => {
  vendors = await startVendorServer(0, [{ prefix: "/snake", create: createSnakeDemo }]);
  proxy = await startTestProxy({ flights: { adapter: "a2a-snake", url: `${vendors.url}/snake/` } });
  url = proxy.agent("flights");
});

afterEach(async () => {
  await proxy.stop();
  await vendors.stop();
});

async function send(text: string, more: Record<string, unknown> = {}) {
  const { result } = await rpc(url, "message/send", userMessage(text, more));
  return Task.parse(result);
}

const answerOf = ({ artifacts }: z.infer<typeof Task>): string =>
  (artifacts ?? [])
    .flatMap(({ parts }) => parts.map((part) => (part.kind === "text" ? part.text : "")))
    .join("");

describe("the snake_case demo vendor as a 0.3.0 agent", () => {
  test("has a valid card that declares streaming", async () => {
    const response = await fetch(`${url}.well-known/agent-card.json`);
    const card = AgentCard.parse(await response.json());
    expect([card.protocolVersion, card.name, card.capabilities.streaming]).toEqual([
      "0.3.0",
      "Flight search (snake_case A2A)",
      true,
    ]);
  });

  test("answers a message with the completed task, which tasks/get finds", async () => {
    const task = await send("SFO to JFK");
    expect(task.status.state).toBe("completed");
    expect(answerOf(task)).toMatch(/^Flights for "SFO to JFK": UA 1514.*06:35\.$/);
    const { result } = await rpc(url, "tasks/get", { id: task.id });
    expect(answerOf(Task.parse(result))).toBe(answerOf(task));
  });

  test("streams validly and completely", async () => {
    const events = await streamResults(url, "message/stream", userMessage("SFO to JFK"));
    const texts = expectValidStream(events);
    expect([...texts.values()]).toEqual([
      expect.stringMatching(/^Flights for "SFO to JFK": UA 1514.*06:35\.$/),
    ]);
    expect(events.at(-1)).toMatchObject({
      kind: "status-update",
      final: true,
      status: { state: "completed" },
    });
  });

  test("asks back, and goes on in the same task", async () => {
    const asked = await send("ask me about SFO");
    expect(asked.status.state).toBe("input-required");
    const done = await send("morning", { taskId: asked.id, contextId: asked.contextId });
    expect([done.id, done.contextId, done.status.state]).toEqual([asked.id, asked.contextId, "completed"]);
    expect(answerOf(done)).toContain('after "ask me about SFO"');
  });

  test("goes on in the same task for a client that names the task alone", async () => {
    const asked = await send("ask me about SFO");
    const done = await send("morning", { taskId: asked.id });
    expect([done.id, done.contextId]).toEqual([asked.id, asked.contextId]);
  });

  test("keeps the context over two tasks", async () => {
    const first = await send("SFO to JFK");
    const second = await send("and back", { contextId: first.contextId });
    expect(second.id).not.toBe(first.id);
    expect(answerOf(second)).toContain("turn 2 of our talk");
  });

  test("a running task can be resubscribed to and canceled", async () => {
    const stream = rpcStream(url, "message/stream", userMessage("slow"));
    const { id } = Task.parse((await stream.next()).value?.result);
    const resubscribed = rpcStream(url, "tasks/resubscribe", { id });
    expect((await resubscribed.next()).value?.result).toMatchObject({ kind: "task", id });
    const { result } = await rpc(url, "tasks/cancel", { id });
    expect(Task.parse(result).status.state).toBe("canceled");
    for (const open of [stream, resubscribed]) {
      let last: unknown;
      for await (const answer of open) last = answer.result;
      expect(last).toMatchObject({ kind: "status-update", final: true, status: { state: "canceled" } });
    }
  });

  test("fails where the agent fails", async () => {
    expect((await send("fail please")).status.state).toBe("failed");
  });
});
