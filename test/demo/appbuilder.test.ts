import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { z } from "zod";
import { createAppBuilderDemo } from "../../src/demo/appbuilder.ts";
import { type Handler, type RunningVendors, startVendorServer } from "../../src/demo/server.ts";

let vendors: RunningVendors;
/** Resolves when the vendor is done with the request that came last. */
let lastCall: void | Promise<void>;

function create(options: { baseUrl: string }): Handler {
  const handler = createAppBuilderDemo(options);
  return (request, response) => (lastCall = handler(request, response));
}

beforeAll(async () => {
  vendors = await startVendorServer(0, [{ prefix: "/app", create }]);
});
afterAll(() => vendors.stop());

const Result = z.looseObject({
  kind: z.string(),
  taskId: z.string(),
  contextId: z.string(),
  append: z.boolean().optional(),
  status: z.looseObject({ state: z.string(), timestamp: z.string() }).optional(),
  artifact: z
    .looseObject({
      name: z.string(),
      parts: z.array(z.looseObject({ text: z.string() })),
      metadata: z.looseObject({ type: z.string(), event: z.looseObject({ status: z.string() }) }),
    })
    .optional(),
});
const Envelope = z.looseObject({ id: z.string(), result: Result });
type Result = z.infer<typeof Result>;

const post = (body: string, init: RequestInit = {}) =>
  fetch(`${vendors.url}/app/`, { method: "POST", body, ...init });

const question = (text: string, more: object = {}) =>
  JSON.stringify({
    jsonrpc: "2.0",
    id: 7,
    method: "message/stream",
    params: { message: { kind: "message", role: "user", parts: [{ kind: "text", text }], ...more } },
  });

/** The events of a whole stream, each of which begins with `data:` and has neither blank nor prefixed lines. */
function eventsOf(body: string) {
  expect(body).not.toContain("\n\n");
  const events = body.split(/^data: /m).slice(1);
  return events.flatMap((event) => (event === "[DONE]\n" ? [] : [Envelope.parse(JSON.parse(event))]));
}

const ask = async (text: string, more?: object): Promise<Result[]> =>
  eventsOf(await (await post(question(text, more))).text()).map(({ result }) => result);

const answerIn = (results: Result[]): string =>
  results
    .filter(({ artifact }) => artifact?.name === "/chat/summary")
    .flatMap(({ artifact }) => artifact?.parts.map((part) => part.text) ?? [])
    .join("");

const first = (results: Result[]): Result => {
  const [result] = results;
  if (!result) throw new Error("nothing came");
  return result;
};

describe("the AppBuilder demo vendor", () => {
  test("has its card at agent.json, with a placeholder for its url", async () => {
    const card = await (await fetch(`${vendors.url}/app/.well-known/agent.json`)).json();
    expect(card).toMatchObject({
      protocolVersion: "0.2.6",
      url: "http://demo.com",
      security: [{ apiKeyAuth: [] }],
    });
  });

  test("answers in deltas, and adds one after the terminal status", async () => {
    const results = await ask("weather, please");
    expect(answerIn(results)).toBe(
      "北京 (Beijing) is sunny today, 26 °C, with a light wind from the north. Have a nice day!",
    );
    expect(results.at(-1)?.kind).toBe("artifact-update");
    const terminal = results.at(-2)?.status;
    expect(terminal?.state).toBe("completed");
    expect(terminal?.timestamp).toMatch(/\.\d{9}\+08:00$/);
    expect(results.at(-2)).not.toHaveProperty("final");
  });

  test("begins with an empty artifact that is to be appended, under a JSON-RPC id of its own", async () => {
    const events = eventsOf(await (await post(question("weather"))).text());
    expect(events[0]?.result).toMatchObject({ append: true, artifact: { name: "/thought/plan", parts: [] } });
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
  });

  test("shows a plan, a sub-agent, the answer and references", async () => {
    const results = await ask("weather");
    const types = results.map(({ artifact }) => artifact && `${artifact.name} ${artifact.metadata.type}`);
    expect(new Set(types)).toEqual(
      new Set([
        "/thought/plan text",
        "/thought/plan plan",
        "/chat/chat_agent text",
        "/chat/summary text",
        "/chat/summary references",
        undefined,
      ]),
    );
  });

  test("counts the turns of a context", async () => {
    const { contextId, taskId } = first(await ask("weather"));
    const second = await ask("and tomorrow?", { contextId });
    expect(first(second).contextId).toBe(contextId);
    expect(first(second).taskId).not.toBe(taskId);
    expect(answerIn(second)).toContain("This is turn 2 of our conversation.");
  });

  test("asks back and ends without a status, then remembers what was said", async () => {
    const asked = await ask("please ask me");
    expect(asked.some(({ kind }) => kind === "status-update")).toBe(false);
    expect(asked.at(-1)?.artifact?.metadata.event.status).toBe("interrupt");
    const { taskId, contextId } = first(asked);
    const resumed = await ask("Beijing, and ask no more", { taskId, contextId });
    expect(first(resumed).taskId).toBe(taskId);
    expect(answerIn(resumed)).toContain('You first said "please ask me", then "Beijing, and ask no more".');
    expect(resumed.at(-2)?.status?.state).toBe("completed");
  });

  test("fails after an event in error", async () => {
    const results = await ask("fail, please");
    expect(results.at(-2)?.artifact?.metadata.event).toMatchObject({
      status: "error",
      error_message: "The weather service is down.",
    });
    expect(results.at(-1)?.status?.state).toBe("failed");
  });

  test("stops a slow answer when its client has left, and goes on serving others", async () => {
    const gone = new AbortController();
    const response = await post(question("slow"), { signal: gone.signal });
    const reader = response.body?.getReader();
    await reader?.read();
    gone.abort();
    await expect(reader?.read()).rejects.toMatchObject({ name: "AbortError" });
    // Its work would take longer than this test may.
    await lastCall;
    expect((await ask("weather")).at(-2)?.status?.state).toBe("completed");
  });

  test("refuses another method, another path and what is not JSON, each in its own way", async () => {
    const send = await post(question("x").replace("message/stream", "message/send"));
    expect([send.status, await send.json()]).toMatchObject([400, { error: { code: -32_601 } }]);
    const lost = await fetch(`${vendors.url}/app/nowhere`);
    expect([lost.status, await lost.json()]).toEqual([
      404,
      { code: "NotFoundResource", message: "A2AServerNotPublishedYet", request_id: expect.any(String) },
    ]);
    const broken = await post("{");
    expect(broken.status).toBe(400);
    await expect(broken.json()).rejects.toMatchObject({ name: "SyntaxError" });
  });
});
