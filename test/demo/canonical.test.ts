import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { z } from "zod";
import { createCanonicalDemo } from "../../src/demo/canonical.ts";
import { startVendorServer, type RunningVendors } from "../../src/demo/server.ts";
import { expectValidStream } from "../support/invariants.ts";
import { post, rpc, rpcStream, streamResults, userMessage } from "../support/client.ts";
import { startTestProxy, type TestProxy } from "../support/proxy.ts";

let vendors: RunningVendors;
let proxy: TestProxy;
let vendor: string;
let agent: string;

beforeAll(async () => {
  vendors = await startVendorServer(0, [{ prefix: "/canonical", create: createCanonicalDemo }]);
  vendor = `${vendors.url}/canonical/`;
  proxy = await startTestProxy({ demo: { adapter: "a2a-0.3", url: `${vendors.url}/canonical` } });
  agent = proxy.agent("demo");
});
afterAll(async () => {
  await proxy.stop();
  await vendors.stop();
});

const Task = z.looseObject({
  id: z.string(),
  contextId: z.string(),
  status: z.looseObject({ state: z.string() }),
  history: z.array(z.unknown()).optional(),
});
const textOf = (value: unknown): string => JSON.stringify(value);
const PLAN =
  "Day 1: the Forbidden City, Tiananmen and Wangfujing. Day 2: the Great Wall at Badaling and the Summer Palace. Day 3: Nanluoguxiang and Houhai.";

describe("the demo vendor itself is wrong on purpose", () => {
  test("its card is at agent.json alone and names an address that leads nowhere", async () => {
    const card = await fetch(`${vendor}.well-known/agent.json`);
    expect(await card.json()).toMatchObject({ protocolVersion: "0.3.0", url: "http://0.0.0.0:9999" });
    expect((await fetch(`${vendor}.well-known/agent-card.json`)).status).toBe(404);
  });

  test("message/send answers a wrapped Task without kind under another id", async () => {
    const answer = await rpc(vendor, "message/send", userMessage("three days in Beijing"));
    expect(answer).toMatchObject({
      id: "1",
      result: {
        task: { status: { state: "completed" }, artifacts: [{ parts: [{ type: "text", text: PLAN }] }] },
      },
    });
  });

  test("message/stream has comments and event names, the Task last, no final and [DONE]", async () => {
    const response = await post(vendor, { id: 7, method: "message/stream", params: userMessage("plan") });
    const body = await response.text();
    expect(body).toMatch(/^: connected\n\nevent: status\n/);
    expect(body).toContain('"append":true');
    expect(body).not.toContain('"final":true');
    expect(body.split("\n\n").at(-3)).toMatch(/^event: task\n/);
    expect(body).toMatch(/data: \[DONE\]\n\n$/);
  });

  test.each([
    ["tasks/get", { id: "none" }, -32001],
    ["tasks/send", {}, -32601],
    ["message/send", {}, -32602],
  ])("%s of %j is refused with %d", async (method, params, code) => {
    expect(await rpc(vendor, method, params)).toMatchObject({ id: "1", error: { code } });
  });

  test("text that is no JSON, and JSON that is no request, are told apart", async () => {
    const garbled = await fetch(vendor, { method: "POST", body: "{" });
    expect(await garbled.json()).toMatchObject({ error: { code: -32700 } });
    expect(await (await post(vendor, { id: 1 })).json()).toMatchObject({ error: { code: -32600 } });
  });
});

describe("through the proxy it is right", () => {
  test("a stream keeps every promise and carries the whole plan", async () => {
    const events = await streamResults(agent, "message/stream", userMessage("three days in Beijing"));
    expect([...expectValidStream(events).values()]).toEqual([PLAN]);
    expect(events.length).toBeGreaterThan(4);
  });

  test("message/send answers the completed Task, which tasks/get finds", async () => {
    const { result } = await rpc(agent, "message/send", userMessage("three days in Beijing"));
    expect(result).toMatchObject({ kind: "task", status: { state: "completed" } });
    const { id } = Task.parse(result);
    expect((await rpc(agent, "tasks/get", { id })).result).toEqual(result);
  });

  test("it asks back, and the answer in the same task remembers what was said", async () => {
    const asked = Task.parse((await rpc(agent, "message/send", userMessage("ask me"))).result);
    expect(asked.status.state).toBe("input-required");
    const more = { taskId: asked.id, contextId: asked.contextId };
    const done = Task.parse((await rpc(agent, "message/send", userMessage("Rome, two days", more))).result);
    expect(done).toMatchObject({ id: asked.id, status: { state: "completed" } });
    expect(textOf(done)).toContain('Planned from \\"ask me\\" and \\"Rome, two days\\"');
  });

  test("a second turn of the same context is counted", async () => {
    const { contextId, id } = Task.parse((await rpc(agent, "message/send", userMessage("plan"))).result);
    const second = Task.parse((await rpc(agent, "message/send", userMessage("again", { contextId }))).result);
    expect(second.id).not.toBe(id);
    expect(textOf(second)).toContain("This is turn 2 of our conversation.");
  });

  test("a failure says why", async () => {
    const { result } = await rpc(agent, "message/send", userMessage("please fail"));
    expect(result).toMatchObject({
      status: { state: "failed", message: { parts: [{ text: "There is no such place." }] } },
    });
  });

  test("a slow task goes on without its client, is joined again, and can be canceled", async () => {
    const client = new AbortController();
    let id = "";
    for await (const { result } of rpcStream(agent, "message/stream", userMessage("slow"), client.signal)) {
      id = Task.parse(result).id;
      break;
    }
    client.abort();
    const rejoined: unknown[] = [];
    for await (const { result } of rpcStream(agent, "tasks/resubscribe", { id })) {
      rejoined.push(result);
      if (rejoined.length === 3) {
        const canceled = await rpc(agent, "tasks/cancel", { id });
        expect(canceled.result).toMatchObject({ id, status: { state: "canceled" } });
      }
    }
    expect(rejoined[0]).toMatchObject({ kind: "task", id });
    expect(rejoined.at(-1)).toMatchObject({ status: { state: "canceled" }, final: true });
    expect(await rpc(vendor, "tasks/get", { id })).toMatchObject({
      result: { status: { state: "canceled" } },
    });
  });
});

test("auto takes it for a2a-0.3", async () => {
  const url = `${vendors.url}/canonical`;
  const auto = await startTestProxy({ demo: { adapter: "auto", url } });
  const { result } = await rpc(auto.agent("demo"), "message/send", userMessage("plan"));
  expect(result).toMatchObject({ kind: "task", status: { state: "completed" } });
  await auto.stop();
});
