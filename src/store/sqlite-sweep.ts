/**
 * Retention in the SQLite store, in steps small enough not to be noticed by the streams of the same process.
 *
 * The file does not shrink: later tasks use the pages that were freed, so it stays as large as its fullest retention
 * period, and vacuuming would move pages about only for them to be asked for again.
 */
import type { Statements } from "./sqlite-statements.ts";
import { SweptContextRow, SweptTaskRow } from "./sqlite-statements.ts";
import type { WriteQueue } from "./write-queue.ts";

/** Rows looked at in one step. */
const STEP = 200;
/** Events deleted in one step. A task may have more than that. */
const EVENTS_PER_STEP = 2000;

/** Deletes tasks that finished before then, with their events and push configs; returns how many tasks, also when aborted half-way. */
export async function sweepTasks(
  sql: Statements,
  queue: WriteQueue,
  before: number,
  signal: AbortSignal,
): Promise<number> {
  let swept = 0;
  while (!signal.aborted) {
    // Asked afresh in every step: a task may have been continued since the last one.
    const tasks = sql.oldTasks.all(before, STEP).map((row) => SweptTaskRow.parse(row));
    if (tasks.length === 0) break;
    await queue.write(() => {
      let budget = EVENTS_PER_STEP;
      for (const { key, agent, id } of tasks) {
        budget -= Number(sql.deleteEvents.run(agent, id, budget).changes);
        // The task goes last: a crash in between leaves it to be found again, and no events without it.
        if (budget === 0) return;
        sql.deleteNotificationsOf.run(agent, id);
        sql.deletePushConfigsOf.run(agent, id);
        sql.deleteTask.run(key);
        swept += 1;
      }
    });
  }
  return swept;
}

/**
 * Deletes contexts not updated since then, save those that a task is still in: its next turn would find the vendor's
 * session forgotten.
 */
export async function sweepContexts(
  sql: Statements,
  queue: WriteQueue,
  before: number,
  signal: AbortSignal,
): Promise<void> {
  let after = { updatedAt: Number.MIN_SAFE_INTEGER, key: 0 };
  while (!signal.aborted) {
    const rows = sql.oldContexts.all(before, after.updatedAt, after.key, STEP);
    const contexts = rows.map((row) => SweptContextRow.parse(row));
    const last = contexts.at(-1);
    if (last === undefined) return;
    await queue.write(() => {
      for (const { key } of contexts) sql.deleteUnusedContext.run(key);
    });
    after = last;
  }
}
