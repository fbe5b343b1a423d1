/** A message/send that the agent answers with a stream. */
import { afterEach, describe, expect, test } from "@jest/globals";
import type { AgentEvent } from "../../../src/adapter.ts";
import { foldedReply } from "../../../adapters/a2a-0.3/fold.ts";
import { rpc, userMessage } from "../../support/client.ts";
import { startTestProxy } from "../../support/proxy.ts";
import { startScriptedVendor } from "../../support/scripted-vendor.ts";

const text = (words: string) => [{ kind: "text" as const, text: words }];
const ids = { taskId: "t", contextId: "c" };
const said = (words: string) => ({
  kind: "message" as const,
  role: "agent" as const,
  messageId: words,
  parts: text(words),
});
const task = (state: "working" | "completed"): AgentEvent => ({
  kind: "task",
  id: "t",
  contextId: "c",
  status: { state },
});
const chunk = (artifactId: string, words: string, append = false): AgentEvent => ({
  kind: "artifact-update",
  ...ids,
  artifact: { artifactId, parts: text(words) },
  append,
});
const status = (state: "working" | "completed", words?: string): AgentEvent => ({
  kind: "status-update",
  ...ids,
  status: { state, ...(words !== undefined && { message: said(words) }) },
});

describe("a folded stream", () => {
  test("is its Task with the artifacts and statuses that came after it", () => {
    expect(
      foldedReply([
        task("working"),
        chunk("a", "one "),
        chunk("b", "x"),
        status("working", "thinking"),
        chunk("a", "two", true),
        chunk("b", "y"),
        status("completed"),
      ]),
    ).toStrictEqual({
      kind: "task",
      id: "t",
      contextId: "c",
      status: { state: "completed" },
      artifacts: [
        { artifactId: "a", parts: [...text("one "), ...text("two")] },
        { artifactId: "b", parts: text("y") },
      ],
      history: [said("thinking")],
    });
  });

  test("begins with its last Task", () => {
    const events = [task("working"), chunk("a", "x"), task("completed")];
    expect(foldedReply(events)).toStrictEqual(task("completed"));
  });

  test("is a task where there are updates only, a Message where there is nothing else, or nothing", () => {
    expect(foldedReply([status("completed")])).toStrictEqual(task("completed"));
    expect(foldedReply([said("hello")])).toStrictEqual(said("hello"));
    expect(foldedReply([])).toBeUndefined();
  });
});

describe("through the proxy", () => {
  const stops: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0).toReversed()) await stop();
  });

  const card = {
    protocolVersion: "0.3.0",
    name: "Agent",
    description: "",
    url: "http://vendor.test",
    version: "1",
    capabilities: { streaming: false },
    defaultInputModes: [],
    defaultOutputModes: [],
    skills: [],
  };

  async function answered(body: string, contentType = "text/event-stream") {
    const vendor = await startScriptedVendor(card, [{ contentType, body }]);
    stops.push(() => vendor.stop());
    const proxy = await startTestProxy({ agent: { adapter: "a2a-0.3", url: vendor.url } });
    stops.push(() => proxy.stop());
    return await rpc(proxy.agent("agent"), "message/send", userMessage("hi"));
  }

  const frame = (envelope: object): string =>
    `data: ${JSON.stringify({ jsonrpc: "2.0", id: 1, ...envelope })}\n\n`;

  test("an agent's stream becomes one answer", async () => {
    const events = [task("working"), chunk("a", "one "), chunk("a", "two", true), status("completed")];
    const { result } = await answered(events.map((event) => frame({ result: event })).join(""));
    expect(result).toMatchObject({
      kind: "task",
      status: { state: "completed" },
      artifacts: [{ artifactId: "a", parts: text("one two") }],
    });
  });

  test("a stream of one event that has not been closed by a blank line is an answer too", async () => {
    const { result } = await answered(frame({ result: said("hello") }).trimEnd());
    expect(result).toMatchObject({ kind: "message", parts: text("hello") });
  });

  test("an error in the stream is the answer", async () => {
    const failure = frame({ error: { code: -32602, message: "no such city" } });
    const { error } = await answered(frame({ result: task("working") }) + failure);
    expect(error).toMatchObject({ code: -32602, message: "no such city" });
  });

  test("a stream of nothing is an invalid answer", async () => {
    const { error } = await answered(": nothing\n\n");
    expect(error?.code).toBe(-32006);
  });
});
