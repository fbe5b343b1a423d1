import { describe, expect, test } from "@jest/globals";
import { fromCanonicalParams, toCanonicalMessage } from "../../../adapters/a2a-0.3/message.ts";
import type { Message } from "../../../src/protocol/model.ts";

const hi = { kind: "text" as const, text: "hi" };

test("a message that is right is returned as the same object", () => {
  const message = {
    kind: "message",
    messageId: "m",
    role: "agent",
    parts: [hi],
    metadata: { a: 1 },
    extra: 2,
  };
  expect(toCanonicalMessage(message)).toBe(message);
});

test("a missing messageId stays missing: the gateway mints it", () => {
  expect(toCanonicalMessage({ kind: "message", role: "agent", parts: [hi] })).toEqual({
    kind: "message",
    role: "agent",
    parts: [hi],
  });
});

test.each([["context_id"], ["conversation_id"], ["conversationId"], ["session_id"], ["sessionId"]])(
  "%s is the contextId",
  (name) => {
    expect(toCanonicalMessage({ role: "agent", parts: [hi], [name]: "c" })).toEqual({
      kind: "message",
      role: "agent",
      parts: [hi],
      contextId: "c",
    });
  },
);

test("snake_case names, numeric ids and content are read; unknown fields and user data are not touched", () => {
  const raw = {
    message_id: 1,
    task_id: 2,
    reference_task_ids: ["t"],
    role: "agent",
    content: [{ type: "data", data: { task_id: 3, message_id: null } }],
    metadata: { context_id: null },
    parent_message_id: "p",
  };
  expect(toCanonicalMessage(raw)).toEqual({
    kind: "message",
    messageId: "1",
    taskId: "2",
    referenceTaskIds: ["t"],
    role: "agent",
    parts: [{ kind: "data", data: { task_id: 3, message_id: null } }],
    metadata: { context_id: null },
    parent_message_id: "p",
  });
});

describe("roles", () => {
  test.each([
    ["ROLE_USER", "user"],
    ["USER", "user"],
    ["human", "user"],
    ["ROLE_AGENT", "agent"],
    ["assistant", "agent"],
    [undefined, "agent"],
    [null, "agent"],
  ])("%s is %s", (role, canonical) => {
    expect(toCanonicalMessage({ role, parts: [hi] })).toEqual({
      kind: "message",
      role: canonical,
      parts: [hi],
    });
  });

  test("a role that 0.3.0 does not have is the agent's, and its word is kept", () => {
    expect(toCanonicalMessage({ role: "tool", parts: [hi], metadata: { a: 1 } })).toEqual({
      kind: "message",
      role: "agent",
      parts: [hi],
      metadata: { a: 1, "urn:a2a-compat-proxy:a2a-0.3": { role: "tool" } },
    });
  });
});

test("a string is a message of the agent; other values are none", () => {
  expect(toCanonicalMessage("hi")).toEqual({ kind: "message", role: "agent", parts: [hi] });
  expect(toCanonicalMessage(7)).toBeUndefined();
  expect(toCanonicalMessage(null)).toBeUndefined();
});

test("metadata that is no object is kept under value", () => {
  expect(toCanonicalMessage({ role: "agent", parts: [hi], metadata: "m" })).toEqual({
    kind: "message",
    role: "agent",
    parts: [hi],
    metadata: { value: "m" },
  });
});

describe("parameters", () => {
  const message: Message = { kind: "message", messageId: "m", role: "user", parts: [hi] };

  test.each([
    { message },
    { message, configuration: { acceptedOutputModes: ["text/plain"], blocking: false } },
  ])("that every version takes go out as they are: %j", (params) => {
    expect(fromCanonicalParams(params)).toStrictEqual(params);
  });

  test("a configuration without acceptedOutputModes gets the empty list", () => {
    expect(fromCanonicalParams({ message, configuration: { blocking: true } })).toEqual({
      message,
      configuration: { blocking: true, acceptedOutputModes: [] },
    });
  });
});
