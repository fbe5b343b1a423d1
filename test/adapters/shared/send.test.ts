/** The option `send`, which every dialect has: which of an agent's methods a message is sent by. */
import { afterEach, describe, expect, test } from "@jest/globals";
import { rpc, userMessage } from "../../support/client.ts";
import { startTestProxy } from "../../support/proxy.ts";
import { startRoutedVendor, type Routes } from "../../support/routed-vendor.ts";

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

const card = (url: string) => ({
  name: "Agent",
  description: "",
  url,
  version: "1",
  capabilities: { streaming: true },
  supportedInterfaces: [{ url, protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
  defaultInputModes: ["text"],
  defaultOutputModes: ["text"],
  skills: [],
});

const methodOf = (body: unknown): unknown => (body as { method?: unknown } | undefined)?.method;

async function startAgent(adapter: string, options: object, answer: Routes[string]) {
  const vendor = await startRoutedVendor({}, answer);
  stops.push(() => vendor.stop());
  const agent = { adapter, url: vendor.url, card: card(vendor.url), options };
  const proxy = await startTestProxy({ one: agent });
  stops.push(() => proxy.stop());
  const called = () => vendor.requests.map(({ body }) => methodOf(body));
  return { url: proxy.agent("one"), called };
}

const REFUSED = { body: { jsonrpc: "2.0", id: null, error: { code: -32602, message: "no" } } };

describe.each([
  ["a2a-0.1", "tasks/send", "tasks/sendSubscribe"],
  ["a2a-0.3", "message/send", "message/stream"],
  ["a2a-1.0", "SendMessage", "SendStreamingMessage"],
  ["a2a-snake", "a2a.sendMessage", "a2a.sendStreamingMessage"],
  ["appbuilder", "message/send", "message/stream"],
])("%s", (adapter, send, stream) => {
  test.each([
    ["send", send],
    ["stream", stream],
  ])("sends by its own %s, and by nothing else", async (option, method) => {
    const { url, called } = await startAgent(adapter, { send: option }, () => REFUSED);
    expect((await rpc(url, "message/send", userMessage("hi"))).error).toMatchObject({ code: -32602 });
    expect(called()).toEqual([method]);
  });

  test("refuses another word", async () => {
    const agent = { adapter, url: "http://agent.test", options: { send: "both" } };
    await expect(startTestProxy({ one: agent })).rejects.toThrow(/send/);
  });
});

test.each(["a2a-0.3", "auto"])(
  "%s: an agent that streams alone is answered for as a whole",
  async (adapter) => {
    const result = (value: object) => `data: ${JSON.stringify({ jsonrpc: "2.0", id: 1, result: value })}\n\n`;
    const ids = { taskId: "t", contextId: "c" };
    const body = [
      { kind: "task", id: "t", contextId: "c", status: { state: "submitted" } },
      {
        kind: "artifact-update",
        ...ids,
        artifact: { artifactId: "a", parts: [{ kind: "text", text: "one, " }] },
      },
      {
        kind: "artifact-update",
        ...ids,
        append: true,
        artifact: { artifactId: "a", parts: [{ kind: "text", text: "two" }] },
      },
      { kind: "status-update", ...ids, status: { state: "completed" }, final: true },
    ]
      .map(result)
      .join("");
    const known = { jsonrpc: "2.0", id: 1, error: { code: -32001, message: "Task not found" } };
    const { url, called } = await startAgent(adapter, { send: "stream" }, ({ body: sent }) =>
      methodOf(sent) === "message/stream"
        ? { headers: { "content-type": "text/event-stream" }, body }
        : { body: known },
    );
    expect((await rpc(url, "message/send", userMessage("hi"))).result).toMatchObject({
      status: { state: "completed" },
      artifacts: [{ parts: [{ kind: "text", text: "one, two" }] }],
    });
    expect(called()).toContain("message/stream");
    expect(called()).not.toContain("message/send");
  },
);
