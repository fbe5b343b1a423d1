/** An agent that waited for input, was restarted, and keeps its tasks in memory: it does not know the task any more. */
import { afterEach, describe, expect, test } from "@jest/globals";
import { Task } from "../../src/protocol/model.ts";
import { rpc, streamResults, userMessage } from "../support/client.ts";
import { expectValidStream } from "../support/invariants.ts";
import { startTestProxy, type TestProxy } from "../support/proxy.ts";
import { type RoutedVendor, startRoutedVendor } from "../support/routed-vendor.ts";

const TASK = {
  contextId: "0d3a8f6e-7a8f-4d60-8f4a-8f3e3f0f6a11",
  id: "9e035b20-3c0f-4d2e-9df0-2b8f1c3f8b7e",
  kind: "task",
  status: { state: "input-required" },
};

let vendor: RoutedVendor;
let proxy: TestProxy;
let restarted: boolean;

/** The words of @a2a-js/sdk 0.2.5 and 0.3.14. */
async function overJsonRpc(): Promise<string> {
  const unknown = { code: -32001, message: `Task not found: ${TASK.id}` };
  vendor = await startRoutedVendor({
    "POST /": ({ body }) => {
      const { id } = body as { id: unknown };
      const answer = restarted ? { error: unknown } : { result: TASK };
      return { body: { jsonrpc: "2.0", id, ...answer } };
    },
  });
  return await front({});
}

/** The words of a2a-sdk 0.3.26 (Python) over HTTP+JSON; `page` is what stands before the agent while it is deployed. */
async function overRest(page?: string): Promise<string> {
  const { kind: _kind, status: _status, ...task } = TASK;
  const known = { ...task, status: { state: "TASK_STATE_INPUT_REQUIRED" } };
  const gone = page ?? '{"message":"Task not found"}';
  const type = { "content-type": page === undefined ? "application/json" : "text/html" };
  const answer = (body: unknown) => () => (restarted ? { status: 404, headers: type, body: gone } : { body });
  vendor = await startRoutedVendor({
    "POST /v1/message:send": answer({ task: known }),
    [`GET /v1/tasks/${TASK.id}`]: answer(known),
  });
  return await front({ transport: "http+json" });
}

async function front(options: Record<string, unknown>): Promise<string> {
  proxy = await startTestProxy({ agent: { adapter: "a2a-0.3", url: vendor.url, options } });
  restarted = false;
  const { result } = await rpc(proxy.agent("agent"), "message/send", userMessage("hello"));
  expect(Task.parse(result).status.state).toBe("input-required");
  restarted = true;
  return proxy.agent("agent");
}

afterEach(async () => {
  await proxy.stop();
  await vendor.stop();
});

const get = async (url: string): Promise<Task> =>
  Task.parse((await rpc(url, "tasks/get", { id: TASK.id })).result);
const REASON = [{ kind: "text", text: "The agent no longer knows this task" }];
const answer = userMessage("Paris", { taskId: TASK.id });

describe.each([
  ["JSON-RPC", overJsonRpc],
  ["HTTP+JSON", () => overRest()],
])("a task that waits for input, and that the agent no longer knows, over %s", (_transport, start) => {
  test("fails with the answer to the next message", async () => {
    const url = await start();
    const failed = Task.parse((await rpc(url, "message/send", answer)).result);
    expect([failed.status.state, failed.status.message?.parts]).toEqual(["failed", REASON]);
    expect(failed.history?.map(({ parts }) => parts)).toContainEqual([{ kind: "text", text: "Paris" }]);
    expect(await get(url)).toEqual(failed);
    expect((await rpc(url, "message/send", answer)).error?.code).toBe(-32602);
  });

  test("fails in the stream of the next message", async () => {
    const events = await streamResults(await start(), "message/stream", answer);
    expectValidStream(events);
    expect(events.at(-1)).toMatchObject({
      final: true,
      status: { state: "failed", message: { parts: REASON } },
    });
  });

  test("fails when it is asked for", async () => {
    const { status } = await get(await start());
    expect([status.state, status.message?.parts]).toEqual(["failed", REASON]);
  });
});

test("a page of HTML before the agent does not speak for its tasks", async () => {
  const url = await overRest("<html><h1>404 Not Found</h1></html>");
  expect((await get(url)).status.state).toBe("input-required");
});
