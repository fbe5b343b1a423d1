import { describe, expect, test } from "@jest/globals";
import type { AgentEvent, AgentTask } from "../../src/adapter.ts";
import { StreamNormalizer } from "../../src/gateway/task/normalizer.ts";
import { TaskState } from "../../src/gateway/task/state.ts";
import type { Message } from "../../src/protocol/model.ts";
import { countingMint } from "../support/mint.ts";

const user: Message = {
  kind: "message",
  messageId: "m1",
  role: "user",
  parts: [{ kind: "text", text: "hi" }],
};

describe("messages without an id", () => {
  const question = {
    kind: "message" as const,
    role: "agent" as const,
    parts: [{ kind: "text" as const, text: "?" }],
  };
  const asked: AgentEvent = { kind: "status-update", status: { state: "input-required", message: question } };
  const told: AgentTask = {
    kind: "task",
    status: { state: "input-required", message: question },
    history: [question],
  };

  test.each([
    ["the history", [asked, told]],
    ["the status", [told, asked]],
  ])("are one message when %s repeats them", (_where, events) => {
    const state = new TaskState("t", "c", { state: "submitted" });
    const normalizer = new StreamNormalizer(state, user, countingMint());
    for (const event of events) normalizer.push(event);
    normalizer.finish();
    state.setStatus({ state: "working" });
    expect(state.history.map(({ parts }) => parts)).toEqual([user.parts, question.parts]);
  });

  const status = { state: "working" as const, message: { ...user, messageId: "m2" } };
  test.each<[string, string, AgentEvent[]]>([
    ["in the history", "m1", []],
    ["of the status", "m2", [{ kind: "status-update", status }]],
  ])("are not lost where the one they repeat has the id of another, %s", (_where, messageId, before) => {
    const state = new TaskState("t", "c", { state: "submitted" });
    const normalizer = new StreamNormalizer(state, user, countingMint());
    for (const event of before) normalizer.push(event);
    const taken = { ...question, messageId };
    normalizer.push({ kind: "status-update", status: { state: "auth-required", message: taken } });
    normalizer.push({ kind: "status-update", status: { state: "working", message: question } });
    normalizer.conclude("failed", "cut off");
    expect(state.history.map(({ parts }) => parts)).toContainEqual(question.parts);
  });
});
