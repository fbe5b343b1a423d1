import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setImmediate } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { CardMemory } from "../../src/store/card-memory.ts";
import { preparePush } from "../../src/store/sqlite-push-statements.ts";
import { migrate } from "../../src/store/sqlite-schema.ts";
import { prepareStatements } from "../../src/store/sqlite-statements.ts";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import { contextRecord, events, taskRecord } from "./records.ts";
import { describePush } from "./push-conformance.ts";
import { describeStore } from "./store-conformance.ts";

const openIn = (folder: string) =>
  openSqliteStore({ path: join(folder, "data", "proxy.db"), synchronous: "normal", maxPending: 3 });

describeStore("SQLite", openIn);
describePush("SQLite", openIn);

describe("opening an SQLite store", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "sqlite-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const open = (path: string) => openSqliteStore({ path, synchronous: "full" });

  test("keeps everything in memory under the name :memory:", async () => {
    const store = await open(":memory:");
    await store.putTask(taskRecord());
    expect(await store.getTask(taskRecord())).toEqual(taskRecord());
    await store.close();
    const other = await open(":memory:");
    expect(await other.getTask(taskRecord())).toBeUndefined();
    await other.close();
  });

  test("makes files and folders for their owner alone; those that are there keep their modes", async () => {
    const data = join(folder, "new", "data");
    const store = await open(join(data, "proxy.db"));
    await store.putTask(taskRecord());
    new CardMemory(join(data, "proxy.db")).remember("agent", {});
    const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;
    const files = await readdir(data);
    expect(files).toEqual(expect.arrayContaining(["proxy.db", "proxy.db-wal", "proxy.db.cards.json"]));
    for (const file of files) expect([file, await modeOf(join(data, file))]).toEqual([file, 0o600]);
    expect([await modeOf(data), await modeOf(join(folder, "new"))]).toEqual([0o700, 0o700]);
    await store.close();
    await chmod(join(data, "proxy.db"), 0o640);
    const again = await open(join(data, "proxy.db"));
    expect(await modeOf(join(data, "proxy.db"))).toBe(0o640);
    await again.close();
  });

  test("moves the write-ahead log into the database while it is being written, and closes both", async () => {
    const path = join(folder, "moved.db");
    const store = await open(path);
    const before = (await stat(path)).size;
    const json = JSON.stringify({ text: "x".repeat(1000) });
    const put = (n: number) => store.putTask(taskRecord({ id: `task-${n}`, json }));
    // Far fewer than SQLite itself would wait for.
    for (let n = 0; n < 1000; n++) await put(n);
    while ((await stat(path)).size === before) await put(0);
    const numbers = Array.from({ length: 1000 }, (_, n) => n);
    for (const n of numbers)
      expect((await store.getTask({ agent: "planner", id: `task-${n}` }))?.json).toBe(json);
    await store.close();
    await expect(stat(`${path}-wal`)).rejects.toThrow("ENOENT");
    const again = await open(path);
    for (const n of numbers) expect(await again.getTask({ agent: "planner", id: `task-${n}` })).toBeDefined();
    await again.close();
  });

  test("fails for a file that is not a database, and leaves it as it was", async () => {
    const path = join(folder, "notes.txt");
    const notes = "These are notes, and quite a few of them.\n".repeat(50);
    await writeFile(path, notes);
    await expect(open(path)).rejects.toThrow(
      `Cannot open the task store ${path}: it is not an SQLite database`,
    );
    expect(await readFile(path, "utf8")).toBe(notes);
  });

  test("fails for a folder", async () => {
    await expect(open(folder)).rejects.toThrow(
      `Cannot open the task store ${folder}: it cannot be opened as a file`,
    );
  });

  test("fails where the folder cannot be made", async () => {
    const path = join(folder, "plain", "proxy.db");
    await writeFile(join(folder, "plain"), "");
    await expect(open(path)).rejects.toThrow(`Cannot open the task store ${path}: EEXIST`);
  });

  test("fails while somebody else has the file open, and succeeds afterwards", async () => {
    const path = join(folder, "shared.db");
    const first = await open(path);
    await expect(open(path)).rejects.toThrow(
      `Cannot open the task store ${path}: it is in use by another process`,
    );
    await first.close();
    const second = await open(path);
    await second.close();
  });

  test("fails for another program's database, and leaves it as it was", async () => {
    const path = join(folder, "other.db");
    const other = new DatabaseSync(path);
    other.exec("CREATE TABLE recipes (name TEXT)");
    other.close();
    const before = await readFile(path);
    await expect(open(path)).rejects.toThrow(
      `Cannot open the task store ${path}: it is the database of another program`,
    );
    expect(before.equals(await readFile(path))).toBe(true);
  });
});

describe("the SQLite store", () => {
  test("reaches every row by an index", () => {
    const db = new DatabaseSync(":memory:");
    migrate(db);
    const { configs, outbox, endpoints, letters } = preparePush(db);
    const all = { ...prepareStatements(db), ...configs, ...outbox, ...endpoints, ...letters };
    for (const statement of Object.values(all)) {
      const plan = db.prepare(`EXPLAIN QUERY PLAN ${statement.sourceSQL}`).all();
      const unindexed = plan
        .map((row) => String(row["detail"]))
        .filter((detail) => /SCAN (?!principals)\w+$/.test(detail));
      expect([statement.sourceSQL, unindexed]).toEqual([statement.sourceSQL, []]);
    }
    db.close();
  });

  test("answers the newest of several tasks that stand for one vendor task", async () => {
    const store = await openSqliteStore({ path: ":memory:", synchronous: "normal" });
    await store.putTask(taskRecord({ id: "first", vendorTaskId: "v" }));
    await store.putTask(taskRecord({ id: "second", vendorTaskId: "v" }));
    await store.putTask(taskRecord({ id: "first", vendorTaskId: "v", updatedAt: 9000 }));
    expect((await store.getTaskByVendorId("planner", "v"))?.id).toBe("second");
    await store.close();
  });

  test("takes an id for a task's own where no task stands for a vendor's of that name", async () => {
    const store = await openSqliteStore({ path: ":memory:", synchronous: "normal" });
    await store.putTask(taskRecord({ id: "v", vendorTaskId: "another" }));
    expect((await store.getTaskByVendorId("planner", "v"))?.id).toBe("v");
    await store.putTask(taskRecord({ id: "second", vendorTaskId: "v" }));
    expect((await store.getTaskByVendorId("planner", "v"))?.id).toBe("second");
    await store.close();
  });

  test("leaves a context that several have named in tasks with the first", async () => {
    const store = await openSqliteStore({ path: ":memory:", synchronous: "normal" });
    for (const principal of ["bob", "alice", "zoe"]) {
      await store.putTask(taskRecord({ id: principal, principal }));
    }
    expect(await store.contextOwner("planner", "context-1")).toBe("bob");
    await store.close();
  });

  test("leaves a context with the first that used it", async () => {
    const store = await openSqliteStore({ path: ":memory:", synchronous: "normal" });
    await store.putContext(contextRecord({ principal: "zoe" }));
    await store.putContext(contextRecord({ principal: "alice" }));
    await store.putContext(contextRecord({ principal: "zoe", updatedAt: 5000 }));
    expect(await store.contextOwner("planner", "context-1")).toBe("zoe");
    await store.close();
  });

  test("commits events within the flush interval, though no task is put", async () => {
    const folder = await mkdtemp(join(tmpdir(), "sqlite-"));
    const path = join(folder, "proxy.db");
    const store = await openSqliteStore({ path, synchronous: "normal", flushInterval: 1 });
    const walSize = async () => (await stat(`${path}-wal`).catch(() => undefined))?.size ?? 0;
    const size = await walSize();
    store.appendEvent(taskRecord(), { sequence: 1, json: "{}" });
    while ((await walSize()) === size) await setImmediate();
    await store.close();
    await rm(folder, { recursive: true });
  });

  test("says so when events cannot be written, and goes on with the next", async () => {
    const errors: unknown[] = [];
    const store = await openSqliteStore({
      path: ":memory:",
      synchronous: "normal",
      onError: (error) => errors.push(error),
    });
    store.appendEvent(taskRecord(), { sequence: 0.5, json: "{}" });
    store.appendEvent(taskRecord(), { sequence: 1, json: '{"chunk":1}' });
    await store.flush();
    expect(await store.eventsAfter(taskRecord(), 0, 10)).toEqual(events(1, 1));
    expect(errors).toEqual([expect.objectContaining({ code: "ERR_SQLITE_ERROR" })]);
    await store.close();
  });
});
