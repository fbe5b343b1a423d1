import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { migrate, MIGRATIONS } from "../../src/store/sqlite-schema.ts";

describe("migrate", () => {
  let db: DatabaseSync;
  beforeEach(() => {
    db = new DatabaseSync(":memory:");
  });
  afterEach(() => db.close());

  const version = () => db.prepare("PRAGMA user_version").get()?.["user_version"];
  const tables = () =>
    db
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
      .all()
      .map((row) => row["name"]);

  test("makes the tables in an empty file, once", () => {
    migrate(db);
    migrate(db);
    expect(tables()).toEqual([
      "contexts",
      "events",
      "notifications",
      "push_configs",
      "push_endpoints",
      "tasks",
    ]);
    expect(version()).toBe(MIGRATIONS.length);
  });

  test("applies to an older file the steps it lacks, and keeps its rows", () => {
    migrate(db, ["CREATE TABLE a (x)"]);
    db.exec("INSERT INTO a VALUES (1)");
    migrate(db, ["CREATE TABLE a (x)", "ALTER TABLE a ADD COLUMN y DEFAULT 2", "CREATE TABLE b (z)"]);
    expect({ ...db.prepare("SELECT * FROM a").get() }).toEqual({ x: 1, y: 2 });
    expect(tables()).toEqual(["a", "b"]);
    expect(version()).toBe(3);
  });

  test("takes push configs of before dialects were remembered for those of 0.3.0", () => {
    migrate(db, MIGRATIONS.slice(0, 7));
    db.exec(`INSERT INTO push_configs (agent, task_id, id, principal, origin, json, created_at)
      VALUES ('planner', 't', 'default', 'alice', 'https://a.example', '{}', 1)`);
    migrate(db);
    expect({ ...db.prepare("SELECT id, dialect FROM push_configs").get() }).toEqual({
      id: "default",
      dialect: null,
    });
  });

  test("changes nothing when a step fails", () => {
    migrate(db, ["CREATE TABLE a (x)"]);
    expect(() => migrate(db, ["CREATE TABLE a (x)", "CREATE TABLE b (x)", "no SQL"])).toThrow("syntax error");
    expect(tables()).toEqual(["a"]);
    expect(version()).toBe(1);
    expect(db.isTransaction).toBe(false);
  });

  test("refuses a file of a newer release", () => {
    migrate(db, ["CREATE TABLE a (x)", "CREATE TABLE b (x)"]);
    expect(() => migrate(db, ["CREATE TABLE a (x)"])).toThrow(
      "its schema is version 2, newer than the version 1 this release knows",
    );
  });

  test.each(["CREATE TABLE recipes (name)", "PRAGMA application_id = 1"])("refuses a file with %s", (sql) => {
    db.exec(sql);
    expect(() => migrate(db)).toThrow("it is the database of another program");
    expect(version()).toBe(0);
  });
});
