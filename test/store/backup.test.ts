/** Copies of a store that is in use, and what is said of a file that is damaged. */
import { mkdtemp, open, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { stringify } from "yaml";
import { adapters } from "../../adapters/index.ts";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import { createWorld, withFile } from "../cli/support.ts";
import { events, taskRecord } from "./records.ts";

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "backup-"));
  path = join(folder, "proxy.db");
});
afterEach(() => rm(folder, { recursive: true }));

async function backup(target: string) {
  const world = createWorld({ adapters });
  const document = stringify({
    store: { path },
    agents: { planner: { adapter: "a2a-0.3", url: "http://127.0.0.1:1" } },
  });
  const code = await withFile(document, (file) => world.run("backup", target, "--config", file));
  return { code, out: world.out.text, err: world.err.text };
}

describe("backup", () => {
  test("copies a store beside a proxy that goes on writing to it", async () => {
    const store = await openSqliteStore({ path, synchronous: "normal" });
    for (const event of events(1, 50)) store.appendEvent(taskRecord(), event);
    await store.putTask(taskRecord({ state: "completed" }));
    const progress = { written: 0, isOver: false };
    const write = async (): Promise<void> => {
      while (!progress.isOver) {
        await store.putTask(taskRecord({ id: `later-${progress.written}` }));
        progress.written += 1;
        await setImmediate();
      }
    };
    const writing = write();
    const target = join(folder, "copy.db");
    expect(await backup(target)).toMatchObject({ code: 0, out: `copied ${path} to ${target}\n` });
    const before = progress.written;
    while (progress.written < before + 10) await setImmediate();
    progress.isOver = true;
    await writing;
    await store.close();
    expect((await stat(target)).mode & 0o777).toBe(0o600);
    const copy = await openSqliteStore({ path: target, synchronous: "normal" });
    expect(await copy.getTask(taskRecord())).toEqual(taskRecord({ state: "completed" }));
    expect(await copy.eventsAfter(taskRecord(), 0, 100)).toEqual(events(1, 50));
    await copy.close();
  });

  test("overwrites nothing, and leaves nothing where it fails", async () => {
    const target = join(folder, "notes");
    expect((await backup(target)).err).toContain(`Cannot open the task store ${path}`);
    await (await openSqliteStore({ path, synchronous: "normal" })).close();
    await writeFile(target, "notes");
    expect((await backup(target)).err).toContain(`${target} exists already`);
    const nowhere = join(folder, "none", "copy.db");
    expect((await backup(nowhere)).err).toContain(`Cannot copy the task store ${path} to ${nowhere}`);
    expect((await readdir(folder)).filter((name) => name.includes("part"))).toEqual([]);
  });
});

test("a damaged page is reported with the file's name, when it is opened and when it is read", async () => {
  const long = JSON.stringify("x".repeat(2000));
  const ids = Array.from({ length: 500 }, (_, n) => `task-${n}`);
  const store = await openSqliteStore({ path, synchronous: "normal" });
  await Promise.all(ids.map((id) => store.putTask(taskRecord({ id, json: long }))));
  await store.close();
  const file = await open(path, "r+");
  const { size } = await file.stat();
  // Everything but the schema, which comes first.
  const from = 200 * 4096;
  await file.write(Buffer.alloc(size - from), 0, size - from, from);
  await file.close();
  const errors: string[] = [];
  const onError = (error: unknown): void => void errors.push(String(error));
  const damaged = await openSqliteStore({ path, synchronous: "normal", onError });
  expect(errors).toEqual([expect.stringContaining(`The task store ${path}: it is damaged`)]);
  await expect(damaged.unfinishedTasks()).rejects.toThrow(`The task store ${path}: it is damaged`);
  await damaged.close();
});
