/**
 * The ids of events over gRPC. A frame of SSE has a line for its event's id; a response of gRPC has none beside its
 * message, and metadata come with the first response and after the last only. A call that asks for the ids gets each in
 * its event's own `metadata`, under the proxy's key; others get their events as they are.
 */
import type { Metadata } from "@grpc/grpc-js";
import { RESUME_KEY } from "../gateway/task/repairs.ts";
import { isFields } from "../protocol/json.ts";
import type { StreamEvent } from "../protocol/model.ts";

/** Metadata of a call: `1` asks for ids. It is answered with `1`, so that a caller need not look for what never comes. */
export const EVENT_IDS_KEY = "a2a-event-ids";
/** Metadata of TaskSubscription: the last id that the client has seen, as the header of that name over HTTP. */
export const LAST_EVENT_KEY = "last-event-id";

export const wantsEventIds = (metadata: Metadata): boolean => metadata.get(EVENT_IDS_KEY).includes("1");

/** A Message on its own belongs to no task and has no id. */
export function withEventId<Event extends StreamEvent>(event: Event, sequence: number | undefined): Event {
  if (sequence === undefined) return event;
  const known = event.metadata?.[RESUME_KEY];
  const resume = { ...(isFields(known) && known), eventId: String(sequence) };
  return { ...event, metadata: { ...event.metadata, [RESUME_KEY]: resume } };
}
