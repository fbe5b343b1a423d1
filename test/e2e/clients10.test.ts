/** Official clients of A2A 1.0, which speak nothing else, in front of agents of every dialect. */
import { Task, TaskState, type StreamResponse } from "@a2a-js/sdk";
import {
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
  type Client,
} from "@a2a-js/sdk/client";
import { GrpcTransportFactory } from "@a2a-js/sdk/client/grpc";
import { afterAll, describe, expect, test } from "@jest/globals";
import { startVendors } from "../../src/demo/vendors.ts";
import { collect } from "../support/collect.ts";
import { message10 } from "../support/official-client.ts";
import { SERVER, startTestProxy } from "../support/proxy.ts";
import { startSdk10Server } from "./sdk10-server.ts";

const vendors = await startVendors(0, { pace: 50 });
const sdk10 = await startSdk10Server("JSONRPC");
const AGENTS = [
  { adapter: "appbuilder", url: `${vendors.url}/v2/a2a/demo-app`, words: "light wind from the north" },
  { adapter: "a2a-0.1", url: `${vendors.url}/legacy`, words: "Why did the chicken cross the road?" },
  { adapter: "a2a-snake", url: `${vendors.url}/snake`, words: "UA 1514, 08:15 to 16:40." },
  { adapter: "a2a-0.3", url: `${vendors.url}/canonical`, words: "Day 1: the Forbidden City, Tiananmen" },
  { adapter: "a2a-1.0", url: sdk10.url, words: 'You said "hello": one, two.' },
];
const TRANSPORTS = ["JSONRPC", "HTTP+JSON", "GRPC"] as const;
const proxy = await startTestProxy(
  Object.fromEntries(
    AGENTS.map(({ adapter, url }) => [adapter.replace(".", "-"), { adapter, url, grpc: { port: 0 } }]),
  ),
  { server: { ...SERVER, grpc: { port: 0, publicUrl: "127.0.0.1:0" } } },
);

afterAll(async () => {
  await proxy.stop();
  await vendors.stop();
  await sdk10.stop();
});

/** Sends to the proxy what is meant for its public URL. */
const fetchImpl: typeof fetch = (input, init) => {
  const { pathname, search } = new URL(input instanceof Request ? input.url : input);
  return fetch(proxy.url + pathname + search, init);
};

function connect(adapter: string, transport: (typeof TRANSPORTS)[number]): Promise<Client> {
  const factories = {
    JSONRPC: new JsonRpcTransportFactory({ fetchImpl }),
    "HTTP+JSON": new RestTransportFactory({ fetchImpl }),
    GRPC: new GrpcTransportFactory(),
  };
  return new ClientFactory({
    transports: [factories[transport]],
    cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
  }).createFromUrl(`${proxy.agent(adapter.replace(".", "-"))}a2a-1.0/`);
}

/** The text of a task's artifacts. */
const textOf = (task: Task): string =>
  task.artifacts
    .flatMap(({ parts }) => parts)
    .map(({ content }) => (content?.$case === "text" ? content.value : ""))
    .join("");

/** The text that a client puts together from a stream, and the state that the stream ends in. */
function folded(events: readonly StreamResponse[]): { text: string; state: unknown; id: string } {
  const texts = new Map<string, string>();
  let state: unknown;
  let id = "";
  for (const { payload } of events) {
    if (payload?.$case === "task") id = payload.value.id;
    if (payload?.$case === "statusUpdate") state = payload.value.status?.state;
    if (payload?.$case !== "artifactUpdate") continue;
    const { artifact, append } = payload.value;
    const said = (artifact?.parts ?? []).map(({ content }) =>
      content?.$case === "text" ? content.value : "",
    );
    const artifactId = artifact?.artifactId ?? "";
    texts.set(artifactId, (append ? (texts.get(artifactId) ?? "") : "") + said.join(""));
  }
  return { text: [...texts.values()].join(""), state, id };
}

const CASES = AGENTS.flatMap(({ adapter, words }) =>
  TRANSPORTS.map((transport) => ({ adapter, words, transport })),
);

describe.each(CASES)(
  "a 1.0 client over $transport, an agent of $adapter",
  ({ adapter, transport, words }) => {
    const connecting = connect(adapter, transport);
    const inTask = { tenant: "", metadata: undefined };

    test("reads the card, and none that is not its own version's", async () => {
      const card = await (await connecting).getAgentCard();
      expect(card.supportedInterfaces.map(({ protocolVersion }) => protocolVersion)).toEqual([
        "1.0",
        "1.0",
        "1.0",
      ]);
      const document = await (
        await fetch(`${proxy.agent(adapter.replace(".", "-"))}a2a-1.0/.well-known/agent-card.json`)
      ).json();
      for (const member of [
        "url",
        "protocolVersion",
        "preferredTransport",
        "additionalInterfaces",
        "security",
      ]) {
        expect(document).not.toHaveProperty(member);
      }
    });

    test("sends a message and reads the completed task", async () => {
      const answer = await (await connecting).sendMessage(message10("hello"));
      const task = Task.fromJSON(Task.toJSON(answer as Task));
      expect(textOf(task)).toContain(words);
      expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
      const again = await (await connecting).getTask({ ...inTask, id: task.id });
      expect(textOf(again)).toBe(textOf(task));
      const bare = await (await connecting).getTask({ ...inTask, id: task.id, historyLength: 0 });
      expect(bare.history).toEqual([]);
      expect(again.history.length).toBeGreaterThan(0);
    });

    test("streams the text, the task first and its end last", async () => {
      const events = await collect((await connecting).sendMessageStream(message10("hello")));
      expect(events[0]?.payload?.$case).toBe("task");
      const { text, state, id } = folded(events);
      expect(text).toContain(words);
      expect(state).toBe(TaskState.TASK_STATE_COMPLETED);
      expect(textOf(await (await connecting).getTask({ ...inTask, id }))).toBe(text);
    });

    test("cancels a task, whose stream then ends", async () => {
      const client = await connecting;
      const events = client.sendMessageStream(message10("slow"));
      const { value } = await events.next();
      const id = value?.payload?.$case === "task" ? value.payload.value.id : "";
      const canceled = await client.cancelTask({ ...inTask, id });
      expect(canceled.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
      expect(folded(await collect(events)).state).toBe(TaskState.TASK_STATE_CANCELED);
    });

    test("is told by 1.0's name that there is no such task", async () => {
      await expect((await connecting).getTask({ ...inTask, id: "none" })).rejects.toMatchObject({
        name: "TaskNotFoundError",
      });
    });

    test("lists its tasks", async () => {
      const page = await (
        await connecting
      ).listTasks({
        tenant: "",
        contextId: "",
        status: TaskState.TASK_STATE_UNSPECIFIED,
        pageToken: "",
        pageSize: 1,
        statusTimestampAfter: undefined,
      });
      expect(page.tasks).toHaveLength(1);
      expect(page.nextPageToken).not.toBe("");
      expect(page.totalSize).toBeGreaterThan(2);
    });
  },
);

test.each(["null", "{}", ""])("a body of HTTP+JSON that has nothing to say may be %j", async (body) => {
  const response = await fetch(`${proxy.agent("a2a-1-0")}a2a-1.0/tasks/no-such-task:cancel`, {
    method: "POST",
    headers: { "A2A-Version": "1.0", ...(body && { "content-type": "application/json" }) },
    body: body || null,
  });
  expect([response.status, await response.json()]).toMatchObject([404, { error: { status: "NOT_FOUND" } }]);
});
