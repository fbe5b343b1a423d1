/** `backup`: copies the store's file, also while the proxy works with it. */
import { resolve } from "node:path";
import { backupSqliteStore } from "../store/sqlite-backup.ts";
import type { CliDeps } from "./deps.ts";
import { EXIT, Failure } from "./failure.ts";
import { line } from "./print.ts";
import { loadLoudly } from "./serve.ts";

export async function backup(target: string, options: { config: string }, deps: CliDeps): Promise<number> {
  const { config } = await loadLoudly(options.config, deps);
  const { path } = config.store;
  if (path === ":memory:") throw new Failure("the store is :memory:, of which there is no file");
  await backupSqliteStore(path, resolve(target));
  line(deps.out, `copied ${path} to ${target}`);
  return EXIT.ok;
}
