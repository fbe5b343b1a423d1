import { describe, expect, test } from "@jest/globals";
import {
  acceptDeletePushConfigParams,
  acceptGetPushConfigParams,
  acceptSendParams,
  acceptTaskIdParams,
  acceptTaskPushConfig,
  acceptTaskQueryParams,
} from "../../src/protocol/accept.ts";
import { A2AError } from "../../src/protocol/errors.ts";

const rules = { maxParts: 3, newId: () => "minted" };
const text = { kind: "text", text: "hi" };
const message = { kind: "message", messageId: "m-1", role: "user", parts: [text] };

const accept = (params: unknown) => acceptSendParams(params, rules);

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

describe("message/send params as 0.3.0 has them", () => {
  test("pass unharmed, with whatever is in metadata and data", () => {
    const params = {
      message: {
        ...message,
        taskId: "t",
        contextId: "c",
        referenceTaskIds: ["r"],
        extensions: ["urn:x"],
        metadata: { a: null, b: { c: [null, ""] }, task_id: "x" },
        parts: [
          { ...text, metadata: { m: null } },
          { kind: "file", file: { uri: "https://x.example/f", name: "f", mimeType: "a/b" } },
          { kind: "data", data: { file: null, kind: "x", text: "", task_id: "x" } },
        ],
      },
      configuration: { blocking: false, historyLength: 3, acceptedOutputModes: ["text/plain"] },
      metadata: { k: null },
    };
    expect(accept(params)).toEqual(params);
  });

  test("a historyLength of 0 is the whole history, unless another dialect's codec says none", () => {
    const params = { message, configuration: { historyLength: 0 } };
    expect(accept(params).configuration).toEqual({});
    expect(acceptSendParams(params, { ...rules, isDecoded: true }).configuration).toEqual({
      historyLength: 0,
    });
  });

  test("lose members that 0.3.0 does not name, and metadata that only the proxy writes", () => {
    const metadata = { "urn:a2a-compat-proxy:a2a-0.1": { sessionId: "x" }, own: 1 };
    const file = { uri: "u", size: 3 };
    const params = {
      message: {
        ...message,
        ContextID: "x",
        sessionId: "x",
        metadata,
        parts: [
          { ...text, data: {}, Text: "x", metadata },
          { kind: "file", file },
        ],
      },
      configuration: { other: true },
      tenant: "x",
      metadata,
    };
    expect(accept(params)).toEqual({
      message: {
        ...message,
        metadata: { own: 1 },
        parts: [
          { ...text, metadata: { own: 1 } },
          { kind: "file", file: { uri: "u" } },
        ],
      },
      configuration: {},
      metadata: { own: 1 },
    });
    expect(acceptTaskIdParams({ id: "t", task_id: "x", metadata })).toEqual({
      id: "t",
      metadata: { own: 1 },
    });
  });

  test("are read in snake_case too; camelCase wins", () => {
    const { messageId: _, ...bare } = message;
    const parts = [{ kind: "file", file: { uri: "u", mime_type: "a/b" } }];
    const snake = { message_id: "m-1", task_id: "t", contextId: "c", context_id: "x", parts };
    expect(
      accept({ message: { ...bare, ...snake }, configuration: { history_length: 2, historyLength: null } }),
    ).toEqual({
      message: {
        ...message,
        taskId: "t",
        contextId: "c",
        parts: [{ kind: "file", file: { uri: "u", mimeType: "a/b" } }],
      },
      configuration: { historyLength: 2 },
    });
  });

  test("a text of a megabyte passes", () => {
    const big = "é".repeat(1_000_000);
    expect(accept({ message: { ...message, parts: [{ kind: "text", text: big }] } }).message.parts).toEqual([
      { kind: "text", text: big },
    ]);
  });
});

describe("what clients leave out is filled in", () => {
  test("kind of a message and of its parts, by their one content member", () => {
    const parts = [{ text: "" }, { file: { uri: "u" } }, { data: {} }];
    expect(accept({ message: { messageId: "m", role: "user", parts } }).message).toEqual({
      kind: "message",
      messageId: "m",
      role: "user",
      parts: [
        { kind: "text", text: "" },
        { kind: "file", file: { uri: "u" } },
        { kind: "data", data: {} },
      ],
    });
  });

  test("kind of a part, by the name that A2A 0.1 has for it", () => {
    const parts = [
      { type: "text", text: "a" },
      { type: "", text: "b" },
    ];
    expect(accept({ message: { ...message, parts } }).message.parts).toEqual([
      { kind: "text", text: "a" },
      { kind: "text", text: "b" },
    ]);
  });

  test("a messageId beside the message moves into it", () => {
    const { messageId: _, ...bare } = message;
    expect(accept({ message: bare, messageId: "beside" })).toEqual({
      message: { ...message, messageId: "beside" },
    });
  });

  test("the message's own messageId wins over one beside it", () => {
    expect(accept({ message, messageId: "beside" })).toEqual({ message });
  });

  test.each([[{}], [{ messageId: null }], [{ messageId: "" }]])("a messageId is minted for %j", (given) => {
    const { messageId: _, ...bare } = message;
    expect(accept({ message: { ...bare, ...given } }).message.messageId).toBe("minted");
  });

  test("file.data is read as file.bytes", () => {
    const parts = [{ kind: "file", file: { mimeType: "image/png", data: "QUJD" } }];
    expect(accept({ message: { ...message, parts } }).message.parts).toEqual([
      { kind: "file", file: { mimeType: "image/png", bytes: "QUJD" } },
    ]);
  });

  test("null stands for an absent field, and an empty id for none", () => {
    const params = {
      message: { ...message, contextId: null, taskId: "", metadata: null },
      configuration: { historyLength: null, pushNotificationConfig: null },
      metadata: null,
    };
    expect(accept(params)).toEqual({ message, configuration: {} });
  });
});

describe("what is not 0.3.0 is refused with the path of the fault", () => {
  const { role: _role, ...withoutRole } = message;
  const { parts: _parts, ...withoutParts } = message;
  const withParts = (...parts: unknown[]) => ({ message: { ...message, parts } });

  test.each<[string, unknown, string]>([
    ["params absent", undefined, "params"],
    ["params an array", [message], "params"],
    ["params null", null, "params"],
    ["message absent", {}, "message"],
    ["message a string", { message: "hi" }, "message"],
    ["another kind of message", { message: { ...message, kind: "task" } }, "message.kind"],
    ["messageId a number", { message: { ...message, messageId: 1 } }, "message.messageId"],
    ["role missing", { message: withoutRole }, "message.role"],
    ["role unknown", { message: { ...message, role: "system" } }, "message.role"],
    ["parts missing", { message: withoutParts }, "message.parts"],
    ["parts empty", withParts(), "message.parts"],
    ["parts an object", { message: { ...message, parts: {} } }, "message.parts"],
    ["too many parts", withParts(text, text, text, text), "message.parts"],
    ["part kind unknown", withParts({ kind: "video", video: {} }), "message.parts[0].kind"],
    ["part type unknown", withParts({ type: "video", text: "a" }), "message.parts[0].type"],
    ["part type against its content", withParts({ type: "file", text: "a" }), "message.parts[0].file"],
    ["part without content", withParts(text, {}), "message.parts[1].kind"],
    ["part of two kinds", withParts({ text: "a", data: {} }), "message.parts[0].kind"],
    ["part not an object", withParts("hi"), "message.parts[0]"],
    ["text a number", withParts({ kind: "text", text: 1 }), "message.parts[0].text"],
    ["file without content", withParts({ kind: "file", file: {} }), "message.parts[0].file"],
    ["file with bytes and uri", withParts({ file: { bytes: "QQ==", uri: "u" } }), "message.parts[0].file"],
    ["bytes not base64", withParts({ file: { bytes: "%" } }), "message.parts[0].file.bytes"],
    ["data an array", withParts({ kind: "data", data: [] }), "message.parts[0].data"],
    ["negative history", { message, configuration: { historyLength: -1 } }, "configuration.historyLength"],
    ["history a fraction", { message, configuration: { historyLength: 1.5 } }, "configuration.historyLength"],
    ["blocking a string", { message, configuration: { blocking: "yes" } }, "configuration.blocking"],
    ["configuration a list", { message, configuration: [] }, "configuration"],
    ["metadata a list", { message, metadata: [] }, "metadata"],
  ])("%s", (_, params, path) => {
    expect(fault(() => accept(params))).toEqual(["invalid-params", path]);
  });

  test("an inline push configuration without a URL", () => {
    const configuration = { pushNotificationConfig: { token: "t" } };
    expect(fault(() => accept({ message, configuration }))).toEqual([
      "invalid-params",
      "configuration.pushNotificationConfig.url",
    ]);
  });
});

describe("push params", () => {
  const url = "https://x.example";

  test("are repaired: nulls and empty ids go, one scheme is a list", () => {
    const authentication = { schemes: "Bearer", credentials: null };
    const pushNotificationConfig = { id: "", token: "", url, authentication };
    expect(acceptTaskPushConfig({ taskId: "t", pushNotificationConfig })).toEqual({
      taskId: "t",
      pushNotificationConfig: { url, authentication: { schemes: ["Bearer"] } },
    });
    expect(accept({ message, configuration: { pushNotificationConfig } }).configuration).toEqual({
      pushNotificationConfig: { url, authentication: { schemes: ["Bearer"] } },
    });
  });

  test("of get need no config id, as in 0.2.x; those of delete do", () => {
    expect(acceptGetPushConfigParams({ id: "t" })).toEqual({ id: "t" });
    expect(fault(() => acceptDeletePushConfigParams({ id: "t" }))).toEqual([
      "invalid-params",
      "pushNotificationConfigId",
    ]);
  });
});

describe("task params", () => {
  test("pass with their metadata", () => {
    expect(acceptTaskIdParams({ id: "t", metadata: { a: 1 } })).toEqual({ id: "t", metadata: { a: 1 } });
    expect(acceptTaskQueryParams({ id: "t", historyLength: 2 })).toEqual({ id: "t", historyLength: 2 });
  });

  test.each<[unknown, string]>([
    [undefined, "params"],
    [["t"], "params"],
    [{}, "id"],
    [{ id: "" }, "id"],
    [{ id: 1 }, "id"],
    [{ id: "t", metadata: "x" }, "metadata"],
  ])("%j is refused at %s", (params, path) => {
    expect(fault(() => acceptTaskIdParams(params))).toEqual(["invalid-params", path]);
    expect(fault(() => acceptTaskQueryParams(params))).toEqual(["invalid-params", path]);
  });

  test("a negative historyLength is refused, null is none", () => {
    expect(fault(() => acceptTaskQueryParams({ id: "t", historyLength: -1 }))).toEqual([
      "invalid-params",
      "historyLength",
    ]);
    expect(acceptTaskQueryParams({ id: "t", historyLength: null })).toEqual({ id: "t" });
  });
});

test("bytes that are almost nothing but padding are refused at once, however long", () => {
  const params = (bytes: string) => ({
    message: { role: "user", parts: [{ kind: "file", file: { bytes } }] },
  });
  const send = () =>
    acceptSendParams(params(`${"=".repeat(4_000_000)}x`), { maxParts: 9, newId: () => "id" });
  expect(send).toThrow(expect.objectContaining({ code: "invalid-params" }));
});
