/** The official clients over HTTP+JSON, through the proxy, to a demo vendor that speaks JSON-RPC alone. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import {
  ClientFactory as Client10Factory,
  DefaultAgentCardResolver as Card10Resolver,
  RestTransportFactory as Rest10Factory,
} from "@a2a-js/sdk/client";
import { ClientFactory, DefaultAgentCardResolver, RestTransportFactory, type Client } from "a2a03/client";
import { createCanonicalDemo } from "../../src/demo/canonical.ts";
import { startVendorServer, type RunningVendors } from "../../src/demo/server.ts";
import { startTestProxy, type TestProxy } from "../support/proxy.ts";

const PLAN =
  "Day 1: the Forbidden City, Tiananmen and Wangfujing. Day 2: the Great Wall at Badaling and the Summer Palace. " +
  "Day 3: Nanluoguxiang and Houhai.";

let vendors: RunningVendors;
let proxy: TestProxy;
const paths: string[] = [];

beforeAll(async () => {
  vendors = await startVendorServer(0, [{ prefix: "/canonical", create: createCanonicalDemo }]);
  proxy = await startTestProxy({ planner: { adapter: "a2a-0.3", url: `${vendors.url}/canonical` } });
});
afterAll(async () => {
  await proxy.stop();
  await vendors.stop();
});

/** Sends to the proxy what is meant for its public URL. */
const fetchImpl: typeof fetch = (input, init) => {
  const { pathname, search } = new URL(input instanceof Request ? input.url : input);
  paths.push(pathname);
  return fetch(proxy.url + pathname + search, init);
};

let messages = 0;
const say = (text: string, more: Record<string, string> = {}) => ({
  message: {
    kind: "message" as const,
    messageId: `m-${(messages += 1)}`,
    role: "user" as const,
    parts: [{ kind: "text" as const, text }],
    ...more,
  },
});

async function collect<T>(values: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const value of values) collected.push(value);
  return collected;
}

describe("the official client of 0.3 over HTTP+JSON", () => {
  let client: Client;
  beforeAll(async () => {
    const factory = new ClientFactory({
      transports: [new RestTransportFactory({ fetchImpl })],
      cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
    });
    client = await factory.createFromUrl(proxy.agent("planner"));
  });

  test("finds its transport in the card and gets the plan, in a stream and in one piece", async () => {
    const events = await collect(client.sendMessageStream(say("Beijing")));
    // This client drops `append` when it reads HTTP+JSON, so the pieces are all that can be looked at.
    const pieces = events.flatMap((event) => (event.kind === "artifact-update" ? event.artifact.parts : []));
    expect(pieces.map((part) => (part.kind === "text" ? part.text : "")).join("")).toBe(PLAN);
    expect(events[0]?.kind).toBe("task");
    expect(events.at(-1)).toMatchObject({ status: { state: "completed" }, final: true });
    const task = await client.sendMessage(say("Beijing"));
    expect(task).toMatchObject({ kind: "task", status: { state: "completed" } });
    expect(paths).toContain("/agents/planner/v1/message:stream");
  });

  test("goes on with a task that asks back, and gets it with its history", async () => {
    const asking = await client.sendMessage(say("ask"));
    if (asking.kind !== "task") throw new Error("a task was expected");
    expect(asking.status.state).toBe("input-required");
    const done = await client.sendMessage(say("Beijing", { taskId: asking.id, contextId: asking.contextId }));
    expect(done).toMatchObject({ id: asking.id, status: { state: "completed" } });
    const full = await client.getTask({ id: asking.id });
    const last = await client.getTask({ id: asking.id, historyLength: 1 });
    expect(full.history?.length).toBeGreaterThan(1);
    expect(last.history).toEqual(full.history?.slice(-1));
  });

  test("joins a running task, cancels it, and sees it end", async () => {
    const stream = client.sendMessageStream(say("slow"));
    const { value: first } = await stream.next();
    if (first?.kind !== "task") throw new Error("a task was expected");
    const joined = collect(client.resubscribeTask({ id: first.id }));
    const canceled = await client.cancelTask({ id: first.id });
    expect(canceled.status.state).toBe("canceled");
    expect((await joined).at(-1)).toMatchObject({ status: { state: "canceled" }, final: true });
    expect((await collect(stream)).at(-1)).toMatchObject({ status: { state: "canceled" }, final: true });
    await expect(client.cancelTask({ id: first.id })).rejects.toMatchObject({
      name: "TaskNotCancelableError",
    });
  });

  test("learns what is wrong, before a stream begins as well", async () => {
    const unknown = { name: "TaskNotFoundError", message: "Task not found" };
    await expect(client.getTask({ id: "nobody/knows:cancel" })).rejects.toMatchObject(unknown);
    await expect(collect(client.resubscribeTask({ id: "unknown" }))).rejects.toMatchObject(unknown);
  });
});

describe("the official client of 1.0, speaking 0.3 over HTTP+JSON", () => {
  const options = { fetchImpl, legacyCompat: { enabled: true } };
  const newClient = () =>
    new Client10Factory({
      transports: [new Rest10Factory(options)],
      cardResolver: new Card10Resolver(options),
    }).createFromUrl(proxy.agent("planner"));
  const request = (text: string) => ({
    tenant: "",
    message: {
      messageId: `m-${(messages += 1)}`,
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

  test("gets the plan in a stream", async () => {
    const client = await newClient();
    const events = await collect(client.sendMessageStream(request("Beijing")));
    const text = events.flatMap(({ payload }) =>
      payload?.$case === "artifactUpdate"
        ? (payload.value.artifact?.parts ?? []).map(({ content }) =>
            content?.$case === "text" ? content.value : "",
          )
        : [],
    );
    expect(text.join("")).toBe(PLAN);
    expect(events[0]?.payload?.$case).toBe("task");
  });

  test("learns what is wrong", async () => {
    const client = await newClient();
    await expect(client.getTask({ tenant: "", id: "unknown" })).rejects.toThrow("Task not found");
  });
});
