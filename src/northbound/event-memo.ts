/** What the events of a task are turned into, once for all of its clients. */
import type { OutgoingEvent } from "../gateway/gateway.ts";
import type { StreamEvent } from "../protocol/model.ts";

/** Makes something of an event the first time that it is asked for. */
export function oncePerEvent<T extends object>(
  make: (event: StreamEvent, outgoing: OutgoingEvent) => T,
): (outgoing: OutgoingEvent) => T {
  const made = new WeakMap<OutgoingEvent, T>();
  return (outgoing) => {
    const known = made.get(outgoing);
    if (known) return known;
    // What the engine wrote itself a moment ago.
    const event: StreamEvent = JSON.parse(outgoing.json);
    const result = make(event, outgoing);
    made.set(outgoing, result);
    return result;
  };
}
