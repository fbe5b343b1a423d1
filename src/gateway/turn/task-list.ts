/**
 * Listing a principal's tasks, newest first. 0.3.0 names the method for HTTP+JSON and gRPC (§3.5.6) and leaves open
 * what it answers; the shape is 1.0's. No total is counted: that would cost more than the page.
 */
import { A2AError } from "../../protocol/errors.ts";
import type { ListTasksParams, TaskPage } from "../../protocol/list-params.ts";
import type { Task } from "../../protocol/model.ts";
import { isFinal, TASK_STATES, type TaskState } from "../../protocol/states.ts";
import type { TaskQuery, TaskStore } from "../../store/store.ts";
import { withHistoryLength } from "../task/history.ts";
import { storedTask } from "./task-record.ts";

type Place = NonNullable<TaskQuery["after"]>;

interface TaskLister {
  readonly agent: string;
  readonly store: TaskStore;
  /** The task as it is now, where a turn of it is under way: its record lags behind. */
  readonly live: (id: string) => Task | undefined;
}

/** Documents read for one page, characters: a page ends early rather than hold more than this and one task. */
const PAGE_LENGTH = 8 * 1024 * 1024;

export async function listTasks(
  { agent, store, live }: TaskLister,
  params: ListTasksParams,
  principal: string,
): Promise<TaskPage> {
  const { contextId, pageSize, pageToken, historyLength, includeArtifacts } = params;
  const states = params.states && new Set(params.states);
  const records = await store.listTasks({
    agent,
    principal,
    contextId,
    states: states && storedStates(states),
    after: pageToken === undefined ? undefined : placeOf(pageToken),
    limit: pageSize,
    maxLength: PAGE_LENGTH,
  });
  const tasks: Task[] = [];
  let length = 0;
  for (const record of records) {
    length += record.json.length;
    const task = withHistoryLength(live(record.id) ?? storedTask(record), historyLength);
    if (states?.has(task.status.state) === false) continue;
    const { artifacts: _artifacts, ...rest } = task;
    tasks.push(includeArtifacts ? task : rest);
  }
  const last = records.at(-1);
  const isWhole = records.length < pageSize && length < PAGE_LENGTH;
  return { tasks, nextPageToken: last && !isWhole ? tokenOf(last) : "", pageSize };
}

/** A running task's record says the state in which the task became known, not the one that it is in. */
function storedStates(states: ReadonlySet<TaskState>): TaskState[] {
  const isRunning = [...states].some((state) => !isFinal(state));
  return TASK_STATES.filter((state) => states.has(state) || (isRunning && !isFinal(state)));
}

const tokenOf = ({ updatedAt, id }: Place): string => Buffer.from(`${updatedAt} ${id}`).toString("base64url");

function placeOf(token: string): Place {
  const [, updatedAt, id] = /^(\d{1,15}) (.+)$/s.exec(Buffer.from(token, "base64url").toString()) ?? [];
  if (updatedAt !== undefined && id !== undefined) return { updatedAt: Number(updatedAt), id };
  throw new A2AError("invalid-params", {
    data: { path: "pageToken", reason: "is not one that was given out" },
  });
}
