/**
 * What an agent sends after the final state: waited for, as long as it keeps coming and within bounds, then kept with
 * the task, for nobody's stream any more.
 */
import type { AgentEvent } from "../../adapter.ts";
import { isTerminal } from "../../protocol/states.ts";
import type { EngineContext } from "../context.ts";
import type { Events } from "../agent/timed-events.ts";
import type { PublishedTask } from "./published-task.ts";

/** A silent agent is read for this many lingers after its stream has been ended. */
const LINGERS = 10;

/** One that never falls silent is waited for this many, and read for as many more. */
const MAX_LINGERS = 100;

/** The rest of an agent's stream, with the event that was being waited for. */
export interface LateEvents {
  readonly events: Events;
  readonly next: Promise<IteratorResult<AgentEvent, void>>;
}

/** Lets go of the agent's stream, also while an event is awaited. */
export function closeIterator(events: Events): void {
  events.return?.().catch(() => {});
}

/** How long an agent that has said that it is done is waited for: a linger for each event, and so many in all. */
export class LingerTimer {
  readonly #context: EngineContext;
  #until: number | undefined;

  constructor(context: EngineContext) {
    this.#context = context;
  }

  /** Whether `next` settles in time. */
  async wait(next: Promise<unknown>): Promise<boolean> {
    const { linger } = this.#context.agent.timeouts;
    const now = performance.now();
    this.#until ??= now + MAX_LINGERS * linger;
    return now <= this.#until && (await this.#context.deadlines.wait(linger, next));
  }

  /** The agent was not done after all. */
  renew(): void {
    this.#until = undefined;
  }
}

/** Reads on for a while, and stores the task again if anything came. */
export async function drainLateEvents(
  context: EngineContext,
  task: PublishedTask,
  late: LateEvents,
): Promise<void> {
  const { deadlines, agent, log } = context;
  let { next } = late;
  // An interrupted task goes on with another call; what comes on this one would come twice.
  let left = isTerminal(task.state.status.state) ? LINGERS : 0;
  let changed = false;
  const until = performance.now() + MAX_LINGERS * agent.timeouts.linger;
  try {
    while (left > 0 && performance.now() <= until && task.state.size <= agent.limits.task) {
      if (await deadlines.wait(agent.timeouts.linger, next)) {
        const { done, value } = await next;
        if (done) break;
        task.normalizer.late(value);
        changed = true;
        next = late.events.next();
      } else {
        left -= 1;
      }
    }
    if (changed) await task.persist();
  } catch (error) {
    log.debug({ err: error, taskId: task.state.id }, "the agent's stream broke after its end");
  }
  next.catch(() => {});
  closeIterator(late.events);
}
