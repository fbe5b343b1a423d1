/**
 * What one caller's task is to another, where the agent reads names as loosely as agents do: the official Python SDK
 * takes names in snake_case (pydantic's `populate_by_name`), Go and .NET ignore case.
 */
import { once } from "node:events";
import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { post } from "../support/client.ts";
import { startTestProxy, type TestProxy } from "../support/proxy.ts";
import { CARD, apiKeys } from "./support.ts";

const { keys, hashes } = apiKeys("ann", "bob");

type Fields = Record<string, unknown>;

const folded = (object: Fields): Fields =>
  Object.fromEntries(
    Object.entries(object).map(([name, value]) => [name.toLowerCase().replaceAll(/[^a-z]/g, ""), value]),
  );

/** Goes on with the task, or else with the newest of the context, that a message names in any spelling. */
async function startLooseAgent() {
  const tasks = new Map<string, { id: string; contextId: string; history: unknown[] }>();
  const webhooks: unknown[] = [];
  const answerTo = (params: Fields): object => {
    const { message, configuration } = folded(params) as { message: Fields; configuration?: Fields };
    const { taskid, contextid, sessionid, conversationid } = folded(message) as Record<string, string>;
    const { pushnotificationconfig, pushnotification, taskpushnotificationconfig } = folded(
      configuration ?? {},
    );
    webhooks.push(...[pushnotificationconfig, pushnotification, taskpushnotificationconfig].filter(Boolean));
    const named = [folded(params)["taskid"], taskid].find((id) => typeof id === "string") ?? "";
    const asked = [contextid, sessionid, conversationid].find((id) => typeof id === "string");
    const context = asked ?? `context-${tasks.size + 1}`;
    const known = tasks.get(named) ?? [...tasks.values()].findLast(({ contextId }) => contextId === context);
    const task = known ?? { id: `task-${tasks.size + 1}`, contextId: context, history: [] };
    tasks.set(task.id, task);
    task.history.push({ ...message, kind: "message", taskId: task.id, contextId: task.contextId });
    return { kind: "task", ...task, status: { state: "input-required" } };
  };
  const server = createServer((request, response) => {
    const answer = async (): Promise<void> => {
      response.setHeader("content-type", "application/json");
      if (request.method === "GET") {
        response.end(JSON.stringify({ ...CARD, capabilities: { streaming: false } }));
        return;
      }
      const { id, params } = (await json(request)) as { id: unknown; params: Fields };
      response.end(JSON.stringify({ jsonrpc: "2.0", id, result: answerTo(params) }));
    };
    void answer();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no address");
  const stop = (): void => (server.closeAllConnections(), void server.close());
  return { url: `http://127.0.0.1:${address.port}`, tasks, webhooks, stop };
}

let vendor: Awaited<ReturnType<typeof startLooseAgent>>;
let proxy: TestProxy;

beforeAll(async () => {
  vendor = await startLooseAgent();
  const callers = { ann: { hash: hashes.ann }, bob: { hash: hashes.bob } };
  proxy = await startTestProxy(
    { agent: { adapter: "a2a-0.3", url: vendor.url, options: { transport: "jsonrpc" } } },
    { auth: { apiKeys: { keys: callers } } },
  );
});
afterAll(async () => {
  await proxy.stop();
  vendor.stop();
});

const headersOf = (who: keyof typeof keys) => ({
  "content-type": "application/json",
  "x-api-key": keys[who],
});

const SECRET = "the secret of ann";

async function send(who: keyof typeof keys, text: string, more: Fields = {}, beside: Fields = {}) {
  const message = { kind: "message", messageId: crypto.randomUUID(), role: "user", ...more };
  const params = { message: { ...message, parts: [{ kind: "text", text }] }, ...beside };
  const body = { jsonrpc: "2.0", id: 1, method: "message/send", params };
  const response = await post(proxy.agent("agent"), body, { headers: headersOf(who) });
  return (await response.json()) as { result?: { id: string; contextId: string }; error?: { code: number } };
}

describe("another caller's waiting task", () => {
  let hers: { id: string; contextId: string };
  beforeAll(async () => {
    hers = (await send("ann", SECRET)).result ?? { id: "", contextId: "" };
  });

  test.each<[string, () => [Fields, Fields?]]>([
    ["taskId", () => [{ taskId: hers.id }]],
    ["task_id", () => [{ task_id: hers.id }]],
    ["TaskID", () => [{ TaskID: hers.id }]],
    ["task-id", () => [{ "task-id": hers.id }]],
    ["task_id beside the message", () => [{}, { task_id: hers.id, taskId: hers.id }]],
    ["contextId", () => [{ contextId: hers.contextId }]],
    ["context_id", () => [{ context_id: hers.contextId }]],
    ["ContextID", () => [{ ContextID: hers.contextId }]],
    ["sessionId", () => [{ sessionId: hers.contextId }]],
    ["conversation_id", () => [{ conversation_id: hers.contextId }]],
    ["Message", () => [{}, { Message: { taskId: hers.id, parts: [] } }]],
  ])("is not reached by %s", async (_name, members) => {
    const answer = await send("bob", "what bob says", ...members());
    expect(JSON.stringify(answer)).not.toContain(SECRET);
    expect(JSON.stringify(vendor.tasks.get(hers.id))).not.toContain("what bob says");
  });
});

test("no spelling of a client's webhook reaches the agent", async () => {
  const hook = { url: "http://169.254.169.254/latest", token: "t" };
  for (const name of ["PushNotificationConfig", "pushNotification", "task_push_notification_config"]) {
    expect(await send("bob", "hi", {}, { configuration: { [name]: hook }, [name]: hook })).toMatchObject({
      result: {},
    });
  }
  const refused = await send("bob", "hi", {}, { configuration: { push_notification_config: hook } });
  expect(refused.error?.code).toBe(-32602);
  expect(vendor.webhooks).toEqual([]);
});
