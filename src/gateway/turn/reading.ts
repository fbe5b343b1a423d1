/**
 * Reads one answer of the agent, event by event; then what still comes of it after the task's end, and, if events may be
 * missing, the agent's own record of the task.
 */
import type { AgentEvent, AgentTask, VendorTask } from "../../adapter.ts";
import type { AgentCalls, Answer } from "../agent/agent-calls.ts";
import { isTransient, isUnsupported } from "../agent/fault.ts";
import { MAX_POLL_FAILURES } from "../agent/follow.ts";
import { settlesWithin } from "../../lib/timers.ts";
import type { Events } from "../agent/agent-call.ts";
import type { EngineContext } from "../gateway.ts";
import type { PublishedTask } from "./published-task.ts";
import { isFinal, isTerminal } from "../../protocol/states.ts";

/** Who takes the events. */
interface EventTaker {
  /** Undefined until the first event. */
  readonly task: PublishedTask | undefined;
  /** A promise only if there is something to wait for. */
  take(event: AgentEvent): Promise<void> | undefined;
}

/**
 * Reads until the agent ends its stream, or has said that it is done and stays silent; then gives what may still come of
 * the stream.
 */
export async function readAnswer(
  { agent }: Pick<EngineContext, "agent">,
  { first, rest }: Answer,
  taker: EventTaker,
): Promise<LateEvents | undefined> {
  const linger = new LingerTimer(agent.timeouts.linger);
  let hasEnded = false;
  let next = Promise.resolve(first);
  try {
    for (;;) {
      const normalizer = taker.task?.normalizer;
      const isDone = hasEnded || normalizer?.held !== undefined || normalizer?.outcome === "message";
      if (!isDone) linger.renew();
      else if (rest && !(await linger.wait(next))) return { events: rest, next };
      const { done, value } = await next;
      if (done) return undefined;
      hasEnded ||= saysThatNothingFollows(value);
      // Nothing is awaited without need: every event comes by here.
      const room = taker.task?.feed.room();
      if (room) await room;
      const taken = taker.take(value);
      if (taken) await taken;
      if (!rest) return undefined;
      next = rest.next();
    }
  } catch (error) {
    if (rest) closeIterator(rest);
    throw error;
  }
}

const saysThatNothingFollows = (event: AgentEvent): boolean =>
  event.kind === "status-update" && event.final === true && !isFinal(event.status.state);

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
function closeIterator(events: Events): void {
  events.return?.().catch(() => {});
}

/** How long an agent that has said that it is done is waited for: `ms` for each event, and so many times in all. */
class LingerTimer {
  readonly #ms: number;
  #until: number | undefined;

  constructor(ms: number) {
    this.#ms = ms;
  }

  /** Whether `next` settles in time. */
  async wait(next: Promise<unknown>): Promise<boolean> {
    const now = performance.now();
    this.#until ??= now + MAX_LINGERS * this.#ms;
    return now <= this.#until && (await settlesWithin(this.#ms, next));
  }

  /** The agent was not done after all. */
  renew(): void {
    this.#until = undefined;
  }
}

/**
 * What an agent sends after the final state is waited for as long as it keeps coming, within bounds, and kept with the task,
 * for nobody's stream any more.
 */
export async function drainLateEvents(
  { agent, log }: Pick<EngineContext, "agent" | "log">,
  task: PublishedTask,
  late: LateEvents,
): Promise<void> {
  let { next } = late;
  // An interrupted task goes on with another call; what comes on this one would come twice.
  let left = isTerminal(task.state.status.state) ? LINGERS : 0;
  let changed = false;
  const until = performance.now() + MAX_LINGERS * agent.timeouts.linger;
  try {
    while (left > 0 && performance.now() <= until && task.state.size <= agent.limits.task) {
      if (await settlesWithin(agent.timeouts.linger, next)) {
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

/**
 * Completes a task whose stream may have lost events from the agent's own record, before the task's end is told. If the
 * record cannot be read, the end is marked.
 */
export async function fillGaps(
  { agent, log }: Pick<EngineContext, "agent" | "log">,
  task: PublishedTask,
  calls: AgentCalls,
  vendorTask: VendorTask | undefined,
): Promise<void> {
  const { held, artifacts } = task.normalizer;
  // A Task that was put together from a damaged stream is no record, although it may show the end.
  const isDamagedAnswer = calls.losses.isDamaged && calls.mode === "send";
  if (calls.losses.take() || isDamagedAnswer) artifacts.broke();
  if (!held || artifacts.continuity.level === "whole" || !vendorTask) return;
  try {
    const record = await endedRecord(calls, vendorTask, agent.timeouts.poll);
    if (record) await task.take(record);
  } catch (error) {
    if (isUnsupported(error) && !calls.losses.isDamaged) artifacts.continuity.trust();
    log.debug({ err: error, taskId: task.state.id }, "the agent's record cannot be read");
  }
}

/** Asks for the record until it shows the task's end, as polling does; undefined if it does not. */
async function endedRecord(
  calls: AgentCalls,
  vendorTask: VendorTask,
  poll: number,
): Promise<AgentTask | undefined> {
  for (let attempt = 1; ; attempt++) {
    const isLast = attempt >= MAX_POLL_FAILURES;
    try {
      const record = await calls.report(vendorTask);
      if (isFinal(record.status.state)) return record;
      if (isLast) return undefined;
    } catch (error) {
      if (isLast || !isTransient(error)) throw error;
    }
    await calls.pause(poll);
  }
}
