/** The outside world of the command line, played by a test. */
import { EventEmitter, once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { pino } from "pino";
import type { Adapter } from "../../src/adapter.ts";
import type { CliDeps } from "../../src/cli/deps.ts";
import { run } from "../../src/cli/program.ts";
import { createSouthbound } from "../../src/southbound/create-southbound.ts";

class Sink extends Writable {
  text = "";

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}

export interface World {
  readonly out: Sink;
  readonly err: Sink;
  readonly signals: EventEmitter;
  readonly exits: number[];
  run(...args: string[]): Promise<number>;
}

const notHere = (what: string) => () => Promise.reject(new Error(`${what} is not part of this test`));

export function createWorld(overrides: Partial<CliDeps> = {}): World {
  const [out, err, signals, exits] = [new Sink(), new Sink(), new EventEmitter(), [] as number[]];
  const deps: CliDeps = {
    version: "9.8.7",
    shippedConfig: "no-such-file.yaml",
    adapters: new Map<string, Adapter>(),
    env: {},
    out,
    err,
    signals,
    exit: (code) => exits.push(code),
    startProxy: notHere("the proxy"),
    startVendors: notHere("a vendor"),
    openSouthbound: (agent, redact) => createSouthbound(agent, { log: pino({ level: "silent" }), redact }),
    ...overrides,
  };
  return { out, err, signals, exits, run: (...args) => run(args, deps) };
}

/** The text in a file, for as long as `use` takes. */
export async function withFile<T>(text: string, use: (file: string) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), "cli-"));
  const file = join(directory, "config.yaml");
  await writeFile(file, text);
  try {
    return await use(file);
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** A vendor on a free loopback port, for as long as `use` takes. */
export async function withServer<T>(listener: RequestListener, use: (url: string) => Promise<T>): Promise<T> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("no address");
  try {
    return await use(`http://127.0.0.1:${address.port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
