/** What the profile's agents do, whatever they are made with, as a client of the proxy sees it. */
import { afterAll, describe, expect, test } from "@jest/globals";
import { z } from "zod";
import { Task } from "../../src/protocol/model.ts";
import { rpc, rpcStream, streamResults, userMessage, type RpcAnswer } from "../support/client.ts";
import { textOf } from "../support/fake-agent.ts";
import { expectValidStream } from "../support/invariants.ts";
import { startTestProxy, type TestProxy } from "../support/proxy.ts";
import type { Ready, RunningAgent } from "./peer.ts";

/** Agents send what is between the strokes as one chunk each; this is what has gone wrong between programs before. */
const CHUNKS = [
  "北京 (Beijing) ",
  "wörld 🎉👩‍👩‍👧 ",
  '\n tab\t"quotes" \\ back ',
  "\u2028line\u2029 ",
  "\u0085end. ",
];
const ASKED = CHUNKS.join("|");
const TEXT = CHUNKS.join("");

/** What an agent can do. */
const BEHAVIOURS = ["followUp", "cancel", "resubscribe", "error", "files", "message"] as const;
type Behaviour = (typeof BEHAVIOURS)[number];

export interface Row {
  readonly name: string;
  /** As in config.yaml. */
  readonly agent: (urls: unknown) => Record<string, unknown>;
  /** What this agent cannot do itself, with the reason. */
  readonly cannot?: Readonly<Partial<Record<Behaviour, string>>>;
}

const BYTES = Buffer.from([0x80, 0x81, 0x82, 0, 1, 2, 255]).toString("base64");
const FILES = [
  { bytes: BYTES, name: "a.bin", mimeType: "application/octet-stream" },
  { bytes: Buffer.from("hello wörld\n").toString("base64"), name: "b.txt", mimeType: "text/plain" },
];

async function sendTask(url: string, text: string, more: Record<string, unknown> = {}): Promise<Task> {
  const { result, error } = await rpc(url, "message/send", userMessage(text, more));
  expect(error).toBeUndefined();
  return Task.parse(result);
}

/** Begins a task that goes on until it is canceled, and reads its first chunk. */
async function startSlow(url: string) {
  const events = rpcStream(url, "message/stream", userMessage("slow"));
  const seen: unknown[] = [];
  while (!JSON.stringify(seen).includes("slow ")) {
    const { value, done } = await events.next();
    if (done) throw new Error(`the stream has ended: ${JSON.stringify(seen)}`);
    expect(value.error).toBeUndefined();
    seen.push(value.result);
  }
  return { id: Task.parse(seen[0]).id, events, seen };
}

async function resultsOf(events: AsyncIterable<RpcAnswer>): Promise<unknown[]> {
  const results: unknown[] = [];
  for await (const { result, error } of events) {
    expect(error).toBeUndefined();
    results.push(result);
  }
  return results;
}

const ends = (state: string) => ({ kind: "status-update", status: { state }, final: true });

const TESTS: Readonly<Record<Behaviour, (url: string) => Promise<void>>> = {
  async followUp(url) {
    const { id, contextId, status } = await sendTask(url, "ask");
    expect(status.state).toBe("input-required");
    expect(JSON.stringify(status.message)).toContain("Which one?");
    const done = await sendTask(url, ASKED, { taskId: id, contextId });
    expect([done.id, done.contextId, done.status.state]).toEqual([id, contextId, "completed"]);
    expect(textOf(done)).toBe(TEXT);
  },

  async cancel(url) {
    const { id, events, seen } = await startSlow(url);
    const { result } = await rpc(url, "tasks/cancel", { id });
    expect(Task.parse(result).status.state).toBe("canceled");
    const all = [...seen, ...(await resultsOf(events))];
    expect([...expectValidStream(all).values()]).toEqual(["slow "]);
    expect(all.at(-1)).toMatchObject(ends("canceled"));
  },

  async resubscribe(url) {
    const { id, events } = await startSlow(url);
    await events.return();
    const again = rpcStream(url, "tasks/resubscribe", { id });
    const { value } = await again.next();
    expect(Task.parse(value && value.result).id).toBe(id);
    await rpc(url, "tasks/cancel", { id });
    const all = [value?.result, ...(await resultsOf(again))];
    expect([...expectValidStream(all).values()]).toEqual(["slow "]);
    expect(all.at(-1)).toMatchObject(ends("canceled"));
  },

  async error(url) {
    const { result, error } = await rpc(url, "message/send", userMessage("boom"));
    if (!error) expect(Task.parse(result).status.state).toBe("failed");
    const answers: RpcAnswer[] = [];
    for await (const answer of rpcStream(url, "message/stream", userMessage("boom"))) answers.push(answer);
    const last = answers.at(-1);
    if (!last?.error) expect(last?.result).toMatchObject(ends("failed"));
  },

  async files(url) {
    const parts = [{ kind: "text", text: "file" }, ...FILES.map((file) => ({ kind: "file", file }))];
    const task = await sendTask(url, "file", { parts });
    const [said, ...back] = task.artifacts?.flatMap((artifact) => artifact.parts) ?? [];
    const read: unknown = JSON.parse(said?.kind === "text" ? said.text : "null");
    expect(read).toEqual(FILES.map(({ name, mimeType, bytes }) => [name, mimeType, bytes]));
    expect(back).toMatchObject(FILES.map((file) => ({ kind: "file", file })));
  },

  async message(url) {
    const { result } = await rpc(url, "message/send", userMessage("message"));
    expect(result).toMatchObject({ kind: "message", parts: [{ kind: "text", text: "Just a word." }] });
    const events = await streamResults(url, "message/stream", userMessage("message"));
    expectValidStream(events);
    expect(events).toMatchObject([{ kind: "message", parts: [{ kind: "text", text: "Just a word." }] }]);
  },
};

const Card = z.looseObject({ name: z.string(), url: z.string(), protocolVersion: z.string() });

function describeRow(proxy: TestProxy, { name, cannot = {} }: Row): void {
  const url = proxy.agent(name);

  test("card", async () => {
    const card = Card.parse(await (await fetch(`${url}.well-known/agent-card.json`)).json());
    const own = { url: `http://proxy.test/agents/${name}/`, protocolVersion: "0.3.0" };
    expect(card).toMatchObject(own);
    expect(JSON.stringify(card)).not.toContain("127.0.0.1");
  });

  test("send", async () => {
    const task = await sendTask(url, ASKED);
    expect([task.status.state, task.artifacts?.length, textOf(task)]).toEqual(["completed", 1, TEXT]);
    const { result } = await rpc(url, "tasks/get", { id: task.id });
    expect(textOf(Task.parse(result))).toBe(TEXT);
  });

  test("stream", async () => {
    const events = await streamResults(url, "message/stream", userMessage(ASKED));
    expect([...expectValidStream(events).values()]).toEqual([TEXT]);
    expect(events.at(-1)).toMatchObject(ends("completed"));
  });

  test("unknown task", async () => {
    const { error } = await rpc(url, "tasks/get", { id: "no-such-task" });
    expect(error).toMatchObject({ code: -32001 });
  });

  for (const behaviour of BEHAVIOURS) {
    const reason = cannot[behaviour];
    if (reason === undefined) test(behaviour, () => TESTS[behaviour](url));
    else test.skip(`${behaviour}: ${reason}`, () => {});
  }
}

/** Short, since the exceptions of some peers' agents leave the client waiting. */
const TIMEOUTS = { idle: "4s", firstEvent: "5s" };

/** Every row behind one proxy, through the whole suite; all are skipped if the peer is. */
export async function describeAgents(
  peer: string,
  agent: Ready<RunningAgent>,
  rows: readonly Row[],
): Promise<void> {
  const { skipped, peer: running } = agent;
  if (running === undefined) {
    test.skip.each(rows)(`an agent of ${peer}, $name: ${skipped}`, () => {});
    return;
  }
  const agents = rows.map(({ name, agent: of }) => [name, { timeouts: TIMEOUTS, ...of(running.said) }]);
  const proxy = await startTestProxy(Object.fromEntries(agents));
  afterAll(async () => {
    await proxy.stop();
    await running.stop();
  });
  describe.each(rows)(`an agent of ${peer}, $name,`, (row) => {
    describeRow(proxy, row);
  });
}
