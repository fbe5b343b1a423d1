/** The mark of an object from which events are missing. */
import { OWN_KEYS } from "../../protocol/client-members.ts";
import type { Metadata } from "../../protocol/model.ts";

/** The metadata key for everything about resuming. */
export const RESUME_KEY = `${OWN_KEYS}resume`;

/** In the metadata of a Task or event: events before it can no longer be replayed, or never arrived. */
export const EVENTS_LOST: Metadata = { [RESUME_KEY]: { eventsLost: true } };
