/** Between the store's records and the tasks of the engine. */
import { z } from "zod";
import { A2AError } from "../protocol/errors.ts";
import { StreamEvent, Task } from "../protocol/model.ts";
import type { TaskRecord, TaskStore } from "../store/store.ts";
import { TaskState } from "./task-state.ts";

/** Events replayed at once. */
const PAGE = 1000;

function parse<T>(schema: z.ZodType<T>, json: string): T {
  const parsed = schema.safeParse(JSON.parse(json));
  if (parsed.success) return parsed.data;
  throw new A2AError("internal-error", { message: "A stored task is damaged", cause: parsed.error });
}

/** The task as it was last stored. */
export const storedTask = (record: TaskRecord): Task => parse(Task, record.json);

/** The task with all events that were logged since it was last stored. */
export async function restoreState(
  store: TaskStore,
  record: TaskRecord,
  maxHistory: number,
): Promise<{ state: TaskState; lastEvent: number }> {
  const state = TaskState.fromTask(storedTask(record), maxHistory);
  let { lastEvent } = record;
  for (;;) {
    const events = await store.eventsAfter(record, lastEvent, PAGE);
    for (const event of events) {
      state.apply(parse(StreamEvent, event.json));
      lastEvent = event.sequence;
    }
    if (events.length < PAGE) return { state, lastEvent };
  }
}
