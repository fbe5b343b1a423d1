import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { WireCard } from "../../adapters/a2a-1.0/wire.ts";
import { createSnakeDemo } from "../../src/demo/snake.ts";
import { post, rpc, rpcStream } from "../support/client.ts";

interface Wire {
  id: string;
  context_id: string;
  status: { state: string; message?: { parts: { text: string }[] } };
  artifacts: { parts: { text: string }[] }[];
  history: { role: string }[];
}
interface Chunk {
  artifactUpdate: { artifact: { parts: { text: string }[]; append: boolean; last_chunk: boolean } };
}

let server: Server;
let url: string;

beforeEach(async () => {
  server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("no port");
  url = `http://127.0.0.1:${address.port}`;
  const demo = createSnakeDemo({ baseUrl: url });
  server.on("request", (request, response) => void demo(request, response));
});

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const versioned = (params: object) => ({ ...params, "a2a-version": "1.0" });
const saying = (text: string, ids: object = {}) =>
  versioned({ message: { message_id: "m1", role: "user", parts: [{ text }], ...ids } });

async function send(text: string, ids: object = {}): Promise<Wire> {
  const { result } = await rpc(url, "a2a.sendMessage", saying(text, ids));
  return (result as { task: Wire }).task;
}

const answerOf = ({ artifacts }: Wire): string | undefined => artifacts[0]?.parts[0]?.text;
const isChunk = (event: unknown): event is Chunk => JSON.stringify(event).startsWith('{"artifactUpdate"');

async function stream(method: string, params: object): Promise<unknown[]> {
  const events: unknown[] = [];
  for await (const event of rpcStream(url, method, params)) events.push(event.result ?? event);
  return events;
}

describe("the snake_case demo vendor", () => {
  test("serves its card", async () => {
    const response = await fetch(`${url}/.well-known/agent-card.json`);
    const card = WireCard.parse(await response.json());
    expect(card.capabilities?.streaming).toBe(true);
    expect(card.supportedInterfaces).toEqual([
      { url: `${url}/`, protocolBinding: "jsonrpc", protocolVersion: "1.0", tenant: "demo" },
    ]);
  });

  test("refuses params without the version", async () => {
    const { error } = await rpc(url, "a2a.getTask", { id: "t" });
    expect(error).toEqual({ code: -32000, message: expect.stringMatching(/^VersionNotSupportedError/) });
    expect(await rpc(url, "a2a.getTask", undefined)).toMatchObject({ error: { message: error?.message } });
  });

  test("answers a sent message with the finished task, wrapped", async () => {
    const task = await send("SFO to JFK");
    expect(task.status.state).toBe("completed");
    expect(answerOf(task)).toMatch(/^Flights for "SFO to JFK": UA 1514.*06:35\.$/);
  });

  test("answers at once where that is asked for", async () => {
    const params = { ...saying("slow"), configuration: { return_immediately: true } };
    const { result } = await rpc(url, "a2a.sendMessage", params);
    expect((result as { task: Wire }).task.status.state).toBe("submitted");
  });

  test("streams in pieces, with the chunk flags inside the artifact", async () => {
    const events = await stream("a2a.sendStreamingMessage", saying("SFO to JFK"));
    expect(events[0]).toMatchObject({ task: { status: { state: "submitted" } } });
    expect(events[1]).toMatchObject({ statusUpdate: { status: { state: "working" } } });
    const chunks = events.filter(isChunk).map(({ artifactUpdate }) => artifactUpdate.artifact);
    expect(chunks.map(({ append }) => append)).toEqual([false, true, true, true]);
    expect(chunks.map(({ last_chunk }) => last_chunk)).toEqual([false, false, false, true]);
    expect(events.at(-1)).toMatchObject({ statusUpdate: { status: { state: "completed" } } });
  });

  test("gets and lists tasks, with as much history as is asked for", async () => {
    const task = await send("SFO to JFK");
    const get = async (more: object) => {
      const { result } = await rpc(url, "a2a.getTask", versioned({ id: task.id, ...more }));
      return result as Wire;
    };
    expect(await get({})).toEqual(task);
    expect((await get({ history_length: 1 })).history).toHaveLength(1);
    expect((await get({ history_length: 0 })).history).toEqual([]);
    const { result } = await rpc(url, "a2a.listTasks", versioned({ context_id: task.context_id }));
    expect(result).toMatchObject({ tasks: [{ id: task.id }], next_page_token: "" });
    const { error } = await rpc(url, "a2a.getTask", versioned({ id: "none" }));
    expect(error?.message).toMatch(/^TaskNotFoundError/);
  });

  test("works on when its client leaves, can be subscribed to and canceled", async () => {
    const controller = new AbortController();
    const started = rpcStream(url, "a2a.sendStreamingMessage", saying("slow"), controller.signal);
    const { id } = ((await started.next()).value as { result: { task: Wire } }).result.task;
    controller.abort();
    const followed = rpcStream(url, "a2a.subscribeToTask", versioned({ id }));
    expect((await followed.next()).value).toMatchObject({ task: { id } });
    expect((await followed.next()).done).toBe(false);
    const canceled = await rpc(url, "a2a.cancelTask", versioned({ id }));
    expect(canceled.result).toMatchObject({ id, status: { state: "canceled" } });
    let last: unknown;
    for await (const event of followed) last = event;
    expect(last).toMatchObject({ statusUpdate: { status: { state: "canceled" } } });
    const again = await rpc(url, "a2a.cancelTask", versioned({ id }));
    expect(again.error?.message).toMatch(/^TaskNotCancelableError/);
  });

  test("leaves the envelope away on a subscription", async () => {
    const { id } = await send("SFO to JFK");
    const response = await post(url, {
      jsonrpc: "2.0",
      id: 1,
      method: "a2a.subscribeToTask",
      params: versioned({ id }),
    });
    expect(await response.text()).toMatch(/^data: \{"task":/);
  });

  test("asks back, and completes with both texts in the same task", async () => {
    const asked = await send("ask me about SFO");
    expect(asked.status.state).toBe("input-required");
    expect(asked.status.message?.parts[0]?.text).toMatch(/morning or an evening/);
    const ids = { task_id: asked.id, context_id: asked.context_id };
    const done = await send("morning", ids);
    expect(done.id).toBe(asked.id);
    expect(done.status.state).toBe("completed");
    expect(answerOf(done)).toMatch(/^Flights for "morning", after "ask me about SFO", turn 2 of our talk:/);
  });

  test("opens a new context for a follow-up that names its task alone", async () => {
    const asked = await send("ask me");
    const other = await send("morning", { task_id: asked.id });
    expect(other.id).not.toBe(asked.id);
    expect(other.context_id).not.toBe(asked.context_id);
  });

  test("counts the turns of a context, and makes a new task where the old one has ended", async () => {
    const first = await send("SFO to JFK");
    const second = await send("and back", { task_id: first.id, context_id: first.context_id });
    expect(second.id).not.toBe(first.id);
    expect(second.context_id).toBe(first.context_id);
    expect(answerOf(second)).toContain("turn 2 of our talk");
  });

  test("fails on request", async () => {
    expect((await send("fail please")).status.state).toBe("failed");
  });

  test.each([
    ["a2a.sendMessage", versioned({}), -32602],
    ["message/send", versioned({}), -32601],
  ])("%s with %j is refused", async (method, params, code) => {
    expect((await rpc(url, method, params)).error?.code).toBe(code);
  });
});
