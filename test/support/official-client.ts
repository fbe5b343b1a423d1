/**
 * The official JavaScript clients of 0.3 and 1.0, the latter speaking 0.3: made from the card that a proxy on a free port
 * serves, as they are behind a reverse proxy. Calls go to where the card says.
 */
import {
  ClientFactory as ClientFactory10,
  DefaultAgentCardResolver as CardResolver10,
  JsonRpcTransportFactory as JsonRpc10,
  RestTransportFactory as Rest10,
  type Client as Client10,
} from "@a2a-js/sdk/client";
import { GrpcTransportFactory as Grpc10 } from "@a2a-js/sdk/client/grpc";
import type { MessageSendParams } from "a2a03";
import {
  ClientFactory as ClientFactory03,
  DefaultAgentCardResolver as CardResolver03,
  JsonRpcTransportFactory as JsonRpc03,
  RestTransportFactory as Rest03,
  type Client as Client03,
} from "a2a03/client";
import { GrpcTransportFactory as Grpc03 } from "a2a03/client/grpc";
import type { TestProxy } from "./proxy.ts";
import type { Transport } from "./transports/transport.ts";

interface Target {
  readonly agent: string;
  readonly transport: Transport;
  /** Hears of each request over HTTP. */
  readonly onPath?: (path: string) => void;
}

/** Sends to the proxy what is meant for its public URL. */
const fetchThrough =
  (proxy: TestProxy, { onPath }: Target): typeof fetch =>
  (input, init) => {
    const { pathname, search } = new URL(input instanceof Request ? input.url : input);
    onPath?.(pathname);
    return fetch(proxy.url + pathname + search, init);
  };

export function client03(proxy: TestProxy, target: Target): Promise<Client03> {
  const fetchImpl = fetchThrough(proxy, target);
  const factories = {
    JSONRPC: new JsonRpc03({ fetchImpl }),
    "HTTP+JSON": new Rest03({ fetchImpl }),
    GRPC: new Grpc03(),
  };
  return new ClientFactory03({
    transports: [factories[target.transport]],
    cardResolver: new CardResolver03({ fetchImpl }),
  }).createFromUrl(proxy.agent(target.agent));
}

export function client10(proxy: TestProxy, target: Target): Promise<Client10> {
  const legacyCompat = { enabled: true };
  const options = { fetchImpl: fetchThrough(proxy, target), legacyCompat };
  const factories = {
    JSONRPC: new JsonRpc10(options),
    "HTTP+JSON": new Rest10(options),
    GRPC: new Grpc10({ legacyCompat }),
  };
  return new ClientFactory10({
    transports: [factories[target.transport]],
    cardResolver: new CardResolver10(options),
  }).createFromUrl(proxy.agent(target.agent));
}

let count = 0;

export const message03 = (
  text: string,
  more: { taskId?: string; contextId?: string } = {},
): MessageSendParams => ({
  message: {
    kind: "message",
    messageId: `message-${++count}`,
    role: "user",
    parts: [{ kind: "text", text }],
    ...more,
  },
});

/** The client of 1.0 wants every field of the proto. */
export const message10 = (text: string) => ({
  tenant: "",
  message: {
    messageId: `message-${++count}`,
    contextId: "",
    taskId: "",
    role: 1,
    parts: [
      {
        content: { $case: "text" as const, value: text },
        metadata: undefined,
        filename: "",
        mediaType: "",
      },
    ],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  },
  configuration: undefined,
  metadata: undefined,
});
