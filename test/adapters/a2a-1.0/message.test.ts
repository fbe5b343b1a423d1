import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { EXTENSION } from "../../../adapters/a2a-1.0/preserved.ts";
import { fromCanonicalMessage, toCanonicalMessage } from "../../../adapters/a2a-1.0/message.ts";
import { WireMessage } from "../../../adapters/a2a-1.0/wire.ts";
import { parseWire } from "../../../adapters/shared/wire.ts";
import { message } from "./arbitraries.ts";

const read = (wire: unknown) => toCanonicalMessage(parseWire(WireMessage, wire, "message"));

describe("messages", () => {
  test("snake_case and camelCase say the same", () => {
    const canonical = {
      kind: "message",
      messageId: "m1",
      role: "user",
      parts: [{ kind: "text", text: "hi" }],
      taskId: "t1",
      contextId: "c1",
      referenceTaskIds: ["t0"],
    };
    const parts = [{ text: "hi" }];
    expect(
      read({
        message_id: "m1",
        role: "user",
        parts,
        task_id: "t1",
        context_id: "c1",
        reference_task_ids: ["t0"],
      }),
    ).toEqual(canonical);
    expect(
      read({
        messageId: "m1",
        role: "ROLE_USER",
        parts,
        taskId: "t1",
        contextId: "c1",
        referenceTaskIds: ["t0"],
      }),
    ).toEqual(canonical);
  });

  test("a follow-up sends both the task's and the context's id", () => {
    const followUp = fromCanonicalMessage({
      kind: "message",
      messageId: "msg-003",
      role: "user",
      parts: [{ kind: "text", text: "I prefer a morning departure" }],
      taskId: "task-abc-123",
      contextId: "ctx-xyz",
    });
    expect(followUp).toEqual({
      messageId: "msg-003",
      taskId: "task-abc-123",
      contextId: "ctx-xyz",
      role: "ROLE_USER",
      parts: [{ text: "I prefer a morning departure" }],
    });
  });

  test("an id that the vendor left out is not invented", () => {
    expect(read({ role: "agent", parts: [] })).toEqual({ kind: "message", role: "agent", parts: [] });
  });

  test("defaults that a server writes out are absent members", () => {
    const written = { role: "ROLE_AGENT", parts: [], taskId: "", contextId: "", extensions: [] };
    expect(read(written)).toEqual({ kind: "message", role: "agent", parts: [] });
  });

  test("a role of no known name is the agent's", () => {
    expect(read({ role: "system", parts: null })).toEqual({ kind: "message", role: "agent", parts: [] });
  });

  test("members the dialect does not name survive as metadata and come back under their own name", () => {
    const wire = { role: "ROLE_AGENT", parts: [], traceId: "x", traceLevel: 2, metadata: { userKey: 1 } };
    const canonical = read(wire);
    expect(canonical.metadata).toEqual({
      userKey: 1,
      [EXTENSION]: { fields: { traceId: "x", traceLevel: 2 } },
    });
    expect(fromCanonicalMessage(canonical)).toEqual(wire);
  });

  test("a value under the extension's key that is not of the adapter's making stays in the metadata", () => {
    const metadata = { [EXTENSION]: { surprise: true } };
    const wire = fromCanonicalMessage({ kind: "message", role: "user", parts: [], metadata });
    expect(wire).toEqual({ role: "ROLE_USER", parts: [], metadata });
  });

  test("members of a canonical message that 0.3.0 does not name are not sent", () => {
    const odd = { kind: "message" as const, role: "user" as const, parts: [], colour: "red" };
    expect(fromCanonicalMessage(odd)).toEqual({ role: "ROLE_USER", parts: [] });
  });

  test("any canonical message survives the wire", () => {
    fc.assert(
      fc.property(message, (original) => expect(read(fromCanonicalMessage(original))).toEqual(original)),
    );
  });
});
