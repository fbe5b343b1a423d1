import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { WriteQueue } from "../../src/store/write-queue.ts";

describe("WriteQueue", () => {
  let db: DatabaseSync;
  let errors: unknown[];
  let queue: WriteQueue;
  beforeEach(() => {
    db = new DatabaseSync(":memory:");
    // A book without its author is found at COMMIT, a second one of the same title at once.
    db.exec(`
      CREATE TABLE authors (name TEXT PRIMARY KEY);
      CREATE TABLE books (
        title TEXT PRIMARY KEY,
        author TEXT REFERENCES authors (name) DEFERRABLE INITIALLY DEFERRED
      );
      INSERT INTO authors VALUES ('Ann')`);
    errors = [];
    queue = new WriteQueue(db, { flushInterval: 60_000, onError: (error) => errors.push(error) });
  });
  afterEach(() => db.close());

  const addBook =
    (title: string, author = "Ann") =>
    () =>
      void db.prepare("INSERT INTO books VALUES (?, ?)").run(title, author);
  const titles = () =>
    db
      .prepare("SELECT title FROM books ORDER BY title")
      .all()
      .map((row) => row["title"]);

  test("commits all writes of a turn together, and those nobody waits for with them", async () => {
    queue.writeSoon(addBook("a"));
    const writes = [queue.write(addBook("b")), queue.write(addBook("c"))];
    expect(db.isTransaction).toBe(true);
    await writes[0];
    expect(db.isTransaction).toBe(false);
    await Promise.all(writes);
    expect(titles()).toEqual(["a", "b", "c"]);
  });

  test("rejects a failed write alone", async () => {
    const [first, second, third] = await Promise.allSettled([
      queue.write(addBook("a")),
      queue.write(addBook("a")),
      queue.write(addBook("b")),
    ]);
    expect([first?.status, second?.status, third?.status]).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(titles()).toEqual(["a", "b"]);
  });

  test("rejects every write of a transaction that cannot be committed, and none of the next", async () => {
    queue.writeSoon(addBook("a"));
    const writes = [queue.write(addBook("b")), queue.write(addBook("c", "Nobody"))];
    const results = await Promise.allSettled(writes);
    expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(errors).toEqual([expect.objectContaining({ message: "FOREIGN KEY constraint failed" })]);
    await queue.write(addBook("d"));
    expect(titles()).toEqual(["d"]);
    expect(errors).toHaveLength(1);
  });

  test("reports a transaction lost that nobody waited for", async () => {
    queue.writeSoon(addBook("a", "Nobody"));
    await expect(queue.flush()).rejects.toThrow("FOREIGN KEY constraint failed");
    expect(errors).toHaveLength(1);
    await queue.flush();
    expect(titles()).toEqual([]);
  });

  test("rejects every write of a transaction that a failed write has undone, and none after it", async () => {
    // As SQLite does by itself on a full disk.
    const undo = () => void db.prepare("INSERT OR ROLLBACK INTO books VALUES ('a', 'Ann')").run();
    queue.writeSoon(addBook("z"));
    const results = await Promise.allSettled([
      queue.write(addBook("a")),
      queue.write(undo),
      queue.write(addBook("b")),
    ]);
    expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected", "fulfilled"]);
    expect(errors).toHaveLength(1);
    expect(titles()).toEqual(["b"]);
  });

  test("rejects a write while another holds the database, and reports those nobody waits for", async () => {
    db.exec("BEGIN");
    await expect(queue.write(addBook("a"))).rejects.toThrow("cannot start a transaction");
    queue.writeSoon(addBook("b"));
    expect(errors).toHaveLength(1);
    db.exec("ROLLBACK");
    await queue.write(addBook("c"));
    expect(titles()).toEqual(["c"]);
  });
});
