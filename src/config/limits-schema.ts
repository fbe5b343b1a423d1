/** The sections `timeouts` and `limits` of an agent, and of `defaults`. */
import { z } from "zod";
import { DEFAULT_LIMITS, DEFAULT_TIMEOUTS, type Limits, type Timeouts } from "./config.ts";
import { count, duration, formatDuration, formatSize, size } from "./units.ts";

const timeout = (key: keyof Timeouts, description: string, min = 1) =>
  duration({ min })
    .exactOptional()
    .meta({ description, defaultsTo: formatDuration(DEFAULT_TIMEOUTS[key]) });

const byteLimit = (key: keyof Limits, description: string) =>
  size()
    .exactOptional()
    .meta({ description, defaultsTo: formatSize(DEFAULT_LIMITS[key]) });

const countLimit = (key: keyof Limits, description: string) =>
  count()
    .exactOptional()
    .meta({ description, defaultsTo: String(DEFAULT_LIMITS[key]) });

export const TimeoutsSchema = z.strictObject({
  connect: timeout("connect", "TCP and TLS to the vendor."),
  firstEvent: timeout("firstEvent", "From the request to the first event of a vendor's stream."),
  idle: timeout("idle", "Between two events of a vendor's stream."),
  request: timeout("request", "A vendor's answer that does no work: the card, tasks/get, tasks/cancel."),
  total: timeout("total", "One turn of a task, from the request to a terminal or interrupted state."),
  blocking: timeout(
    "blocking",
    "How long a blocking `message/send` waits before it answers the Task as it is.",
    0,
  ),
  nonBlocking: timeout(
    "nonBlocking",
    "How long a `message/send` with `blocking: false` waits for the vendor to announce the task's id.",
    0,
  ),
  linger: timeout("linger", "How long events that follow a final state are waited for.", 0),
  poll: timeout("poll", "Between two tasks/get, where the proxy has to poll the vendor."),
  stalledClient: timeout(
    "stalledClient",
    "How long a client may leave its stream or answer unread before it is cut off.",
  ),
});

export const LimitsSchema = z.strictObject({
  requestBody: byteLimit("requestBody", "Body of a client's request; beyond it HTTP 413."),
  requestValues: countLimit(
    "requestValues",
    "Values in the body of a client's request: objects, arrays, strings, numbers, at all levels; beyond it HTTP 413.",
  ),
  responseBody: byteLimit(
    "responseBody",
    "Body of a vendor's answer that is not a stream; beyond it -32006.",
  ),
  event: byteLimit("event", "One event of a vendor's stream; beyond it -32006."),
  task: byteLimit("task", "All artifacts and messages of one task together, with their metadata."),
  history: countLimit("history", "Messages in the history of one task."),
  parts: countLimit("parts", "Parts in one message or artifact chunk."),
  streams: countLimit("streams", "Open streams to clients; beyond it HTTP 429."),
  connections: countLimit("connections", "Connections to the vendor."),
  eventLog: byteLimit(
    "eventLog",
    "The event log of one task; beyond it the oldest events are deleted, and a client that would resume there gets the Task.",
  ),
  events: countLimit("events", "Events in the log of one task; beyond it as with `eventLog`."),
  window: byteLimit("window", "Events of a running task that are held in memory for its listeners."),
});
