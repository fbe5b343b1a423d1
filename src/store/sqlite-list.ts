/**
 * Listing tasks, newest first, by keyset: a page is one range of an index, wherever it begins and however many rows
 * there are. Both indexes hold the state as well, so that rows in other states are passed over without being read.
 */
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import type { TaskFilter, TaskQuery } from "./store.ts";

export const LIST_INDEXES = `
  CREATE INDEX tasks_by_age ON tasks (agent, principal, updated_at, id, state);
  CREATE INDEX tasks_by_context_and_age ON tasks (agent, principal, context_id, updated_at, id, state);
`;

/** What a query names, at one principal's tasks. */
const matching = (filter: string): string => `
  agent = $agent AND principal = $principal ${filter}
    AND ($states IS NULL OR state IN (SELECT value FROM json_each($states)))`;

const OF_CONTEXT = "AND context_id = $contextId";

const select = (columns: string, filter: string, source = "tasks"): string => `
  SELECT ${columns} FROM ${source}
  WHERE ${matching(filter)} AND (updated_at, id) < ($updatedAt, $id)`;

const ORDER = "ORDER BY updated_at DESC, id DESC LIMIT $limit";

/** Running tasks are few, and in an index of their own: their records are older than their states. */
const RUNNING = "tasks INDEXED BY tasks_unfinished";

const since = (columns: string, filter: string): string => `
  ${select(columns, `${filter} AND updated_at >= $since`)}
  UNION ALL ${select(columns, `${filter} AND updated_at < $since AND finished = 0`, RUNNING)}
  ${ORDER}`;

const count = (filter: string): string => `
  SELECT
    (SELECT count(*) FROM tasks WHERE ${matching(filter)} AND updated_at >= $since)
    + (SELECT count(*) FROM ${RUNNING} WHERE ${matching(filter)} AND updated_at < $since AND finished = 0)
    AS count`;

export const prepareList = (db: DatabaseSync, columns: string) => ({
  listTasks: db.prepare(`${select(columns, "")} ${ORDER}`),
  listContextTasks: db.prepare(`${select(columns, OF_CONTEXT)} ${ORDER}`),
  listTasksSince: db.prepare(since(columns, "")),
  listContextTasksSince: db.prepare(since(columns, OF_CONTEXT)),
  countTasks: db.prepare(count("")),
  countContextTasks: db.prepare(count(OF_CONTEXT)),
});

type ListStatements = ReturnType<typeof prepareList>;
type Bound = Record<string, SQLInputValue>;

/** The page's rows, one at a time: each holds a whole task, and the reader may have enough before the last. */
export function pageOf(sql: ListStatements, { after, limit, ...filter }: TaskQuery): Iterable<unknown> {
  const { updatedAt, id } = after ?? { updatedAt: Number.MAX_SAFE_INTEGER, id: "" };
  const bound = { ...boundOf(filter), $updatedAt: updatedAt, $id: id, $limit: limit };
  const { contextId, updatedSince } = filter;
  if (updatedSince === undefined) {
    return (contextId === undefined ? sql.listTasks : sql.listContextTasks).iterate(bound);
  }
  const statement = contextId === undefined ? sql.listTasksSince : sql.listContextTasksSince;
  return statement.iterate({ ...bound, $since: updatedSince });
}

/** One row. */
export function countOf(sql: ListStatements, filter: TaskFilter): unknown {
  const statement = filter.contextId === undefined ? sql.countTasks : sql.countContextTasks;
  return statement.get({ ...boundOf(filter), $since: filter.updatedSince ?? 0 });
}

const boundOf = ({ agent, principal, contextId, states }: TaskFilter): Bound => ({
  $agent: agent,
  $principal: principal,
  $states: states === undefined ? null : JSON.stringify(states),
  ...(contextId !== undefined && { $contextId: contextId }),
});
