/** An agent that names its task long after the client has been given one, and a proxy that is killed then. */
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { mkdtemp, rm } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { Task } from "../../src/protocol/model.ts";
import { cleanUp, serve } from "../southbound/loopback.ts";
import { rpc, rpcStream, userMessage } from "../support/client.ts";
import { textOf } from "../support/fake-agent.ts";
import { artifact, chunk, status, task } from "./puppet.ts";
import { startProgram } from "./program.ts";

const Request = z.object({ id: z.unknown(), method: z.string() });

let folder: string;
/** What a failed test may have left running. */
let leftovers: (() => Promise<unknown>)[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "e2e-"));
  leftovers = [];
});

afterEach(async () => {
  for (const stop of leftovers) await stop();
  await cleanUp();
  await rm(folder, { recursive: true });
});

async function start(document: Record<string, unknown>) {
  const program = await startProgram(folder, document);
  leftovers.push(() => program.kill("SIGKILL"));
  return { program, url: `${await program.url}/agents/slow/` };
}

/** Streams what the test says; knows the task by tasks/get, where it is done. */
async function startAgent() {
  const streamed = Promise.withResolvers<(result: object) => void>();
  const answerWith = (response: ServerResponse, id: unknown, answer: object): void => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
  };
  const url = await serve(async (request, response) => {
    if (request.method === "GET") {
      response.writeHead(404).end();
      return;
    }
    const { id, method } = Request.parse(JSON.parse(await text(request)));
    if (method === "message/stream") {
      response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
      const say = (result: object): void =>
        void response.write(`data: ${JSON.stringify({ jsonrpc: "2.0", id, result })}\n\n`);
      streamed.resolve(say);
    } else if (method === "tasks/get") {
      answerWith(response, id, { result: task("completed", { artifacts: [artifact("one two")] }) });
    } else {
      answerWith(response, id, { error: { code: -32601, message: "Method not found" } });
    }
  });
  return { url, say: streamed.promise };
}

test("the task is asked for at the agent after the restart", async () => {
  const agent = await startAgent();
  const timeouts = { nonBlocking: "20ms", poll: "20ms" };
  const document = { agents: { slow: { adapter: "a2a-0.3", url: agent.url, timeouts } } };
  const first = await start(document);
  const params = { ...userMessage("hello"), configuration: { blocking: false } };
  const { id } = Task.parse((await rpc(first.url, "message/send", params)).result);
  const events = rpcStream(first.url, "tasks/resubscribe", { id });
  expect((await events.next()).value?.result).toMatchObject({ kind: "task", status: { state: "submitted" } });
  const say = await agent.say;
  say(status("working"));
  say(chunk("one ", false));
  for (let seen = ""; !seen.includes("one ");) seen = JSON.stringify((await events.next()).value);
  void events.next().catch(() => {});
  await first.program.kill("SIGKILL");

  const second = await start(document);
  for await (const _event of rpcStream(second.url, "tasks/resubscribe", { id })) {
    // Until the task has ended.
  }
  const found = Task.parse((await rpc(second.url, "tasks/get", { id })).result);
  expect([found.status.state, textOf(found)]).toEqual(["completed", "one two"]);
});
