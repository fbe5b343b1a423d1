/** The objects of A2A 1.0 as agents send and get them. */
import type { Call } from "../../src/adapter.ts";
import type { AgentCodec, EventReader, StreamMethod } from "../../src/dialect.ts";
import { parseWire } from "../shared/wire.ts";
import { toCanonicalCard } from "./card.ts";
import { channelOf, type Options } from "./channel.ts";
import { refuseBareError, toCanonicalError } from "./errors.ts";
import { toCanonicalEvent } from "./events.ts";
import {
  fromCanonicalCancelParams,
  fromCanonicalGetParams,
  fromCanonicalSendParams,
  fromCanonicalSubscribeParams,
} from "./params.ts";
import { fromCanonicalPushParams, fromCanonicalTaskPushConfig } from "./push.ts";
import { toCanonicalReply, toCanonicalTaskResult } from "./task.ts";
import { WireCard } from "./wire.ts";

const VERSION = "1.0";

const headersFor = ({ extensions }: Call): Record<string, string> => ({
  "A2A-Version": VERSION,
  ...(extensions.length > 0 && { "A2A-Extensions": extensions.join(", ") }),
});

const reading = (method: StreamMethod) => (): EventReader => (value) => {
  refuseBareError(value, method);
  return toCanonicalEvent(value);
};

export const codec10 = (options: Options) =>
  ({
    readCard: (raw) => parseWire(WireCard, raw, "agent card"),
    toCanonicalCard,
    channel: (card, place) => channelOf(card, place, options),
    goesByCard: true,
    native: ({ capabilities }) => {
      const stream = capabilities.streaming === true;
      return { send: true, stream, getTask: true, cancelTask: true, resubscribe: stream };
    },
    acceptsPush: (card) => card?.capabilities?.pushNotifications !== false,
    headers: headersFor,
    encode: {
      send: fromCanonicalSendParams,
      stream: fromCanonicalSendParams,
      getTask: fromCanonicalGetParams,
      cancelTask: fromCanonicalCancelParams,
      resubscribe: fromCanonicalSubscribeParams,
      setPush: ({ task, callback }) =>
        fromCanonicalTaskPushConfig({ taskId: task.id, pushNotificationConfig: { ...callback } }),
      deletePush: ({ task, callbackId }) =>
        fromCanonicalPushParams({ id: task.id, pushNotificationConfigId: callbackId }),
      extendedCard: () => ({}),
    },
    toReply: (result) => {
      refuseBareError(result, "send");
      return toCanonicalReply(result);
    },
    toTask: (result, method) => {
      refuseBareError(result, method);
      return toCanonicalTaskResult(result);
    },
    reading: { stream: reading("stream"), resubscribe: reading("resubscribe") },
    toError: toCanonicalError,
  }) satisfies AgentCodec<WireCard>;
