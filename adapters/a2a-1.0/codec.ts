/** The objects of A2A 1.0 as agents send and get them, and how an agent is called. */
import { z } from "zod";
import type { Call } from "../../src/adapter.ts";
import type { AgentCodec, BindingName, Channel } from "../../src/dialect.ts";
import { compact } from "../shared/object.ts";
import { parseWire } from "../shared/wire.ts";
import { bindingOf, interfacesOf, isSameUrl, toCanonicalCard, type Binding } from "./card.ts";
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
import { WireCard, type WireInterface } from "./wire.ts";

const VERSION = "1.0";

export const Options = z.strictObject({
  transport: z.enum(["auto", "jsonrpc", "http+json"]).default("auto").meta({
    description: "What to call the agent over: `jsonrpc`, `http+json`, or `auto`, which goes by its card.",
  }),
  tenant: z.string().min(1).optional().meta({
    description:
      "Sent as `tenant` with every call; by default what the card says of the interface that is spoken to.",
  }),
});
export type Options = z.infer<typeof Options>;

/** In the order of preference. */
const BINDINGS: readonly (readonly [Binding, BindingName])[] = [
  ["JSONRPC", "jsonrpc"],
  ["HTTP+JSON", "http+json"],
];

const headersFor = ({ extensions }: Call): Record<string, string> => ({
  "A2A-Version": VERSION,
  ...(extensions.length > 0 && { "A2A-Extensions": extensions.join(", ") }),
});

/**
 * The interface to call: the one at the configured URL, else the first of the card's at the same origin, in the order of
 * preference. Credentials never leave the configured origin, so an interface elsewhere is not called.
 */
function interfaceFor(
  card: WireCard,
  url: string,
  { transport }: Options,
): readonly [WireInterface, BindingName] | undefined {
  const usable = BINDINGS.filter(([, name]) => transport === "auto" || transport === name).flatMap(
    ([binding, name]) =>
      interfacesOf(card)
        .filter((one) => bindingOf(one) === binding && isSameOrigin(one.url, url))
        .map((one) => [one, name] as const),
  );
  return usable.find(([one]) => isSameUrl(one.url, url)) ?? usable[0];
}

const isSameOrigin = (one: string, other: string): boolean =>
  URL.canParse(one) && new URL(one).origin === new URL(other).origin;

function channelOf(card: WireCard | undefined, url: string, options: Options): Channel {
  const found = card && interfaceFor(card, url, options);
  const [chosen, binding] = found ?? [undefined, options.transport === "http+json" ? "http+json" : "jsonrpc"];
  return {
    binding,
    url: chosen?.url ?? url,
    // Without a card the call itself shows whether the agent streams.
    streams: card === undefined || card.capabilities?.streaming === true,
    params: compact({ tenant: options.tenant ?? chosen?.tenant }),
  };
}

export const codec10 = (options: Options): AgentCodec<WireCard> => ({
  readCard: (raw) => parseWire(WireCard, raw, "agent card"),
  toCanonicalCard,
  channel: (card, url) => channelOf(card, url, options),
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
  toReply: (result, method) => {
    refuseBareError(result, method);
    return toCanonicalReply(result);
  },
  toTask: (result, method) => {
    refuseBareError(result, method);
    return toCanonicalTaskResult(result);
  },
  toEvent: (value, method) => {
    refuseBareError(value, method);
    return toCanonicalEvent(value);
  },
  toError: toCanonicalError,
});
