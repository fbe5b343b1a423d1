/** One call to the agent while it is under way: what it takes along, its time, and its end from this side. */
import type { AgentEvent, AgentStatusUpdate, AgentTask, Backend, Call, VendorTask } from "../../adapter.ts";
import { agentFault, isForgotten, isUnsupported } from "./fault.ts";
import type { EngineContext } from "../gateway.ts";
import type { Mint } from "../task/fill-missing.ts";
import { abortable } from "../../lib/abortable.ts";
import { startTimer } from "../../lib/timers.ts";
import { A2AError } from "../../protocol/errors.ts";
import type { TaskRecord } from "../../store/store.ts";

/** Ids for what is new, made when they are asked for: most vendors bring their own. */
export class NewIds {
  readonly #mint: Mint;
  #taskId: string | undefined;
  #contextId: string | undefined;

  constructor(mint: Mint) {
    this.#mint = mint;
  }

  get taskId(): string {
    return (this.#taskId ??= this.#mint.newId());
  }

  get contextId(): string {
    return (this.#contextId ??= this.#mint.newId());
  }
}

/** What every call of a turn takes along. */
export interface CallContext {
  readonly newIds: NewIds;
  readonly extensions: readonly string[];
  readonly forwarded?: Call["forwarded"];
}

/** The ids are minted only where the adapter reads them. */
export const callOf = ({ newIds, extensions, forwarded }: CallContext, signal: AbortSignal): Call => ({
  signal,
  extensions,
  forwarded,
  get newTaskId() {
    return newIds.taskId;
  },
  get newContextId() {
    return newIds.contextId;
  },
});

type Timed = Pick<EngineContext, "agent">;

export class AgentCall {
  readonly call: Call;
  readonly #agent: string;
  readonly #controller = new AbortController();
  /** The name of the time that is running, as the configuration has it. */
  #timeout: string;
  #timer: NodeJS.Timeout;
  #isWaiting = true;

  constructor({ agent }: Timed, context: CallContext, ms: number, timeout: string) {
    this.call = callOf(context, this.#controller.signal);
    this.#agent = agent.name;
    this.#timeout = timeout;
    this.#timer = startTimer(ms, this.#expire);
  }

  /** The agent has spoken; the clock stands until it is waited for again. */
  heard(): void {
    this.#isWaiting = false;
  }

  /** The agent is waited for again: for so many ms, whenever that is. */
  awaitNext(idle: number): void {
    this.#isWaiting = true;
    if (this.#timeout === "idle") {
      this.#timer.refresh();
      return;
    }
    this.#timeout = "idle";
    clearTimeout(this.#timer);
    this.#timer = startTimer(idle, this.#expire);
  }

  /** Ends it with this error, if it is not over. */
  break(reason: A2AError): void {
    clearTimeout(this.#timer);
    this.#controller.abort(reason);
  }

  /** The call is over by itself. */
  done(): void {
    clearTimeout(this.#timer);
  }

  readonly #expire = (): void => {
    if (!this.#isWaiting) return;
    const data = { agent: this.#agent, stage: "timeout", timeout: this.#timeout };
    this.break(new A2AError("agent-unavailable", { message: "The agent did not answer in time", data }));
  };
}

/**
 * A call that does no work at the agent and is answered soon: in `timeouts.request`, also if the adapter does not look at
 * its signal.
 */
export async function ask<T>(
  { agent }: Timed,
  context: CallContext,
  request: (call: Call) => Promise<T>,
): Promise<T> {
  const open = new AgentCall({ agent }, context, agent.timeouts.request, "request");
  try {
    return await abortable(request(open.call), open.call.signal);
  } finally {
    open.done();
  }
}

/** What an agent is asked of a task of which no turn is running. */
type Asking = Pick<EngineContext, "agent" | "redact" | "log"> & {
  readonly backend: Pick<Backend, "getTask" | "cancelTask">;
};

/** tasks/cancel (§7.4) at the agent; undefined if it has no such method or does not know the task. */
export async function cancelAtAgent(
  { agent, backend, redact }: Asking,
  task: VendorTask | undefined,
  context: CallContext,
): Promise<AgentEvent | undefined> {
  if (!task) return undefined;
  try {
    return await ask({ agent }, context, async (call) => backend.cancelTask?.(task, call));
  } catch (error) {
    if (isUnsupported(error)) return undefined;
    const fault = agentFault(error, { agent, redact });
    if (isForgotten(fault)) return undefined;
    throw fault;
  }
}

/** The end of a task that the agent does not know any more. */
export const FORGOTTEN: AgentStatusUpdate = {
  kind: "status-update",
  status: {
    state: "failed",
    message: {
      kind: "message",
      role: "agent",
      parts: [{ kind: "text", text: "The agent no longer knows this task" }],
    },
  },
};

/**
 * An interrupted task may have gone on at the agent without this client, or have been lost: the agent's report then;
 * undefined if neither, or if the agent cannot be asked.
 */
export async function newsOf(
  { agent, backend, log }: Asking,
  record: TaskRecord,
  task: VendorTask | undefined,
  context: CallContext,
): Promise<AgentTask | AgentStatusUpdate | undefined> {
  if (!task) return undefined;
  try {
    const report = await ask({ agent }, context, async (call) => backend.getTask?.(task, call));
    if (!report) return undefined;
    const { state } = report.status;
    return state === record.state || state === "unknown" ? undefined : report;
  } catch (error) {
    if (isForgotten(error)) return FORGOTTEN;
    log.debug({ err: error, taskId: record.id }, "the agent could not be asked for the task");
    return undefined;
  }
}

export type Events = AsyncIterableIterator<AgentEvent, void>;
type Result = IteratorResult<AgentEvent, void>;

export interface TimedCall {
  /** Its first time is running. */
  readonly open: AgentCall;
  /** The longest that the agent may be silent between two events, ms. */
  readonly idle: number;
  /** The call is over. */
  done(): void;
  /** What is to be thrown for what the agent's stream has thrown. */
  fault(error: unknown): unknown;
}

/**
 * The events of one call, on the clock: it runs while the agent is waited for, not while its events are being worked on.
 * When the call is broken, the wait ends at once, also if the adapter does not look at its signal.
 * An iterator, not an async generator, since every event of every stream comes by here.
 */
export class TimedEvents implements Events {
  readonly #events: AsyncIterator<AgentEvent>;
  readonly #call: TimedCall;
  #begun = false;
  /** Who waits for the next event. */
  #waiting: PromiseWithResolvers<Result> | undefined;

  constructor(events: AsyncIterable<AgentEvent>, call: TimedCall) {
    this.#events = events[Symbol.asyncIterator]();
    this.#call = call;
    const { signal } = call.open.call;
    // One listener for the call: to race each event with the signal would leave a reaction behind for each.
    signal.addEventListener("abort", () => this.#failed(signal.reason), { once: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Result> {
    const { open, idle } = this.#call;
    const { signal } = open.call;
    if (signal.aborted) return Promise.reject(this.#call.fault(signal.reason));
    if (this.#begun) open.awaitNext(idle);
    const waiting = Promise.withResolvers<Result>();
    this.#waiting = waiting;
    this.#events.next().then(this.#received, this.#failed);
    return waiting.promise;
  }

  /** Does not wait for the agent's side, which may be stuck. */
  return(): Promise<Result> {
    this.#call.done();
    this.#events.return?.().catch(() => {});
    return Promise.resolve({ done: true, value: undefined });
  }

  readonly #received = (result: Result): void => {
    const waiting = this.#waiting;
    if (!waiting) return;
    this.#waiting = undefined;
    this.#begun = true;
    if (result.done) this.#call.done();
    else this.#call.open.heard();
    waiting.resolve(result);
  };

  readonly #failed = (error: unknown): void => {
    const waiting = this.#waiting;
    if (!waiting) return;
    this.#waiting = undefined;
    this.#call.done();
    waiting.reject(this.#call.fault(error));
  };
}
