/** One event of a stream over HTTP+JSON is cut off in its middle; the others, and the task's end, arrive. */
import { afterEach, expect, test } from "@jest/globals";
import { rpc, streamResults, userMessage } from "../../support/client.ts";
import { expectValidStream } from "../../support/invariants.ts";
import { startTestProxy } from "../../support/proxy.ts";
import { startRoutedVendor } from "../../support/routed-vendor.ts";

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

const ids = { taskId: "t-1", contextId: "c-1" };
const chunk = (said: string, append: boolean) => ({
  artifactUpdate: { ...ids, artifact: { artifactId: "a", parts: [{ text: said }] }, append },
});
const frame = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
const damaged = frame(chunk("two ", true)).slice(0, 60);
const STREAM = [
  frame({ task: { id: "t-1", contextId: "c-1", status: { state: "TASK_STATE_WORKING" } } }),
  frame(chunk("one ", false)),
  `${damaged}\n\n`,
  frame(chunk("three", true)),
  frame({ statusUpdate: { ...ids, status: { state: "TASK_STATE_COMPLETED" }, final: true } }),
].join("");
const RECORD = {
  id: "t-1",
  contextId: "c-1",
  status: { state: "TASK_STATE_COMPLETED" },
  artifacts: [{ artifactId: "a", parts: [{ text: "one " }, { text: "two " }, { text: "three" }] }],
};

async function heard(record: object) {
  const vendor = await startRoutedVendor({
    "POST /v1/message:stream": () => ({ headers: { "content-type": "text/event-stream" }, body: STREAM }),
    "GET /v1/tasks/t-1": () => record,
  });
  stops.push(() => vendor.stop());
  const options = { transport: "http+json" };
  const proxy = await startTestProxy({ agent: { adapter: "a2a-0.3", url: vendor.url, options } });
  stops.push(() => proxy.stop());
  const results = await streamResults(proxy.agent("agent"), "message/stream", userMessage("hi"));
  return { texts: [...expectValidStream(results).values()], last: results.at(-1) };
}

test("the agent's record makes up for it", async () => {
  const { texts, last } = await heard({ body: RECORD });
  expect(texts).toEqual(["one two three"]);
  expect(last).toMatchObject({ final: true, status: { state: "completed" } });
  expect(last).not.toHaveProperty("metadata");
});

test("the end says so where the record cannot be read", async () => {
  const { texts, last } = await heard({ status: 501, body: {} });
  expect(texts).toEqual(["one three"]);
  expect(last).toMatchObject({
    status: { state: "completed" },
    metadata: { "urn:a2a-compat-proxy:resume": { eventsLost: true } },
  });
});

test("the same holds for a stream as the answer to message/send", async () => {
  const event = (result: unknown): string => frame({ jsonrpc: "2.0", id: 1, result });
  const update = (said: string) => ({ kind: "artifact-update", ...chunk(said, true).artifactUpdate });
  const status = { kind: "status-update", ...ids, status: { state: "completed" }, final: true };
  const answer = [
    event({ kind: "task", id: "t-1", contextId: "c-1", status: { state: "working" } }),
    event(update("one ")),
    `${event(update("two ")).slice(0, 60)}\n\n`,
    event(update("three")),
    event(status),
  ].join("");
  const vendor = await startRoutedVendor({
    "POST /": ({ body }) =>
      JSON.stringify(body).includes("message/send")
        ? { headers: { "content-type": "text/event-stream" }, body: answer }
        : { body: { jsonrpc: "2.0", id: 1, result: { kind: "task", ...RECORD } } },
  });
  stops.push(() => vendor.stop());
  const proxy = await startTestProxy({ agent: { adapter: "a2a-0.3", url: vendor.url } });
  stops.push(() => proxy.stop());
  const { result } = await rpc(proxy.agent("agent"), "message/send", userMessage("hi"));
  expect(result).toMatchObject({ artifacts: [{ artifactId: "a", parts: [{ text: "one two three" }] }] });
  expect(result).not.toHaveProperty("metadata");
});
