/**
 * A subscription as the responses of a streaming RPC. Backpressure reaches the subscription: nothing is read from it
 * while the client's window is closed. A client that reads nothing for too long is let go; its stream ends with
 * RESOURCE_EXHAUSTED, should it ever read on.
 */
import { once } from "node:events";
import type { OutgoingEvent, Subscription } from "../gateway/gateway.ts";
import { abortable } from "../lib/abortable.ts";
import { A2AError } from "../protocol/errors.ts";
import type { ProtoMessage } from "../protocol/grpc-codec.ts";
import { toGrpcStatus } from "../protocol/grpc-status.ts";
import type { StreamEvent } from "../protocol/model.ts";
import { toProtoJsonResponse } from "../protocol/proto-json.ts";
import { writtenFor, type Reader } from "../protocol/sdk-quirks.ts";
import type { StreamCall } from "./grpc-call.ts";
import { withEventId } from "./grpc-event-ids.ts";
import { isSuspension, type StreamEnd } from "./sse.ts";

interface SendOptions {
  /** Aborted when the client goes. */
  readonly gone: AbortSignal;
  /** A client that leaves its window closed for longer is let go, ms. */
  readonly stalledAfter: number;
  /** Tells the client the id of each event. */
  readonly withIds: boolean;
  /** What reads the events. */
  readonly reader: Reader;
  /** Told what broke a stream off; the client is told by its status. */
  readonly onError: (thrown: unknown) => void;
}

/** All open streams. */
export class GrpcStreams {
  readonly #open = new Set<AbortController>();

  /** Sends the subscription's events until it ends or the client goes, and closes it; never rejects. */
  async send(call: StreamCall, subscription: Subscription, options: SendOptions): Promise<StreamEnd> {
    const { gone, onError } = options;
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
      const error: unknown = stopped.signal.aborted ? stopped.signal.reason : thrown;
      refuseStream(call, error);
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

/** Ends a streaming RPC with the status of what was thrown. */
export function refuseStream(call: StreamCall, thrown: unknown): void {
  const error = A2AError.from(thrown);
  call.emit("error", Object.assign(new Error(error.message), toGrpcStatus(error)));
}

async function pump(
  call: StreamCall,
  subscription: Subscription,
  {
    over,
    stalledAfter,
    withIds,
    reader,
  }: Pick<SendOptions, "stalledAfter" | "withIds" | "reader"> & { readonly over: AbortSignal },
): Promise<void> {
  for (;;) {
    const batch = await subscription.next();
    if (batch === undefined || over.aborted) return;
    for (const event of batch) {
      if (call.write(responseOf(event, { withIds, reader }))) continue;
      await drained(call, over, stalledAfter);
    }
  }
}

/** The event as the gateway serialized it, which is for the transports whose wire is that JSON. */
function responseOf(
  { json, sequence }: OutgoingEvent,
  { withIds, reader }: Pick<SendOptions, "withIds" | "reader">,
): ProtoMessage {
  const event: StreamEvent = JSON.parse(json);
  return writtenFor(reader, toProtoJsonResponse(withIds ? withEventId(event, sequence) : event));
}

async function drained(call: StreamCall, over: AbortSignal, stalledAfter: number): Promise<void> {
  const late = AbortSignal.timeout(stalledAfter);
  try {
    await once(call, "drain", { signal: AbortSignal.any([over, late]) });
  } catch (error) {
    throw late.aborted && !over.aborted ? new StalledClient() : error;
  }
}
