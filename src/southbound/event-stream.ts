/**
 * An event stream's body to its values. An iterator of its own instead of an async generator: a value that is there
 * costs one microtask, and leaving the loop closes the connection even while a read is pending.
 */
import type { Readable } from "node:stream";
import type { EventDecoder } from "./event-decoder.ts";
import type { StreamedValue } from "./http.ts";

/** The vendor is held back (TCP backpressure) while this much is decoded and unread. */
const HIGH_WATER_BYTES = 64 * 1024;

type Result = IteratorResult<StreamedValue, undefined>;

export class EventStream implements AsyncIterableIterator<StreamedValue, undefined> {
  readonly #body: Readable;
  readonly #toError: (cause: unknown) => Error;
  #ready: StreamedValue[] = [];
  #taken = 0;
  /** Bytes of the chunks that `#ready` came from. */
  #readyBytes = 0;
  #waiting: PromiseWithResolvers<Result>[] = [];
  #ended = false;
  #error: Error | undefined;

  /** `toError` names what `body` emitted as its error. The stream owns `body` from here on. */
  constructor(body: Readable, decoder: EventDecoder, toError: (cause: unknown) => Error) {
    this.#body = body;
    this.#toError = toError;
    body.on("data", (chunk: Uint8Array) => this.#receive(() => decoder.push(chunk), chunk.length));
    // What was whole when the connection broke is not lost; only then comes the error.
    const finish = (cause?: unknown): void => {
      this.#receive(() => decoder.end(), 0);
      this.#finish(cause);
    };
    body.on("end", () => finish());
    body.on("error", finish);
    body.on("close", () => this.#finish());
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
    this.#body.destroy();
    return Promise.resolve({ done: true, value: undefined });
  }

  #receive(decode: () => StreamedValue[], bytes: number): void {
    if (this.#ended) return;
    try {
      const values = decode();
      for (const value of values) {
        const waiting = this.#waiting.shift();
        if (waiting) waiting.resolve({ done: false, value });
        else this.#ready.push(value);
      }
    } catch (error) {
      this.#finish(error);
      this.#body.destroy();
      return;
    }
    if (this.#ready.length === 0) return;
    this.#readyBytes += bytes;
    if (this.#readyBytes > HIGH_WATER_BYTES) this.#body.pause();
  }

  #drained(): void {
    this.#ready = [];
    this.#taken = 0;
    this.#readyBytes = 0;
    if (!this.#ended) this.#body.resume();
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
