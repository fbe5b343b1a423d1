import { Readable } from "node:stream";
import { afterEach, expect, test } from "@jest/globals";
import { pino } from "pino";
import type { AgentConfig } from "../../src/config/config.ts";
import { createSouthbound } from "../../src/southbound/create-southbound.ts";
import { JsonRpcClient } from "../../src/southbound/jsonrpc.ts";
import { createRedactor } from "../../src/southbound/redact.ts";
import { cleanUp, faultOf, SECRET, serve } from "./loopback.ts";

afterEach(cleanUp);

const configOf = (url: string): AgentConfig => ({
  name: "planner",
  adapter: "any",
  url,
  card: { urls: [`${url}/card`] },
  credentials: { type: "bearer", token: SECRET },
  options: {},
  timeouts: {
    connect: 5000,
    firstEvent: 5000,
    idle: 5000,
    request: 5000,
    total: 5000,
    blocking: 5000,
    nonBlocking: 5000,
    linger: 100,
    poll: 100,
    stalledClient: 5000,
  },
  limits: {
    requestBody: 1000,
    requestValues: 1_000,
    responseBody: 1000,
    event: 1000,
    task: 1000,
    history: 10,
    parts: 10,
    streams: 10,
    connections: 2,
    eventLog: 64 * 1024 * 1024,
    events: 100_000,
    window: 1000,
  },
  onDisconnect: "continue",
});

test("an agent's card, calls and streams go out with its credentials; what is skipped is logged under its name", async () => {
  const asked: string[] = [];
  const url = await serve((request, response) => {
    asked.push(`${request.url} ${request.headers.authorization}`);
    if (request.url === "/card") response.end('{"name":"Planner"}');
    else if (request.headers.accept?.startsWith("text/event-stream")) {
      response.end(`data: {"half":"${SECRET}\n\ndata: {"id":"?","result":2}\n\n`);
    } else response.end('{"id":"?","result":1}');
  });
  const lines: string[] = [];
  const log = pino({ base: null, timestamp: false }, { write: (line: string) => lines.push(line) });
  const southbound = createSouthbound(configOf(url), { log, redact: createRedactor([SECRET]) });
  const client = new JsonRpcClient({
    http: southbound.http,
    url: southbound.url,
    newId: () => southbound.newId(),
  });
  const { signal } = new AbortController();
  const call = { method: "m", params: {}, call: { signal } };

  expect(await southbound.fetchCard(signal)).toEqual({ name: "Planner" });
  expect(await client.call(call)).toBe(1);
  expect(await Readable.from(client.stream(call)).toArray()).toEqual([2]);
  expect(asked).toEqual(["/card", "/", "/"].map((path) => `${path} Bearer ${SECRET}`));
  expect(lines.map((line): unknown => JSON.parse(line))).toEqual([
    {
      level: 40,
      agent: "planner",
      excerpt: '{"half":"[redacted]',
      msg: "skipped a piece of the agent's stream that is not JSON",
    },
  ]);
  expect(southbound.newId()).not.toBe(southbound.newId());

  await southbound.close();
  expect(await faultOf(client.call(call))).toMatchObject({
    code: "shutting-down",
    data: { agent: "planner" },
  });
});
