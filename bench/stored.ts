/** tasks/get out of a large store, and how soon a proxy with many agents answers. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openSqliteStore } from "../src/store/sqlite.ts";
import { median } from "./load.ts";
import type { Results } from "./measures.ts";
import { runStore, startProxy, type BenchKey, type Peer } from "./processes.ts";
import { Connection, postRequest } from "./wire.ts";

/** The name of what is no peer, but a part of this proxy. */
const STORE = "its store alone";

const GETS = 500;
/** Writes under way at once. */
const BATCH = 500;

/** Fills a store with finished tasks of the benchmark's principal, as the proxy writes them. */
async function fill(path: string, tasks: number, principal: string): Promise<void> {
  const store = await openSqliteStore({ path, synchronous: "normal" });
  const now = Date.now();
  for (let index = 0; index < tasks; index += BATCH) {
    const writes = Array.from({ length: Math.min(BATCH, tasks - index) }, (_, offset) => {
      const id = `task-${index + offset}`;
      const contextId = `context-${index + offset}`;
      const task = {
        kind: "task",
        id,
        contextId,
        status: { state: "completed", timestamp: "2026-01-01T00:00:00.000Z" },
        history: [{ kind: "message", messageId: "m", role: "user", parts: [{ kind: "text", text: "hi" }] }],
        artifacts: [{ artifactId: "a", parts: [{ kind: "text", text: "x".repeat(1000) }] }],
      };
      const times = { createdAt: now, updatedAt: now };
      const ids = { agent: "canonical", id, contextId, principal };
      return store.putTask({
        ...ids,
        ...times,
        state: "completed",
        lastEvent: 0,
        json: JSON.stringify(task),
      });
    });
    await Promise.all(writes);
  }
  await store.close();
}

/** What of a send and of an event is the store's. */
export async function measureStore(tasks: number, rounds: number, results: Results): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const folder = mkdtempSync(join(tmpdir(), "a2a-bench-store-"));
    const { send, event } = await runStore(join(folder, "store.db"), tasks);
    results.add("a send's task, core", STORE, "canonical", "µs", send);
    results.add("an event's log, core", STORE, "canonical", "µs", event);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function getTime(proxy: Peer, tasks: number): Promise<number> {
  const connection = await Connection.open(proxy.port);
  const times: number[] = [];
  for (let index = 0; index < GETS; index++) {
    const id = `task-${Math.floor(Math.random() * tasks)}`;
    const body = JSON.stringify({ jsonrpc: "2.0", id: index, method: "tasks/get", params: { id } });
    const start = performance.now();
    await connection.unary(postRequest("/agents/canonical/", body));
    times.push(performance.now() - start);
  }
  connection.close();
  return median(times);
}

/** @param sizes numbers of stored tasks, the smallest first */
export async function measureStored(
  backend: Peer,
  key: BenchKey,
  sizes: readonly number[],
  rounds: number,
  results: Results,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "a2a-bench-store-"));
  const proxies: { size: number; proxy: Peer }[] = [];
  for (const size of sizes) {
    const storePath = join(folder, `${size}.db`);
    await fill(storePath, size, key.principal);
    proxies.push({ size, proxy: await startProxy(backend, key, { storePath }) });
  }
  for (let round = 0; round < rounds; round++) {
    for (const { size, proxy } of proxies) {
      results.add(`tasks/get of ${size} stored`, proxy.name, "canonical", "ms", await getTime(proxy, size));
    }
  }
  for (const { proxy } of proxies) await proxy.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** From the start of the process to its first answered request, with 100 agents configured. */
export async function measureStart(
  backend: Peer,
  key: BenchKey,
  rounds: number,
  results: Results,
): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    const proxy = await startProxy(backend, key, { moreAgents: 96 });
    for (;;) {
      const answer = await fetch(`http://127.0.0.1:${proxy.port}/readyz`).catch(() => undefined);
      if (answer?.ok) break;
      await sleep(5);
    }
    results.add("start with 100 agents", proxy.name, "canonical", "ms", performance.now() - start);
    await proxy.stop();
  }
}
