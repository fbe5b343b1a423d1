import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { WriteQueue } from "../../src/store/write-queue.ts";

describe("WriteQueue", () => {
  let db: DatabaseSync;
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
    queue = new WriteQueue(db);
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

  test("commits all writes of a turn together", async () => {
    const writes = [queue.write(addBook("a")), queue.write(addBook("b")), queue.write(addBook("c"))];
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
    const writes = [queue.write(addBook("b")), queue.write(addBook("c", "Nobody"))];
    const results = await Promise.allSettled(writes);
    const reason = expect.objectContaining({ message: "FOREIGN KEY constraint failed" });
    expect(results).toEqual([
      { status: "rejected", reason },
      { status: "rejected", reason },
    ]);
    await queue.write(addBook("d"));
    expect(titles()).toEqual(["d"]);
  });

  test("rejects a flush that cannot be committed, and flushes nothing twice", async () => {
    const write = queue.write(addBook("a", "Nobody"));
    await expect(queue.flush()).rejects.toThrow("FOREIGN KEY constraint failed");
    await expect(write).rejects.toThrow("FOREIGN KEY constraint failed");
    await queue.flush();
    expect(titles()).toEqual([]);
  });

  test("rejects every write of a transaction that a failed write has undone, and none after it", async () => {
    // As SQLite does by itself on a full disk.
    const undo = () => void db.prepare("INSERT OR ROLLBACK INTO books VALUES ('a', 'Ann')").run();
    const results = await Promise.allSettled([
      queue.write(addBook("a")),
      queue.write(undo),
      queue.write(addBook("b")),
    ]);
    expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected", "fulfilled"]);
    expect(titles()).toEqual(["b"]);
  });

  test("rejects a write while another holds the database, and none after it", async () => {
    db.exec("BEGIN");
    await expect(queue.write(addBook("a"))).rejects.toThrow("cannot start a transaction");
    db.exec("ROLLBACK");
    await queue.write(addBook("c"));
    expect(titles()).toEqual(["c"]);
  });
});
