/** The official JavaScript clients of 0.3 and 1.0, the latter speaking 0.3, each over one transport, and all alike. */
import {
  ClientFactory as ClientFactory10,
  DefaultAgentCardResolver as CardResolver10,
  JsonRpcTransportFactory as JsonRpc10,
  RestTransportFactory as Rest10,
} from "@a2a-js/sdk/client";
import { GrpcTransportFactory as Grpc10 } from "@a2a-js/sdk/client/grpc";
import {
  ClientFactory as ClientFactory03,
  DefaultAgentCardResolver as CardResolver03,
  JsonRpcTransportFactory as JsonRpc03,
  RestTransportFactory as Rest03,
} from "a2a03/client";
import { GrpcTransportFactory as Grpc03 } from "a2a03/client/grpc";
import { z } from "zod";
import type { TestProxy } from "../support/proxy.ts";
import type { Transport } from "./transports.ts";

/** What a user of the client sees of a task. */
interface Seen {
  readonly id: string;
  readonly state: string;
  readonly text: string;
}

interface OfficialClient {
  readonly cardName: string;
  send(text: string): Promise<Seen>;
  /** The task as the stream tells it, and what kinds of events that took. */
  stream(text: string): Promise<Seen & { readonly kinds: readonly string[] }>;
  get(id: string): Promise<Seen>;
}

/** What the client's objects of both versions are read as. */
const Part = z.union([
  z.looseObject({ kind: z.literal("text"), text: z.string() }).transform(({ text }) => text),
  z
    .looseObject({ content: z.looseObject({ $case: z.literal("text"), value: z.string() }) })
    .transform(({ content }) => content.value),
  z.unknown().transform(() => ""),
]);
const Parts = z.array(Part).transform((texts) => texts.join(""));

/** TaskState of 1.0. */
const STATES = ["unspecified", "submitted", "working", "completed"];
const State = z.union([z.string(), z.number().transform((state) => STATES[state] ?? String(state))]);
const Status = z.looseObject({ state: State });
const Artifact = z.looseObject({ artifactId: z.string(), parts: Parts });

const Task = z
  .looseObject({ id: z.string(), status: Status, artifacts: z.array(Artifact).default([]) })
  .transform(({ id, status, artifacts }): Seen => {
    const text = artifacts.map(({ parts }) => parts).join("");
    return { id, state: status.state, text };
  });
const Update = z.looseObject({ status: Status.optional(), artifact: Artifact.optional() });

const seen = (task: unknown): Seen => Task.parse(task);

/** Puts the task together from what a stream says of it, which begins with a Task that has no artifacts. */
async function told(events: AsyncIterable<{ kind: string; value: unknown }>) {
  const kinds: string[] = [];
  const texts = new Map<string, string>();
  let [id, state] = ["", ""];
  for await (const { kind, value } of events) {
    if (kinds.at(-1) !== kind) kinds.push(kind);
    if (kind === "task") {
      ({ id, state } = seen(value));
      continue;
    }
    const { status, artifact } = Update.parse(value);
    state = status?.state ?? state;
    if (artifact) texts.set(artifact.artifactId, (texts.get(artifact.artifactId) ?? "") + artifact.parts);
  }
  return { id, state, text: [...texts.values()].join(""), kinds };
}

/** Sends to the proxy what is meant for its public URL, as a reverse proxy would. */
const fetchThrough =
  (proxy: TestProxy): typeof fetch =>
  (input, init) => {
    const { pathname, search } = new URL(input instanceof Request ? input.url : input);
    return fetch(proxy.url + pathname + search, init);
  };

let count = 0;

async function client03(proxy: TestProxy, agent: string, transport: Transport): Promise<OfficialClient> {
  const fetchImpl = fetchThrough(proxy);
  const factories = {
    JSONRPC: new JsonRpc03({ fetchImpl }),
    "HTTP+JSON": new Rest03({ fetchImpl }),
    GRPC: new Grpc03(),
  };
  const client = await new ClientFactory03({
    transports: [factories[transport]],
    cardResolver: new CardResolver03({ fetchImpl }),
  }).createFromUrl(proxy.agent(agent));
  const params = (text: string) => ({
    message: {
      kind: "message" as const,
      messageId: `m-${++count}`,
      role: "user" as const,
      parts: [{ kind: "text" as const, text }],
    },
  });
  async function* events(text: string) {
    for await (const value of client.sendMessageStream(params(text))) yield { kind: value.kind, value };
  }
  return {
    cardName: (await client.getAgentCard()).name,
    send: async (text) => seen(await client.sendMessage(params(text))),
    stream: (text) => told(events(text)),
    get: async (id) => seen(await client.getTask({ id })),
  };
}

const KINDS: Readonly<Record<string, string>> = {
  statusUpdate: "status-update",
  artifactUpdate: "artifact-update",
};

async function client10(proxy: TestProxy, agent: string, transport: Transport): Promise<OfficialClient> {
  const legacyCompat = { enabled: true };
  const options = { fetchImpl: fetchThrough(proxy), legacyCompat };
  const factories = {
    JSONRPC: new JsonRpc10(options),
    "HTTP+JSON": new Rest10(options),
    GRPC: new Grpc10({ legacyCompat }),
  };
  const client = await new ClientFactory10({
    transports: [factories[transport]],
    cardResolver: new CardResolver10(options),
  }).createFromUrl(proxy.agent(agent));
  const params = (text: string) => ({
    tenant: "",
    message: {
      messageId: `m-${++count}`,
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
  async function* events(text: string) {
    for await (const { payload } of client.sendMessageStream(params(text))) {
      if (payload) yield { kind: KINDS[payload.$case] ?? payload.$case, value: payload.value };
    }
  }
  return {
    cardName: (await client.getAgentCard()).name,
    send: async (text) => seen(await client.sendMessage(params(text))),
    stream: (text) => told(events(text)),
    get: async (id) => seen(await client.getTask({ tenant: "", id })),
  };
}

/** Made from the card that the proxy serves; calls go to where the card says. */
export const OFFICIAL_CLIENTS = { "0.3.14": client03, "1.3.0": client10 };
