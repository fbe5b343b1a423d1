/** Servers of a2a-java 0.3.3 over HTTP+JSON, by their recorded refusals: their proto lacks members, and their reader is strict. */
import { afterEach, expect, test } from "@jest/globals";
import { rpc, streamResults } from "../../support/client.ts";
import { startTestProxy } from "../../support/proxy.ts";
import { startRoutedVendor } from "../../support/routed-vendor.ts";

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

const refusal = (field: string, type: string) => ({
  status: 422,
  body: `{"error": "io.a2a.spec.InvalidParamsError", "message": "Failed to parse request body: Cannot find field: ${field} in message a2a.v1.${type}"}`,
});
const TASK = { id: "t", contextId: "c", status: { state: "TASK_STATE_COMPLETED" } };

interface Sent {
  readonly message: { readonly content: readonly { metadata?: object; file?: { name?: string } }[] };
}

/** Refuses what a2a-java refuses, and takes what it takes. */
function answer(body: unknown, taken: object) {
  const { content } = (body as Sent).message;
  if (content.some(({ metadata }) => metadata)) return refusal("metadata", "Part");
  if (content.some(({ file }) => file?.name)) return refusal("name", "FilePart");
  return taken;
}

const PARTS = [
  { kind: "text", text: "parts", metadata: { tp: true } },
  { kind: "file", file: { uri: "https://files.example/a", name: "a b.txt", mimeType: "text/plain" } },
];
const message = { kind: "message", messageId: "m", role: "user", parts: PARTS };

async function fronted() {
  const vendor = await startRoutedVendor({
    "POST /v1/message:send": ({ body }) => answer(body, { body: { task: TASK } }),
    "POST /v1/message:stream": ({ body }) =>
      answer(body, {
        headers: { "content-type": "text/event-stream" },
        body: `data: ${JSON.stringify({ task: TASK })}\n\n`,
      }),
  });
  stops.push(() => vendor.stop());
  const options = { transport: "http+json" };
  const proxy = await startTestProxy({ java: { adapter: "a2a-0.3", url: vendor.url, options } });
  stops.push(() => proxy.stop());
  const posts = () => vendor.requests.filter(({ route }) => route.startsWith("POST"));
  return { url: proxy.agent("java"), posts };
}

const PLAIN = [
  { text: "parts" },
  { file: { fileWithUri: "https://files.example/a", mimeType: "text/plain" } },
];

test("what the agent refuses is left out, at once and from then on; the client keeps what it sent", async () => {
  const { url, posts } = await fronted();
  const { result } = await rpc(url, "message/send", { message });
  expect(result).toMatchObject({ status: { state: "completed" }, history: [{ parts: PARTS }] });
  expect(posts()).toHaveLength(3);
  expect(posts().at(-1)?.body).toMatchObject({ message: { content: PLAIN } });
  await rpc(url, "message/send", { message });
  expect(posts()).toHaveLength(4);
});

test("also before a stream", async () => {
  const { url, posts } = await fronted();
  const events = await streamResults(url, "message/stream", { message });
  expect(events).toMatchObject([{ kind: "task", history: [{ parts: PARTS }] }, { final: true }]);
  expect(posts()).toHaveLength(3);
});

test.each([refusal("parts", "Message"), { status: 500, body: refusal("metadata", "Part").body }])(
  "another refusal is the client's answer: %j",
  async (given) => {
    const vendor = await startRoutedVendor({ "POST /v1/message:send": () => given });
    stops.push(() => vendor.stop());
    const options = { transport: "http+json" };
    const proxy = await startTestProxy({ java: { adapter: "a2a-0.3", url: vendor.url, options } });
    stops.push(() => proxy.stop());
    expect((await rpc(proxy.agent("java"), "message/send", { message })).error).toMatchObject({
      code: -32602,
      data: { vendor: JSON.parse(given.body) },
    });
    expect(vendor.asked().filter((route) => route.startsWith("POST"))).toHaveLength(1);
  },
);
