/** Clients of A2A 0.1, as its sample clients write and read, in front of agents of every dialect. */
import { randomUUID } from "node:crypto";
import { afterAll, describe, expect, test } from "@jest/globals";
import { startVendors } from "../../src/demo/vendors.ts";
import { collect } from "../support/collect.ts";
import { rpc, rpcStream, userMessage } from "../support/client.ts";
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

interface WirePart {
  readonly type: string;
  readonly text?: string;
}
interface WireStatus {
  readonly state: string;
  readonly message?: { readonly role: string; readonly parts: readonly WirePart[] };
}
interface WireArtifact {
  readonly index: number;
  readonly append?: boolean;
  readonly parts: readonly WirePart[];
}
interface WireTask {
  readonly id: string;
  readonly sessionId: string;
  readonly status: WireStatus;
  readonly artifacts?: readonly WireArtifact[];
  readonly history?: readonly unknown[];
}
interface WireEvent {
  readonly id: string;
  readonly status?: WireStatus;
  readonly final?: boolean;
  readonly artifact?: WireArtifact;
}

/** The base URL that speaks 0.1 alone. */
const own = (agent: string): string => `${proxy.agent(agent)}a2a-0.1/`;

/** A message as the Python sample writes it, with all its nulls. */
const sendParams = (text: string, more: Record<string, unknown> = {}) => ({
  id: randomUUID().replaceAll("-", ""),
  sessionId: randomUUID().replaceAll("-", ""),
  message: { role: "user", parts: [{ type: "text", text, metadata: null }], metadata: null },
  acceptedOutputModes: ["text"],
  pushNotification: null,
  historyLength: null,
  metadata: null,
  ...more,
});

async function call(agent: string, method: string, params: unknown): Promise<WireTask> {
  const { result, error } = await rpc(own(agent), method, params);
  if (error) throw new Error(`${error.code} ${error.message}`);
  return result as WireTask;
}

async function* streamed(agent: string, method: string, params: unknown): AsyncGenerator<WireEvent> {
  for await (const { result, error } of rpcStream(own(agent), method, params)) {
    if (error) throw new Error(`${error.code} ${error.message}`);
    yield result as WireEvent;
  }
}

const textIn = (parts: readonly WirePart[] = []): string => parts.map(({ text = "" }) => text).join("");

const said = ({ artifacts = [], status }: WireTask): string =>
  artifacts.map(({ parts }) => textIn(parts)).join("") + textIn(status.message?.parts);

/** What a client puts together from a stream: the artifacts by their index. */
function folded(events: readonly WireEvent[]): string {
  const texts: string[] = [];
  for (const { artifact } of events) {
    if (!artifact) continue;
    const { index, append, parts } = artifact;
    texts[index] = (append ? (texts[index] ?? "") : "") + textIn(parts);
  }
  return texts.join("");
}

describe.each(AGENTS)("a client of 0.1, an agent of $adapter", ({ name, words }) => {
  test("reads the card where it looks for it, with the address that speaks 0.1", async () => {
    const card = await (await fetch(`${own(name)}.well-known/agent.json`)).json();
    expect(card).toMatchObject({
      name: expect.any(String),
      url: `http://proxy.test/agents/${name}/a2a-0.1/`,
      version: expect.any(String),
      capabilities: { streaming: true },
      skills: expect.any(Array),
    });
    for (const member of ["protocolVersion", "preferredTransport", "additionalInterfaces", "security"]) {
      expect(card).not.toHaveProperty(member);
    }
  });

  test("sends a message as a task of its own name, and reads it again", async () => {
    const params = sendParams("hello");
    const task = await call(name, "tasks/send", params);
    expect(task).toMatchObject({ id: params.id, sessionId: params.sessionId });
    expect(task).not.toHaveProperty("kind");
    expect(task.status.state).toBe("completed");
    expect(said(task)).toContain(words);
    expect(task.history ?? []).toEqual([]);
    const again = await call(name, "tasks/get", { id: params.id, historyLength: 10 });
    expect(said(again)).toBe(said(task));
    expect(again.history?.[0]).toMatchObject({ role: "user", parts: [{ type: "text", text: "hello" }] });
  });

  test("streams statuses and chunks of its task, the last event alone final", async () => {
    const params = sendParams("hello");
    const events = await collect(streamed(name, "tasks/sendSubscribe", params));
    expect(new Set(events.map(({ id }) => id))).toEqual(new Set([params.id]));
    for (const event of events) {
      expect("artifact" in event || "final" in event).toBe(true);
      expect(event).not.toHaveProperty("kind");
    }
    expect(events.filter(({ final }) => final)).toEqual([events.at(-1)]);
    expect(events.at(-1)?.status?.state).toBe("completed");
    const task = await call(name, "tasks/get", { id: params.id });
    expect(folded(events) + textIn(events.at(-1)?.status?.message?.parts)).toBe(said(task));
  });

  test("cancels its task, whose stream then ends; it cannot be canceled twice", async () => {
    const params = sendParams("slow");
    const events = streamed(name, "tasks/sendSubscribe", params);
    expect((await events.next()).value).toMatchObject({ id: params.id, final: false });
    expect(await call(name, "tasks/cancel", { id: params.id })).toMatchObject({
      id: params.id,
      status: { state: "canceled" },
    });
    const rest = await collect(events);
    expect(rest.at(-1)).toMatchObject({ id: params.id, status: { state: "canceled" }, final: true });
    await expect(call(name, "tasks/cancel", { id: params.id })).rejects.toThrow("-32002");
  });

  test("takes a stream up again: all that was said, then what follows", async () => {
    const params = sendParams("slow");
    const first = streamed(name, "tasks/sendSubscribe", params);
    await first.next();
    const second = streamed(name, "tasks/resubscribe", { id: params.id });
    const opened = await second.next();
    expect(opened.value).toMatchObject({ id: params.id });
    await call(name, "tasks/cancel", { id: params.id });
    const events = [...(opened.value ? [opened.value] : []), ...(await collect(second))];
    expect(events.at(-1)).toMatchObject({ status: { state: "canceled" }, final: true });
    expect(events.filter(({ final }) => final)).toHaveLength(1);
    await collect(first);
    const task = await call(name, "tasks/get", { id: params.id });
    expect(folded(events)).toBe(
      folded((task.artifacts ?? []).map((artifact) => ({ id: task.id, artifact }))),
    );
  });

  test("learns that there is no such task", async () => {
    for (const method of ["tasks/get", "tasks/cancel", "tasks/resubscribe"]) {
      const { error } = await rpc(own(name), method, { id: "none" });
      expect(error).toMatchObject({ code: -32001 });
    }
  });

  test("is read, followed and canceled in 0.3 under the same name", async () => {
    const params = sendParams("slow");
    const events = streamed(name, "tasks/sendSubscribe", params);
    await events.next();
    const url = proxy.agent(name);
    const seen = await rpc(url, "tasks/get", { id: params.id });
    expect(seen.result).toMatchObject({ kind: "task", id: params.id, contextId: params.sessionId });
    const canceled = await rpc(url, "tasks/cancel", { id: params.id });
    expect(canceled.result).toMatchObject({ kind: "task", id: params.id, status: { state: "canceled" } });
    expect((await collect(events)).at(-1)).toMatchObject({ status: { state: "canceled" }, final: true });
  });
});

describe.each(AGENTS.filter(({ name }) => ["jester", "flights", "traveller"].includes(name)))(
  "a client of 0.1 whose agent of $adapter asks back",
  ({ name }) => {
    test("answers under the same id", async () => {
      const params = sendParams("ask");
      const asked = await call(name, "tasks/send", params);
      expect(asked.status.state).toBe("input-required");
      const answered = await call(name, "tasks/send", { ...sendParams("the morning"), ...idsOf(params) });
      expect(answered).toMatchObject({ id: params.id, sessionId: params.sessionId });
      expect(answered.status.state).toBe("completed");
    });

    test("a client of 0.3 answers in its place, and the other way round", async () => {
      const params = sendParams("ask");
      await call(name, "tasks/send", params);
      const { result } = await rpc(
        proxy.agent(name),
        "message/send",
        userMessage("the morning", { taskId: params.id, contextId: params.sessionId }),
      );
      expect(result).toMatchObject({ id: params.id, status: { state: "completed" } });

      const begun = await rpc(proxy.agent(name), "message/send", userMessage("ask"));
      const { id, contextId } = begun.result as { id: string; contextId: string };
      const reply = sendParams("the morning", { id, sessionId: contextId });
      expect(await call(name, "tasks/send", reply)).toMatchObject({ id, status: { state: "completed" } });
    });
  },
);

const idsOf = ({ id, sessionId }: { id: string; sessionId: string }) => ({ id, sessionId });

test("a client that posts each method to a path of its own, as python-a2a does, is answered there", async () => {
  const params = sendParams("hello");
  const { result } = await rpc(`${own("jester")}tasks/send`, "tasks/send", params);
  expect(result).toMatchObject({ id: params.id, status: { state: "completed" } });
});

describe("at the agent's usual URL", () => {
  test("the methods that 0.1 alone has are served in 0.1", async () => {
    const params = sendParams("hello");
    const { result } = await rpc(proxy.agent("jester"), "tasks/send", params);
    expect(result).toMatchObject({ id: params.id, sessionId: params.sessionId });
    expect(result).not.toHaveProperty("kind");
  });

  test("the JavaScript client, which reads every 200 as a stream, gets an error as an event", async () => {
    const response = await fetch(proxy.agent("jester"), {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "text/event-stream" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tasks/sendSubscribe", params: { id: "t" } }),
    });
    expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(await response.text()).toMatch(
      /^data: \{"jsonrpc":"2.0","id":1,"error":\{"code":-32602,.*\}\n\n$/,
    );
  });
});
