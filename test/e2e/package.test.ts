/** The package as npm would publish it: packed, installed somewhere else, run, and imported with its types. */
import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, jest, test } from "@jest/globals";
import { z } from "zod";
import { rpc, userMessage } from "../support/client.ts";

// Packing compiles, and installing fetches the dependencies that npm's cache does not have.
jest.setTimeout(180_000);

const ROOT = join(import.meta.dirname, "../..");
const NPM_QUIET = ["--no-audit", "--no-fund", "--loglevel=error"];
/** The Node that runs this test, for npm and for the program's first line. */
const PATH = [dirname(process.execPath), process.env["PATH"]].join(delimiter);
const env = { ...process.env, PATH };

const execute = promisify(execFile);
const Manifest = z.looseObject({ version: z.string() });
const Packed = z.tuple([z.looseObject({ filename: z.string() })]);

let folder: string;
let program: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "package-"));
  const pack = ["pack", "--json", "--pack-destination", folder, ...NPM_QUIET];
  const { stdout } = await execute("npm", pack, { cwd: ROOT, env });
  const [{ filename }] = Packed.parse(JSON.parse(stdout.slice(stdout.indexOf("[\n"))));
  await writeFile(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  await execute("npm", ["install", "--prefer-offline", ...NPM_QUIET, `./${filename}`], { cwd: folder, env });
  program = join(folder, "node_modules/.bin/a2a-proxy");
});

afterAll(() => rm(folder, { recursive: true, force: true }));

test("its program tells its version", async () => {
  const { version } = Manifest.parse(JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")));
  const { stdout } = await execute(program, ["--version"], { cwd: folder, env });
  expect(stdout).toBe(`${version}\n`);
});

test("its program checks the configuration that comes with it", async () => {
  const config = join(folder, "node_modules/a2a-compat-proxy/config.yaml");
  const { stdout } = await execute(program, ["check", "--offline", "--config", config], { cwd: folder, env });
  expect(stdout).toContain("4 agents, no problems found");
});

test("its demo answers, and ends with Ctrl-C", async () => {
  const ports = { PORT: "0", DEMO_PORT: "0" };
  const demo = spawn(program, ["demo"], {
    cwd: folder,
    env: { ...env, ...ports },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const exit = once(demo, "exit");
  try {
    const url = await urlOfAgent(demo, "jester");
    const { result } = await rpc(url, "message/send", userMessage("Tell me a joke"));
    expect(result).toMatchObject({ kind: "task", status: { state: "completed" } });
  } finally {
    demo.kill("SIGINT");
  }
  expect(await exit).toStrictEqual([0, null]);
});

/** Where the demo says that it serves an agent. */
async function urlOfAgent({ stdout }: ChildProcess, name: string): Promise<string> {
  if (!stdout) throw new Error("nothing is printed");
  const lines = createInterface({ input: stdout });
  for await (const line of lines) {
    const [agent, , url] = line.split(/\s+/);
    if (agent !== name || url === undefined) continue;
    stdout.resume();
    return url;
  }
  throw new Error(`the demo has no agent ${name}`);
}

const CONSUMER = `
import { A2AError, adapters, loadConfig, startProxy, type Adapter, type RunningProxy } from "a2a-compat-proxy";

const { config } = await loadConfig("node_modules/a2a-compat-proxy/config.yaml", { adapters, env: {} });
const names: string[] = [...config.agents.keys()];
console.log(names.join(" "), typeof startProxy, new A2AError("task-not-found").rpcCode);
export const start = (mine: Adapter): Promise<RunningProxy> =>
  startProxy(config, { adapters: new Map<string, Adapter>(adapters).set(mine.name, mine) });
// @ts-expect-error: were the types lost, everything would be allowed
export const error = () => new A2AError("no-such-code");
// @ts-expect-error: the same for what an adapter is given
export const url = (mine: Adapter): number => mine.connect.length + mine.name;
`;

test("its API is there, with its types", async () => {
  await writeFile(join(folder, "consumer.ts"), CONSUMER);
  const types = ["--types", "node", "--typeRoots", join(ROOT, "node_modules/@types")];
  const options = ["--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", "--target", "es2024"];
  const compiler = join(ROOT, "node_modules/.bin/tsc");
  await execute(compiler, [...options, ...types, "consumer.ts"], { cwd: folder, env });
  const { stdout } = await execute("node", ["consumer.ts"], { cwd: folder, env });
  expect(stdout).toBe("planner jester flights traveller function -32001\n");
});
