/** The real program as a process of its own, with a configuration and a store in a folder of the test's. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { stringify } from "yaml";
import { z } from "zod";

const MAIN = join(import.meta.dirname, "../../src/main.ts");
const Listening = z.looseObject({ msg: z.literal("listening"), url: z.string() });

interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
  /** Everything it wrote to standard error. */
  readonly log: string;
}

interface Program {
  /** Where it listens; rejects with the log where it ends instead. */
  readonly url: Promise<string>;
  readonly exit: Promise<Exit>;
  kill(signal: "SIGKILL" | "SIGTERM"): Promise<Exit>;
}

/** `document` is the configuration but for the server and the store, which is `proxy.db` in the folder. */
export async function startProgram(folder: string, document: Record<string, unknown>): Promise<Program> {
  const file = join(folder, "config.yaml");
  const server = { host: "127.0.0.1", port: 0, publicUrl: "http://proxy.test", shutdownGrace: "100ms" };
  const store = { path: join(folder, "proxy.db") };
  await writeFile(file, stringify({ server, auth: "none", store, ...document }));
  const child = spawn(process.execPath, [MAIN, "serve", "--config", file], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const listening = Promise.withResolvers<string>();
  listening.promise.catch(() => {});
  const exit = read();
  return {
    url: listening.promise,
    exit,
    kill: (signal) => {
      child.kill(signal);
      return exit;
    },
  };

  async function read(): Promise<Exit> {
    const exited = once(child, "exit");
    const lines: string[] = [];
    for await (const line of createInterface({ input: child.stderr })) {
      lines.push(line);
      const { data } = Listening.safeParse(line.startsWith("{") ? JSON.parse(line) : undefined);
      if (data) listening.resolve(data.url);
    }
    await exited;
    const log = lines.join("\n");
    listening.reject(new Error(`the program has ended: ${log}`));
    return { code: child.exitCode, signal: child.signalCode, log };
  }
}
