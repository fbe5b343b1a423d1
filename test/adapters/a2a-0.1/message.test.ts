import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { fromCanonicalMessage, toCanonicalMessage } from "../../../adapters/a2a-0.1/message.ts";
import { WireMessage } from "../../../adapters/a2a-0.1/wire.ts";
import { message } from "./arbitraries.ts";

const EXTENSION = "urn:a2a-compat-proxy:a2a-0.1";
const read = (raw: unknown) => toCanonicalMessage(WireMessage.parse(raw));

describe("a message from the wire", () => {
  test("has kind, role and parts, and no id", () => {
    expect(read({ role: "agent", parts: [{ type: "text", text: "hi" }], metadata: null })).toEqual({
      kind: "message",
      role: "agent",
      parts: [{ kind: "text", text: "hi" }],
    });
  });

  test.each([
    ["data", { role: "user", data: [{ type: "text", text: "tell me a joke" }] }],
    ["content", { role: "user", content: { type: "text", text: "tell me a joke" } }],
    ["several contents", { role: "user", content: [{ type: "text", text: "tell me a joke" }] }],
    ["a string", { role: "user", parts: "tell me a joke" }],
    ["a string as content", { role: "user", content: "tell me a joke" }],
  ])("may hold its parts as %s", (_title, wire) => {
    expect(read(wire).parts).toEqual([{ kind: "text", text: "tell me a joke" }]);
  });

  test("without any parts is empty", () => {
    expect(read({ role: "agent", parts: null }).parts).toEqual([]);
  });

  test("without a role is the agent's", () => {
    expect(read({ parts: [] })).toEqual({ kind: "message", role: "agent", parts: [] });
  });

  test("keeps an id where there is one", () => {
    expect(read({ role: "agent", parts: [], messageId: "m-1" }).messageId).toBe("m-1");
  });

  test("of another role is the agent's, and keeps the role", () => {
    const canonical = read({ role: "system", parts: [] });
    expect(canonical).toEqual({
      kind: "message",
      role: "agent",
      parts: [],
      metadata: { [EXTENSION]: { role: "system" } },
    });
    expect(fromCanonicalMessage(canonical)).toEqual({ role: "system", parts: [] });
  });

  test("keeps fields that the dialect does not know", () => {
    const wire = { role: "agent", parts: [], conversation_id: "c" };
    expect(read(wire).metadata).toEqual({ [EXTENSION]: { conversation_id: "c" } });
    expect(fromCanonicalMessage(read(wire))).toEqual(wire);
  });
});

describe("a message to the wire", () => {
  test("loses its ids, references and extensions", () => {
    expect(
      fromCanonicalMessage({
        kind: "message",
        messageId: "m-1",
        taskId: "t-1",
        contextId: "c-1",
        role: "user",
        parts: [{ kind: "text", text: "hi" }],
        referenceTaskIds: ["t-0"],
        extensions: ["urn:x"],
        metadata: { a: 1 },
      }),
    ).toEqual({ role: "user", parts: [{ type: "text", text: "hi" }], metadata: { a: 1 } });
  });

  test("of the user keeps its role, whatever its metadata says", () => {
    const wire = fromCanonicalMessage({
      kind: "message",
      role: "user",
      parts: [],
      metadata: { [EXTENSION]: { role: "agent" } },
    });
    expect(wire).toEqual({ role: "user", parts: [] });
  });

  test("comes back as it was", () => {
    fc.assert(
      fc.property(message, (canonical) => {
        expect(read(fromCanonicalMessage(canonical))).toEqual(canonical);
      }),
    );
  });
});
