/** A subscription that holds one event: a Message, or a task that is not running. */
import type { Message, Task } from "../protocol/model.ts";
import type { Subscription } from "./gateway.ts";

export function once(event: Task | Message): Subscription {
  let pending = [{ sequence: 0, json: JSON.stringify(event), last: true }];
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
