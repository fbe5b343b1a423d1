import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import {
  fromCanonicalMessage,
  fromCanonicalSendParams,
  toCanonicalMessage,
} from "../../../adapters/appbuilder/message.ts";
import { WireMessage } from "../../../adapters/appbuilder/wire.ts";
import type { Message } from "../../../src/protocol/model.ts";
import { message } from "./arbitraries.ts";

const parts = [{ kind: "text" as const, text: "今天天气" }];
const user: Message = { kind: "message", role: "user", messageId: "m1", parts };
const withMetadata = (metadata: Record<string, unknown>): Message => ({ ...user, metadata });

test("every message survives the way to AppBuilder and back", () => {
  fc.assert(
    fc.property(message, (canonical) => {
      const wire: unknown = JSON.parse(JSON.stringify(fromCanonicalMessage(canonical)));
      expect(toCanonicalMessage(WireMessage.parse(wire))).toEqual(canonical);
    }),
  );
});

test.each([
  ["user", "user"],
  ["assisatnt", "agent"],
  ["tool", "agent"],
  [undefined, "agent"],
])("the role %s is the %s", (role, expected) => {
  expect(toCanonicalMessage(WireMessage.parse({ role, parts: [] }))).toEqual({
    kind: "message",
    role: expected,
    parts: [],
  });
});

test("extensions and referenceTaskIds are lost on the way to AppBuilder", () => {
  expect(fromCanonicalMessage({ ...user, extensions: ["urn:x"], referenceTaskIds: ["t"] })).toEqual(user);
});

describe("end_user_id and file_ids", () => {
  test.each([
    { end_user_id: "123456" },
    { end_user_id: "用户用户用户" },
    { end_user_id: "x".repeat(64) },
    { file_ids: [] },
    { file_ids: ["f-1", "f-2"], other: 1 },
  ])("%j passes", (metadata) => {
    expect(fromCanonicalMessage(withMetadata(metadata)).metadata).toEqual(metadata);
  });

  test.each([
    [{ end_user_id: "12345" }, "message.metadata.end_user_id"],
    [{ end_user_id: "x".repeat(65) }, "message.metadata.end_user_id"],
    [{ end_user_id: 1_234_567 }, "message.metadata.end_user_id"],
    [{ file_ids: "f-1" }, "message.metadata.file_ids"],
    [{ file_ids: ["f-1", 2] }, "message.metadata.file_ids.1"],
  ])("%j is refused with the path of the fault", (metadata, path) => {
    expect(() => fromCanonicalMessage(withMetadata(metadata))).toThrow(
      expect.objectContaining({ code: "invalid-params", data: { path } }),
    );
  });

  test("an empty one counts as absent", () => {
    const metadata = { end_user_id: "", file_ids: null, other: "" };
    expect(fromCanonicalMessage(withMetadata(metadata)).metadata).toEqual({ other: "" });
  });
});

test("the configuration stays with the gateway", () => {
  const params = { message: user, configuration: { blocking: false }, metadata: { a: 1 } };
  expect(fromCanonicalSendParams(params)).toEqual({ message: user, metadata: { a: 1 } });
});
