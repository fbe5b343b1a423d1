/**
 * The events of one call, on the clock: it runs while the agent is waited for, not while its events are being worked on.
 * When the call is broken, the wait ends at once, also if the adapter does not look at its signal.
 * An iterator, not an async generator, since every event of every stream comes by here.
 */
import type { AgentEvent } from "../../adapter.ts";
import type { AgentCall } from "./agent-call.ts";

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
