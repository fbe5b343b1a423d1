/** The objects of 0.1 as agents send and get them. */
import { z } from "zod";
import type { AgentEvent, VendorTask } from "../../src/adapter.ts";
import type { AgentCodec } from "../../src/dialect.ts";
import type { AgentCard } from "../../src/protocol/card.ts";
import { methodUrl } from "../shared/method-url.ts";
import { Send } from "../shared/send.ts";
import { parseWire } from "../shared/wire.ts";
import { ArtifactIds } from "./artifact-ids.ts";
import { toCanonicalCard } from "./card.ts";
import { toCanonicalError } from "./errors.ts";
import { toCanonicalEvent, toCanonicalReply, toCanonicalTaskReply, withMintedIds } from "./events.ts";
import {
  fromCanonicalPushConfig,
  fromCanonicalSendParams,
  fromCanonicalTaskParams,
  mintedIds,
} from "./params.ts";
import { WireCard } from "./wire.ts";

export const Options = z.strictObject({
  send: Send,
  artifacts: z
    .enum(["auto", "delta", "cumulative"])
    .default("auto")
    .meta({
      description:
        "How a growing artifact is sent: piece by piece (`delta`), whole each time (`cumulative`), or as each chunk's " +
        "`append` says (`auto`).",
    }),
  endpoint: z.enum(["single", "per-method"]).default("single").meta({
    description:
      "Where calls are posted to: all to `url` (`single`), or each to a path below it, by its method's name (`per-method`).",
  }),
});
export type Options = z.infer<typeof Options>;

const withoutHistory = ({ id, metadata }: VendorTask) => fromCanonicalTaskParams({ id, metadata });

export function codec01({ artifacts, endpoint }: Options) {
  const reader = () => {
    const ids = new ArtifactIds("stream");
    return (value: unknown): AgentEvent | undefined => toCanonicalEvent(value, artifacts, ids);
  };
  return {
    readCard: (raw) => toCanonicalCard(parseWire(WireCard, raw, "agent card")),
    toCanonicalCard: (card) => card,
    channel: (card) => ({ binding: "jsonrpc", streams: card?.capabilities.streaming !== false }),
    goesByCard: false,
    ...(endpoint === "per-method" && { urlOf: methodUrl }),
    native: ({ capabilities }) => {
      const stream = capabilities.streaming === true;
      return { send: true, stream, getTask: true, cancelTask: true, resubscribe: stream };
    },
    acceptsPush: (card) => card?.capabilities.pushNotifications !== false,
    headers: () => ({}),
    encode: {
      send: fromCanonicalSendParams,
      stream: fromCanonicalSendParams,
      getTask: fromCanonicalTaskParams,
      cancelTask: withoutHistory,
      resubscribe: withoutHistory,
      setPush: ({ task, callback }) => ({
        id: task.id,
        pushNotificationConfig: fromCanonicalPushConfig({ ...callback }),
      }),
    },
    toReply: (result, params, call) =>
      withMintedIds(toCanonicalReply(result, artifacts), mintedIds(params, call)),
    toTask: (result) => toCanonicalTaskReply(result, artifacts),
    reading: {
      stream: (params, call) => {
        const read = reader();
        const ids = mintedIds(params, call);
        return (value) => {
          const event = read(value);
          return event && withMintedIds(event, ids);
        };
      },
      resubscribe: reader,
    },
    toError: toCanonicalError,
  } satisfies AgentCodec<AgentCard>;
}
