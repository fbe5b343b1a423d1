/** An agent that opens a conversation for each message that names none, and does not say which: AgentScope Runtime. */
import { afterEach, describe, expect, test } from "@jest/globals";
import { pino } from "pino";
import { z } from "zod";
import { Task } from "../../src/protocol/model.ts";
import { rpc, userMessage } from "../support/client.ts";
import { startTestProxy, type TestProxy } from "../support/proxy.ts";
import { type RoutedVendor, startRoutedVendor } from "../support/routed-vendor.ts";

const Sent = z.object({
  id: z.unknown(),
  params: z.object({ message: z.looseObject({ contextId: z.string().optional() }) }),
});
const Reply = z.looseObject({ kind: z.literal("message"), contextId: z.string() });

let vendor: RoutedVendor;
let proxy: TestProxy;
let warnings: string[];

/** Its answer to message/send, which has no `contextId`. */
const REPLY = {
  kind: "message",
  messageId: "msg_5b2c1f0e",
  parts: [{ kind: "text", text: "hello" }],
  role: "agent",
};

async function start(agent: Record<string, unknown>, result: object = REPLY): Promise<void> {
  vendor = await startRoutedVendor({
    "POST /": ({ body }) => ({ body: { jsonrpc: "2.0", id: Sent.parse(body).id, result } }),
  });
  warnings = [];
  const log = pino({ level: "warn" }, { write: (line: string) => void warnings.push(line) });
  proxy = await startTestProxy({ agent: { adapter: "a2a-0.3", url: vendor.url, ...agent } }, {}, { log });
}

afterEach(async () => {
  await proxy.stop();
  await vendor.stop();
});

/** Sends a message, in this context if any, and gives the context that the client is told. */
async function say(contextId?: string): Promise<string> {
  const { result } = await rpc(proxy.agent("agent"), "message/send", userMessage("hi", { contextId }));
  return Reply.parse(result).contextId;
}

/** The contexts that the agent was given, in order. */
const given = () =>
  vendor.requests
    .filter(({ route }) => route === "POST /")
    .map(({ body }) => Sent.parse(body).params.message.contextId);

describe("a conversation with an agent that does not name it", () => {
  test("is whole from its first message on, after the agent has once been seen not to name one", async () => {
    await start({});
    const first = await say();
    expect(await say(first)).toBe(first);
    expect(given()).toEqual([undefined, first]);
    expect(warnings.filter((line) => line.includes("does not name the conversations"))).toHaveLength(1);
    const second = await say();
    expect(await say(second)).toBe(second);
    expect(given().slice(2)).toEqual([second, second]);
    expect(second).not.toBe(first);
    expect(warnings).toHaveLength(1);
  });

  test("is whole from the start with contextIds: proxy", async () => {
    await start({ contextIds: "proxy" });
    const told = await say();
    expect(await say(told)).toBe(told);
    expect(given()).toEqual([told, told]);
  });

  test("is the agent's affair with contextIds: agent", async () => {
    await start({ contextIds: "agent" });
    await say();
    await say();
    expect(given()).toEqual([undefined, undefined]);
  });

  test("stays the same if the client names it", async () => {
    await start({});
    for (let turn = 0; turn < 3; turn++) expect(await say("mine")).toBe("mine");
    expect(given()[0]).toBeDefined();
    expect(new Set(given()).size).toBe(1);
  });
});

test("an agent that names its conversations goes on naming them", async () => {
  await start({}, { ...REPLY, contextId: "session-1" });
  expect([await say(), await say("session-1")]).toEqual(["session-1", "session-1"]);
  expect(given()).toEqual([undefined, "session-1"]);
});

describe("an agent's time without a zone, as Java's LocalDateTime writes it", () => {
  const completedAt = (timestamp: string) => ({
    kind: "task",
    id: "t-1",
    contextId: "c-1",
    status: { state: "completed", timestamp },
  });
  const received = async (): Promise<number> => {
    const { result } = await rpc(proxy.agent("agent"), "message/send", userMessage("hi"));
    return Date.parse(Task.parse(result).status.timestamp ?? "");
  };

  test("is in the agent's zone, if the configuration names it", async () => {
    await start({ timeZone: "Asia/Shanghai" }, completedAt("2026-11-22T08:50:41.595"));
    expect(new Date(await received()).toISOString()).toBe("2026-11-22T00:50:41.595Z");
  });

  test("is not in the future, if it does not", async () => {
    const ahead = new Date(Date.now() + 8 * 3_600_000).toISOString().replace("Z", "");
    await start({}, completedAt(ahead));
    expect(await received()).toBeLessThanOrEqual(Date.now());
  });
});
