/** A subscription that holds one event: a Message, or a task that is not running. */
import type { Message, Task } from "../../protocol/model.ts";
import type { OutgoingEvent, Subscription } from "../gateway.ts";

/** @param sequence of the last event that a Task includes */
export function once(event: Task | Message, sequence?: number): Subscription {
  let pending: OutgoingEvent[] = [{ sequence, json: JSON.stringify(event), last: true }];
  return {
    taskId: event.kind === "task" ? event.id : undefined,
    next: () => {
      const events = pending;
      pending = [];
      return Promise.resolve(events.length > 0 ? events : undefined);
    },
    close: () => {
      pending = [];
    },
  };
}
