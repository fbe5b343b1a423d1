/**
 * Server-sent events to clients: one event, one frame, one `data:` line, because the JavaScript client keeps only
 * the last `data:` line of an event. All streams share one timer, which sends the heartbeats and disconnects clients
 * that do not read.
 */
import type { ServerResponse } from "node:http";
import { Bag, NO_PLACE, type Placed } from "../collections/bag.ts";
import type { OutgoingEvent, Subscription } from "../gateway/gateway.ts";
import { A2AError } from "../protocol/errors.ts";
import { escapeLineBreaks } from "../protocol/json.ts";
import { COMMENT } from "./half-closed.ts";

export const EVENT_STREAM_HEADERS = {
  "Content-Type": "text/event-stream; charset=utf-8",
  "Cache-Control": "no-cache",
  // Reverse proxies of the nginx kind would otherwise collect events.
  "X-Accel-Buffering": "no",
} as const;

/** Events that are there at once share a write up to about this size, characters; a slow client is judged per write. */
const WRITE_SIZE = 64 * 1024;

/** How a transport dresses what goes into a `data:` line. */
export interface Framing {
  /** What goes into the `data:` lines of one event's frames: one, several, or none. */
  event(event: OutgoingEvent): string | readonly string[];
  error(error: A2AError): string;
  /** The type of an error's event, where the transport has one. */
  readonly errorType?: string;
}

/**
 * How a stream ended: `failed` with an error as its last event, `suspended` before the end of its task, which goes on after
 * the next start of the proxy.
 */
export type StreamEnd = "finished" | "failed" | "suspended" | "client-gone" | "client-stalled";

export interface ServeOptions {
  readonly framing: Framing;
  /** A client that leaves one write unread for longer is disconnected, ms. */
  readonly stalledAfter: number;
  /** Told what broke a stream off; the client is told by the stream itself. */
  readonly onError: (thrown: unknown) => void;
  /** Called once, last. */
  readonly onEnd: (end: StreamEnd) => void;
}

/** The frame of an answer that is one event and nothing else. */
export function frame(json: string, type?: string): string {
  const data = escapeLineBreaks(json);
  return type === undefined ? `data: ${data}\n\n` : `event: ${type}\ndata: ${data}\n\n`;
}

/**
 * The id is what a client sends back as `Last-Event-ID` to go on where it was cut off. Of several frames for one event the
 * last one has it: a client that has not seen them all gets them again.
 */
function eventFrames(event: OutgoingEvent, framing: Framing): string {
  const data = framing.event(event);
  const id = event.sequence === undefined ? "" : `id: ${event.sequence}\n`;
  if (typeof data === "string") return id + frame(data);
  return data.map((one, index) => (index === data.length - 1 ? id : "") + frame(one)).join("");
}

/** The proxy stops, and leaves the task to its next start. */
export const isSuspension = (thrown: unknown): boolean =>
  thrown instanceof A2AError && thrown.code === "shutting-down";

/** All open streams of the process. */
export class EventStreams {
  readonly #open = new Bag<OpenStream>();
  readonly #heartbeat: number;
  #timer: NodeJS.Timeout | undefined;

  /** `heartbeat`: a stream that has been idle for this long gets a comment, ms. */
  constructor(options: { readonly heartbeat: number }) {
    this.#heartbeat = options.heartbeat;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Sends the subscription's events until it ends or the client goes, and closes it. */
  serve(response: ServerResponse, subscription: Subscription, options: ServeOptions): void {
    const onEnd = (end: StreamEnd): void => {
      this.#leave(stream);
      options.onEnd(end);
    };
    const stream = new OpenStream(response, subscription, { ...options, onEnd });
    this.#open.add(stream);
    this.#timer ??= setInterval(() => this.#tick(), Math.min(1_000, this.#heartbeat / 2)).unref();
    stream.start();
  }

  /** Ends every open stream with this error; for what still runs when the time to finish is over. */
  stop(error: A2AError): void {
    for (const stream of this.#open.members()) stream.fail(error);
  }

  #leave(stream: OpenStream): void {
    this.#open.delete(stream);
    if (this.#open.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #tick(): void {
    const now = performance.now();
    for (const stream of this.#open.members()) stream.tick(now, this.#heartbeat);
  }
}

class OpenStream implements Placed {
  place = NO_PLACE;
  readonly #response: ServerResponse;
  readonly #subscription: Subscription;
  readonly #options: ServeOptions;
  /** Set once nothing more will be written. */
  #end: StreamEnd | undefined;
  #writtenAt = performance.now();
  /** Since when the client has left a write unread. */
  #blockedAt: number | undefined;
  #resume: (() => void) | undefined;
  #isClosed = false;

  constructor(response: ServerResponse, subscription: Subscription, options: ServeOptions) {
    this.#response = response;
    this.#subscription = subscription;
    this.#options = options;
  }

  start(): void {
    const response = this.#response;
    response.once("close", () => this.#close());
    response.on("drain", () => this.#unblock());
    // A write that meets a broken connection; "close" follows and says all there is to say.
    response.on("error", () => {});
    if (response.closed || response.destroyed) {
      this.#close();
      return;
    }
    response.writeHead(200, EVENT_STREAM_HEADERS);
    void this.#pump();
  }

  /** Breaks the stream off, with an error as its last event. */
  fail(thrown: unknown): void {
    if (this.#end !== undefined) return;
    const { framing, onError } = this.#options;
    onError(thrown);
    this.#finish("failed", frame(framing.error(A2AError.from(thrown)), framing.errorType));
  }

  tick(now: number, heartbeat: number): void {
    if (this.#blockedAt !== undefined) {
      if (now - this.#blockedAt < this.#options.stalledAfter) return;
      this.#end = "client-stalled";
      this.#response.destroy();
    } else if (now - this.#writtenAt >= heartbeat) {
      this.#write(COMMENT);
    }
  }

  async #pump(): Promise<void> {
    try {
      while (this.#end === undefined) {
        const batch = await this.#subscription.next();
        if (batch === undefined) return this.#finish("finished");
        for (const text of this.#writes(batch)) {
          if (this.#end !== undefined) return;
          this.#write(text);
          if (this.#blockedAt !== undefined) await this.#unblocked();
        }
      }
    } catch (thrown) {
      // A client whose stream simply ends comes back with the id of the last event.
      if (isSuspension(thrown)) this.#finish("suspended");
      else this.fail(thrown);
    }
  }

  *#writes(batch: readonly OutgoingEvent[]): Generator<string> {
    let text = "";
    for (const event of batch) {
      text += eventFrames(event, this.#options.framing);
      if (text.length < WRITE_SIZE) continue;
      yield text;
      text = "";
    }
    if (text !== "") yield text;
  }

  #write(text: string): void {
    this.#writtenAt = performance.now();
    if (!this.#response.write(text)) this.#blockedAt ??= this.#writtenAt;
  }

  #finish(end: StreamEnd, text?: string): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    // What is still unread then has the same time as any other write.
    this.#blockedAt ??= performance.now();
    this.#response.end(text);
  }

  /** With the connection, not with the pump: a subscription may leave its `next` pending for ever once it is closed. */
  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#end ??= "client-gone";
    this.#subscription.close();
    this.#unblock();
    this.#options.onEnd(this.#end);
  }

  #unblocked(): Promise<void> {
    return new Promise((resolve) => {
      this.#resume = resolve;
    });
  }

  #unblock(): void {
    // After the end, "drain" only means that the tail has begun to move.
    if (this.#end !== undefined && !this.#response.closed) return;
    this.#blockedAt = undefined;
    this.#resume?.();
    this.#resume = undefined;
  }
}
