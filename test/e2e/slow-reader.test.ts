/** A client that does not read must cost the proxy nothing and nobody else anything. */
import { afterEach, describe, expect, test } from "@jest/globals";
import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { Task } from "../../src/protocol/model.ts";
import { cleanUp, serve } from "../southbound/loopback.ts";
import { rpc, rpcStream, userMessage } from "../support/client.ts";
import { textOf } from "../support/fake-agent.ts";
import { expectValidStream } from "../support/invariants.ts";
import { startTestProxy, type TestProxy } from "../support/proxy.ts";
import { chunk, status, task } from "./puppet.ts";

const MIB = 1024 * 1024;
/** What kernel and Node buffer on two connections is a few MiB at most; the window is 64 KiB. */
const BOUND = 24 * MIB;
const TOTAL = 48 * MIB;
const PIECE = "x".repeat(32 * 1024);

let proxy: TestProxy;

afterEach(async () => {
  await proxy.stop();
  await cleanUp();
});

/** Sends TOTAL as fast as it is let, and tells how far it has come and when it has been held back. */
async function startFlood() {
  let written = 0;
  const full = Promise.withResolvers<void>();
  const url = await serve(async (incoming, response) => {
    const body = await text(incoming);
    if (!body.includes('"message/stream"')) {
      response.writeHead(404).end();
      return;
    }
    const send = (result: object): boolean =>
      response.write(`data: ${JSON.stringify({ jsonrpc: "2.0", id: 1, result })}\n\n`);
    response.writeHead(200, { "content-type": "text/event-stream" });
    send(task("working"));
    const closed = once(response, "close");
    const size = body.includes("little") ? 3 * PIECE.length : TOTAL;
    for (let sent = 0; sent < size; sent += PIECE.length) {
      if (response.destroyed) return;
      written += PIECE.length;
      if (send(chunk(PIECE, sent > 0))) continue;
      const wait = setTimeout(full.resolve, 1_000);
      await Promise.race([once(response, "drain"), closed]);
      clearTimeout(wait);
    }
    send(status("completed"));
    response.end();
  });
  return { url, heldBack: full.promise, written: () => written };
}

/** A stream that is opened and not read. */
async function openUnread(url: string): Promise<IncomingMessage> {
  const post = request(url, { method: "POST", headers: { "content-type": "application/json" } });
  post.on("error", () => {});
  const params = userMessage("flood");
  post.end(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "message/stream", params }));
  const [response] = (await once(post, "response")) as [IncomingMessage];
  response.on("error", () => {}).pause();
  return response;
}

async function start(stalledClient: string) {
  const flood = await startFlood();
  const timeouts = { stalledClient };
  const limits = { window: "64kb" };
  proxy = await startTestProxy({ planner: { adapter: "a2a-0.3", url: flood.url, timeouts, limits } });
  return { ...flood, agent: proxy.agent("planner") };
}

describe("a client that does not read", () => {
  test("holds the vendor back, and no other client; once it reads, it gets everything", async () => {
    const { agent, heldBack, written } = await start("1m");
    const unread = await openUnread(agent);
    await heldBack;
    expect(written()).toBeLessThan(BOUND);
    const events: unknown[] = [];
    for await (const { result } of rpcStream(agent, "message/stream", userMessage("little")))
      events.push(result);
    expect([...expectValidStream(events).values()].join("")).toHaveLength(3 * PIECE.length);
    const frames = (await text(unread))
      .split("\n\n")
      .map((frame) => frame.slice(frame.indexOf("data: ")))
      .filter((frame) => frame.startsWith("data: "));
    const results = frames.map((frame): unknown => JSON.parse(frame.slice(6)).result);
    expect([...expectValidStream(results).values()].join("")).toHaveLength(TOTAL);
  });

  test("is disconnected after stalledClient, and its task goes on", async () => {
    const { agent, heldBack } = await start("2s");
    const unread = await openUnread(agent);
    await heldBack;
    const closed = once(unread.socket, "close");
    let last: unknown;
    for await (const { result } of rpcStream(agent, "tasks/resubscribe", { id: "t-1" })) last = result;
    expect(last).toMatchObject({ status: { state: "completed" }, final: true });
    const { result } = await rpc(agent, "tasks/get", { id: "t-1" });
    expect(textOf(Task.parse(result))).toHaveLength(TOTAL);
    unread.resume();
    await closed;
    expect(unread.complete).toBe(false);
  });
});
