/** Agents made with the official SDKs of 0.2 and 0.3, behind the proxy, to the official client. */
import { afterAll, describe, expect, jest, test } from "@jest/globals";
import { Message, Task } from "../../src/protocol/model.ts";
import { textOf as textOfTask } from "../support/fake-agent.ts";
import { collect } from "../support/collect.ts";
import { expectValidStream } from "../support/invariants.ts";
import { client03, message03 } from "../support/official-client.ts";
import { startTestProxy } from "../support/proxy.ts";
import { startSdkServer } from "./sdk-servers.ts";

const AGENTS = (["0.2.5", "0.3.14"] as const).flatMap((version) =>
  ["a2a-0.3", "auto"].map((adapter) => ({ version, adapter, name: `sdk-${version}-${adapter}` })),
);

const servers = { "0.2.5": await startSdkServer("0.2.5"), "0.3.14": await startSdkServer("0.3.14") };
const agents = AGENTS.map(({ name, adapter, version }) => [name, { adapter, url: servers[version].url }]);
const proxy = await startTestProxy(Object.fromEntries(agents));

afterAll(async () => {
  await proxy.stop();
  for (const server of Object.values(servers)) await server.stop();
});

const textOf = (task: unknown): string => textOfTask(Task.parse(task));

describe.each(AGENTS)("an agent of SDK $version as $adapter", ({ name, version }) => {
  const connecting = client03(proxy, { agent: name, transport: "JSONRPC" });
  const { agent } = servers[version];

  test("streams its artifact in chunks", async () => {
    const client = await connecting;
    const events = await collect(client.sendMessageStream(message03("hello")));
    const texts = expectValidStream(events);
    expect([...texts]).toEqual([["answer", 'You said "hello": one, two.']]);
    expect(events.at(-1)).toMatchObject({ status: { state: "completed" }, final: true });
    const { id } = Task.parse(events[0]);
    expect(textOf(await client.getTask({ id }))).toBe('You said "hello": one, two.');
  });

  test("answers a message with the completed task", async () => {
    const task = Task.parse(await (await connecting).sendMessage(message03("hello")));
    expect(task.status.state).toBe("completed");
    expect(textOf(task)).toBe('You said "hello": one, two.');
  });

  test("answers with a Message where it makes no task, streamed or not", async () => {
    const client = await connecting;
    const answer = Message.parse(await client.sendMessage(message03("message")));
    expect([answer.messageId, answer.role, answer.parts]).toEqual([
      "m-Just a word.",
      "agent",
      [{ kind: "text", text: "Just a word." }],
    ]);
    const events = await collect(client.sendMessageStream(message03("message")));
    expectValidStream(events);
    expect(events).toEqual([expect.objectContaining({ kind: "message", parts: answer.parts })]);
  });

  test("asks back, and goes on in the same task", async () => {
    const client = await connecting;
    const asked = Task.parse(await client.sendMessage(message03("ask")));
    expect(asked.status).toMatchObject({
      state: "input-required",
      message: { parts: [{ kind: "text", text: "Which one?" }] },
    });
    const { id, contextId } = asked;
    const done = Task.parse(await client.sendMessage(message03("that one", { taskId: id, contextId })));
    expect([done.id, done.contextId, done.status.state]).toEqual([id, contextId, "completed"]);
    expect(textOf(done)).toBe('You said "that one": one, two.');
  });

  test("fails where it throws in mid-stream, with what it had said", async () => {
    const log = jest.spyOn(console, "error").mockImplementation(() => {});
    const client = await connecting;
    const events = await collect(client.sendMessageStream(message03("throw")));
    const texts = expectValidStream(events);
    expect([...texts.values()].join("")).toBe('You said "throw": ');
    expect(events.at(-1)).toMatchObject({ status: { state: "failed" }, final: true });
    expect(JSON.stringify(events.at(-1))).toContain("out of paper");
    expect(log).toHaveBeenCalled();
    log.mockRestore();
  });

  test("is told of a cancellation, and its word ends the streams", async () => {
    const client = await connecting;
    const events = client.sendMessageStream(message03("slow"));
    const { value: opening } = await events.next();
    const { id } = Task.parse(opening);
    for await (const event of events) if (event.kind === "artifact-update") break;
    const resumed = client.resubscribeTask({ id });
    expect(textOf((await resumed.next()).value)).toBe('You said "slow": ');
    const before = agent.canceled.length;
    const canceled = await client.cancelTask({ id });
    expect([canceled.id, canceled.status.state]).toEqual([id, "canceled"]);
    expect(agent.canceled.slice(before)).toEqual([id]);
    expect((await collect(resumed)).at(-1)).toMatchObject({ status: { state: "canceled" }, final: true });
  });
});
