/**
 * Agents that speak the snake_case `a2a.*` dialect, "1.0" by its own account: JSON-RPC methods `a2a.sendMessage` and
 * so on, with the protocol's version inside every params. A spelling of A2A 1.0, whose codec it uses; README.md has what
 * differs.
 */
import { z } from "zod";
import type { Adapter, Call } from "../../src/adapter.ts";
import type { AgentCodec, AgentDialect, Channel } from "../../src/dialect.ts";
import type { MessageSendParams } from "../../src/protocol/params.ts";
import { agentOver } from "../../src/southbound/agent-over.ts";
import { bindingOf, isSameUrl } from "../a2a-1.0/card.ts";
import { codec10 } from "../a2a-1.0/codec.ts";
import { fromCanonicalSendParams } from "../a2a-1.0/params.ts";
import { fromCanonicalPushConfig } from "../a2a-1.0/push.ts";
import type { WireCard } from "../a2a-1.0/wire.ts";
import { canonicalNames } from "../shared/method-names.ts";
import { compact } from "../shared/object.ts";
import { Send } from "../shared/send.ts";
import { clientSnake } from "./client.ts";
import { DIALECT, JSONRPC, VERSION } from "./methods.ts";
import { respelled } from "./spelling.ts";

const Options = z.strictObject({
  send: Send,
  tenant: z.string().min(1).optional().meta({
    description:
      "Sent as `tenant` with every call; by default what the card says of the interface that is spoken to.",
  }),
});
type Options = z.infer<typeof Options>;

/** The interface that is spoken to: the JSON-RPC one at the configured URL, else the first JSON-RPC one. */
function chosenInterface(card: WireCard, url: string) {
  const rpc = (card.supportedInterfaces ?? []).filter((one) => bindingOf(one) === "JSONRPC");
  return rpc.find((one) => isSameUrl(one.url, url)) ?? rpc[0];
}

/** An agent without a card counts as one that does not stream. */
const channelOf = (card: WireCard | undefined, url: string, { tenant }: Options): Channel => ({
  binding: "jsonrpc",
  streams: card?.capabilities?.streaming === true,
  params: compact({ tenant: tenant ?? (card && chosenInterface(card, url)?.tenant) }),
});

/** What belongs into every params: the version, without which a server refuses, and the extensions. */
const withProtocol = (params: unknown, { extensions }: Call): object => ({
  ...Object(params),
  "a2a-version": VERSION,
  ...(extensions.length > 0 && { "a2a-extensions": extensions.join(",") }),
});

const spelled =
  <P>(encode: (params: P, call: Call) => object) =>
  (params: P, call: Call): object =>
    withProtocol(respelled(encode(params, call)), call);

/** Where 1.0 says `taskPushNotificationConfig`, the dialect says `push_notification_config`. */
function sendParams(params: MessageSendParams): object {
  const { configuration, ...rest } = fromCanonicalSendParams(params);
  if (!configuration) return rest;
  const { taskPushNotificationConfig: pushNotificationConfig, ...others } = configuration;
  return { ...rest, configuration: compact({ ...others, pushNotificationConfig }) };
}

const encodeOf = ({ encode }: ReturnType<typeof codec10>): AgentCodec<WireCard>["encode"] => ({
  send: spelled(sendParams),
  stream: spelled(sendParams),
  getTask: spelled(encode.getTask),
  cancelTask: spelled(encode.cancelTask),
  resubscribe: spelled(encode.resubscribe),
  // Nested here, unlike in 1.0.
  setPush: spelled(({ task, callback }) => ({
    taskId: task.id,
    pushNotificationConfig: fromCanonicalPushConfig({ ...callback }),
  })),
  deletePush: spelled(encode.deletePush),
  extendedCard: spelled(encode.extendedCard),
});

function codec(options: Options): AgentCodec<WireCard> {
  const base = codec10({ transport: "jsonrpc" });
  return {
    ...base,
    channel: (card, { url }) => channelOf(card, url, options),
    headers: () => ({}),
    encode: encodeOf(base),
  };
}

const dialect: AgentDialect<Options, WireCard> = {
  name: DIALECT,
  options: Options,
  jsonrpc: JSONRPC,
  codec,
};

export const a2aSnake: Adapter<Options> = {
  name: dialect.name,
  options: Options,
  methodNames: canonicalNames(JSONRPC),
  serves: clientSnake,
  connect: (options, southbound) => agentOver(dialect, options, southbound),
};
