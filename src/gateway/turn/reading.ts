/** Reads one answer of the agent, event by event. */
import type { AgentEvent } from "../../adapter.ts";
import type { EngineContext } from "../context.ts";
import type { Events } from "../agent/timed-events.ts";
import { closeIterator, type LateEvents, LingerTimer } from "./linger.ts";
import type { PublishedTask } from "./published-task.ts";

/** Who takes the events. */
interface EventTaker {
  /** Undefined until the first event. */
  readonly task: PublishedTask | undefined;
  /** The agent has said that nothing follows. */
  readonly agentEnded: boolean;
  /** A promise only if there is something to wait for. */
  take(event: AgentEvent): Promise<void> | undefined;
}

/**
 * Reads until the agent ends its stream, or has said that it is done and stays silent; then gives what may still come of
 * the stream.
 */
export async function readAnswer(
  context: EngineContext,
  events: Events,
  taker: EventTaker,
): Promise<LateEvents | undefined> {
  const patience = new LingerTimer(context);
  try {
    for (;;) {
      const next = events.next();
      const normalizer = taker.task?.normalizer;
      const isDone = taker.agentEnded || normalizer?.held !== undefined || normalizer?.outcome === "message";
      if (!isDone) patience.renew();
      else if (!(await patience.wait(next))) return { events, next };
      const { done, value } = await next;
      if (done) return undefined;
      // Nothing is awaited without need: every event comes by here.
      const room = taker.task?.feed.room();
      if (room) await room;
      const taken = taker.take(value);
      if (taken) await taken;
    }
  } catch (error) {
    closeIterator(events);
    throw error;
  }
}
