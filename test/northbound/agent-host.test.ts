/** An agent with a host of its own, for clients that drop the path of a base URL, as the Java SDK's card resolver does. */
import { request } from "node:http";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { startTestProxy, type TestProxy } from "../support/proxy.ts";

/** Nobody listens there, so that an error says which agent was called. */
const agent = (name: string, more: object = {}) => ({
  adapter: "a2a-0.3",
  url: "http://127.0.0.1:9/",
  card: { name },
  ...more,
});

let proxy: TestProxy;

beforeAll(async () => {
  const server = {
    host: "127.0.0.1",
    port: 0,
    publicUrl: "https://proxy.test:8443/base",
    shutdownGrace: "100ms",
  };
  const agents = { planner: agent("planner"), jester: agent("jester", { host: "Jester.Example" }) };
  proxy = await startTestProxy(agents, { server, default: "planner" });
});

afterAll(() => proxy.stop());

/** A request with this Host header, which fetch cannot send. */
async function ask(host: string, path: string, body?: object): Promise<{ status: number; answer: unknown }> {
  const headers = { Host: host, "Content-Type": "application/json" };
  const sent = request(proxy.url + path, { method: body ? "POST" : "GET", headers, agent: false });
  sent.end(body && JSON.stringify(body));
  const [response] = await once(sent, "response");
  return { status: response.statusCode, answer: JSON.parse(await text(response)) };
}

const CARD = "/.well-known/agent-card.json";
const MESSAGE = { role: "user", parts: [{ kind: "text", text: "hi" }] };
const SEND = { jsonrpc: "2.0", id: 1, method: "message/send", params: { message: MESSAGE } };
const REST = { message: { role: "ROLE_USER", content: [{ text: "hi" }] } };

describe("an agent with a host of its own", () => {
  test.each(["jester.example", "JESTER.example:8443"])("is served at the root of %s", async (host) => {
    expect((await ask(host, CARD)).answer).toMatchObject({
      name: "jester",
      url: "https://jester.example:8443/",
      additionalInterfaces: [
        { url: "https://jester.example:8443/", transport: "JSONRPC" },
        { url: "https://jester.example:8443", transport: "HTTP+JSON" },
      ],
    });
    expect((await ask(host, "/", SEND)).answer).toMatchObject({ error: { data: { agent: "jester" } } });
    for (const path of ["/v1/message:send", "/message:send"]) {
      expect(JSON.stringify((await ask(host, path, REST)).answer)).toContain('"agent":"jester"');
    }
  });

  test("is served below the proxy's own host too, with the same card, and listed with its own URL", async () => {
    expect((await ask("proxy.test", `/agents/jester${CARD}`)).answer).toMatchObject({
      name: "jester",
      url: "https://jester.example:8443/",
    });
    expect((await ask("proxy.test", "/agents")).answer).toMatchObject({
      agents: [
        { name: "planner", url: "https://proxy.test:8443/base/agents/planner/" },
        {
          name: "jester",
          url: "https://jester.example:8443/",
          cardUrl: `https://jester.example:8443${CARD}`,
        },
      ],
    });
  });

  test("leaves the other hosts' root to the default agent, and unknown hosts refused", async () => {
    expect((await ask("proxy.test", CARD)).answer).toMatchObject({ name: "planner" });
    expect((await ask("other.example", CARD)).status).toBe(403);
  });
});

test.each([
  [
    "the same host twice",
    { a: agent("a", { host: "x.example" }), b: agent("b", { host: "X.example" }) },
    "b",
  ],
  ["the proxy's own host", { a: agent("a", { host: "proxy.test" }) }, "a"],
  ["a host with a port", { a: agent("a", { host: "x.example:80" }) }, "a"],
])("%s is refused", async (_title, agents, at) => {
  await expect(startTestProxy(agents)).rejects.toMatchObject({
    faults: [{ path: expect.stringContaining(`agents.${at}.host`) }],
  });
});

test("a base URL without its slash is told so, where a client looks for the card", async () => {
  const { status, answer } = await ask("proxy.test", `/agents${CARD}`);
  expect(status).toBe(404);
  expect(answer).toMatchObject({
    error: { code: 404, message: expect.stringContaining("ends with a slash: /agents/NAME/") },
  });
});
