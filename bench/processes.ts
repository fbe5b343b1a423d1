/** The processes of a run: the vendor beside the load, each peer alone on the other core. */
import { spawn, spawnSync, type ChildProcess, type StdioOptions } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { stringify } from "yaml";
import { z } from "zod";
import { DIALECTS } from "./dialects.ts";

/** What is measured runs here alone; everything else on the other. */
const PEER_CORE = 0;
const LOAD_CORE = 1;

export interface Peer {
  readonly name: string;
  readonly port: number;
  readonly pid: number;
  /** The path that posts go to for a dialect; undefined where the peer does not speak it. */
  path(dialect: string): string | undefined;
  stop(): Promise<void>;
}

/** Linux pins a process to a core with `taskset`; elsewhere the figures say less. */
const canPin = spawnSync("taskset", ["--version"], { stdio: "ignore" }).status === 0;

function pinned(core: number, [command = "", ...args]: readonly string[]): ChildProcess {
  const stdio: StdioOptions = ["ignore", "pipe", "inherit"];
  return canPin
    ? spawn("taskset", ["-c", String(core), command, ...args], { stdio })
    : spawn(command, args, { stdio });
}

/** What Node is told when the program starts: see src/main.ts. */
const PROGRAM_FLAGS = ["--max-semi-space-size=16"];

const node = (core: number, ...args: string[]): ChildProcess => pinned(core, [process.execPath, ...args]);

/** The first line that the program prints. */
async function printedLine(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error("no standard output");
  const lines = createInterface(child.stdout);
  const [line] = (await Promise.race([once(lines, "line"), once(child, "exit")])) as [unknown];
  if (typeof line !== "string") throw new Error(`a process of the benchmark ended: ${String(line)}`);
  return line;
}

async function printedPort(child: ChildProcess): Promise<number> {
  const line = await printedLine(child);
  const port = Number(line);
  if (!(port > 0)) throw new Error(`a process of the benchmark did not start: ${line}`);
  return port;
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGKILL");
  await once(child, "exit");
}

/** Moves this process, the load, to its core. */
export function pinLoad(): void {
  if (canPin) spawnSync("taskset", ["-cp", String(LOAD_CORE), String(process.pid)], { stdio: "ignore" });
}

async function startNode(name: string, core: number, args: string[], path: Peer["path"]): Promise<Peer> {
  const child = node(core, ...args);
  const port = await printedPort(child);
  return { name, port, path, pid: child.pid ?? 0, stop: () => kill(child) };
}

const StoreCost = z.object({ send: z.number(), event: z.number() });

const file = (name: string): string => join(import.meta.dirname, name);

/** Runs the store alone, where peers run: µs of the core for the task of a send, and for each event of a stream. */
export async function runStore(path: string, tasks: number): Promise<{ send: number; event: number }> {
  const child = node(PEER_CORE, ...PROGRAM_FLAGS, file("peers/store.ts"), path, String(tasks));
  return StoreCost.parse(JSON.parse(await printedLine(child)));
}

export const startBackend = (): Promise<Peer> =>
  startNode("vendor", LOAD_CORE, [file("backend.ts")], (dialect) => `/${dialect}`);

export const startPipe = (backend: Peer): Promise<Peer> =>
  startNode("node:http pipe", PEER_CORE, [file("peers/pipe.ts"), String(backend.port)], onlyCanonical);

export const startKoaUndici = (backend: Peer): Promise<Peer> =>
  startNode("koa with undici", PEER_CORE, [file("peers/koa-undici.ts"), String(backend.port)], onlyCanonical);

export const startSdkRelay = (backend: Peer): Promise<Peer> =>
  startNode("SDK relay", PEER_CORE, [file("peers/sdk-relay.ts"), String(backend.port)], (dialect) =>
    dialect === "canonical" ? "/" : undefined,
  );

const onlyCanonical = (dialect: string): string | undefined =>
  dialect === "canonical" ? "/canonical" : undefined;

export interface ProxyOptions {
  /** Agents beside the four dialects, to see what many cost. */
  readonly moreAgents?: number;
  /** The store's file; a fresh one where absent. */
  readonly storePath?: string;
}

/** The key that the proxy's clients send, and its hash in the configuration. */
export interface BenchKey {
  /** The principal that the key stands for. */
  readonly principal: string;
  readonly header: string;
  readonly auth: unknown;
}

export async function startProxy(backend: Peer, key: BenchKey, options: ProxyOptions = {}): Promise<Peer> {
  const folder = mkdtempSync(join(tmpdir(), "a2a-bench-"));
  const config = join(folder, "config.yaml");
  writeFileSync(config, proxyConfig(backend, key, { storePath: join(folder, "proxy.db"), ...options }));
  const peer = await startNode(
    "a2a-compat-proxy",
    PEER_CORE,
    [...PROGRAM_FLAGS, file("peers/proxy.ts"), config],
    (dialect) => `/agents/${dialect}/`,
  );
  return {
    ...peer,
    stop: async () => {
      await peer.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export function proxyConfig(
  backend: Peer,
  key: BenchKey,
  { moreAgents = 0, storePath }: ProxyOptions,
): string {
  const limits = { streams: 20_000, connections: 20_000, task: "1GiB" };
  const agentOf = (dialect: string) => {
    const { adapter, options = {} } = DIALECTS[dialect] ?? { adapter: "a2a-0.3" };
    return { adapter, options, limits, url: `http://127.0.0.1:${backend.port}/${dialect}` };
  };
  const agents = Object.fromEntries(Object.keys(DIALECTS).map((dialect) => [dialect, agentOf(dialect)]));
  for (let index = 0; index < moreAgents; index++) agents[`more-${index}`] = agentOf("canonical");
  return stringify({
    server: { host: "127.0.0.1", port: 0, publicUrl: "http://bench.test" },
    store: { driver: "sqlite", path: storePath ?? ":memory:" },
    log: { level: "warn" },
    auth: key.auth,
    agents,
  });
}

/** nginx as a plain reverse proxy; undefined where it is not installed. */
export async function startNginx(backend: Peer): Promise<Peer | undefined> {
  const folder = mkdtempSync(join(tmpdir(), "a2a-bench-nginx-"));
  const port = await freePort();
  writeFileSync(join(folder, "nginx.conf"), nginxConfig(folder, port, backend.port));
  const child = pinned(PEER_CORE, ["nginx", "-p", folder, "-c", join(folder, "nginx.conf")]);
  const exited = once(child, "exit").catch(() => undefined);
  for (let tries = 0; tries < 100; tries++) {
    if (child.pid === undefined || child.exitCode !== null) return undefined;
    try {
      const { status } = await fetch(`http://127.0.0.1:${port}/canonical`);
      if (status === 200) break;
    } catch {
      await sleep(50);
    }
  }
  const pid = Number(readFileSync(join(folder, "nginx.pid"), "utf8"));
  const stop = async (): Promise<void> => {
    child.kill("SIGTERM");
    await exited;
    rmSync(folder, { recursive: true, force: true });
  };
  return { name: "nginx", port, path: onlyCanonical, pid, stop };
}

const nginxConfig = (folder: string, port: number, upstream: number): string => `
daemon off; worker_processes 1; pid ${folder}/nginx.pid; error_log ${folder}/error.log;
events { worker_connections 20000; }
http {
  access_log off; client_body_temp_path ${folder}; proxy_temp_path ${folder};
  fastcgi_temp_path ${folder}; uwsgi_temp_path ${folder}; scgi_temp_path ${folder};
  keepalive_requests 100000000;
  upstream vendor { server 127.0.0.1:${upstream}; keepalive 512; keepalive_requests 100000000; }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://vendor; proxy_http_version 1.1; proxy_set_header Connection "";
      proxy_buffering off; proxy_read_timeout 1h;
    }
  }
}
`;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no TCP address");
  return address.port;
}

/** Resident memory of a process, bytes. */
export function residentMemory(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kilobytes ?? 0) * 1024;
}
