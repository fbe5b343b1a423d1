/** The SQLite store while its file may not grow: what it holds, what it refuses, and how it heals. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import type { TaskStore } from "../../src/store/store.ts";
import { untilStored } from "../../src/store/until-stored.ts";
import { code } from "../support/agent-events.ts";
import { events, taskRecord } from "./records.ts";

let folder: string;
let path: string;
let store: TaskStore;
let heard: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "outage-"));
  path = join(folder, "proxy.db");
  heard = [];
  store = await openSqliteStore({
    path,
    synchronous: "normal",
    maxSize: 1024 * 1024,
    retryInterval: 5,
    flushInterval: 1,
    onError: (error) => heard.push(`error: ${String(error)}`),
    onTrouble: ({ message }) => heard.push(message),
    onRecovery: () => heard.push("recovered"),
  });
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

function beside(sql: string): void {
  const db = new DatabaseSync(path);
  db.exec(sql);
  db.close();
}
const fill = (): void => beside("CREATE TABLE ballast (x); INSERT INTO ballast VALUES (zeroblob(2000000))");
const empty = (): void => beside("DELETE FROM ballast");

const LONG = JSON.stringify("x".repeat(200_000));
const record = taskRecord({ json: LONG });

test("refuses what it cannot keep, says so once, and takes it again once there is room", async () => {
  fill();
  for (let time = 0; time < 3; time++)
    expect(await store.putTask(record).catch(code)).toBe("store-unavailable");
  expect(store.health.trouble).toBe(`The task store ${path}: the disk is full`);
  const stored = untilStored(store.health, () => store.putTask(record));
  empty();
  await stored;
  while (store.health.trouble !== undefined) await store.health.nextAttempt();
  expect(heard).toEqual([`The task store ${path}: the disk is full`, "recovered"]);
  expect(await store.getTask(record)).toEqual(record);
});

test("loses no event of a log, shows all of them meanwhile, and holds up who adds to them without end", async () => {
  await store.close();
  store = await openSqliteStore({
    path,
    synchronous: "normal",
    retryInterval: 5,
    onTrouble: () => undefined,
  });
  const first = events(1, 3);
  for (const event of first) store.appendEvent(record, event);
  await store.flush();
  const other = new DatabaseSync(path);
  other.exec("BEGIN IMMEDIATE");
  const later = Array.from({ length: 50 }, (_, n) => ({ sequence: n + 4, json: LONG }));
  for (const event of later) store.appendEvent(record, event);
  await expect(store.flush()).rejects.toMatchObject({ code: "store-unavailable" });
  expect(await store.eventsAfter(record, 0, 100)).toEqual([...first, ...later]);
  expect(await store.eventsAfter(record, 10, 2)).toEqual(later.slice(7, 9));
  const room = store.room();
  expect(room).toBeDefined();
  other.exec("ROLLBACK");
  await room;
  expect(store.room()).toBeUndefined();
  expect(other.prepare("SELECT max(sequence) AS last FROM events").get()).toEqual({ last: 53 });
  other.close();
  expect(await store.eventsAfter(record, 0, 100)).toEqual([...first, ...later]);
});

test("waits for no further attempt once that is given up", async () => {
  fill();
  const stored = untilStored(store.health, () => store.putTask(record));
  while (store.health.trouble === undefined) await new Promise(setImmediate);
  store.health.giveUp();
  expect(await stored.catch(code)).toBe("store-unavailable");
  empty();
});
