/** A client of A2A 1.0 in front of an agent of A2A 1.0: every field that 1.0 has goes through the proxy and comes back. */
import { once } from "node:events";
import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { afterAll, expect, test } from "@jest/globals";
import { ANSWERS, SENT } from "../../scripts/dialect-probes.ts";
import { rpc, streamResults } from "../support/client.ts";
import { startTestProxy } from "../support/proxy.ts";

interface Call {
  readonly id: unknown;
  readonly method: string;
  readonly params: Record<string, unknown>;
}

const { reply, events } = ANSWERS["a2a-1.0"] ?? { events: [] };
const FINAL = {
  statusUpdate: { taskId: "task", contextId: "context", status: { state: "TASK_STATE_COMPLETED" } },
};
const OPENED = { task: { id: "task", contextId: "context", status: { state: "TASK_STATE_SUBMITTED" } } };
const CARD = {
  name: "Full",
  description: "Says all that 1.0 can say.",
  version: "1",
  capabilities: { streaming: true },
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: [],
};

const calls: Call[] = [];
const server = createServer((request, response) => {
  const answer = async (): Promise<void> => {
    if (request.method === "GET") {
      const supportedInterfaces = [{ url, protocolBinding: "JSONRPC", protocolVersion: "1.0" }];
      response.end(JSON.stringify({ ...CARD, supportedInterfaces }));
      return;
    }
    const call = (await json(request)) as Call;
    calls.push(call);
    const answered = (result: unknown): string => JSON.stringify({ jsonrpc: "2.0", id: call.id, result });
    if (call.method === "SendMessage") {
      response.setHeader("content-type", "application/json").end(answered(reply));
      return;
    }
    response.setHeader("content-type", "text/event-stream");
    for (const event of [OPENED, ...events, FINAL]) response.write(`data: ${answered(event)}\n\n`);
    response.end();
  };
  void answer();
}).listen(0, "127.0.0.1");
await once(server, "listening");
const address = server.address();
if (address === null || typeof address === "string") throw new Error("no TCP address");
const url = `http://127.0.0.1:${address.port}/`;
const proxy = await startTestProxy({ full: { adapter: "a2a-1.0", url } });

afterAll(async () => {
  await proxy.stop();
  server.closeAllConnections();
  server.close();
});

/** Ids of tasks and contexts are the proxy's own. */
const withoutIds = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (key, member: unknown) =>
    ["id", "taskId", "contextId", "referenceTaskIds"].includes(key) ? undefined : member,
  );

function byClient(params: object): object {
  const { message } = Object(params);
  return { ...params, message: { ...message, messageId: "of-the-client" } };
}

const sent = (SENT["a2a-1.0"] ?? []).map(byClient);

test.each(
  sent.map((params) => [JSON.stringify(Object.entries(Object(params).message.parts[0])[0]), params] as const),
)("the agent gets all of a message with %s", async (_, params) => {
  await rpc(proxy.agent("full"), "SendMessage", params);
  const given = calls.at(-1)?.params;
  expect(withoutIds(given)).toMatchObject(Object(withoutIds(params)));
  const more = Object.keys(given ?? {}).filter((key) => !(key in params));
  expect(more).toEqual([]);
});

test("the client gets all of a task", async () => {
  const { result } = await rpc(proxy.agent("full"), "SendMessage", sent[0]);
  const { task } = Object(withoutIds(result));
  const { history, ...rest } = Object(withoutIds(reply)).task;
  expect(task).toEqual({ ...rest, history: expect.arrayContaining(history) });
});

test("the client gets all of each event", async () => {
  const results = await streamResults(proxy.agent("full"), "SendStreamingMessage", sent[0]);
  const got = results.map(withoutIds);
  for (const event of events) expect(got).toContainEqual(withoutIds(event));
});
