/**
 * `npm run bench`: what the proxy costs beside what a user would run instead, as ratios within one run. Every peer has
 * one core to itself, the load and the vendor have the other. Bounded in time, loopback only. See docs/performance.md.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { benchKey } from "./key.ts";
import { verdicts } from "./goals.ts";
import {
  measureGrowth,
  measureIdle,
  measureLatency,
  measureStalledReader,
  measureThroughput,
  Results,
  type Effort,
} from "./measures.ts";
import {
  pinLoad,
  startBackend,
  startKoaUndici,
  startNginx,
  startPipe,
  startProxy,
  startSdkRelay,
  type Peer,
} from "./processes.ts";
import { toSvg, toTable, type Report } from "./report.ts";
import { measureStalls } from "./stalls.ts";
import { measureStart, measureStore, measureStored } from "./stored.ts";
import { extraHeaders } from "./wire.ts";

const FULL: Effort = {
  rounds: 5,
  ms: 2000,
  connections: 32,
  rate: 400,
  chunks: 20_000,
  idleStreams: 5000,
  floodMegabytes: 200,
  storedTasks: 10_000,
};
const SMOKE: Effort = {
  rounds: 1,
  ms: 100,
  connections: 2,
  rate: 50,
  chunks: 40,
  idleStreams: 5,
  floodMegabytes: 2,
  storedTasks: 32,
};
const FULL_SIZES = [1000, 1_000_000];
const SMOKE_SIZES = [10, 50];

export async function bench({ smoke }: { smoke: boolean }): Promise<Report> {
  const effort = smoke ? SMOKE : FULL;
  const sizes = smoke ? SMOKE_SIZES : FULL_SIZES;
  const results = new Results();
  const key = benchKey();
  extraHeaders.splice(0, extraHeaders.length, key.header);
  const running: Peer[] = [];
  const started = async <T extends Peer | undefined>(starting: Promise<T>): Promise<T> => {
    const peer = await starting;
    if (peer) running.push(peer);
    return peer;
  };
  const stop = async (peer: Peer): Promise<void> => {
    running.splice(running.indexOf(peer), 1);
    await peer.stop();
  };
  try {
    const backend = await started(startBackend());
    const nginx = await started(startNginx(backend));
    const pipe = await started(startPipe(backend));
    const floor = await started(startKoaUndici(backend));
    const relay = await started(startSdkRelay(backend));
    const proxy = await started(startProxy(backend, key));
    const peers = [nginx, pipe, floor, relay, proxy].filter((peer) => peer !== undefined);
    // The first rounds bring the code of all of them to speed, and are not counted.
    for (let round = 0; round < (smoke ? 1 : 2); round++)
      await measureThroughput(peers, effort, new Results());
    for (let round = 0; round < effort.rounds; round++) {
      await measureThroughput(peers, effort, results);
      await measureLatency(backend, peers, effort, results);
    }
    for (const peer of peers) await stop(peer);
    for (let round = 0; round < Math.min(effort.rounds, 3); round++) {
      for (const start of [
        () => startPipe(backend),
        () => startKoaUndici(backend),
        () => startSdkRelay(backend),
        () => startProxy(backend, key),
      ]) {
        const fresh = await started(start());
        await measureIdle(fresh, effort, results);
        await stop(fresh);
      }
      const fresh = await started(startProxy(backend, key));
      await measureGrowth(fresh, effort, results);
      await measureStalledReader(fresh, effort, results);
      await measureStalls(fresh, results);
      await stop(fresh);
    }
    await measureStore(effort.storedTasks, effort.rounds, results);
    await measureStored(backend, key, sizes, effort.rounds, results);
    await measureStart(backend, key, effort.rounds, results);
  } finally {
    for (const peer of running) await peer.stop();
  }
  return {
    date: new Date().toISOString(),
    machine: `${cpus().length} cores, ${cpus()[0]?.model ?? "unknown"}`,
    versions: { node: process.version, nginx: nginxVersion() },
    series: results.all(),
    verdicts: verdicts(results, sizes),
  };
}

function nginxVersion(): string {
  try {
    return execFileSync("sh", ["-c", "nginx -v 2>&1"]).toString().trim();
  } catch {
    return "not installed";
  }
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      smoke: { type: "boolean", default: false },
      out: { type: "string", default: "bench/results" },
    },
  });
  pinLoad();
  const report = await bench({ smoke: values.smoke });
  mkdirSync(values.out, { recursive: true });
  writeFileSync(join(values.out, "bench.json"), `${JSON.stringify(report, undefined, 2)}\n`);
  writeFileSync(join(values.out, "bench.svg"), toSvg(report));
  console.log(toTable(report));
}
