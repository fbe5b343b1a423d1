/**
 * Streams of values from one to the next, made of iterators rather than of async generators: a step costs an event one
 * microtask, and leaving the loop closes the connection even while a value is awaited.
 */
type Values<T> = AsyncIterableIterator<T, undefined>;
type Result<T> = IteratorResult<T, undefined>;

const DONE = { done: true, value: undefined } as const;
const none: Iterator<never, undefined> = { next: () => DONE };

/** What becomes of each value, of the end and of a fault; each gives the values to pass on, in order. */
export interface Steps<In, Out> {
  value(value: In): readonly Out[];
  /** What follows the last value; nothing where absent. */
  end?(): readonly Out[];
  /** What a fault of the source or of `value` comes to, where it does not throw; where absent, it is thrown. */
  fail?(error: unknown): readonly Out[];
}

/** A stream of one value. */
export async function* only<T>(value: T): AsyncGenerator<T, undefined> {
  yield value;
}

/** A stream that is opened when its first value is asked for. */
export const opened = <T>(open: () => Promise<AsyncIterable<T>>): Values<T> => new Opened(open);

/** What `steps` make of a stream's values. */
export const mapped = <In, Out>(source: AsyncIterable<In>, steps: Steps<In, Out>): Values<Out> =>
  new Mapped(source, steps);

class Opened<T> implements Values<T> {
  readonly #open: () => Promise<AsyncIterable<T>>;
  #opening: Promise<void> | undefined;
  #values: AsyncIterator<T, undefined> | undefined;
  #over = false;

  constructor(open: () => Promise<AsyncIterable<T>>) {
    this.#open = open;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Result<T>> {
    return this.#values && !this.#over ? this.#values.next() : this.#first();
  }

  async return(): Promise<Result<T>> {
    this.#over = true;
    await this.#values?.return?.();
    return DONE;
  }

  async #first(): Promise<Result<T>> {
    if (this.#over) return DONE;
    this.#opening ??= this.#begin();
    await this.#opening;
    return this.#over || !this.#values ? DONE : this.#values.next();
  }

  async #begin(): Promise<void> {
    try {
      this.#values = (await this.#open())[Symbol.asyncIterator]();
    } catch (error) {
      if (this.#over) return;
      this.#over = true;
      throw error;
    }
    if (this.#over) await this.#values.return?.();
  }
}

class Mapped<In, Out> implements Values<Out> {
  readonly #source: AsyncIterator<In>;
  readonly #steps: Steps<In, Out>;
  /** What is to be passed on before the source is asked again. */
  #ready: Iterator<Out, undefined> = none;
  #over = false;

  constructor(source: AsyncIterable<In>, steps: Steps<In, Out>) {
    this.#source = source[Symbol.asyncIterator]();
    this.#steps = steps;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Result<Out>> {
    const ready = this.#ready.next();
    if (!ready.done || this.#over) return Promise.resolve(ready);
    return this.#source.next().then(this.#received, this.#failed);
  }

  async return(): Promise<Result<Out>> {
    this.#over = true;
    this.#ready = none;
    await this.#source.return?.();
    return DONE;
  }

  readonly #received = (result: IteratorResult<In>): Result<Out> | Promise<Result<Out>> => {
    const ready = this.#applied(result);
    return ready.done && !this.#over ? this.#skip() : ready;
  };

  readonly #applied = (result: IteratorResult<In>): Result<Out> => {
    this.#apply(result);
    return this.#ready.next();
  };

  readonly #failed = (error: unknown): Result<Out> => {
    this.#fail(error);
    return this.#ready.next();
  };

  /** A loop, since promises that each wait for the next would make a chain as long as what is skipped. */
  async #skip(): Promise<Result<Out>> {
    for (;;) {
      const ready = await this.#source.next().then(this.#applied, this.#failed);
      if (!ready.done || this.#over) return ready;
    }
  }

  #apply(result: IteratorResult<In>): void {
    if (this.#over) return;
    if (result.done) {
      this.#over = true;
      this.#ready = (this.#steps.end?.() ?? []).values();
      return;
    }
    try {
      this.#ready = this.#steps.value(result.value).values();
    } catch (error) {
      void this.#source.return?.();
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    if (this.#over) return;
    this.#over = true;
    this.#ready = none;
    if (!this.#steps.fail) throw error;
    this.#ready = this.#steps.fail(error).values();
  }
}
