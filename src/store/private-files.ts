/** Files that hold tasks and secrets of webhooks are their owner's alone, whatever the umask; those that are there keep their modes. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

export const OWNER_ONLY = 0o600;

/** The folder of this file, with those above it, where they are not there. */
export function makeFolderOf(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
}

/**
 * An empty file for a database, unless there is one; SQLite gives the files that it makes beside it (`-wal`, `-shm`) the
 * same mode. Where that fails SQLite says why, once it has tried.
 */
export function makeDatabaseFile(path: string): void {
  try {
    writeFileSync(path, "", { flag: "wx", mode: OWNER_ONLY });
  } catch {
    // It is there, or cannot be made.
  }
}
