/** Every bundled vendor, whatever it speaks, is one and the same 0.3.0 agent to the official client. */
import { afterAll, describe, expect, test } from "@jest/globals";
import { startVendors } from "../../src/demo/vendors.ts";
import { Task, type StreamEvent } from "../../src/protocol/model.ts";
import { collect } from "../support/collect.ts";
import { expectValidStream } from "../support/invariants.ts";
import { textOf as textOfTask } from "../support/fake-agent.ts";
import { schemaFaults } from "../support/official-schema.ts";
import { client03, message03 } from "../support/official-client.ts";
import { startTestProxy } from "../support/proxy.ts";

/** Where each vendor is, and words of its answer. */
const VENDORS = [
  { adapter: "appbuilder", path: "/v2/a2a/demo-app", words: "light wind from the north" },
  { adapter: "a2a-0.1", path: "/legacy", words: "Why did the chicken cross the road?" },
  { adapter: "a2a-snake", path: "/snake", words: "UA 1514, 08:15 to 16:40." },
  { adapter: "a2a-0.3", path: "/canonical", words: "Day 1: the Forbidden City, Tiananmen" },
];
const AGENTS = VENDORS.flatMap((vendor) => [
  { ...vendor, name: vendor.adapter },
  { ...vendor, name: `auto-${vendor.adapter}`, adapter: "auto" },
]);

type Client = Awaited<ReturnType<typeof client03>>;
type Events = ReturnType<Client["sendMessageStream"]>;

// Started here and not in a hook: concurrent tests do not wait for hooks.
const vendors = await startVendors(0, { pace: 50 });
const agents = AGENTS.map(({ name, adapter, path }) => [name, { adapter, url: vendors.url + path }]);
const proxy = await startTestProxy(Object.fromEntries(agents));

afterAll(async () => {
  await proxy.stop();
  await vendors.stop();
});

const asTask = (answer: unknown): Task => Task.parse(answer);
const textOf = (task: unknown): string => textOfTask(asTask(task));

/** The next event of this kind. */
async function until(events: Events, kind: StreamEvent["kind"]): Promise<unknown> {
  for (;;) {
    const { done, value } = await events.next();
    if (done) throw new Error(`the stream ended before a ${kind}`);
    if (value.kind === kind) return value;
  }
}

/** Starts a task that takes long, and comes back once it has said something. */
async function startSlow(client: Client) {
  const events = client.sendMessageStream(message03("slow"));
  const { id } = asTask(await until(events, "task"));
  await until(events, "artifact-update");
  return { events, id };
}

const lastOf = async (events: Events) => (await collect(events)).at(-1);

describe.each(AGENTS)("$name", ({ name, words }) => {
  const connecting = client03(proxy, { agent: name, transport: "JSONRPC" });

  test.concurrent("has a card that is valid 0.3.0 and names the proxy", async () => {
    const client = await connecting;
    const card = await client.getAgentCard();
    expect(schemaFaults("AgentCard", card)).toEqual([]);
    expect([card.protocolVersion, card.url, card.capabilities.streaming]).toEqual([
      "0.3.0",
      `http://proxy.test/agents/${name}/`,
      true,
    ]);
  });

  test.concurrent("answers a message with the completed task, which tasks/get finds", async () => {
    const client = await connecting;
    const task = asTask(await client.sendMessage(message03("tell me")));
    expect(task.status.state).toBe("completed");
    expect(textOf(task)).toContain(words);
    expect(schemaFaults("Task", task)).toEqual([]);
    expect(await client.getTask({ id: task.id })).toEqual(task);
  });

  test.concurrent("answers at once where the client does not want to wait, and works on", async () => {
    const client = await connecting;
    const params = { ...message03("tell me"), configuration: { blocking: false } };
    const task = asTask(await client.sendMessage(params));
    expect(["submitted", "working"]).toContain(task.status.state);
    const last = await lastOf(client.resubscribeTask({ id: task.id }));
    expect(last).toMatchObject({ kind: "status-update", final: true, status: { state: "completed" } });
    expect(textOf(await client.getTask({ id: task.id }))).toContain(words);
  });

  test.concurrent("streams the Task, updates, and one final, which add up to the stored task", async () => {
    const client = await connecting;
    const events = await collect(client.sendMessageStream(message03("tell me")));
    const texts = expectValidStream(events);
    const last = events.at(-1);
    expect(last).toMatchObject({ kind: "status-update", status: { state: "completed" } });
    const [opening] = events;
    const task = await client.getTask({ id: opening?.kind === "task" ? opening.id : "" });
    expect(textOf(task)).toBe([...texts.values()].join(""));
    expect(textOf(task)).toContain(words);
  });

  test.concurrent("cancels a running task, for whoever listens and for good", async () => {
    const client = await connecting;
    const { events, id } = await startSlow(client);
    const canceled = await client.cancelTask({ id });
    expect([canceled.id, canceled.status.state]).toEqual([id, "canceled"]);
    expect(await lastOf(events)).toMatchObject({ final: true, status: { state: "canceled" } });
    expect((await client.getTask({ id })).status.state).toBe("canceled");
    await expect(client.cancelTask({ id })).rejects.toMatchObject({
      errorResponse: { error: { code: -32002 } },
    });
  });

  test.concurrent("lets a second client follow a running task from where it is", async () => {
    const client = await connecting;
    const { events, id } = await startSlow(client);
    const resumed = client.resubscribeTask({ id });
    const opening = asTask(await until(resumed, "task"));
    expect(opening.id).toBe(id);
    expect(textOf(opening)).not.toBe("");
    const update = await until(resumed, "artifact-update");
    const seen = [];
    for (let own = await until(events, "artifact-update"); ; own = await until(events, "artifact-update")) {
      seen.push(own);
      if (JSON.stringify(own) === JSON.stringify(update)) break;
      if (seen.length > 20) throw new Error("the resumed stream tells something else");
    }
    await client.cancelTask({ id });
    for (const open of [events, resumed]) {
      expect(await lastOf(open)).toMatchObject({ final: true, status: { state: "canceled" } });
    }
  });

  test.concurrent("asks back, and goes on in the same task", async () => {
    const client = await connecting;
    const asked = asTask(await client.sendMessage(message03("ask me something")));
    expect(asked.status.state).toBe("input-required");
    const { id, contextId } = asked;
    const events = await collect(client.sendMessageStream(message03("my answer", { taskId: id, contextId })));
    expectValidStream(events);
    expect(events[0]).toMatchObject({ kind: "task", id, contextId });
    const done = await client.getTask({ id });
    expect([done.status.state, done.contextId]).toEqual(["completed", contextId]);
    expect(textOf(done)).toContain("ask me something");
    const said = (done.history ?? []).filter(({ role }) => role === "user").map(({ parts }) => parts);
    expect(said).toEqual([
      [{ kind: "text", text: "ask me something" }],
      [{ kind: "text", text: "my answer" }],
    ]);
  });

  test.concurrent("remembers the context in a second task", async () => {
    const client = await connecting;
    const first = asTask(await client.sendMessage(message03("tell me")));
    const { contextId } = first;
    const second = asTask(await client.sendMessage(message03("more", { contextId })));
    expect(second.id).not.toBe(first.id);
    expect([second.contextId, second.status.state]).toEqual([contextId, "completed"]);
    expect(textOf(second)).toMatch(/turn 2/i);
  });

  test.concurrent("gives as much of the history as is asked for", async () => {
    const client = await connecting;
    const { id, history } = asTask(await client.sendMessage(message03("tell me")));
    expect(history?.[0]?.parts).toEqual([{ kind: "text", text: "tell me" }]);
    const one = await client.getTask({ id, historyLength: 1 });
    expect(one.history).toEqual(history?.slice(-1));
    // 0 is no limit.
    const all = await client.getTask({ id, historyLength: 0 });
    expect(all.history).toEqual(history);
    const asked = asTask(await client.sendMessage(message03("ask me something")));
    const configuration = { historyLength: 1 };
    const answer = { ...message03("my answer", { taskId: asked.id }), configuration };
    expect(asTask(await client.sendMessage(answer)).history).toHaveLength(1);
  });

  test.concurrent("fails where the agent fails, with its words", async () => {
    const client = await connecting;
    const events = await collect(client.sendMessageStream(message03("fail please")));
    expectValidStream(events);
    const last = events.at(-1);
    expect(last).toMatchObject({ final: true, status: { state: "failed" } });
    const task = asTask(await client.sendMessage(message03("fail please")));
    expect(task.status.state).toBe("failed");
    expect(JSON.stringify(task.status.message?.parts)).toMatch(/[a-z] [a-z]/);
  });

  test.concurrent("refuses with the codes of 0.3.0", async () => {
    const client = await connecting;
    const code = (number: number) => ({ errorResponse: { error: { code: number } } });
    const { id } = asTask(await client.sendMessage(message03("tell me")));
    await expect(client.getTask({ id: "no-such" })).rejects.toMatchObject(code(-32001));
    await expect(client.cancelTask({ id: "no-such" })).rejects.toMatchObject(code(-32001));
    await expect(client.cancelTask({ id })).rejects.toMatchObject(code(-32002));
    await expect(client.getTask({ id, historyLength: -1 })).rejects.toMatchObject(code(-32602));
    const toEnded = message03("more", { taskId: id });
    await expect(client.sendMessage(toEnded)).rejects.toMatchObject(code(-32602));
    await expect(collect(client.sendMessageStream(toEnded))).rejects.toThrow("(Code: -32602)");
    await expect(collect(client.resubscribeTask({ id: "no-such" }))).rejects.toThrow("(Code: -32001)");
  });

  test.concurrent("pushes, as its card says, but not to where the proxy may not go", async () => {
    const client = await connecting;
    const { capabilities, supportsAuthenticatedExtendedCard } = await client.getAgentCard();
    expect([capabilities.pushNotifications, supportsAuthenticatedExtendedCard]).toEqual([true, false]);
    const { id } = asTask(await client.sendMessage(message03("tell me")));
    const config = { taskId: id, pushNotificationConfig: { url: "http://127.0.0.1:1/" } };
    await expect(client.transport.setTaskPushNotificationConfig(config)).rejects.toMatchObject({
      errorResponse: { error: { code: -32602, data: { path: "pushNotificationConfig.url" } } },
    });
    await expect(client.transport.getExtendedAgentCard()).rejects.toMatchObject({
      errorResponse: { error: { code: -32007 } },
    });
  });
});
