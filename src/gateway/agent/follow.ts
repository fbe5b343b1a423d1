/**
 * Follows a task that the agent is working on: by its stream, if that can be resumed; or else by asking for the task, again
 * and again or whenever the agent pushes.
 */
import { createHash } from "node:crypto";
import type { AgentEvent, AgentTask, VendorTask } from "../../adapter.ts";
import { A2AError } from "../../protocol/errors.ts";
import type { EngineContext } from "../gateway.ts";
import type { AgentCalls } from "./agent-calls.ts";
import { breakOf, isTransient, stageOf } from "./fault.ts";

/** Failed looks at the agent in a row before it is given up. */
export const MAX_POLL_FAILURES = 5;

/** ms between two looks at an agent that was there before and now refuses connections. */
const REFUSED_PAUSE = 250;

/** ms; notifications in such a row are one reason to look. */
const RING_GAP = 200;

/** What became of a stream that the agent has ended too early, as a sentence. */
export const ENDED_EARLY = "The agent ended its stream without a final state";

/** Why and how a task is followed. */
export interface Following {
  readonly task: VendorTask;
  /** What became of the agent's stream of the task, if there was one. */
  readonly broken: string | undefined;
  /** The agent's record has just been read. */
  readonly isKnown: boolean;
}

type Context = Pick<EngineContext, "agent" | "backend" | "log">;
type Reports = AsyncGenerator<AgentEvent, void, void>;

/**
 * Yields the task as the agent reports it, again and again; ends only by an error or when left. What was missed is
 * asked for before the stream is resumed, since a resumed stream need not repeat it.
 */
export async function* followTask(context: Context, calls: AgentCalls, following: Following): Reports {
  const { backend, log } = context;
  const { task, isKnown } = following;
  let { broken } = following;
  if (backend.resubscribe && calls.callbackDigest === undefined) {
    if (backend.getTask && !isKnown) yield* reportOnce(context, calls, task);
    try {
      yield* calls.resubscribe(task);
      broken ??= ENDED_EARLY;
    } catch (error) {
      if (calls.aborted) throw error;
      if (stageOf(error) === "body") broken ??= breakOf(error);
      log.debug({ err: error }, "the agent's stream could not be resumed");
    }
  }
  yield* poll(context, calls, task, broken);
}

/** The agent's record; nothing if it cannot be read. */
async function* reportOnce({ log }: Context, calls: AgentCalls, task: VendorTask): Reports {
  const report = await calls.report(task).catch((error: unknown) => {
    log.debug({ err: error }, "the agent does not report on the task");
  });
  if (calls.aborted) throw calls.aborted;
  if (report) yield report;
}

/** Asks at once, then whenever the callback is rung, or else from time to time. */
async function* poll(
  { agent: { timeouts } }: Context,
  calls: AgentCalls,
  task: VendorTask,
  broken: string | undefined,
): Reports {
  const { callback, safetyPoll = 0 } = calls.callback ?? {};
  // An agent that calls back may be silent for as long as it works.
  const standstill = broken === undefined || callback ? undefined : new Standstill(broken, timeouts.idle);
  for (let failures = 0; ;) {
    let pause = timeouts.poll;
    let report: AgentTask | undefined;
    callback?.listen();
    try {
      report = await calls.report(task);
      failures = 0;
    } catch (error) {
      failures += 1;
      if (calls.aborted || !isTransient(error) || failures >= MAX_POLL_FAILURES) throw error;
      // After a restart of the proxy the agent may be starting too.
      if (stageOf(error) === "connect" && calls.mode) pause = Math.min(pause, REFUSED_PAUSE);
    }
    if (report) {
      yield report;
      standstill?.see(report);
    }
    if (callback && failures === 0) {
      await calls.pause(safetyPoll, callback.rung);
      await calls.pause(RING_GAP);
    } else {
      await calls.pause(pause);
    }
  }
}

/** What is compared: not the times and ids, which some agents make anew for each report. */
function digestOf({ status, history = [], artifacts = [] }: AgentTask): string {
  const parts = [status.message, ...history, ...artifacts].map((holder) => holder?.parts);
  return createHash("sha256")
    .update(JSON.stringify([status.state, history.length, parts]))
    .digest("base64");
}

/**
 * Tells when a task no longer moves: the agent's stream of it has broken, or ended without a final state, and what the agent
 * reports of the task since then is the same each time. An agent that lost the work with the connection would otherwise be
 * polled until the turn's total time is over.
 */
class Standstill {
  /** What became of the stream, as a sentence. */
  readonly #broken: string;
  readonly #limit: number;
  #digest: string | undefined;
  #since = 0;

  /** @param limit how long the agent may report the same, ms */
  constructor(broken: string, limit: number) {
    this.#broken = broken;
    this.#limit = limit;
  }

  /** Throws if the agent has reported the same for too long. */
  see(report: AgentTask): void {
    const digest = digestOf(report);
    const now = performance.now();
    if (digest !== this.#digest) {
      this.#digest = digest;
      this.#since = now;
    } else if (now - this.#since >= this.#limit) {
      throw new StandstillError(`${this.#broken}; its task has not changed since`);
    }
  }
}

export class StandstillError extends A2AError {
  constructor(message: string) {
    super("invalid-agent-response", { message, data: { stage: "timeout", timeout: "idle" } });
  }
}
