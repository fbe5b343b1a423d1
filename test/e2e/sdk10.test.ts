/** Agents made with the official SDK 1.3.0 that speak A2A 1.0 alone, behind the proxy, to the official 0.3 client. */
import { afterAll, describe, expect, test } from "@jest/globals";
import { Message, Task } from "../../src/protocol/model.ts";
import { collect } from "../support/collect.ts";
import { textOf } from "../support/fake-agent.ts";
import { expectValidStream } from "../support/invariants.ts";
import { client03, message03 } from "../support/official-client.ts";
import { startTestProxy } from "../support/proxy.ts";
import { startSdk10Server } from "./sdk10-server.ts";

const AGENTS = [
  { name: "rpc", server: await startSdk10Server("JSONRPC") },
  { name: "rest", server: await startSdk10Server("HTTP+JSON") },
  { name: "grpc", server: await startSdk10Server("GRPC") },
] as const;
const agents = AGENTS.map(({ name, server }) => {
  const options = name === "grpc" ? { grpcUrl: server.grpcUrl } : {};
  return [name, { adapter: "a2a-1.0", url: server.url, options }];
});
const proxy = await startTestProxy(Object.fromEntries(agents));

afterAll(async () => {
  await proxy.stop();
  for (const { server } of AGENTS) await server.stop();
});

describe.each(AGENTS)("an agent of A2A 1.0 ($name)", ({ name, server: { agent } }) => {
  const connecting = client03(proxy, { agent: name, transport: "JSONRPC" });

  test("streams its artifact in chunks", async () => {
    const client = await connecting;
    const events = await collect(client.sendMessageStream(message03("hello")));
    expect([...expectValidStream(events)]).toEqual([["answer", 'You said "hello": one, two.']]);
    const { id } = Task.parse(events[0]);
    expect(textOf(Task.parse(await client.getTask({ id })))).toBe('You said "hello": one, two.');
  });

  test("answers a message with the completed task, or with a Message", async () => {
    const client = await connecting;
    const task = Task.parse(await client.sendMessage(message03("hello")));
    expect(task.status.state).toBe("completed");
    expect(textOf(task)).toBe('You said "hello": one, two.');
    const answer = Message.parse(await client.sendMessage(message03("message")));
    expect(answer.parts).toEqual([{ kind: "text", text: "Just a word." }]);
  });

  test("continues an interrupted task under its own ids", async () => {
    const client = await connecting;
    const asked = Task.parse(await client.sendMessage(message03("ask")));
    expect(asked.status.state).toBe("input-required");
    const { id: taskId, contextId } = asked;
    const done = Task.parse(await client.sendMessage(message03("that one", { taskId, contextId })));
    expect(done).toMatchObject({ id: taskId, contextId, status: { state: "completed" } });
    expect(agent.received.at(-1)).toEqual({ text: "that one", taskId, contextId });
  });

  test("cancels a task that works", async () => {
    const client = await connecting;
    const events = client.sendMessageStream(message03("slow"));
    const { value } = await events.next();
    const { id } = Task.parse(value);
    const canceled = Task.parse(await client.cancelTask({ id }));
    expect(canceled.status.state).toBe("canceled");
    const rest = await collect(events);
    expect(rest.at(-1)).toMatchObject({ status: { state: "canceled" }, final: true });
  });

  test("hands on parts of every kind, with what only 1.0 can say in their metadata", async () => {
    const task = Task.parse(await (await connecting).sendMessage(message03("parts")));
    const key = "urn:a2a-compat-proxy:a2a-1.0";
    expect(task.artifacts?.[0]?.parts).toEqual([
      {
        kind: "text",
        text: "plain",
        metadata: { [key]: { fields: { mediaType: "text/markdown", filename: "answer.md" } } },
      },
      {
        kind: "file",
        file: { bytes: "aGVsbG8=", mimeType: "application/octet-stream", name: "hello.bin" },
      },
      { kind: "file", file: { uri: "https://files.example/a", mimeType: "image/png" } },
      {
        kind: "data",
        data: { value: [1, "two", { three: 3 }] },
        metadata: { [key]: { fields: { mediaType: "application/json" }, wrapped: true } },
      },
      { kind: "data", data: { my_key: 1, myKey: { snake_inside: true } }, metadata: { user_key: "kept" } },
    ]);
  });
});
