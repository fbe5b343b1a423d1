/** Servers of a2a-go 2.3.1 that serve 0.3 over HTTP+JSON (`a2av0.NewRESTHandler`), by their recorded answers. */
import { afterEach, describe, expect, test } from "@jest/globals";
import { rpc, rpcStream, streamResults, userMessage } from "../../support/client.ts";
import { startTestProxy } from "../../support/proxy.ts";
import { startRoutedVendor, type Routes } from "../../support/routed-vendor.ts";

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

const TASK =
  '{"artifacts":[{"artifact_id":"01a200f0-19ba-7dba-8341-30a55b65e70e","parts":[{"kind":"text","text":"北京 "},{"kind":"text","text":"you said: hello"}]}],"context_id":"01a200f0-19ba-7d63-94f9-ba843e5945c0","history":[{"kind":"message","message_id":"m1","parts":[{"kind":"text","text":"hello"},{"file":{"bytes":"gIGCAAEC/w==","mime_type":"a/b","name":"x.bin"},"kind":"file","metadata":{"a_b":1}},{"data":{"k_v":1},"kind":"data"}],"role":"user"}],"id":"01a200f0-19ba-7bd8-9875-26578301b280","kind":"task","status":{"state":"completed","timestamp":"2026-11-22T01:47:45.005162118Z"}}';
const STREAM = `id: 7b8129e2-74ae-4b57-b158-e946afe1f9ad
data: {"context_id":"01a200f0-19f9-7dcc-bbb3-fda70d439750","history":[{"kind":"message","message_id":"m1","parts":[{"kind":"text","text":"hello"}],"role":"user"}],"id":"01a200f0-19f9-7b96-b4f3-f9c124bed22d","kind":"task","status":{"state":"submitted"}}

id: a21a8c28-e08a-4fee-9e1c-b8a8dcbe723f
data: {"context_id":"01a200f0-19f9-7dcc-bbb3-fda70d439750","final":false,"kind":"status-update","status":{"state":"working","timestamp":"2026-11-22T01:47:45.017928728Z"},"task_id":"01a200f0-19f9-7b96-b4f3-f9c124bed22d"}

id: f17941da-4894-4c87-afa7-9651e1be1b60
data: {"artifact":{"artifact_id":"01a200f0-19f9-7e30-8e34-ce130d0146f4","parts":[{"kind":"text","text":"北京 "}]},"context_id":"01a200f0-19f9-7dcc-bbb3-fda70d439750","kind":"artifact-update","task_id":"01a200f0-19f9-7b96-b4f3-f9c124bed22d"}

id: 0d3a64ea-60fe-4974-a22c-6a85c1b8b754
data: {"append":true,"artifact":{"artifact_id":"01a200f0-19f9-7e30-8e34-ce130d0146f4","parts":[{"kind":"text","text":"you said: hello"}]},"context_id":"01a200f0-19f9-7dcc-bbb3-fda70d439750","kind":"artifact-update","task_id":"01a200f0-19f9-7b96-b4f3-f9c124bed22d"}

id: d3f12fa5-b777-43d7-81f9-d700a0cab84f
data: {"context_id":"01a200f0-19f9-7dcc-bbb3-fda70d439750","final":true,"kind":"status-update","status":{"state":"completed","timestamp":"2026-11-22T01:47:45.068348035Z"},"task_id":"01a200f0-19f9-7b96-b4f3-f9c124bed22d"}

`;
const NO_ACTIVE_TASK = `id: d39093a4-e4f7-4a99-95c0-f2ff321f0875
data: {"error":{"code":404,"status":"NOT_FOUND","message":"task not found: no active execution","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","domain":"a2a-protocol.org","metadata":{"timestamp":"2026-11-22T01:47:45Z"},"reason":"TASK_NOT_FOUND"}]}}

`;
const problem = (status: number, body: string) => ({
  status,
  headers: { "content-type": "application/problem+json" },
  body,
});
const NO_PARTS =
  '{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"message parts is required: invalid params","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","domain":"a2a-protocol.org","metadata":{"timestamp":"2026-11-22T01:47:44Z"},"reason":"INVALID_PARAMS"}]}}';
const NO_TASK =
  '{"error":{"code":404,"status":"NOT_FOUND","message":"failed to get task: task not found","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","domain":"a2a-protocol.org","metadata":{"taskId":"nope","timestamp":"2026-11-22T01:47:45Z"},"reason":"TASK_NOT_FOUND"}]}}';
const SSE = { "content-type": "text/event-stream" };
const CARD =
  '{"protocolVersion":"0.3.0","name":"go","description":"","url":"http://127.0.0.1:18201","version":"1","preferredTransport":"HTTP+JSON","capabilities":{"streaming":true},"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],"skills":[]}';

async function fronted(routes: Routes, options: object = {}) {
  const noRoute = () => ({
    status: 404,
    headers: { "content-type": "text/plain; charset=utf-8" },
    body: "404 page not found\n",
  });
  const vendor = await startRoutedVendor(
    { "GET /.well-known/agent-card.json": () => ({ body: CARD }), ...routes },
    noRoute,
  );
  stops.push(() => vendor.stop());
  const proxy = await startTestProxy({ go: { adapter: "a2a-0.3", url: vendor.url, options } });
  stops.push(() => proxy.stop());
  const asked = (): string[] => vendor.asked().filter((route) => route.includes("message:"));
  return { url: proxy.agent("go"), vendor, asked };
}

const FILE = { bytes: "gIGCAAEC/w==", name: "x.bin", mimeType: "a/b" };

describe("routes without /v1", () => {
  const send = (body: unknown) => {
    const { parts = [] } = (body as { message: { parts?: unknown[] } }).message;
    return parts.length > 0 ? { body: TASK } : problem(400, NO_PARTS);
  };

  test("are found after a 404, once, and get the JSON of the schema", async () => {
    const { url, vendor, asked } = await fronted({ "POST /message:send": ({ body }) => send(body) });
    const parts = [
      { kind: "text", text: "hello" },
      { kind: "file", file: FILE, metadata: { a_b: 1 } },
      { kind: "data", data: { k_v: 1 } },
    ];
    const message = { kind: "message", messageId: "m1", role: "user", parts };
    for (let turn = 0; turn < 2; turn++) {
      const { result } = await rpc(url, "message/send", { message });
      expect(result).toMatchObject({
        status: { state: "completed" },
        artifacts: [{ parts: [{ kind: "text", text: "北京 you said: hello" }] }],
      });
    }
    expect(asked()).toEqual(["POST /v1/message:send", "POST /message:send", "POST /message:send"]);
    expect(vendor.requests.at(-1)?.body).toMatchObject({
      message: { role: "user", parts },
      configuration: { blocking: true },
    });
  });

  test("are not looked for where the configuration names them", async () => {
    const { url, asked } = await fronted(
      { "POST /message:send": ({ body }) => send(body) },
      { rest: "bare" },
    );
    await rpc(url, "message/send", userMessage("hello"));
    expect(asked()).toEqual(["POST /message:send"]);
  });

  test("stream", async () => {
    const { url } = await fronted({ "POST /message:stream": () => ({ headers: SSE, body: STREAM }) });
    expect(await streamResults(url, "message/stream", userMessage("hello"))).toMatchObject([
      { kind: "task", status: { state: "submitted" } },
      { kind: "status-update", status: { state: "working" } },
      { kind: "artifact-update", artifact: { parts: [{ text: "北京 " }] } },
      { kind: "artifact-update", append: true, artifact: { parts: [{ text: "you said: hello" }] } },
      { kind: "status-update", status: { state: "completed" }, final: true },
    ]);
  });

  test("are not believed in for an agent that merely fails", async () => {
    let isUp = false;
    const { url, asked } = await fronted({
      "POST /v1/message:send": () => (isUp ? { body: { task: JSON.parse(TASK) } } : { status: 404 }),
      "POST /message:send": () => ({ status: 502 }),
    });
    await rpc(url, "message/send", userMessage("hello"));
    isUp = true;
    expect((await rpc(url, "message/send", userMessage("hello"))).result).toMatchObject({ kind: "task" });
    expect(asked().at(-1)).toBe("POST /v1/message:send");
  });
});

describe("errors", () => {
  test("have the code that their reason names, and are kept whole", async () => {
    const { url } = await fronted({ "POST /message:send": () => problem(400, NO_PARTS) });
    expect((await rpc(url, "message/send", userMessage("hello"))).error).toMatchObject({
      code: -32602,
      message: "message parts is required: invalid params",
      data: { status: 400, vendor: JSON.parse(NO_PARTS) },
    });
  });

  test("in a stream end it", async () => {
    const { url } = await fronted({
      "POST /message:stream": () => ({ headers: SSE, body: NO_ACTIVE_TASK }),
    });
    const answers = await Array.fromAsync(rpcStream(url, "message/stream", userMessage("hello")));
    expect(answers).toMatchObject([
      { error: { code: -32001, message: "task not found: no active execution" } },
    ]);
  });

  test("of a task that is not known any more", async () => {
    const { url } = await fronted({ "POST /message:send": () => problem(404, NO_TASK) });
    expect((await rpc(url, "message/send", userMessage("hello"))).error).toMatchObject({
      code: -32001,
      message: "failed to get task: task not found",
    });
  });
});
