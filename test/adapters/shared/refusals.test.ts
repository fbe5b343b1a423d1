/** What a client is told of an agent that refuses the call below the protocol: its own code and words, whatever the dialect. */
import { afterEach, describe, expect, test } from "@jest/globals";
import { rpc, rpcStream, userMessage } from "../../support/client.ts";
import { startTestProxy } from "../../support/proxy.ts";
import { startRoutedVendor } from "../../support/routed-vendor.ts";

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

const CARD = {
  name: "Agent",
  description: "",
  url: "http://agent.test",
  version: "1",
  capabilities: { streaming: false },
  defaultInputModes: ["text"],
  defaultOutputModes: ["text"],
  skills: [],
};

interface Refusal {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** How message/send fails at an agent that answers whatever is sent with `refusal`. */
async function errorOf(agent: Record<string, unknown>, refusal: Refusal) {
  const vendor = await startRoutedVendor({}, () => refusal);
  stops.push(() => vendor.stop());
  const proxy = await startTestProxy({ one: { url: vendor.url, card: CARD, ...agent } });
  stops.push(() => proxy.stop());
  return (await rpc(proxy.agent("one"), "message/send", userMessage("hi"))).error;
}

const AGENTS = [
  ["a2a-0.3", { adapter: "a2a-0.3", options: { transport: "jsonrpc" } }],
  ["a2a-0.3 over HTTP+JSON", { adapter: "a2a-0.3", options: { transport: "http+json" } }],
  ["a2a-0.1", { adapter: "a2a-0.1" }],
  ["a2a-1.0", { adapter: "a2a-1.0", options: { transport: "jsonrpc" } }],
  ["a2a-1.0 over HTTP+JSON", { adapter: "a2a-1.0", options: { transport: "http+json" } }],
  ["a2a-snake", { adapter: "a2a-snake" }],
  ["appbuilder", { adapter: "appbuilder" }],
] as const;

const OAUTH = { error: "invalid_token", hint: "key revoked on 2026-11-01" };
const RPC_ERROR = { jsonrpc: "2.0", id: null, error: { code: -32001, message: "No such key" } };

describe.each(AGENTS)("%s: refused credentials are not the client's fault", (_name, agent) => {
  test.each([401, 403])("HTTP %i with a body like OAuth's", async (status) => {
    expect(await errorOf(agent, { status, body: OAUTH })).toMatchObject({
      code: -32006,
      message: expect.stringContaining(`HTTP ${status}`),
      data: { agent: "one", stage: "response", status, vendor: OAUTH },
    });
  });

  test("HTTP 401 in plain text", async () => {
    const headers = { "content-type": "text/plain" };
    expect(await errorOf(agent, { status: 401, headers, body: "Unauthorized: no key" })).toMatchObject({
      code: -32006,
      data: { status: 401, vendor: "Unauthorized: no key" },
    });
  });

  test("HTTP 403 with a JSON-RPC error, whose code and text are kept", async () => {
    const error = await errorOf(agent, { status: 403, body: RPC_ERROR });
    expect(error).toMatchObject({ code: -32006, data: { status: 403 } });
    expect(JSON.stringify(error)).toContain("No such key");
    expect(JSON.stringify(error?.data)).toContain("-32001");
  });
});

describe.each(AGENTS)("%s: when the agent wants to be asked again", (_name, agent) => {
  test.each([429, 503])("is kept from HTTP %i", async (status) => {
    const headers = { "retry-after": "17" };
    expect(await errorOf(agent, { status, headers, body: { message: "busy" } })).toMatchObject({
      data: { status, retryAfter: 17 },
    });
  });

  test("is kept as seconds where it is a date", async () => {
    const headers = { "retry-after": new Date(Date.now() + 60_000).toUTCString() };
    const error = await errorOf(agent, { status: 429, headers });
    const retryAfter = Number(error?.data?.["retryAfter"]);
    expect(retryAfter).toBeGreaterThan(0);
    expect(retryAfter).toBeLessThanOrEqual(60);
  });

  test("is not made up", async () => {
    const error = await errorOf(agent, { status: 429, headers: { "retry-after": "soon" } });
    expect(error?.data).not.toHaveProperty("retryAfter");
    const odd = await errorOf(agent, { status: 400, headers: { "retry-after": "17" } });
    expect(odd?.data).not.toHaveProperty("retryAfter");
  });
});

describe("an error that is none of JSON-RPC's gets no code of JSON-RPC", () => {
  test.each([
    ["a text", { error: "quota used up" }],
    ["no code", { error: { message: "quota used up", type: "quota" } }],
    ["a code that is a word", { error: { code: "QUOTA", message: "quota used up" } }],
  ])("%s", async (_what, body) => {
    expect(await errorOf({ adapter: "a2a-0.3" }, { status: 200, body })).toEqual({
      code: -32006,
      message: "The agent answered message/send with an error: quota used up",
      data: { agent: "one", stage: "response", status: 200, vendor: body },
    });
  });

  test("also in a stream", async () => {
    const body = 'data: {"error":"quota used up"}\n\n';
    const headers = { "content-type": "text/event-stream" };
    const vendor = await startRoutedVendor({}, () => ({ headers, body }));
    stops.push(() => vendor.stop());
    const proxy = await startTestProxy({ one: { adapter: "a2a-0.3", url: vendor.url } });
    stops.push(() => proxy.stop());
    const answers = await Array.fromAsync(rpcStream(proxy.agent("one"), "message/stream", userMessage("hi")));
    expect(answers).toMatchObject([
      { error: { code: -32006, data: { vendor: { error: "quota used up" } } } },
    ]);
  });
});
