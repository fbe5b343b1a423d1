/** The proxy in front of every demo vendor, on every transport, with two callers; and clients that are all alike. */
import { expect } from "@jest/globals";
import { newApiKey } from "../../src/auth/api-key.ts";
import { startVendors } from "../../src/demo/vendors.ts";
import { Task } from "../../src/protocol/model.ts";
import { LOOPBACK_PUSH } from "../push/webhook.ts";
import { params } from "../support/fake-agent.ts";
import { schemaFaults } from "../support/official-schema.ts";
import { SERVER_WITH_GRPC, startTestProxy } from "../support/proxy.ts";
import { grpcClient } from "../support/transports/grpc.ts";
import { jsonRpcClient } from "../support/transports/json-rpc.ts";
import { restClient } from "../support/transports/rest.ts";
import {
  TRANSPORTS,
  type Events,
  type Received,
  type Transport,
  type TransportClient,
} from "../support/transports/transport.ts";

/** Where each vendor is, what it answers, and what it asks back. */
export const VENDORS = [
  {
    vendor: "appbuilder",
    path: "/v2/a2a/demo-app",
    words: "light wind from the north",
    question: "Which city do you mean?",
  },
  {
    vendor: "a2a-0.1",
    path: "/legacy",
    words: "Why did the chicken cross the road? To get to the other side!",
    question: "A joke about what?",
  },
  {
    vendor: "a2a-snake",
    path: "/snake",
    words: 'Flights for "tell me": UA 1514, 08:15 to 16:40. DL 669, 11:30 to 19:58. B6 916, 22:05 to 06:35.',
    question: "Do you prefer a morning or an evening departure?",
  },
  {
    vendor: "a2a-0.3",
    path: "/canonical",
    words: "Day 1: the Forbidden City, Tiananmen and Wangfujing. Day 2: the Great Wall",
    question: "Where to, and for how many days?",
  },
] as const;

/** Every vendor over every transport. */
export const PAIRS = VENDORS.flatMap((row) =>
  TRANSPORTS.map((transport) => Object.assign({ transport }, row)),
);

const KEYS = { alice: newApiKey(), bob: newApiKey() };
type Who = keyof typeof KEYS | "nobody";

/** What the schema says of the answers of each method. */
const DEFINITIONS: Readonly<Record<string, string>> = {
  "message/send": "SendMessageResponse",
  "message/stream": "SendStreamingMessageResponse",
  "tasks/get": "GetTaskResponse",
  "tasks/cancel": "CancelTaskResponse",
  "tasks/resubscribe": "SendStreamingMessageResponse",
  "tasks/pushNotificationConfig/set": "SetTaskPushNotificationConfigResponse",
  "tasks/pushNotificationConfig/get": "GetTaskPushNotificationConfigResponse",
  "tasks/pushNotificationConfig/list": "ListTaskPushNotificationConfigResponse",
  "tasks/pushNotificationConfig/delete": "DeleteTaskPushNotificationConfigResponse",
  "agent/getAuthenticatedExtendedCard": "GetAuthenticatedExtendedCardResponse",
};

const checkAnswer = (method: string, answer: unknown): void =>
  expect({ method, faults: schemaFaults(DEFINITIONS[method] ?? "JSONRPCErrorResponse", answer) }).toEqual({
    method,
    faults: [],
  });

interface Options {
  /** Of the vendors' slow answers, ms. */
  readonly pace: number;
  /** Top-level sections of the configuration. */
  readonly more?: Record<string, unknown>;
}

export async function startTransports({ pace, more }: Options) {
  const vendors = await startVendors(0, { pace });
  const agents = VENDORS.map(({ vendor, path }) => [
    vendor,
    {
      adapter: vendor,
      url: vendors.url + path,
      grpc: { port: 0 },
      extendedCard: { overlay: { description: "For callers" } },
    },
  ]);
  const keys = Object.entries(KEYS).map(([name, { hash }]) => [name, { hash }]);
  const start = () =>
    startTestProxy(Object.fromEntries(agents), {
      server: SERVER_WITH_GRPC,
      auth: { apiKeys: { keys: Object.fromEntries(keys) } },
      push: LOOPBACK_PUSH,
      ...more,
    });
  let proxy = await start();
  const clients: TransportClient[] = [];

  /** A client of the proxy that runs now. */
  function client(agent: string, transport: Transport, who: Who = "alice"): TransportClient {
    const target = { agent, key: who === "nobody" ? undefined : KEYS[who].key };
    const made = connect(transport, target);
    clients.push(made);
    return made;
  }

  function connect(transport: Transport, target: Parameters<typeof restClient>[1]): TransportClient {
    if (transport === "JSONRPC") return jsonRpcClient(proxy.url, target, checkAnswer);
    if (transport === "HTTP+JSON") return restClient(proxy.url, target);
    return grpcClient(proxy.grpcPort ?? 0, target);
  }

  return {
    client,
    get url() {
      return proxy.url;
    },
    /** The key of alice. */
    key: KEYS.alice.key,
    stopProxy: () => proxy.stop(),
    /** The same proxy once more. */
    async startProxy() {
      proxy = await start();
    },
    async stop() {
      for (const made of clients) made.close();
      await proxy.stop();
      await vendors.stop();
    },
  };
}

export const eventsOf = (received: readonly Received[]): unknown[] => received.map(({ event }) => event);

const isChunk = (event: unknown): boolean => {
  const json = JSON.stringify(event);
  return json.includes('"artifact-update"') && json.includes('"text":"');
};

/** Reads on until an artifact has more text; returns what was read. */
export async function readChunk(events: Events): Promise<Received[]> {
  const read: Received[] = [];
  for (;;) {
    const { done, value } = await events.next();
    if (done) throw new Error("the stream has ended");
    read.push(value);
    if (isChunk(value.event)) return read;
  }
}

/** Starts a slow task and comes back once it has said something. */
export async function startSlow(client: TransportClient) {
  const events = client.stream(params("slow"));
  const seen = await readChunk(events);
  return { id: Task.parse(seen[0]?.event).id, events, seen };
}
