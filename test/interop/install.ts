/**
 * Installs peers into `.interop/`, which stays for the next run: Python packages into a virtual environment for each
 * requirements file, Go programs by `go build`. Rejects with a reason in one line.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { timeFor } from "./time.ts";

const run = promisify(execFile);

const CACHE = join(import.meta.dirname, "../../.interop");
/** ms, of one step of an installation. */
const INSTALL = 4 * 60_000;

const lastLine = (text: unknown): string => String(text).trim().split("\n").at(-1) ?? "";

async function step(command: string, args: readonly string[], options: object = {}): Promise<void> {
  const timeout = timeFor(INSTALL);
  if (timeout === 0) throw new Error("the time for all peers is over");
  try {
    await run(command, args, { timeout, killSignal: "SIGKILL", maxBuffer: 1 << 24, ...options });
  } catch (thrown) {
    if (!(thrown instanceof Error)) throw thrown;
    const { killed, stderr } = Object.assign({ killed: false, stderr: "" }, thrown);
    const reason = killed ? "not done in time" : lastLine(stderr) || thrown.message;
    throw new Error(`${command} ${args[0]}: ${reason}`, { cause: thrown });
  }
}

/** The Python that has the packages of `python/<name>.txt`. */
export async function installPython(name: string): Promise<string> {
  const requirements = join(import.meta.dirname, "python", `${name}.txt`);
  const wanted = createHash("sha256")
    .update(await readFile(requirements))
    .digest("hex");
  const folder = join(CACHE, "python", name);
  const python = join(folder, "bin", "python");
  const installed = join(folder, "installed");
  if ((await readFile(installed, "utf8").catch(() => "")) === wanted) return python;
  await rm(folder, { recursive: true, force: true });
  await step("python3", ["-m", "venv", folder]);
  await step(python, [
    "-m",
    "pip",
    "install",
    "--quiet",
    "--no-deps",
    "--only-binary=:all:",
    "-r",
    requirements,
  ]);
  await writeFile(installed, wanted);
  return python;
}

/** The folder that has the programs of `go/`. */
export async function installGo(): Promise<string> {
  const folder = join(CACHE, "go");
  await mkdir(folder, { recursive: true });
  const env = { ...process.env, GOFLAGS: "-mod=mod -buildvcs=false" };
  await step("go", ["build", "-o", `${folder}/`, "./..."], { cwd: join(import.meta.dirname, "go"), env });
  return folder;
}
