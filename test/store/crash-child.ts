/** Puts tasks until it is killed; prints the number of each one that was reported to be durable. */
import { openSqliteStore } from "../../src/store/sqlite.ts";
import { events, taskRecord } from "./records.ts";

const store = await openSqliteStore({ path: process.argv[2] ?? "", synchronous: "normal" });
for (let n = 1; ; n += 1) {
  const record = taskRecord({ id: `task-${n}`, lastEvent: 3, json: "x".repeat(2000) });
  for (const event of events(1, 3)) store.appendEvent(record, event);
  await store.putTask(record);
  process.stdout.write(`${n}\n`);
}
