/** Agents of 0.1 whose card claims 0.3, which no probe tells apart, and whose first message is a stream. */
import { json } from "node:stream/consumers";
import { afterEach, expect, test } from "@jest/globals";
import { z } from "zod";
import { cleanUp, serve } from "../../southbound/loopback.ts";
import { rpc, streamResults, userMessage } from "../../support/client.ts";
import { expectValidStream } from "../../support/invariants.ts";
import { startTestProxy, type TestProxy } from "../../support/proxy.ts";

const CARD = {
  name: "Old",
  description: "",
  version: "1",
  protocolVersion: "0.3.0",
  url: "http://0.0.0.0/",
  capabilities: { streaming: true },
  defaultInputModes: ["text"],
  defaultOutputModes: ["text"],
  skills: [],
};

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
  await cleanUp();
});

const Asked = z.looseObject({
  id: z.unknown(),
  method: z.string(),
  params: z.looseObject({ id: z.string().default("") }),
});
type Asked = z.infer<typeof Asked>;

const EVENTS = [
  { status: { state: "working" }, final: false },
  { artifact: { parts: [{ type: "text", text: "one, " }], index: 0, append: false } },
  { artifact: { parts: [{ type: "text", text: "two." }], index: 0, append: true, lastChunk: true } },
  { status: { state: "completed" }, final: true },
];
const TASK = {
  status: { state: "completed" },
  artifacts: [{ index: 0, parts: [{ type: "text", text: "one" }] }],
};

/** @param streams whether it has tasks/sendSubscribe */
async function startAgent(streams: boolean): Promise<{ proxy: TestProxy; sent: string[] }> {
  const sent: string[] = [];
  const url = await serve(async (request, response) => {
    if (request.method === "GET") return void response.end(JSON.stringify(CARD));
    const asked = Asked.parse(await json(request));
    if (!asked.method.startsWith("tasks/get") && !asked.method.includes("ush")) sent.push(asked.method);
    if (asked.method === "tasks/sendSubscribe" && streams) return stream(asked);
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ jsonrpc: "2.0", id: asked.id, ...unary(asked) }));

    function stream({ id, params }: Asked): void {
      response.setHeader("content-type", "text/event-stream");
      for (const event of EVENTS) {
        response.write(
          `data: ${JSON.stringify({ jsonrpc: "2.0", id, result: { id: params.id, ...event } })}\n\n`,
        );
      }
      response.end();
    }
  });
  const proxy = await startTestProxy({ old: { adapter: "auto", url } });
  stops.push(() => proxy.stop());
  return { proxy, sent };
}

function unary({ method, params }: Asked): object {
  if (method === "tasks/get") return { error: { code: -32001, message: "no such task" } };
  if (method !== "tasks/send") return { error: { code: -32601, message: "Method not found" } };
  return { result: { id: params.id, ...TASK } };
}

test("stream that first message in the sibling dialect, too, once it was refused as 0.3", async () => {
  const { proxy, sent } = await startAgent(true);
  const url = proxy.agent("old");
  for (let turn = 0; turn < 2; turn++) {
    const events = await streamResults(url, "message/stream", userMessage("go"));
    expect([...expectValidStream(events).values()]).toEqual(["one, two."]);
  }
  expect(sent).toEqual(["message/stream", "tasks/sendSubscribe", "tasks/sendSubscribe"]);
});

test("are sent the message if the sibling's stream is refused as well", async () => {
  const { proxy, sent } = await startAgent(false);
  const events = await streamResults(proxy.agent("old"), "message/stream", userMessage("go"));
  expect([...expectValidStream(events).values()]).toEqual(["one"]);
  const { result } = await rpc(proxy.agent("old"), "message/send", userMessage("go"));
  expect(result).toMatchObject({ status: { state: "completed" } });
  expect(sent).toEqual(["message/stream", "tasks/sendSubscribe", "message/send", "tasks/send", "tasks/send"]);
});
