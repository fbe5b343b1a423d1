/**
 * One exchange on undici, by its lowest interface: an answer's bytes go from the parser straight to who takes them,
 * without a Readable between. Aborting rejects at once, also while the connection is still being made.
 */
import type { Dispatcher } from "undici";
import { decoded, WholeBody, type BodySink, type BodySource } from "./body.ts";

/** How an answer begins. */
export interface Head {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** What an answer is to become, and who takes its body. Called before the first byte of it; may throw. */
export type Receive<T> = (head: Head, source: BodySource) => { readonly answer: T; readonly sink: BodySink };

/** An answer that is read whole. */
export interface Whole {
  readonly head: Head;
  /** Decompressed; rejects with what broke it off, or an A2AError beyond the limit. */
  readonly body: Promise<Buffer>;
}

/** @param limit bytes after decompression */
export const readWhole =
  (limit: number): Receive<Whole> =>
  (head, source) => {
    const { sink, inner } = decoded(
      head.headers["content-encoding"],
      source,
      (plain) => new WholeBody(plain, limit),
    );
    return { answer: { head, body: inner.done }, sink };
  };

/** Of a body that is of no interest, whose connection is closed. */
export const ignored: BodySink = { data() {}, end() {}, fail() {} };

/** Resolves with what `receive` makes of the head; rejects with what it throws, the signal's reason, or undici's error. */
export function dispatch<T>(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  signal: AbortSignal | undefined,
  receive: Receive<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    dispatcher.dispatch(request, new Exchange(signal, receive, resolve, reject));
  });
}

const toError = (cause: unknown): Error => (cause instanceof Error ? cause : new Error(String(cause)));

class Exchange<T> implements Dispatcher.DispatchHandler, BodySource {
  readonly #signal: AbortSignal | undefined;
  readonly #receive: Receive<T>;
  readonly #resolve: (answer: T) => void;
  readonly #reject: (cause: unknown) => void;
  readonly #onAbort = (): void => this.#break(this.#signal?.reason);
  #controller: Dispatcher.DispatchController | undefined;
  #sink: BodySink | undefined;
  /** Nothing more is passed on. */
  #over: { readonly cause: Error | undefined } | undefined;

  constructor(
    signal: AbortSignal | undefined,
    receive: Receive<T>,
    resolve: (answer: T) => void,
    reject: (cause: unknown) => void,
  ) {
    this.#signal = signal;
    this.#receive = receive;
    this.#resolve = resolve;
    this.#reject = reject;
    signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#over) controller.abort(this.#over.cause ?? new Error("not wanted any more"));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Head["headers"],
  ): void {
    if (this.#over || status < 200) return;
    try {
      const { answer, sink } = this.#receive({ status, headers }, this);
      this.#sink = sink;
      this.#resolve(answer);
    } catch (error) {
      this.#break(error);
    }
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.#over) this.#sink?.data(chunk);
  }

  onResponseEnd(): void {
    if (this.#over) return;
    this.#finish();
    this.#sink?.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#fail(error);
  }

  pause(): void {
    this.#controller?.pause();
  }

  resume(): void {
    this.#controller?.resume();
  }

  destroy(): void {
    if (this.#over) return;
    this.#finish(new Error("The answer is not wanted any more"));
    this.#close();
  }

  #break(cause: unknown): void {
    if (this.#over) return;
    this.#fail(cause);
    this.#close();
  }

  #fail(cause: unknown): void {
    if (this.#over) return;
    this.#finish(toError(cause));
    if (this.#sink) this.#sink.fail(cause);
    else this.#reject(cause);
  }

  #close(): void {
    const cause = this.#over?.cause;
    if (cause) this.#controller?.abort(cause);
  }

  #finish(cause?: Error): void {
    this.#over = { cause };
    this.#signal?.removeEventListener("abort", this.#onAbort);
  }
}
