/** Clients of the snake_case dialect, as its published description has them, in front of agents of every dialect. */
import { afterAll, describe, expect, test } from "@jest/globals";
import { startVendors } from "../../src/demo/vendors.ts";
import { collect } from "../support/collect.ts";
import { rpc, rpcStream, userMessage, type RpcAnswer } from "../support/client.ts";
import { startTestProxy } from "../support/proxy.ts";
import { startSdk10Server } from "./sdk10-server.ts";

const vendors = await startVendors(0, { pace: 50 });
const sdk10 = await startSdk10Server("JSONRPC");
const AGENTS = [
  { name: "planner", adapter: "appbuilder", url: `${vendors.url}/v2/a2a/demo-app`, words: "light wind" },
  { name: "jester", adapter: "a2a-0.1", url: `${vendors.url}/legacy`, words: "Why did the chicken cross" },
  { name: "flights", adapter: "a2a-snake", url: `${vendors.url}/snake`, words: "UA 1514, 08:15" },
  { name: "traveller", adapter: "a2a-0.3", url: `${vendors.url}/canonical`, words: "Day 1: the Forbidden" },
  { name: "official", adapter: "a2a-1.0", url: sdk10.url, words: 'You said "hello": one, two.' },
];
const proxy = await startTestProxy(
  Object.fromEntries(AGENTS.map(({ name, adapter, url }) => [name, { adapter, url }])),
);

afterAll(async () => {
  await proxy.stop();
  await vendors.stop();
  await sdk10.stop();
});

interface WireArtifact {
  readonly artifact_id: string;
  readonly parts: readonly { readonly text?: string }[];
}
interface WireTask {
  readonly id: string;
  readonly context_id: string;
  readonly status: { readonly state: string };
  readonly artifacts?: readonly WireArtifact[];
  readonly history?: readonly object[];
}
interface WireEvent {
  readonly task?: WireTask;
  readonly statusUpdate?: { readonly task_id: string; readonly status: { readonly state: string } };
  readonly artifactUpdate?: { readonly artifact: WireArtifact; readonly append?: boolean };
}

const VERSION = { "a2a-version": "1.0" };

/** The base URL that speaks the dialect alone. */
const own = (agent: string): string => `${proxy.agent(agent)}a2a-snake/`;

let count = 0;
const sendParams = (text: string, more: Record<string, unknown> = {}) => ({
  message: { message_id: `msg-${++count}`, role: "user", parts: [{ text }], ...more },
  configuration: { accepted_output_modes: ["text/plain"], return_immediately: false },
  ...VERSION,
});

function resultOf({ result, error }: RpcAnswer): unknown {
  if (error) throw new Error(`${error.code} ${error.message}`);
  return result;
}

const call = async <T>(agent: string, method: string, params: object): Promise<T> =>
  resultOf(await rpc(own(agent), method, { ...params, ...VERSION })) as T;

async function* streamed(agent: string, method: string, params: object): AsyncGenerator<WireEvent> {
  for await (const answer of rpcStream(own(agent), method, { ...params, ...VERSION }))
    yield resultOf(answer) as WireEvent;
}

const textIn = ({ parts }: WireArtifact): string => parts.map(({ text = "" }) => text).join("");
const said = ({ artifacts = [] }: WireTask): string => artifacts.map(textIn).join("");

function folded(events: readonly WireEvent[]): string {
  const texts = new Map<string, string>();
  for (const { task, artifactUpdate } of events) {
    for (const artifact of task?.artifacts ?? []) texts.set(artifact.artifact_id, textIn(artifact));
    if (!artifactUpdate) continue;
    const { artifact, append } = artifactUpdate;
    const before = append ? (texts.get(artifact.artifact_id) ?? "") : "";
    texts.set(artifact.artifact_id, before + textIn(artifact));
  }
  return [...texts.values()].join("");
}

const lastState = (events: readonly WireEvent[]): unknown => events.at(-1)?.statusUpdate?.status.state;

describe.each(AGENTS)("a snake_case client, an agent of $adapter", ({ name, words }) => {
  test("reads the card, with the address that speaks its dialect", async () => {
    const card = await (await fetch(`${own(name)}.well-known/agent-card.json`)).json();
    expect(card).toMatchObject({
      name: expect.any(String),
      supported_interfaces: [
        {
          url: `http://proxy.test/agents/${name}/a2a-snake/`,
          protocol_binding: "jsonrpc",
          protocol_version: "1.0",
        },
      ],
      capabilities: { streaming: true },
    });
    for (const member of ["url", "protocolVersion", "supportedInterfaces", "preferredTransport"]) {
      expect(card).not.toHaveProperty(member);
    }
  });

  test("sends a message and reads the completed task, with as much history as it asks for", async () => {
    const { task } = await call<{ task: WireTask }>(name, "a2a.sendMessage", sendParams("hello"));
    expect(said(task)).toContain(words);
    expect(task.status.state).toBe("completed");
    const again = await call<WireTask>(name, "a2a.getTask", { id: task.id });
    expect(said(again)).toBe(said(task));
    expect(again.history?.[0]).toMatchObject({ role: "user", parts: [{ text: "hello" }] });
    const bare = await call<WireTask>(name, "a2a.getTask", { id: task.id, history_length: 0 });
    expect(bare.history ?? []).toEqual([]);
  });

  test("streams the text, the task first and its end last", async () => {
    const events = await collect(streamed(name, "a2a.sendStreamingMessage", sendParams("hello")));
    const id = events[0]?.task?.id ?? "";
    expect(lastState(events)).toBe("completed");
    expect(folded(events)).toContain(words);
    expect(said(await call<WireTask>(name, "a2a.getTask", { id }))).toBe(folded(events));
  });

  test("takes a stream up again, and cancels the task; it cannot be canceled twice", async () => {
    const first = streamed(name, "a2a.sendStreamingMessage", sendParams("slow"));
    const { value } = await first.next();
    const id = value?.task?.id ?? "";
    const second = streamed(name, "a2a.subscribeToTask", { id });
    expect((await second.next()).value).toMatchObject({ task: { id } });
    expect(await call(name, "a2a.cancelTask", { id })).toMatchObject({ id, status: { state: "canceled" } });
    expect(lastState(await collect(first))).toBe("canceled");
    expect(lastState(await collect(second))).toBe("canceled");
    await expect(call(name, "a2a.cancelTask", { id })).rejects.toThrow("-32002 TaskNotCancelableError: ");
  });

  test("learns by name that there is no such task, and lists those that there are", async () => {
    for (const method of ["a2a.getTask", "a2a.cancelTask", "a2a.subscribeToTask"]) {
      await expect(call(name, method, { id: "none" })).rejects.toThrow("-32001 TaskNotFoundError: ");
    }
    const page = await call<{ tasks: WireTask[] }>(name, "a2a.listTasks", { page_size: 1 });
    expect(page).toMatchObject({ tasks: [{ id: expect.any(String) }], page_size: 1 });
  });

  test("has to name the version in its params", async () => {
    const { error } = await rpc(own(name), "a2a.getTask", { id: "none" });
    expect(error).toEqual({
      code: -32009,
      message: 'VersionNotSupportedError: params must hold "a2a-version": "1.0"',
    });
  });
});

describe.each(AGENTS.filter(({ name }) => ["jester", "flights", "traveller"].includes(name)))(
  "a snake_case client whose agent of $adapter asks back",
  ({ name }) => {
    test("answers; so does a client of 0.1 or 0.3 in its place, and the other way round", async () => {
      const ask = async () =>
        (await call<{ task: WireTask }>(name, "a2a.sendMessage", sendParams("ask"))).task;
      const isCompleted = { status: { state: "completed" } };
      const own1 = await ask();
      expect(own1.status.state).toBe("input-required");
      const ids = { task_id: own1.id, context_id: own1.context_id };
      const answered = await call(name, "a2a.sendMessage", sendParams("the morning", ids));
      expect(answered).toMatchObject({ task: { id: own1.id, ...isCompleted } });

      const { id } = await ask();
      const reply = userMessage("the morning", { taskId: id });
      expect((await rpc(proxy.agent(name), "message/send", reply)).result).toMatchObject({
        id,
        ...isCompleted,
      });

      const other = await ask();
      const old = { id: other.id, message: { role: "user", parts: [{ type: "text", text: "the morning" }] } };
      const inOld = await rpc(`${proxy.agent(name)}a2a-0.1/`, "tasks/send", old);
      expect(inOld.result).toMatchObject({ id: other.id, ...isCompleted });

      const begun = await rpc(proxy.agent(name), "message/send", userMessage("ask"));
      const { id: taskId } = begun.result as { id: string };
      const followUp = sendParams("the morning", { task_id: taskId });
      expect(await call(name, "a2a.sendMessage", followUp)).toMatchObject({
        task: { id: taskId, ...isCompleted },
      });
    });
  },
);

test("at the agent's usual URL, the dialect's methods are served in it", async () => {
  const { result } = await rpc(proxy.agent("jester"), "a2a.sendMessage", sendParams("hello"));
  expect(result).toMatchObject({ task: { context_id: expect.any(String), status: { state: "completed" } } });
});
