/**
 * Listing tasks, newest first, by keyset: a page is one range of an index, wherever it begins and however many rows
 * there are. Both indexes hold the state as well, so that rows in other states are passed over without being read.
 */
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import type { TaskQuery } from "./store.ts";

export const LIST_INDEXES = `
  CREATE INDEX tasks_by_age ON tasks (agent, principal, updated_at, id, state);
  CREATE INDEX tasks_by_context_and_age ON tasks (agent, principal, context_id, updated_at, id, state);
`;

const select = (columns: string, filter: string): string => `
  SELECT ${columns} FROM tasks
  WHERE agent = $agent AND principal = $principal ${filter} AND (updated_at, id) < ($updatedAt, $id)
    AND ($states IS NULL OR state IN (SELECT value FROM json_each($states)))
  ORDER BY updated_at DESC, id DESC LIMIT $limit`;

export const prepareList = (db: DatabaseSync, columns: string) => ({
  listTasks: db.prepare(select(columns, "")),
  listContextTasks: db.prepare(select(columns, "AND context_id = $contextId")),
});

/** The page's rows, one at a time: each holds a whole task, and the reader may have enough before the last. */
export function pageOf(
  { listTasks, listContextTasks }: { listTasks: StatementSync; listContextTasks: StatementSync },
  { agent, principal, contextId, states, after, limit }: TaskQuery,
): Iterable<unknown> {
  const { updatedAt, id } = after ?? { updatedAt: Number.MAX_SAFE_INTEGER, id: "" };
  const $states = states === undefined ? null : JSON.stringify(states);
  const bound: Record<string, SQLInputValue> = {
    $agent: agent,
    $principal: principal,
    $updatedAt: updatedAt,
    $id: id,
    $states,
    $limit: limit,
  };
  if (contextId === undefined) return listTasks.iterate(bound);
  return listContextTasks.iterate({ ...bound, $contextId: contextId });
}
