/** A copy of the store while a proxy works with it: the state of one moment, in one file, without gaps. */
import { constants } from "node:fs";
import { access, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { OWNER_ONLY } from "./private-files.ts";
import { SqliteFile } from "./sqlite-file.ts";
import { reasonOf } from "./sqlite-health.ts";

/** Rejects with an Error that names the file that cannot be read or written; then there is no copy. */
export async function backupSqliteStore(path: string, target: string): Promise<void> {
  if (await exists(target)) throw new Error(`${target} exists already`);
  const part = `${target}.part`;
  const file = await openBeside(path);
  try {
    // Empty, it is filled; made here, it is nobody else's to read.
    await (await open(part, "w", OWNER_ONLY)).close();
    // In one reading transaction, which holds up no writer. What was deleted is left out.
    file.db.prepare("VACUUM INTO ?").run(part);
    await sync(part);
    await rename(part, target);
    await sync(dirname(target));
  } catch (error) {
    await rm(part, { force: true });
    throw new Error(`Cannot copy the task store ${path} to ${target}: ${reasonOf(error)}`, { cause: error });
  } finally {
    file.close();
  }
}

async function openBeside(path: string): Promise<SqliteFile> {
  try {
    await access(path, constants.R_OK);
    return await SqliteFile.open({ path, synchronous: "normal", beside: true });
  } catch (error) {
    throw new Error(`Cannot open the task store ${path}: ${reasonOf(error)}`, { cause: error });
  }
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** A power failure from here on leaves it there. */
async function sync(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
