/** What an agent sends after the final state: kept with the task, for nobody's stream any more. */
import type { AgentEvent } from "../adapter.ts";
import { isTerminal } from "../protocol/states.ts";
import type { EngineContext } from "./context.ts";
import type { LiveTask } from "./live-task.ts";

/** An agent that sends on is read for this many lingers more. */
const LINGERS = 10;

export type Events = AsyncGenerator<AgentEvent, void, void>;

/** The rest of an agent's stream, with the event that was being waited for. */
export interface LateEvents {
  readonly events: Events;
  readonly next: Promise<IteratorResult<AgentEvent, void>>;
}

/** Reads on for a while, and stores the task again if anything came. */
export async function keepLate(context: EngineContext, task: LiveTask, late: LateEvents): Promise<void> {
  const { deadlines, agent, log } = context;
  let { next } = late;
  // An interrupted task goes on with another call; what comes on this one would come twice.
  let left = isTerminal(task.state.status.state) ? LINGERS : 0;
  let changed = false;
  try {
    while (left > 0) {
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
}
