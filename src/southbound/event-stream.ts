/**
 * An event stream's body to its values. An iterator of its own instead of an async generator: a value that is there
 * costs one microtask, and leaving the loop closes the connection even while a read is pending.
 */
import type { BodySink, BodySource } from "./body.ts";
import type { EventDecoder } from "./event-decoder.ts";
import type { StreamedValue } from "./http.ts";

/** The vendor is held back (TCP backpressure) while this much is decoded and unread. */
const HIGH_WATER_BYTES = 64 * 1024;

export interface EventStreamOptions {
  readonly status: number;
  readonly decoder: EventDecoder;
  /** Names what broke the body off. */
  readonly toError: (cause: unknown) => Error;
  /** What is wrong with a stream that ended without a value; undefined if nothing is. */
  readonly whenEmpty?: () => Error | undefined;
}

type Result = IteratorResult<StreamedValue, undefined>;

export class EventStream implements AsyncIterableIterator<StreamedValue, undefined>, BodySink {
  /** HTTP status of the answer. */
  readonly status: number;
  readonly #source: BodySource;
  readonly #decoder: EventDecoder;
  readonly #toError: (cause: unknown) => Error;
  readonly #whenEmpty: (() => Error | undefined) | undefined;
  #isEmpty = true;
  #ready: StreamedValue[] = [];
  #taken = 0;
  /** Bytes of the chunks that `#ready` came from. */
  #readyBytes = 0;
  #paused = false;
  #waiting: PromiseWithResolvers<Result>[] = [];
  #ended = false;
  #error: Error | undefined;

  /** Owns `source` from here on. */
  constructor(source: BodySource, { status, decoder, toError, whenEmpty }: EventStreamOptions) {
    this.#source = source;
    this.status = status;
    this.#decoder = decoder;
    this.#toError = toError;
    this.#whenEmpty = whenEmpty;
  }

  data(chunk: Buffer): void {
    this.#receive(() => this.#decoder.push(chunk), chunk.length);
  }

  end(): void {
    this.#receive(() => this.#decoder.end(), 0);
    this.#finish(this.#isEmpty ? this.#whenEmpty?.() : undefined);
  }

  /** What was whole when the connection broke is not lost; only then comes the error. */
  fail(cause: unknown): void {
    this.#receive(() => this.#decoder.end(), 0);
    this.#finish(cause);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Result> {
    const value = this.#ready[this.#taken];
    if (value) {
      this.#taken++;
      if (this.#taken === this.#ready.length) this.#drained();
      return Promise.resolve({ done: false, value });
    }
    if (this.#error) {
      const error = this.#error;
      this.#error = undefined;
      return Promise.reject(error);
    }
    if (this.#ended) return Promise.resolve({ done: true, value: undefined });
    const waiting = Promise.withResolvers<Result>();
    this.#waiting.push(waiting);
    return waiting.promise;
  }

  return(): Promise<Result> {
    this.#drained();
    this.#finish();
    this.#error = undefined;
    this.#source.destroy();
    return Promise.resolve({ done: true, value: undefined });
  }

  #receive(decode: () => StreamedValue[], bytes: number): void {
    if (this.#ended) return;
    try {
      const values = decode();
      if (values.length > 0) this.#isEmpty = false;
      for (const value of values) {
        const waiting = this.#waiting.shift();
        if (waiting) waiting.resolve({ done: false, value });
        else this.#ready.push(value);
      }
    } catch (error) {
      this.#finish(error);
      this.#source.destroy();
      return;
    }
    if (this.#ready.length === 0) return;
    this.#readyBytes += bytes;
    if (this.#readyBytes <= HIGH_WATER_BYTES || this.#paused) return;
    this.#paused = true;
    this.#source.pause();
  }

  #drained(): void {
    this.#ready = [];
    this.#taken = 0;
    this.#readyBytes = 0;
    if (!this.#paused || this.#ended) return;
    this.#paused = false;
    this.#source.resume();
  }

  #finish(cause?: unknown): void {
    if (this.#ended) return;
    this.#ended = true;
    const error = cause === undefined ? undefined : this.#toError(cause);
    const [first, ...others] = this.#waiting;
    this.#waiting = [];
    if (first && error) first.reject(error);
    else {
      this.#error = error;
      first?.resolve({ done: true, value: undefined });
    }
    for (const waiting of others) waiting.resolve({ done: true, value: undefined });
  }
}
