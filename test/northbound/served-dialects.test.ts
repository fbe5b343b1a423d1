/** Which dialects an agent's clients may speak, and at which host one of them is alone. */
import { request } from "node:http";
import { once } from "node:events";
import { json } from "node:stream/consumers";
import { status } from "@grpc/grpc-js";
import { afterAll, describe, expect, test } from "@jest/globals";
import { z } from "zod";
import { SERVER_WITH_GRPC, startTestProxy } from "../support/proxy.ts";
import { GrpcClient } from "./grpc-harness.ts";

/** Nobody listens there, so that an error shows which method got as far as the agent. */
const agent = (more: object = {}) => ({
  adapter: "a2a-0.3",
  url: "http://127.0.0.1:9/",
  card: { name: "Any", url: "http://vendor.example/" },
  ...more,
});

const proxy = await startTestProxy(
  {
    all: agent(),
    old: agent({ serve: ["a2a-0.3"] }),
    new: agent({ serve: ["a2a-1.0"], host: "new.example", hosts: { "strict.example": "a2a-1.0" } }),
  },
  { server: SERVER_WITH_GRPC, default: "old" },
);
afterAll(() => proxy.stop());

const CARD = "/.well-known/agent-card.json";
const OLD = { message: { role: "user", parts: [{ kind: "text", text: "hi" }] } };
const NEW = { message: { messageId: "m", role: "ROLE_USER", parts: [{ text: "hi" }] } };

interface Asked {
  readonly host?: string;
  readonly body?: object;
  readonly version?: string;
}

const Answer = z.looseObject({ error: z.looseObject({ message: z.string() }).optional() });

async function ask(path: string, { host = "proxy.test", body, version }: Asked = {}) {
  const headers = {
    Host: host,
    "Content-Type": "application/json",
    ...(version !== undefined && { "A2A-Version": version }),
  };
  const sent = request(proxy.url + path, { method: body ? "POST" : "GET", headers, agent: false });
  sent.end(body && JSON.stringify(body));
  const [response] = await once(sent, "response");
  return { status: response.statusCode, answer: Answer.parse(await json(response)) };
}

const call = (method: string, params: object) => ({ jsonrpc: "2.0", id: 1, method, params });
/** The call has got as far as the agent, which is not there. */
const REACHED = { error: { message: expect.stringContaining("refused the connection") } };

describe("an agent that is served in 0.3 alone", () => {
  test("has a card of 0.3 alone, whatever version is asked for", async () => {
    for (const version of ["", "1.0"]) {
      const { answer } = await ask(`/agents/old${CARD}`, { version });
      expect(answer).toMatchObject({ protocolVersion: "0.3.0", url: "http://proxy.test/agents/old/" });
      expect(answer).not.toHaveProperty("supportedInterfaces");
    }
  });

  test("is not there for clients of 1.0, who are told what it speaks", async () => {
    const path = "/agents/old/";
    const named = await ask(path, { body: call("SendMessage", NEW) });
    expect(named.answer.error).toEqual({
      code: -32601,
      message: "Method not found: SendMessage (this URL speaks A2A 0.3.0: message/send)",
    });
    const versioned = await ask(path, { body: call("SendMessage", NEW), version: "1.0" });
    expect(versioned.answer.error).toMatchObject({
      code: -32009,
      message: expect.stringContaining("a2a-0.3"),
    });
    const rest = await ask(`${path}message:send`, { body: NEW, version: "1.0" });
    expect([rest.status, rest.answer.error?.message]).toEqual([
      400,
      "A2A version 1.0 is not supported; spoken here: a2a-0.3",
    ]);
    for (const below of [`a2a-1.0${CARD}`, "a2a-1.0/tasks/1"]) {
      const { status: code, answer } = await ask(path + below);
      expect([code, answer.error?.message]).toEqual([
        404,
        "Nothing is served here: this agent speaks a2a-0.3",
      ]);
    }
    expect((await ask(path, { body: call("message/send", OLD) })).answer).toMatchObject(REACHED);
  });

  test("is called over gRPC by 0.3's service alone", async () => {
    using client = new GrpcClient(proxy.grpcPort ?? 0);
    const old = await client.call("GetTask", { name: "tasks/none" }, { "a2a-agent": "old" });
    expect(old.error?.code).toBe(status.NOT_FOUND);
    const other = await client.call("GetTask", { name: "tasks/none" }, { "a2a-agent": "new" });
    expect([other.error?.code, other.error?.details]).toEqual([
      status.UNIMPLEMENTED,
      "Nothing is served here: this agent speaks a2a-1.0",
    ]);
  });
});

describe("an agent that is served in 1.0 alone", () => {
  test("has a card of 1.0 alone, and speaks 1.0 at its usual URL without being asked to", async () => {
    const { answer } = await ask(`/agents/new${CARD}`);
    expect(answer).not.toHaveProperty("url");
    expect(answer["supportedInterfaces"]).toEqual([
      { url: "http://new.example/a2a-1.0/", protocolBinding: "JSONRPC", protocolVersion: "1.0" },
      { url: "http://new.example/a2a-1.0", protocolBinding: "HTTP+JSON", protocolVersion: "1.0" },
    ]);
    expect((await ask("/agents/new/", { body: call("SendMessage", NEW) })).answer).toMatchObject(REACHED);
    expect((await ask("/agents/new/message:send", { body: NEW })).answer).toMatchObject(REACHED);
  });

  test("does not know 0.3", async () => {
    const named = await ask("/agents/new/", { body: call("message/send", OLD) });
    expect(named.answer.error).toMatchObject({
      code: -32601,
      message: expect.stringContaining("this URL speaks a2a-1.0: SendMessage"),
    });
    const versioned = await ask("/agents/new/", { body: call("message/send", OLD), version: "0.3" });
    expect(versioned.answer.error).toMatchObject({ code: -32009 });
    const rest = await ask("/agents/new/v1/message:send", { body: OLD });
    expect([rest.status, rest.answer.error?.message]).toEqual([
      404,
      "Nothing is served here: this URL speaks a2a-1.0",
    ]);
  });
});

describe("a host that speaks 1.0 alone", () => {
  const host = "strict.example";

  test.each([CARD, "/.well-known/agent.json"])(
    "has a card that names it and nothing else, at %s",
    async (path) => {
      const { answer } = await ask(path, { host });
      expect(answer["supportedInterfaces"]).toEqual([
        { url: "http://strict.example/", protocolBinding: "JSONRPC", protocolVersion: "1.0" },
        { url: "http://strict.example", protocolBinding: "HTTP+JSON", protocolVersion: "1.0" },
      ]);
      expect(answer).not.toHaveProperty("url");
    },
  );

  test("serves 1.0 at its root, over both transports", async () => {
    expect((await ask("/", { host, body: call("SendMessage", NEW) })).answer).toMatchObject(REACHED);
    expect((await ask("/message:send", { host, body: NEW })).answer).toMatchObject(REACHED);
    expect((await ask("/", { host, body: call("message/send", OLD) })).answer).toMatchObject({
      error: { code: -32601 },
    });
  });
});

test.each([
  [{ serve: ["a2a-1.1"] }, "agents.a.serve[0]", "did you mean `a2a-"],
  [{ serve: ["auto"] }, "agents.a.serve[0]", "clients are served in"],
  [{ hosts: { "a.example": "a2a-0.3" } }, 'agents.a.hosts["a.example"]', "no dialect that a host can have"],
  [
    { serve: ["a2a-0.3"], hosts: { "a.example": "a2a-1.0" } },
    'agents.a.hosts["a.example"]',
    "a host can have",
  ],
  [
    { host: "a.example", hosts: { "a.example": "a2a-1.0" } },
    'agents.a.hosts["a.example"]',
    "is also the host",
  ],
  [{ hosts: { "A.example": "a2a-1.0" } }, "agents.a.hosts", "lower case"],
])("%j is a fault of the configuration", async (more, path, message) => {
  await expect(startTestProxy({ a: agent(more) })).rejects.toMatchObject({
    faults: [{ path: expect.stringContaining(path), message: expect.stringContaining(message) }],
  });
});
