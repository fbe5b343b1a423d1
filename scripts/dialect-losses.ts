/**
 * What is lost between a client of one dialect and an agent of another: an object with every field of the sender's dialect is
 * really passed through both codecs, and looked through for what is still there.
 */
import { adapters } from "../adapters/index.ts";
import type { Adapter, AgentEvent, Backend } from "../src/adapter.ts";
import type { ClientDialect } from "../src/dialect.ts";
import { acceptSendParams } from "../src/protocol/accept.ts";
import { OWN_KEYS } from "../src/protocol/client-members.ts";
import type { StreamEvent, Task } from "../src/protocol/model.ts";
import type { MessageSendParams } from "../src/protocol/params.ts";
import { callWith, connect, requestOf, row, type Wire } from "./dialect-agent.ts";
import { ANSWERS, SENT, type Answers } from "./dialect-probes.ts";

/** The dialect whose form the proxy works in. */
const REFERENCE = "a2a-0.3";

/** Who is served; `dialect` is absent for 0.3.0. */
interface Client {
  readonly name: string;
  readonly dialect?: ClientDialect;
}

interface Finding {
  /** Titles of what is still there. */
  readonly kept: Set<string>;
  /** Of which this is only in metadata that the proxy has written. */
  readonly inMetadata: Set<string>;
}

/** The text of a leaf, and what it is in base64. */
const readings = (leaf: string): string[] => [leaf, Buffer.from(leaf, "base64").toString("latin1")];
const titlesIn = (leaf: string): string[] =>
  readings(leaf).flatMap((text) => [...text.matchAll(/@([^@]+)@/g)].map(([, title = ""]) => title));

/** Every title in a value, and whether it is within the proxy's own metadata. */
function* titles(value: unknown, isOwn = false): Generator<readonly [title: string, isOwn: boolean]> {
  if (typeof value === "string") for (const title of titlesIn(value)) yield [title, isOwn];
  if (typeof value !== "object" || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    yield* titles(member, isOwn || key.startsWith(OWN_KEYS));
  }
}

function findingOf(values: readonly unknown[]): Finding {
  const [kept, inMetadata] = [new Set<string>(), new Set<string>()];
  for (const [title, isOwn] of titles(values)) (isOwn ? inMetadata : kept).add(title);
  for (const title of inMetadata) if (kept.has(title)) inMetadata.delete(title);
  return { kept, inMetadata };
}

/** What of the given did not arrive, in words. */
function lossOf(given: readonly unknown[], { kept, inMetadata }: Finding): string[] {
  const had = new Set([...titles(given)].map(([title]) => title));
  return [...had].flatMap((title) => {
    if (kept.has(title)) return [];
    return [inMetadata.has(title) ? `*${title}*` : title];
  });
}

/** Of messages, on the way from a client to an agent. */
async function lostToAgent({ name, dialect }: Client, adapter: Adapter): Promise<string[]> {
  const sent = SENT[name];
  if (!sent) throw new Error(`scripts/dialect-probes.ts has nothing that clients of ${name} send`);
  const requests = await Promise.all(
    sent.map(async (native) => {
      const params = dialect ? dialect.toParams("stream", native) : native;
      const rules = { maxParts: 100, newId: () => "new-id", isDecoded: dialect !== undefined };
      const accepted: MessageSendParams = acceptSendParams(params, rules);
      return await requestOf(await connect(adapter, true), "stream", accepted);
    }),
  );
  return lossOf(sent, findingOf(requests));
}

async function eventsOf(backend: Backend, wire: Wire, results: readonly object[]): Promise<AgentEvent[]> {
  wire.results = results;
  const events: AgentEvent[] = [];
  const call = callWith();
  for await (const event of backend.stream?.(MESSAGE, call) ?? []) events.push(event);
  return events;
}

const MESSAGE = acceptSendParams(
  { message: { messageId: "m", role: "user", parts: [{ kind: "text", text: "hello" }] } },
  { maxParts: 1, newId: () => "new-id" },
);

/** What a client gets to see of an answer. The gateway gives what agents leave out, such as ids, which nothing here looks for. */
function seenBy({ dialect }: Client, event: AgentEvent): readonly unknown[] {
  if (!dialect) return [event];
  const complete: StreamEvent = JSON.parse(JSON.stringify(event));
  const { events } = dialect;
  const write = "open" in events ? events.open("stream", {}) : events.write;
  return write(complete, false);
}

/** As the states are called in 0.3.0. */
const stateName = (state: string): string =>
  state
    .replace(/^TASK_STATE_/, "")
    .toLowerCase()
    .replaceAll("_", "-");

function statesIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    key === "state" && typeof member === "string" ? [stateName(member)] : statesIn(member),
  );
}

/** Of answers, on the way from an agent to a client. */
async function lostToClient(client: Client, adapter: Adapter): Promise<string[]> {
  const answers = ANSWERS[adapter.name];
  if (!answers) throw new Error(`scripts/dialect-probes.ts has nothing that agents of ${adapter.name} say`);
  const { backend, wire } = await connect(adapter, true);
  const events = await eventsOf(backend, wire, answers.events);
  const seen: unknown[] = events.flatMap((event) => seenBy(client, event));
  if (answers.reply) {
    wire.results = [answers.reply];
    const reply = await backend.send?.(MESSAGE, callWith());
    const complete: Task = JSON.parse(JSON.stringify(reply));
    seen.push(client.dialect ? client.dialect.fromResult("send", complete) : reply);
  }
  const given = [answers.reply, ...answers.events];
  return [...lossOf(given, findingOf(seen)), ...(await lostStates(client, backend, wire, answers))];
}

async function lostStates(
  client: Client,
  backend: Backend,
  wire: Wire,
  { states, inState }: Answers,
): Promise<string[]> {
  const lost: string[] = [];
  for (const state of states) {
    const events = await eventsOf(backend, wire, [inState(state)]);
    const [seen = "nothing"] = events.flatMap((event) => statesIn(seenBy(client, event)));
    if (seen !== stateName(state)) lost.push(`the state ${stateName(state)} (becomes ${seen})`);
  }
  return lost;
}

const cell = (lost: readonly string[]): string => (lost.length === 0 ? "nothing" : lost.join(", "));

/** One row for each pair. */
export async function lossTable(agents: readonly Adapter[]): Promise<string> {
  const served = [...adapters.values()].flatMap(({ serves }) => serves ?? []);
  const clients: Client[] = [
    { name: REFERENCE },
    ...served.map((dialect) => ({ name: dialect.name, dialect })),
  ];
  const lines = [
    row("client", ["agent", "lost to the agent", "lost to the client"]),
    row("---", ["---", "---", "---"]),
  ];
  for (const client of clients) {
    for (const agent of agents) {
      const lost = [await lostToAgent(client, agent), await lostToClient(client, agent)];
      lines.push(row(client.name, [agent.name, ...lost.map(cell)]));
    }
  }
  return lines.join("\n");
}
