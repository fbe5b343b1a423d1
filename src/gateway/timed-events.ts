/**
 * The events of one call, on the clock: it runs while the agent is waited for, not while its events are being worked on.
 * An iterator, not an async generator, since every event of every stream comes by here.
 */
import type { AgentEvent } from "../adapter.ts";
import type { Events } from "./late-events.ts";

type Result = IteratorResult<AgentEvent, void>;

export interface Clock {
  /** The agent is waited for. */
  start(): void;
  stop(): void;
  /** Of no use any more. */
  done(): void;
  /** What is to be thrown for what the agent's stream has thrown. */
  fault(error: unknown): unknown;
}

export class TimedEvents implements Events {
  readonly #events: AsyncIterator<AgentEvent>;
  readonly #clock: Clock;

  constructor(events: AsyncIterable<AgentEvent>, clock: Clock) {
    this.#events = events[Symbol.asyncIterator]();
    this.#clock = clock;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Result> {
    this.#clock.start();
    return this.#events.next().then(this.#received, this.#failed);
  }

  async return(): Promise<Result> {
    this.#clock.done();
    await this.#events.return?.();
    return { done: true, value: undefined };
  }

  readonly #received = (result: Result): Result => {
    if (result.done) this.#clock.done();
    else this.#clock.stop();
    return result;
  };

  readonly #failed = (error: unknown): never => {
    this.#clock.done();
    throw this.#clock.fault(error);
  };
}

/** What has come of a call already, and the rest. */
export class BegunEvents implements Events {
  #first: Result | undefined;
  readonly #rest: Events | undefined;

  constructor(first: Result, rest?: Events) {
    this.#first = first;
    this.#rest = rest;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Result> {
    const first = this.#first;
    this.#first = undefined;
    if (first) return Promise.resolve(first);
    return this.#rest?.next() ?? Promise.resolve({ done: true, value: undefined });
  }

  async return(): Promise<Result> {
    this.#first = undefined;
    await this.#rest?.return?.();
    return { done: true, value: undefined };
  }
}
