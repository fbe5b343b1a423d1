/**
 * Baidu Qianfan AppBuilder, A2A 0.2.6 as published by its apps: message/stream, for some apps message/send, and
 * nothing else. Calls go to the operator's URL, whatever the card says.
 */
import { z } from "zod";
import type { Adapter, Backend } from "../../src/adapter.ts";
import type { AgentCard } from "../../src/protocol/card.ts";
import { A2AError } from "../../src/protocol/errors.ts";
import { JsonRpcClient } from "../../src/southbound/jsonrpc.ts";
import type { Southbound } from "../../src/southbound/southbound.ts";
import { mapped } from "../../src/southbound/values.ts";
import { Send } from "../shared/send.ts";
import { toCanonicalCard } from "./card.ts";
import { toCanonicalError, toCanonicalRefusal } from "./errors.ts";
import { fromCanonicalSendParams, toCanonicalMessage } from "./message.ts";
import { createEventTranslator } from "./stream.ts";
import { toCanonicalTask } from "./task.ts";
import { parseResult } from "./wire.ts";

const Options = z.strictObject({
  // Multi-agent apps support message/stream and nothing else, and no card says which kind an app is: absent, `stream`
  // unless the card denies streaming.
  send: Send,
});
export type AppBuilderOptions = z.infer<typeof Options>;

export const appbuilder: Adapter<AppBuilderOptions> = {
  name: "appbuilder",
  options: Options,
  connect: (options, southbound) => connect(options, southbound),
};

function connect(options: AppBuilderOptions, southbound: Southbound): Backend {
  const { http, url } = southbound;
  const rpc = new JsonRpcClient({ http, url, newId: () => southbound.newId(), toError: toCanonicalError });
  /** As the card, or the app itself, last said. */
  let streaming = true;
  const canSend = (): boolean => (options.send ?? (streaming ? "stream" : "send")) === "send";

  return {
    sendBy: options.send,

    async card(signal) {
      const card = toCanonicalCard(await southbound.fetchCard(signal), url);
      streaming = canStream(card);
      return card;
    },

    native: (card) => ({
      send: (options.send ?? (canStream(card) ? "stream" : "send")) === "send",
      stream: canStream(card),
      getTask: false,
      cancelTask: false,
      resubscribe: false,
    }),

    async send(params, call) {
      const method = "message/send";
      if (!canSend()) throw new A2AError("unsupported-operation");
      const result = await rpc.call({ method, params: fromCanonicalSendParams(params), call });
      const refusal = toCanonicalRefusal(result, method);
      if (refusal) throw refusal;
      const wire = parseResult(result);
      if (wire?.kind === "task") return toCanonicalTask(wire);
      if (wire?.kind === "message") return toCanonicalMessage(wire);
      throw new A2AError("invalid-agent-response", {
        message: "The agent answered message/send with neither a Task nor a Message",
        data: { stage: "body" },
      });
    },

    stream(params, call) {
      const method = "message/stream";
      if (!streaming && canSend()) throw new A2AError("unsupported-operation");
      const translator = createEventTranslator();
      const results = rpc.stream({ method, params: fromCanonicalSendParams(params), call });
      return mapped(results, {
        value: (result) => {
          const refusal = toCanonicalRefusal(result, method);
          if (refusal) throw refusal;
          return translator.translate(result);
        },
        end: () => translator.end(),
        fail: (error) => {
          // An app that cannot stream, whatever its card says, may be asked the other way.
          if (error instanceof A2AError && error.code === "method-not-found") streaming = false;
          // After an interrupt the vendor closes the connection, and not always cleanly.
          if (!translator.interrupted || call.signal.aborted) throw error;
          return translator.end();
        },
      });
    },
  };
}

const canStream = (card: AgentCard): boolean => card.capabilities.streaming !== false;
