/** Agents that lose their work with the connection, and then report it as unfinished for ever. */
import { afterEach, describe, expect, test } from "@jest/globals";
import { text } from "node:stream/consumers";
import type { ServerResponse } from "node:http";
import { pino } from "pino";
import { Task } from "../../src/protocol/model.ts";
import { cleanUp, serve } from "../southbound/loopback.ts";
import { rpc, rpcStream, streamResults, userMessage } from "../support/client.ts";
import { textOf } from "../support/fake-agent.ts";
import { expectValidStream } from "../support/invariants.ts";
import { startScriptedVendor } from "../support/scripted-vendor.ts";
import { startTestProxy, type TestProxy } from "../support/proxy.ts";

const ID = "66f7a9bd-3c0f-4d2e-9df0-2b8f1c3f8b7e";
const CONTEXT = "0d3a8f6e-7a8f-4d60-8f4a-8f3e3f0f6a11";

/** What a2a-sdk 0.2.6 (Python) sends when its executor raises: this frame, and a connection that breaks. */
const task = (state: string, said = "") => ({
  ...(said && { artifacts: [{ artifactId: "a", parts: [{ kind: "text", text: said }] }] }),
  contextId: CONTEXT,
  history: [
    {
      contextId: CONTEXT,
      kind: "message",
      messageId: "m-1",
      parts: [{ kind: "text", text: "hello" }],
      role: "user",
      taskId: ID,
    },
  ],
  id: ID,
  kind: "task",
  status: { state },
});

const HEADERS = { "content-type": "text/event-stream; charset=utf-8", "x-accel-buffering": "no" };

interface Agent {
  /** After the first frame of message/stream. */
  readonly after: (response: ServerResponse) => void;
  readonly resubscribe: (response: ServerResponse) => void;
  /** The answer to each tasks/get. */
  readonly reported: (look: number) => object;
}

let proxy: TestProxy;
let lines: string[];

async function startAgent({ after, resubscribe, reported }: Agent, timeouts: Record<string, string> = {}) {
  let looks = 0;
  const url = await serve(async (request, response) => {
    if (request.method === "GET") {
      response.writeHead(404).end();
      return;
    }
    const { id, method } = JSON.parse(await text(request)) as { id: string; method: string };
    const envelope = (result: object): string => JSON.stringify({ id, jsonrpc: "2.0", result });
    if (method === "tasks/get") {
      response.setHeader("content-type", "application/json").end(envelope(reported(++looks)));
    } else {
      response.writeHead(200, HEADERS);
      if (method === "tasks/resubscribe") resubscribe(response);
      else response.write(`data: ${envelope(task("submitted"))}\r\n\r\n`, () => after(response));
    }
  });
  lines = [];
  const log = pino({ level: "info" }, { write: (line: string) => void lines.push(line) });
  const agent = { adapter: "a2a-0.3", url, timeouts: { poll: "20ms", idle: "200ms", ...timeouts } };
  proxy = await startTestProxy({ agent }, {}, { log });
  return { url: proxy.agent("agent"), looks: () => looks };
}

afterEach(async () => {
  await proxy.stop();
  await cleanUp();
});

const breakOff = (response: ServerResponse): void =>
  void setImmediate(() => response.socket?.resetAndDestroy());
const end = (response: ServerResponse): void => void response.end();
const pingsOnly = (response: ServerResponse): void => {
  const timer = setInterval(() => response.write(": ping - 2026-11-22 00:00:00+00:00\r\n\r\n"), 20);
  response.on("close", () => clearInterval(timer));
};
const refuse = (response: ServerResponse): void => void response.end();

const wordsOf = (events: readonly unknown[]): string => JSON.stringify(events.at(-1));

describe("a task whose stream is over, and which does not move any more at the agent", () => {
  test.each([
    ["broke, and a resumed one has pings alone", breakOff, pingsOnly, /broke the connection/],
    ["broke, and cannot be resumed", breakOff, refuse, /broke the connection/],
    ["ended without a final state", end, refuse, /ended its stream without a final state/],
  ])("fails after the idle time, if its stream %s", async (_how, after, resubscribe, words) => {
    const { url } = await startAgent(
      { after, resubscribe, reported: () => task("submitted") },
      { firstEvent: "4s" },
    );
    const events = await streamResults(url, "message/stream", userMessage("hello"));
    expectValidStream(events);
    expect(events.at(-1)).toMatchObject({ final: true, status: { state: "failed" } });
    expect(wordsOf(events)).toMatch(words);
    expect(wordsOf(events)).toContain("its task has not changed since");
    expect(lines.filter((line) => line.includes("asking for the task"))).toHaveLength(1);
  });

  test("goes on for as long as it does", async () => {
    let said = "";
    const { url, looks } = await startAgent({
      after: breakOff,
      resubscribe: refuse,
      reported: (look) => task(look > 40 ? "completed" : "working", (said += `${look} `)),
    });
    const events = await streamResults(url, "message/stream", userMessage("hello"));
    expect(events.at(-1)).toMatchObject({ final: true, status: { state: "completed" } });
    // Longer than the idle time, in small steps.
    expect(looks()).toBeGreaterThan(40);
    expect([...expectValidStream(events).values()]).toEqual([said]);
  });
});

test("a task whose agent answers message/send with a working one may be as silent as it likes", async () => {
  let looks = 0;
  const url = await serve(async (request, response) => {
    const { id, method } = JSON.parse((await text(request)) || '{"method":"GET"}') as Record<string, string>;
    const state = method === "message/send" ? "working" : ++looks > 40 ? "completed" : "working";
    const known = method === "message/send" || method === "tasks/get";
    const answer = known ? { result: task(state, "done") } : { error: { code: -32601, message: "unknown" } };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
  });
  const timeouts = { poll: "20ms", idle: "100ms" };
  proxy = await startTestProxy({ agent: { adapter: "a2a-0.3", url, timeouts } });
  const { result } = await rpc(proxy.agent("agent"), "message/send", userMessage("hello"));
  const found = Task.parse(result);
  expect([found.status.state, textOf(found)]).toEqual(["completed", "done"]);
});

test("an agent that refuses connections is given up without waiting for the interval of polling", async () => {
  const frame = `data: ${JSON.stringify({ jsonrpc: "2.0", id: 1, result: task("submitted") })}\n\n`;
  const vanishing = await startScriptedVendor(undefined, [
    { contentType: "text/event-stream", body: frame, end: "hang" },
  ]);
  proxy = await startTestProxy({
    agent: { adapter: "a2a-0.3", url: vanishing.url, timeouts: { poll: "1h" } },
  });
  const events = rpcStream(proxy.agent("agent"), "message/stream", userMessage("hello"));
  const seen = [(await events.next()).value?.result];
  await vanishing.stop();
  for await (const { result } of events) seen.push(result);
  expect(seen.at(-1)).toMatchObject({ final: true, status: { state: "failed" } });
  expect(wordsOf(seen)).toContain("broke the connection");
});
