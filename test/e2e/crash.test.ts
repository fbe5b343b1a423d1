/** What becomes of running tasks when the program is killed, stopped, or finds its store damaged. */
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunningVendors } from "../../src/demo/server.ts";
import { startVendors } from "../../src/demo/vendors.ts";
import { Task } from "../../src/protocol/model.ts";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import { rpc, rpcStream, userMessage, type RpcAnswer } from "../support/client.ts";
import { textOf } from "../support/fake-agent.ts";
import { expectValidStream } from "../support/invariants.ts";
import { startScriptedVendor } from "../support/scripted-vendor.ts";
import { startProgram } from "./program.ts";

/** Of a slow answer, ms; it has to outlast a restart of the program. */
const PACE = 60;
const STEPS = Array.from({ length: 66 }, (_, index) => index + 1);

/** The vendors that can be asked for a task, and all that they say when they are "slow". */
const RECOVERABLE = [
  { name: "flights", text: `Flights for "slow": ${STEPS.map((n) => `Airline ${n} asked. `).join("")}` },
  { name: "traveller", text: STEPS.map((n) => `Step ${n}. `).join("") },
  {
    name: "jester",
    text: STEPS.toReversed()
      .map((n) => `${n} bottles of beer on the wall. `)
      .join(""),
  },
];

let folder: string;
let vendors: RunningVendors;
/** What a failed test may have left running. */
let leftovers: (() => Promise<unknown>)[];

const demoAgents = () => ({
  planner: { adapter: "appbuilder", url: `${vendors.url}/v2/a2a/demo-app` },
  jester: { adapter: "a2a-0.1", url: `${vendors.url}/legacy` },
  flights: { adapter: "a2a-snake", url: `${vendors.url}/snake` },
  traveller: { adapter: "a2a-0.3", url: `${vendors.url}/canonical` },
});

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "e2e-"));
  vendors = await startVendors(0, { pace: PACE });
  leftovers = [() => vendors.stop()];
});

afterEach(async () => {
  for (const stop of leftovers) await stop();
  await rm(folder, { recursive: true });
});

async function start(document: Record<string, unknown>) {
  const program = await startProgram(folder, document);
  leftovers.push(() => program.kill("SIGKILL"));
  return program;
}

const agentUrl = (base: string, name: string): string => `${base}/agents/${name}/`;

/** The second piece of a slow answer. The first is in the event log by then: `PACE` is longer than that takes. */
const SECOND = /\b(?:Hour 2|Airline 2|Step 2|65 bottles)\b/;

/** Starts a slow task and comes back once two pieces of its answer have arrived. */
async function startSlow(base: string, name: string) {
  const events = rpcStream(agentUrl(base, name), "message/stream", userMessage("slow"));
  const seen: unknown[] = [];
  do {
    const { value } = await events.next();
    if (!value?.result) throw new Error(`the stream of ${name} ended: ${JSON.stringify(value)}`);
    seen.push(value.result);
  } while (!SECOND.test(JSON.stringify(seen.at(-1))));
  return { id: Task.parse(seen[0]).id, events, seen };
}

async function rest(events: AsyncIterable<RpcAnswer>): Promise<unknown[]> {
  const results: unknown[] = [];
  for await (const { result, error } of events) {
    if (error) throw new Error(JSON.stringify(error));
    results.push(result);
  }
  return results;
}

async function getTask(base: string, name: string, id: string): Promise<Task> {
  return Task.parse((await rpc(agentUrl(base, name), "tasks/get", { id })).result);
}

/** Follows the task until it has ended; a task that has ended already is all there is to follow. */
async function untilEnd(base: string, name: string, id: string): Promise<Task> {
  await rest(rpcStream(agentUrl(base, name), "tasks/resubscribe", { id }));
  return getTask(base, name, id);
}

const wordsOf = ({ status }: Task): string => JSON.stringify(status.message?.parts);

/** The task as its event log alone tells it. */
async function replay(agent: string, id: string) {
  const store = await openSqliteStore({ path: join(folder, "proxy.db"), synchronous: "normal" });
  const events = await store.eventsAfter({ agent, id }, 0, 10_000);
  const record = await store.getTask({ agent, id });
  const unfinished = await store.unfinishedTasks();
  await store.close();
  return { events, record, unfinished };
}

describe("kill -9 in mid-stream, and a new start", () => {
  test("every task is recovered from its vendor, or failed with the reason; none stays working", async () => {
    const task = { kind: "task", id: "t-1", contextId: "c-1", status: { state: "working" } };
    const body = `data: ${JSON.stringify({ jsonrpc: "2.0", id: 1, result: task })}\n\n`;
    const hanging = { contentType: "text/event-stream", body, end: "hang" } as const;
    const vanishing = await startScriptedVendor(undefined, [hanging, hanging]);
    const timeouts = { poll: "20ms" };
    const gone = { adapter: "a2a-0.3", url: vanishing.url, timeouts };
    const removed = { adapter: "a2a-0.3", url: vanishing.url };
    const first = await start({ agents: { ...demoAgents(), gone, removed } });
    let base = await first.url;
    const names = Object.keys(demoAgents());
    const running = await Promise.all(names.map((name) => startSlow(base, name)));
    const ids = new Map(names.map((name, index) => [name, running[index]?.id ?? ""]));
    for (const name of ["gone", "removed"]) {
      const events = rpcStream(agentUrl(base, name), "message/stream", userMessage("hello"));
      ids.set(name, Task.parse((await events.next()).value?.result).id);
      // Its connection breaks with the program.
      void rest(events).catch(() => {});
    }
    const broken = Promise.allSettled(running.map(({ events }) => rest(events)));
    expect(await first.kill("SIGKILL")).toMatchObject({ code: null, signal: "SIGKILL" });
    expect((await broken).map(({ status }) => status)).toEqual(names.map(() => "rejected"));
    await vanishing.stop();

    const second = await start({ agents: { ...demoAgents(), gone } });
    base = await second.url;
    const lost = await untilEnd(base, "planner", ids.get("planner") ?? "");
    expect(lost.status.state).toBe("failed");
    expect(wordsOf(lost)).toContain("The proxy was restarted while the task was running");
    expect(textOf(lost)).toContain("Hour 1: sunny. ");
    const unreachable = await untilEnd(base, "gone", ids.get("gone") ?? "");
    expect(unreachable.status.state).toBe("failed");
    expect(wordsOf(unreachable)).toContain("refused the connection");
    const recovered = await Promise.all(
      RECOVERABLE.map(({ name }) => untilEnd(base, name, ids.get(name) ?? "")),
    );
    expect(recovered.map(({ status }) => status.state)).toEqual(RECOVERABLE.map(() => "completed"));
    expect(recovered.map((task) => textOf(task))).toEqual(RECOVERABLE.map(({ text }) => text));
    expect(await second.kill("SIGTERM")).toMatchObject({ code: 0, signal: null });

    for (const { name, text } of RECOVERABLE) {
      const { events, unfinished } = await replay(name, ids.get(name) ?? "");
      const sequences = events.map(({ sequence }) => sequence);
      expect(sequences).toEqual([...new Set(sequences)].toSorted((a, b) => a - b));
      const texts = expectValidStream(events.map(({ json }): unknown => JSON.parse(json)));
      expect([...texts.values()].join("")).toBe(text);
      expect(unfinished).toEqual([]);
    }
    const { record } = await replay("removed", ids.get("removed") ?? "");
    expect(record?.state).toBe("failed");
    expect(record?.json).toContain("restarted without the agent");
  });
});

describe("SIGTERM in mid-stream", () => {
  test("a task whose vendor cannot be asked fails with the reason, the others go on after the next start", async () => {
    const program = await start({ agents: demoAgents() });
    const base = await program.url;
    const names = Object.keys(demoAgents());
    const running = await Promise.all(names.map((name) => startSlow(base, name)));
    const ends = running.map(async ({ seen, events }) => [...seen, ...(await rest(events))]);
    expect(await program.kill("SIGTERM")).toMatchObject({ code: 0, signal: null });
    const [planner = [], ...others] = await Promise.all(ends);
    expectValidStream(planner);
    const words = [{ kind: "text", text: "The proxy was shut down before the agent had finished" }];
    expect(planner.at(-1)).toMatchObject({
      final: true,
      status: { state: "failed", message: { parts: words } },
    });
    expect(JSON.stringify(others)).not.toContain('"final":true');
    const { unfinished } = await replay("planner", running[0]?.id ?? "");
    expect(unfinished.map(({ agent }) => agent).toSorted()).toEqual(names.slice(1).toSorted());

    const again = await (await start({ agents: demoAgents() })).url;
    for (const { name, text } of RECOVERABLE) {
      const recovered = await untilEnd(again, name, running[names.indexOf(name)]?.id ?? "");
      expect([recovered.status.state, textOf(recovered)]).toEqual(["completed", text]);
    }
  });
});

describe("a store file that is damaged", () => {
  const ofAnotherKind = (file: string) => writeFile(file, "This is no database. ".repeat(300));
  const overwritten = async (file: string): Promise<void> => {
    await (await openSqliteStore({ path: file, synchronous: "normal" })).close();
    const content = await readFile(file);
    await writeFile(file, content.fill("x", 100));
  };

  test.each([
    ["no database", ofAnotherKind, "it is not an SQLite database"],
    ["overwritten", overwritten, "it is damaged"],
  ])("(%s) is named on standard error, with exit code 1", async (_, damage, words) => {
    const file = join(folder, "proxy.db");
    await damage(file);
    const { code, log } = await (await start({ agents: demoAgents() })).exit;
    expect(code).toBe(1);
    expect(log).toBe(`error Cannot open the task store ${file}: ${words}`);
  });
});
