/**
 * A subscription as the responses of a streaming RPC. Backpressure reaches the subscription: nothing is read from it
 * while the client's window is closed. A client that reads nothing for too long is let go; its stream ends with
 * RESOURCE_EXHAUSTED, should it ever read on.
 */
import { once } from "node:events";
import type { Subscription } from "../gateway/gateway.ts";
import { abortable } from "../lib/abortable.ts";
import { A2AError } from "../protocol/errors.ts";
import type { GrpcStatus } from "../protocol/grpc-status.ts";
import type { EventReader, GrpcApi } from "./grpc-api.ts";
import type { StreamCall } from "./grpc-call.ts";
import { isSuspension, type StreamEnd } from "./sse.ts";

interface SendOptions {
  readonly api: GrpcApi;
  /** Aborted when the client goes. */
  readonly gone: AbortSignal;
  /** A client that leaves its window closed for longer is let go, ms. */
  readonly stalledAfter: number;
  readonly reader: EventReader;
  /** Told what broke a stream off; the client is told by its status. */
  readonly onError: (thrown: unknown) => void;
}

/** All open streams. */
export class GrpcStreams {
  readonly #open = new Set<AbortController>();

  /** Sends the subscription's events until it ends or the client goes, and closes it; never rejects. */
  async send(call: StreamCall, subscription: Subscription, options: SendOptions): Promise<StreamEnd> {
    const { api, gone, onError } = options;
    const stopped = new AbortController();
    this.#open.add(stopped);
    const over = AbortSignal.any([gone, stopped.signal]);
    try {
      // Not the pump alone: a subscription may leave its `next` pending for ever once it is closed.
      await abortable(pump(call, subscription, { ...options, over }), over);
      call.end();
      return "finished";
    } catch (thrown) {
      if (gone.aborted) return "client-gone";
      const error = A2AError.from(stopped.signal.aborted ? stopped.signal.reason : thrown);
      refuseStream(call, api.toStatus(error));
      if (error instanceof StalledClient) return "client-stalled";
      if (isSuspension(error) && !stopped.signal.aborted) return "suspended";
      onError(error);
      return "failed";
    } finally {
      this.#open.delete(stopped);
      subscription.close();
    }
  }

  /** Ends every open stream with this error. */
  stop(error: A2AError): void {
    for (const stream of this.#open) stream.abort(error);
  }
}

class StalledClient extends A2AError {
  constructor() {
    super("too-many-requests", { message: "The client has left its stream unread for too long" });
  }
}

/** Ends a streaming RPC with a status that is not OK. */
export function refuseStream(call: StreamCall, status: GrpcStatus): void {
  call.emit("error", Object.assign(new Error(status.details), status));
}

interface PumpOptions extends Pick<SendOptions, "api" | "stalledAfter" | "reader"> {
  readonly over: AbortSignal;
}

async function pump(
  call: StreamCall,
  subscription: Subscription,
  { api, over, stalledAfter, reader }: PumpOptions,
): Promise<void> {
  for (;;) {
    const batch = await subscription.next();
    if (batch === undefined || over.aborted) return;
    for (const event of batch) {
      for (const message of api.responses(event, reader)) {
        if (!call.write(message)) await drained(call, over, stalledAfter);
      }
    }
  }
}

async function drained(call: StreamCall, over: AbortSignal, stalledAfter: number): Promise<void> {
  const late = AbortSignal.timeout(stalledAfter);
  try {
    await once(call, "drain", { signal: AbortSignal.any([over, late]) });
  } catch (error) {
    throw late.aborted && !over.aborted ? new StalledClient() : error;
  }
}
