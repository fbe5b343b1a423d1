/** What is measured, each over peers that are running: see docs/performance.md. */
import { setTimeout as sleep } from "node:timers/promises";
import { DIALECTS } from "./dialects.ts";
import {
  eventRate,
  firstEventTimes,
  median,
  quantile,
  sendRate,
  sendRequest,
  sendTimes,
  streamRequest,
} from "./load.ts";
import { residentMemory, type Peer } from "./processes.ts";
import { Connection, Counter } from "./wire.ts";

/** How much of everything: a full run, or one that only shows that it runs. */
export interface Effort {
  readonly rounds: number;
  readonly ms: number;
  readonly connections: number;
  /** Requests per second where latency is measured; every peer must sustain it. */
  readonly rate: number;
  readonly chunks: number;
  readonly idleStreams: number;
  readonly floodMegabytes: number;
  readonly storedTasks: number;
}

/** One figure of one peer in one dialect, a value per round. */
export interface Series {
  readonly measure: string;
  readonly peer: string;
  readonly dialect: string;
  readonly unit: string;
  readonly values: number[];
}

export class Results {
  readonly #series = new Map<string, Series>();

  add(measure: string, peer: string, dialect: string, unit: string, value: number): void {
    const key = JSON.stringify([measure, peer, dialect]);
    const series = this.#series.get(key) ?? { measure, peer, dialect, unit, values: [] };
    this.#series.set(key, series);
    series.values.push(value);
  }

  /** The median over the rounds; NaN where it was not measured. */
  median(measure: string, peer: string, dialect = "canonical"): number {
    return median(this.#series.get(JSON.stringify([measure, peer, dialect]))?.values ?? []);
  }

  all(): Series[] {
    return [...this.#series.values()];
  }
}

/** Peers one after the other, dialects within: a round is interleaved, so that a slow minute hits all. */
async function eachPeer(
  peers: readonly Peer[],
  work: (peer: Peer, path: string, dialect: string) => Promise<void>,
): Promise<void> {
  for (const peer of peers) {
    for (const dialect of Object.keys(DIALECTS)) {
      const path = peer.path(dialect);
      if (path !== undefined) await work(peer, path, dialect);
    }
  }
}

export async function measureThroughput(
  peers: readonly Peer[],
  effort: Effort,
  results: Results,
): Promise<void> {
  const { connections, ms } = effort;
  await eachPeer(peers, async (peer, path, dialect) => {
    results.add("sends", peer.name, dialect, "1/s", await sendRate(peer, path, { connections, ms }));
    const load = { connections, ms, events: 50 };
    results.add("events", peer.name, dialect, "1/s", await eventRate(peer, path, load));
  });
}

/** What a peer adds to the vendor's own time, in the same round. */
export async function measureLatency(
  backend: Peer,
  peers: readonly Peer[],
  { rate, ms }: Effort,
  results: Results,
): Promise<void> {
  const load = { rate, ms };
  const direct = await sendTimes(backend, "/canonical", load);
  const directFirst = await firstEventTimes(backend, "/canonical", load);
  for (const peer of peers) {
    const path = peer.path("canonical");
    if (path === undefined) continue;
    const times = await sendTimes(peer, path, load);
    const add = (measure: string, value: number): void =>
      results.add(measure, peer.name, "canonical", "ms", value);
    add("send p50 added", quantile(times, 0.5) - quantile(direct, 0.5));
    add("send p99 added", quantile(times, 0.99) - quantile(direct, 0.99));
    const first = await firstEventTimes(peer, path, load);
    add("first event p50 added", quantile(first, 0.5) - quantile(directFirst, 0.5));
  }
}

/** One stream onto one artifact: whether the last chunks are as fast as the first, and what memory it takes. */
export async function measureGrowth(proxy: Peer, { chunks }: Effort, results: Results): Promise<void> {
  const path = proxy.path("canonical") ?? "/";
  const connection = await Connection.open(proxy.port);
  const counter = new Counter("data: ");
  const times: number[] = [];
  const before = residentMemory(proxy.pid);
  await connection.stream(streamRequest(path, `events=${chunks}`), (chunk) => {
    counter.push(chunk);
    const now = performance.now();
    while (times.length < counter.count) times.push(now);
  });
  connection.close();
  const part = Math.max(1, Math.min(1000, Math.floor(chunks / 4)));
  const span = (from: number): number => (times[from + part] ?? Number.NaN) - (times[from] ?? Number.NaN);
  const ratio = span(times.length - part - 1) / span(1);
  results.add("last against first thousand chunks", proxy.name, "canonical", "×", ratio);
  const grown = (residentMemory(proxy.pid) - before) / 1e6;
  results.add("memory of a long stream", proxy.name, "canonical", "MB", grown);
}

/** Many open streams on which nothing happens: memory for each, and what a send costs meanwhile. */
export async function measureIdle(
  peer: Peer,
  { idleStreams, rate, ms }: Effort,
  results: Results,
): Promise<void> {
  const path = peer.path("canonical") ?? "/";
  const quiet = median(await sendTimes(peer, path, { rate: Math.min(rate, 100), ms }));
  const before = residentMemory(peer.pid);
  const open: Connection[] = [];
  for (let index = 0; index < idleStreams; index++) {
    const connection = await Connection.open(peer.port);
    open.push(connection);
    const first = Promise.withResolvers<void>();
    connection.stream(streamRequest(path, "hold"), () => first.resolve()).catch(() => {});
    await first.promise;
  }
  await sleep(Math.min(ms, 2000));
  const grown = residentMemory(peer.pid) - before;
  results.add("memory per idle stream", peer.name, "canonical", "kB", grown / idleStreams / 1000);
  const busy = median(await sendTimes(peer, path, { rate: Math.min(rate, 100), ms }));
  results.add("send p50 beside idle streams", peer.name, "canonical", "×", busy / quiet);
  for (const connection of open) connection.close();
}

/** A client that stops reading a stream which comes as fast as it is read. */
export async function measureStalledReader(proxy: Peer, effort: Effort, results: Results): Promise<void> {
  const { floodMegabytes, ms } = effort;
  const path = proxy.path("canonical") ?? "/";
  const before = residentMemory(proxy.pid);
  const connection = await Connection.open(proxy.port);
  const first = Promise.withResolvers<void>();
  connection.stream(streamRequest(path, `flood=${floodMegabytes}`), () => first.resolve()).catch(() => {});
  await first.promise;
  connection.pause();
  let most = 0;
  for (const end = performance.now() + ms; performance.now() < end; await sleep(50)) {
    most = Math.max(most, residentMemory(proxy.pid) - before);
  }
  results.add("memory of a stalled reader", proxy.name, "canonical", "MB", most / 1e6);
  const other = await Connection.open(proxy.port);
  const start = performance.now();
  await other.unary(sendRequest(path));
  results.add("send beside a stalled reader", proxy.name, "canonical", "ms", performance.now() - start);
  other.close();
  connection.close();
}
