/** Programs made with others' software: agents that run until they are stopped, and clients that run once. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { installGo, installPython } from "./install.ts";
import { timeFor } from "./time.ts";

/** ms, until an agent listens. */
const START = 30_000;
/** ms, of everything that a client does. */
const CLIENT = 90_000;

export type Command = readonly [program: string, ...args: string[]];

/** What a peer came to: ready, or skipped with a reason. */
export type Ready<T> =
  | { readonly peer: T; readonly skipped?: never }
  | { readonly peer?: never; readonly skipped: string };

/** Never rejects: what cannot be installed or started is skipped. */
async function ready<T>(prepare: () => Promise<T>): Promise<Ready<T>> {
  try {
    return { peer: await prepare() };
  } catch (thrown) {
    return { skipped: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}

export interface RunningAgent {
  /** What it has said of itself: where it listens. */
  readonly said: unknown;
  stop(): Promise<void>;
}

/** An agent says where it listens as one line of JSON. */
async function startAgent([program, ...args]: Command): Promise<RunningAgent> {
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
  const exited = once(child, "exit");
  const errors: string[] = [];
  child.stderr.setEncoding("utf8").on("data", (text: string) => errors.push(text));
  const stop = async (): Promise<void> => {
    child.kill("SIGKILL");
    await exited;
  };
  const signal = AbortSignal.timeout(timeFor(START));
  try {
    const lines = createInterface({ input: child.stdout });
    const first = once(lines, "line", { signal });
    const [line] = await Promise.race([first, exited.then(() => Promise.reject(new Error("it has ended")))]);
    return { said: JSON.parse(String(line)), stop };
  } catch (thrown) {
    await stop();
    const why = errors.join("").trim().split("\n").at(-1) || String(thrown);
    throw new Error(`could not be started: ${why}`, { cause: thrown });
  }
}

/** What a client has written to its standard output, as JSON. */
export async function runClient([program, ...args]: Command): Promise<unknown> {
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], timeout: timeFor(CLIENT) });
  const exited = once(child, "close");
  const [said, errors]: [string[], string[]] = [[], []];
  child.stdout.setEncoding("utf8").on("data", (text: string) => said.push(text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => errors.push(text));
  const [code] = await exited;
  if (code !== 0) throw new Error(`the client ended with ${code}: ${errors.join("").slice(-2000)}`);
  return JSON.parse(said.join(""));
}

/** The same of a program that runs once. */
export const pythonClient = (requirements: string, file: string): Promise<Ready<Command>> =>
  ready(async () => [await installPython(requirements), python(file)] as const);

/** A program of `go/` that runs until it is stopped. */
export const goAgent = (name: string): Promise<Ready<RunningAgent>> =>
  ready(async () => startAgent([join(await installGo(), name)]));

/** The same of a program that runs once. */
export const goClient = (name: string): Promise<Ready<Command>> =>
  ready(async () => [join(await installGo(), name)] as const);

const python = (file: string): string => join(import.meta.dirname, "python", file);

/** A program of `python/`, with the packages of the requirements file of that name there. */
export const pythonAgent = (requirements: string, file: string): Promise<Ready<RunningAgent>> =>
  ready(async () => startAgent([await installPython(requirements), python(file)]));
