import { describe, expect, test } from "@jest/globals";
import {
  acceptSendParams,
  acceptTaskIdParams,
  acceptTaskPushConfig,
  acceptTaskQueryParams,
} from "../../src/protocol/accept.ts";
import { A2AError } from "../../src/protocol/errors.ts";

const rules = { maxParts: 3, newId: () => "minted" };
const text = { kind: "text", text: "hi" };
const message = { kind: "message", messageId: "m-1", role: "user", parts: [text] };

/** Code and path of the fault. */
function fault(run: () => unknown): [string, unknown] {
  try {
    run();
  } catch (error) {
    if (error instanceof A2AError) return [error.code, error.data?.["path"]];
    throw error;
  }
  throw new Error("nothing was thrown");
}

describe("an agent that is served strictly", () => {
  const strictly = (params: unknown) => acceptSendParams(params, { ...rules, strict: true });
  const { messageId: _messageId, ...withoutId } = message;
  const withPart = (part: unknown) => ({ message: { ...message, parts: [part] } });

  test("takes what is 0.3.0 as it is", () => {
    const file = { kind: "file", file: { bytes: "QQ==", name: "a" } };
    const params = { message: { ...message, parts: [text, file] }, configuration: { blocking: true } };
    expect(strictly(params)).toEqual(params);
  });

  test.each<[string, unknown, string]>([
    ["no messageId", { message: withoutId }, "message.messageId"],
    ["a messageId beside the message", { message: withoutId, messageId: "m" }, "message.messageId"],
    ["a message without kind", { message: { ...message, kind: undefined } }, "message.kind"],
    ["a part without kind", withPart({ text: "a" }), "message.parts[0].kind"],
    ["file.data", withPart({ kind: "file", file: { data: "QQ==" } }), "message.parts[0].file"],
    ["URL-safe base64", withPart({ kind: "file", file: { bytes: "_w" } }), "message.parts[0].file.bytes"],
    ["null", { message, metadata: null }, "metadata"],
    ["no parts", { message: { ...message, parts: [] } }, "message.parts"],
    ["too many parts", { message: { ...message, parts: [text, text, text, text] } }, "message.parts"],
  ])("refuses %s", (_, params, path) => {
    expect(fault(() => strictly(params))).toEqual(["invalid-params", path]);
  });

  test("refuses nulls in the params of every method", () => {
    const strict = { strict: true };
    expect(fault(() => acceptTaskIdParams({ id: "t", metadata: null }, strict))[1]).toBe("metadata");
    expect(fault(() => acceptTaskQueryParams({ id: "t", historyLength: null }, strict))[1]).toBe(
      "historyLength",
    );
    const pushNotificationConfig = { url: "https://x.example", token: null };
    expect(fault(() => acceptTaskPushConfig({ taskId: "t", pushNotificationConfig }, strict))[1]).toBe(
      "pushNotificationConfig.token",
    );
  });
});
