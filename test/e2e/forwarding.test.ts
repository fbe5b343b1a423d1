/** What of a client's request reaches the vendor through the running proxy: what `forward` names, and nothing else. */
import { once } from "node:events";
import { createServer, request as httpRequest, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { pino } from "pino";
import { newApiKey } from "../../src/auth/api-key.ts";
import { CARD } from "../auth/support.ts";
import { GrpcClient } from "../northbound/grpc-harness.ts";
import { userMessage } from "../support/client.ts";
import { startTestProxy, type TestProxy } from "../support/proxy.ts";
import { protoSendRequest } from "../support/transports/proto-json.ts";

const { key, hash } = newApiKey();
const TOKEN = "Bearer the-token-of-the-caller";

let answer: "reply" | "redirect" | "echo" = "reply";
/** Headers of calls, and of requests for the card. */
const asked: IncomingHttpHeaders[] = [];
const cards: IncomingHttpHeaders[] = [];
const elsewhere: string[] = [];
const lines: string[] = [];

const origin = createServer((request, response) => {
  elsewhere.push(request.url ?? "");
  response.end("{}");
});
const vendor = createServer((request, response) => {
  void (async () => {
    const body = await text(request);
    const { method: rpc = "card", id = 0 } = body === "" ? {} : JSON.parse(body);
    (rpc === "card" ? cards : asked).push(request.headers);
    const elsewhereUrl = urlOf(origin);
    if (rpc === "card") {
      const additionalInterfaces = [{ url: elsewhereUrl, transport: "JSONRPC" }];
      response.end(JSON.stringify({ ...CARD, url: elsewhereUrl, additionalInterfaces }));
    } else if (answer === "redirect") {
      response.writeHead(307, { location: `${elsewhereUrl}/taken` }).end();
    } else if (answer === "echo") {
      response.writeHead(500).end(JSON.stringify({ seen: request.headers.authorization }));
    } else {
      const parts = [{ kind: "text", text: "hello" }];
      const result = { kind: "message", messageId: "m", role: "agent", parts };
      const json = JSON.stringify({ jsonrpc: "2.0", id, result });
      const isStream = rpc === "message/stream";
      response.setHeader("content-type", isStream ? "text/event-stream" : "application/json");
      response.end(isStream ? `data: ${json}\n\n` : json);
    }
  })();
});

function urlOf(server: ReturnType<typeof createServer>): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

let proxy: TestProxy;

beforeAll(async () => {
  for (const server of [origin, vendor]) {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
  }
  proxy = await startTestProxy(
    {
      agent: {
        adapter: "a2a-0.3",
        url: urlOf(vendor),
        headers: { "X-Tenant": "blue" },
        forward: { authorization: true, headers: ["X-User-Id"] },
      },
      closed: { adapter: "a2a-0.3", url: urlOf(vendor) },
    },
    {
      default: "agent",
      server: { host: "127.0.0.1", port: 0, publicUrl: "http://proxy.test", grpc: { port: 0 } },
      auth: { apiKeys: { keys: { caller: { hash } } } },
    },
    { log: pino({ level: "trace" }, { write: (line: string) => lines.push(line) }) },
  );
});
afterAll(async () => {
  await proxy.stop();
  for (const server of [origin, vendor]) {
    server.closeAllConnections();
    server.close();
  }
});
afterEach(() => {
  asked.splice(0);
  answer = "reply";
});

/** What a client shows, of which the agent is given the first two. */
const SHOWN = {
  authorization: TOKEN,
  "x-user-id": "u-4711",
  "x-api-key": key,
  "x-user-name": "not-listed",
  "x-tenant": "red",
  cookie: "session=of-the-caller",
  "proxy-authorization": "Basic b2YtdGhlLWNhbGxlcg==",
  "x-forwarded-for": "192.0.2.1",
  forwarded: "for=192.0.2.1",
};

const METHODS = ["message/send", "message/stream"] as const;
type Method = (typeof METHODS)[number];

async function overHttp(method: Method, agent = "agent"): Promise<string> {
  const headers = {
    ...SHOWN,
    "content-type": "application/json",
    te: "trailers",
    connection: "close, x-user-name",
  };
  const sent = httpRequest(proxy.agent(agent), { method: "POST", headers, agent: false });
  sent.end(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: userMessage("hi") }));
  const [response] = await once(sent, "response");
  return await text(response);
}

async function overGrpc(method: Method, agent = "agent"): Promise<string> {
  using client = new GrpcClient(proxy.grpcPort ?? 0);
  const metadata = { ...SHOWN, "a2a-agent": agent };
  const params = protoSendRequest({
    message: { kind: "message", messageId: "m", role: "user", parts: [{ kind: "text", text: "hi" }] },
  });
  if (method === "message/send") {
    const { error, message } = await client.call("SendMessage", params, metadata);
    return JSON.stringify(error ? [error.message, error.metadata.getMap()] : message);
  }
  const answers: unknown[] = [];
  for await (const event of client.open("SendStreamingMessage", params, metadata)) answers.push(event);
  return JSON.stringify(answers);
}

/** Of undici and of HTTP itself. */
const OWN = new Set(["host", "connection", "content-type", "content-length", "accept", "accept-encoding"]);
const given = (): Record<string, unknown> =>
  Object.fromEntries(Object.entries(asked.at(-1) ?? {}).filter(([name]) => !OWN.has(name)));

describe.each([
  ["HTTP", overHttp],
  ["gRPC", overGrpc],
])("over %s", (_, send) => {
  test.each(METHODS)("%s shows the agent what is named, and nothing else", async (method) => {
    expect(await send(method)).toContain("hello");
    expect(given()).toEqual({ authorization: TOKEN, "x-user-id": "u-4711", "x-tenant": "blue" });
  });

  test.each(METHODS)("%s shows another agent nothing", async (method) => {
    expect(await send(method, "closed")).toContain("hello");
    expect(given()).toEqual({});
  });

  test("a redirect is not followed to where it leads", async () => {
    answer = "redirect";
    expect(await send("message/send")).toContain("-32006");
    expect(asked).toHaveLength(1);
    expect(elsewhere).toEqual([]);
  });

  test("what an agent's error says of it does not come back", async () => {
    answer = "echo";
    const answered = await send("message/send");
    expect(answered).toMatch(/-3260\d|-32006/);
    expect(answered).not.toContain("the-token-of-the-caller");
  });
});

test("the card is asked for without any of it, and where it says the agent is nobody calls", async () => {
  await fetch(`${proxy.agent("agent")}.well-known/agent-card.json`, { headers: SHOWN });
  await overHttp("message/send");
  expect(cards.length).toBeGreaterThan(0);
  for (const headers of cards) {
    expect(headers).not.toHaveProperty("authorization");
    expect(headers).not.toHaveProperty("x-user-id");
  }
  expect(elsewhere).toEqual([]);
});

test("the log has none of it", () => {
  expect(lines.length).toBeGreaterThan(10);
  for (const secret of ["the-token-of-the-caller", "of-the-caller", key, "b2YtdGhlLWNhbGxlcg", "u-4711"]) {
    expect(lines.join("")).not.toContain(secret);
  }
});
