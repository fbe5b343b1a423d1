import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "@jest/globals";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import { events, taskRecord } from "./records.ts";

test.each([1, 500])(
  "has every task reported durable, and its events, after kill -9 at task %d",
  async (deadline) => {
    const folder = await mkdtemp(join(tmpdir(), "crash-"));
    const path = join(folder, "proxy.db");
    const child = spawn(process.execPath, [join(import.meta.dirname, "crash-child.ts"), path], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const exited = once(child, "exit");
    let durable = 0;
    // Goes on to the end of the pipe: what the child still said before it died counts as well.
    for await (const line of createInterface({ input: child.stdout })) {
      durable = Number(line);
      if (durable === deadline) child.kill("SIGKILL");
    }
    expect(await exited).toEqual([null, "SIGKILL"]);
    expect(durable).toBeGreaterThanOrEqual(deadline);

    const store = await openSqliteStore({ path, synchronous: "normal" });
    // The last ones are at stake; where this process was held up, there are many thousands before them.
    for (let n = Math.max(1, durable - 500); n <= durable; n += 1) {
      const record = taskRecord({ id: `task-${n}`, lastEvent: 3, json: "x".repeat(2000) });
      expect(await store.getTask(record)).toEqual(record);
      expect(await store.eventsAfter(record, 0, 10)).toEqual(events(1, 3));
    }
    expect((await store.unfinishedTasks()).length).toBeGreaterThanOrEqual(durable);
    await store.close();
    await rm(folder, { recursive: true });
  },
);
