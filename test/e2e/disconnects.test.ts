/** Clients that go away at every stage, and what then becomes of the task. */
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { setImmediate as turnOfLoop } from "node:timers/promises";
import { Task } from "../../src/protocol/model.ts";
import { cleanUp } from "../southbound/loopback.ts";
import { post, rpc, rpcStream, userMessage } from "../support/client.ts";
import { textOf } from "../support/fake-agent.ts";
import { startTestProxy, type TestProxy } from "../support/proxy.ts";
import { artifact, chunk, startPuppet, status, task } from "./puppet.ts";

const AGENTS = ["continue", "cancel"] as const;

let puppet: Awaited<ReturnType<typeof startPuppet>>;
let proxy: TestProxy;

beforeEach(async () => {
  puppet = await startPuppet();
  const agents = AGENTS.map((onDisconnect) => {
    // Longer than any test: only what a test does ends the wait for late events.
    const agent = { adapter: "a2a-0.3", url: puppet.url, onDisconnect, timeouts: { linger: "1m" } };
    return [onDisconnect, agent];
  });
  proxy = await startTestProxy(Object.fromEntries(agents));
});

afterEach(async () => {
  await proxy.stop();
  await cleanUp();
});

/** A stream whose client can go away. */
function openStream(agent: string, method = "message/stream", params: object = userMessage("hello")) {
  const client = new AbortController();
  const events = rpcStream(proxy.agent(agent), method, params, client.signal);
  const next = async () => (await events.next()).value?.result;
  return { next, leave: () => client.abort() };
}

/** A call whose client goes away before it is answered. */
function openCall(agent: string) {
  const client = new AbortController();
  const body = { jsonrpc: "2.0", id: 1, method: "message/send", params: userMessage("hello") };
  const answer = post(proxy.agent(agent), body, { signal: client.signal });
  answer.catch(() => {});
  return { leave: () => client.abort() };
}

/** The task once it is there and has ended. */
async function ended(agent: string): Promise<Task> {
  for (;;) {
    const { result } = await rpc(proxy.agent(agent), "tasks/get", { id: "t-1" });
    const found = Task.safeParse(result).data;
    if (found && !["submitted", "working"].includes(found.status.state)) return found;
    await turnOfLoop();
  }
}

const outcome = (found: Task) => [found.status.state, textOf(found)];

describe("a client that goes away", () => {
  test("before the first event: the task goes on", async () => {
    const { next, leave } = openStream("continue");
    const first = next();
    const turn = await puppet.turn();
    leave();
    await expect(first).rejects.toThrow("aborted");
    turn.stream(task("working"), chunk("all of it", false), status("completed"));
    turn.end();
    expect(outcome(await ended("continue"))).toEqual(["completed", "all of it"]);
  });

  test("before the first event, with onDisconnect: cancel: the vendor's connection is closed", async () => {
    const { next, leave } = openStream("cancel");
    const first = next();
    const turn = await puppet.turn();
    leave();
    await expect(first).rejects.toThrow("aborted");
    await turn.closed;
    const { error } = await rpc(proxy.agent("cancel"), "tasks/get", { id: "t-1" });
    expect(error?.code).toBe(-32001);
  });

  test("in mid-stream: the task goes on", async () => {
    const { next, leave } = openStream("continue");
    const first = next();
    const turn = await puppet.turn();
    turn.stream(task("working"), chunk("first ", false));
    expect(await first).toMatchObject({ kind: "task" });
    expect(await next()).toMatchObject({ kind: "artifact-update" });
    leave();
    turn.stream(chunk("second", true), status("completed"));
    turn.end();
    expect(outcome(await ended("continue"))).toEqual(["completed", "first second"]);
  });

  test("in mid-stream, with onDisconnect: cancel: the task is canceled and keeps its text", async () => {
    const { next, leave } = openStream("cancel");
    const first = next();
    const turn = await puppet.turn();
    turn.stream(task("working"), chunk("first ", false));
    await first;
    await next();
    leave();
    await turn.closed;
    const found = await ended("cancel");
    expect(outcome(found)).toEqual(["canceled", "first "]);
    expect(found.status.message?.parts).toEqual([{ kind: "text", text: "The client disconnected" }]);
  });

  test("with onDisconnect: cancel, while another still listens: the last one to go cancels", async () => {
    const starter = openStream("cancel");
    const first = starter.next();
    const turn = await puppet.turn();
    turn.stream(task("working"), chunk("first ", false));
    await first;
    const other = openStream("cancel", "tasks/resubscribe", { id: "t-1" });
    expect(await other.next()).toMatchObject({ kind: "task" });
    starter.leave();
    turn.stream(chunk("second", true));
    let received = await other.next();
    while (!JSON.stringify(received).includes("second")) received = await other.next();
    other.leave();
    await turn.closed;
    expect(outcome(await ended("cancel"))).toEqual(["canceled", "first second"]);
  });

  test.each(AGENTS)(
    "right at the end, with onDisconnect: %s: the agent's last word stands",
    async (agent) => {
      const { next, leave } = openStream(agent);
      const first = next();
      const turn = await puppet.turn();
      // One write, so that the final state has been read when the chunk has reached the client.
      turn.stream(task("working"), chunk("all of it", false), status("completed"));
      await first;
      expect(await next()).toMatchObject({ kind: "artifact-update" });
      leave();
      if (agent === "continue") turn.end();
      expect(outcome(await ended(agent))).toEqual(["completed", "all of it"]);
    },
  );

  test("during a blocking send: the task goes on", async () => {
    const { leave } = openCall("continue");
    const turn = await puppet.turn();
    leave();
    turn.answer(task("completed", { artifacts: [artifact("all of it")] }));
    expect(outcome(await ended("continue"))).toEqual(["completed", "all of it"]);
  });

  test("during a blocking send, with onDisconnect: cancel: the vendor's connection is closed", async () => {
    const { leave } = openCall("cancel");
    const turn = await puppet.turn();
    leave();
    await turn.closed;
    const { error } = await rpc(proxy.agent("cancel"), "tasks/get", { id: "t-1" });
    expect(error?.code).toBe(-32001);
  });
});
