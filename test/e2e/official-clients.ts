/** The official JavaScript clients of 0.3 and 1.0, the latter speaking 0.3, each over one transport, and all alike. */
import { z } from "zod";
import { client03, client10, message03, message10 } from "../support/official-client.ts";
import type { TestProxy } from "../support/proxy.ts";
import type { Transport } from "../support/transports/transport.ts";

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

async function alike03(proxy: TestProxy, agent: string, transport: Transport): Promise<OfficialClient> {
  const client = await client03(proxy, { agent, transport });
  async function* events(text: string) {
    for await (const value of client.sendMessageStream(message03(text))) yield { kind: value.kind, value };
  }
  return {
    cardName: (await client.getAgentCard()).name,
    send: async (text) => seen(await client.sendMessage(message03(text))),
    stream: (text) => told(events(text)),
    get: async (id) => seen(await client.getTask({ id })),
  };
}

const KINDS: Readonly<Record<string, string>> = {
  statusUpdate: "status-update",
  artifactUpdate: "artifact-update",
};

async function alike10(proxy: TestProxy, agent: string, transport: Transport): Promise<OfficialClient> {
  const client = await client10(proxy, { agent, transport });
  async function* events(text: string) {
    for await (const { payload } of client.sendMessageStream(message10(text))) {
      if (payload) yield { kind: KINDS[payload.$case] ?? payload.$case, value: payload.value };
    }
  }
  return {
    cardName: (await client.getAgentCard()).name,
    send: async (text) => seen(await client.sendMessage(message10(text))),
    stream: (text) => told(events(text)),
    get: async (id) => seen(await client.getTask({ tenant: "", id })),
  };
}

export const OFFICIAL_CLIENTS = { "0.3.14": alike03, "1.3.0": alike10 };
