import { describe, expect, test } from "@jest/globals";
import type { Message, Part, StreamEvent, Task } from "../../src/protocol/model.ts";
import {
  fromProtoJsonMessage,
  fromProtoJsonPart,
  fromProtoJsonResponse,
  fromProtoJsonTask,
  toProtoJsonMessage,
  toProtoJsonPart,
  toProtoJsonResponse,
  toProtoJsonTask,
} from "../../src/protocol/proto-json.ts";
import { TASK_STATES } from "../../src/protocol/states.ts";

const message: Message = {
  kind: "message",
  messageId: "m",
  role: "agent",
  parts: [{ kind: "text", text: "hi" }],
  contextId: "c",
  taskId: "t",
  extensions: ["urn:e"],
  metadata: { snake_key: { "": false } },
};
const protoMessage = {
  messageId: "m",
  role: "ROLE_AGENT",
  content: [{ text: "hi" }],
  contextId: "c",
  taskId: "t",
  extensions: ["urn:e"],
  metadata: { snake_key: { "": false } },
};

describe("parts", () => {
  const pairs: readonly (readonly [Part, unknown])[] = [
    [{ kind: "text", text: "" }, { text: "" }],
    [
      { kind: "text", text: "a", metadata: {} },
      { text: "a", metadata: {} },
    ],
    [
      { kind: "file", file: { uri: "https://x.example/a", mimeType: "a/b", name: "a" } },
      { file: { fileWithUri: "https://x.example/a", mimeType: "a/b", name: "a" } },
    ],
    [{ kind: "file", file: { bytes: "" } }, { file: { fileWithBytes: "" } }],
    [
      { kind: "data", data: { data: { mime_type: null } } },
      { data: { data: { data: { mime_type: null } } } },
    ],
    [{ kind: "data", data: {} }, { data: { data: {} } }],
  ];

  test.each(pairs)("%j is written as %j and read back", (part, proto) => {
    expect(toProtoJsonPart(part)).toEqual(proto);
    expect(fromProtoJsonPart(proto)).toEqual(part);
  });

  test.each(pairs)("%j is read as it is, too", (part) => {
    expect(fromProtoJsonPart(part)).toEqual(part);
  });

  test("of several members none is chosen, and what is no object is left alone", () => {
    expect(fromProtoJsonPart({ text: "a", file: { file_with_uri: "b" } })).toEqual({
      text: "a",
      file: { uri: "b" },
    });
    for (const value of [{}, null, "text", 1, ["text"]]) expect(fromProtoJsonPart(value)).toEqual(value);
  });

  test("empty strings for a file's name and type are none", () => {
    expect(fromProtoJsonPart({ file: { file_with_bytes: "eA==", mime_type: "", name: "" } })).toEqual({
      kind: "file",
      file: { bytes: "eA==" },
    });
  });
});

describe("messages", () => {
  test("are written with content, a role of the proto, and without kind", () => {
    expect(toProtoJsonMessage(message)).toEqual(protoMessage);
  });

  test.each([
    ["ProtoJSON", protoMessage],
    [
      "snake_case",
      {
        message_id: "m",
        role: "ROLE_AGENT",
        content: [{ text: "hi" }],
        context_id: "c",
        task_id: "t",
        extensions: ["urn:e"],
        metadata: { snake_key: { "": false } },
      },
    ],
    ["enum numbers and nulls", { ...protoMessage, role: 2, parts: null, kind: null }],
    ["the schema's JSON", message],
  ])("are read from %s", (_name, wire) => {
    expect(fromProtoJsonMessage(wire)).toEqual(message);
  });

  test("lose referenceTaskIds and members of their own, which the proto does not have", () => {
    const more = { ...message, referenceTaskIds: ["other"], "x-own": 1 };
    expect(toProtoJsonMessage(more)).toEqual(protoMessage);
  });

  test("keep an unknown role, so that it can be complained about", () => {
    expect(fromProtoJsonMessage({ role: "ROLE_UNSPECIFIED", content: [] })).toEqual({
      kind: "message",
      role: "ROLE_UNSPECIFIED",
      parts: [],
    });
  });
});

describe("tasks", () => {
  const names = [
    "TASK_STATE_SUBMITTED",
    "TASK_STATE_WORKING",
    "TASK_STATE_INPUT_REQUIRED",
    "TASK_STATE_COMPLETED",
    "TASK_STATE_CANCELLED",
    "TASK_STATE_FAILED",
    "TASK_STATE_REJECTED",
    "TASK_STATE_AUTH_REQUIRED",
    undefined,
  ];

  test.each(TASK_STATES.map((state, index) => [state, names[index]] as const))("%s is %s", (state, name) => {
    const task: Task = { kind: "task", id: "t", contextId: "c", status: { state } };
    const proto = { id: "t", contextId: "c", status: name === undefined ? {} : { state: name } };
    expect(toProtoJsonTask(task)).toEqual(proto);
    expect(fromProtoJsonTask(proto)).toEqual(task);
  });

  test.each([
    ["TASK_STATE_CANCELED", "canceled"],
    [5, "canceled"],
    ["TASK_STATE_UNSPECIFIED", "unknown"],
    ["input-required", "input-required"],
    ["TASK_STATE_PAUSED", "TASK_STATE_PAUSED"],
  ])("the state %j is read as %s", (state, expected) => {
    expect(fromProtoJsonTask({ id: "t", status: { state } })).toMatchObject({ status: { state: expected } });
  });

  test("leave out what is empty and keep the rest", () => {
    const task: Task = {
      kind: "task",
      id: "t",
      contextId: "c",
      status: { state: "failed", message, timestamp: "2026-01-01T00:00:00.000Z" },
      history: [],
      artifacts: [{ artifactId: "a", name: "", description: "d", parts: [{ kind: "text", text: "x" }] }],
      metadata: { a: 1 },
    };
    expect(toProtoJsonTask(task)).toEqual({
      id: "t",
      contextId: "c",
      status: {
        state: "TASK_STATE_FAILED",
        message: protoMessage,
        timestamp: "2026-01-01T00:00:00.000Z",
      },
      artifacts: [{ artifactId: "a", description: "d", parts: [{ text: "x" }] }],
      metadata: { a: 1 },
    });
  });
});

describe("responses", () => {
  const status = { state: "completed" as const };
  const artifact = { artifactId: "a", parts: [] };
  const ids = { taskId: "t", contextId: "c" };
  const pairs: readonly (readonly [StreamEvent, unknown])[] = [
    [message, { message: protoMessage }],
    [
      { kind: "task", id: "t", contextId: "c", status },
      { task: { id: "t", contextId: "c", status: { state: "TASK_STATE_COMPLETED" } } },
    ],
    [
      { kind: "status-update", ...ids, status, final: true },
      { statusUpdate: { ...ids, status: { state: "TASK_STATE_COMPLETED" }, final: true } },
    ],
    [
      { kind: "status-update", ...ids, status, final: false },
      { statusUpdate: { ...ids, status: { state: "TASK_STATE_COMPLETED" } } },
    ],
    [
      { kind: "artifact-update", ...ids, artifact, append: true, lastChunk: true },
      { artifactUpdate: { ...ids, artifact: { artifactId: "a" }, append: true, lastChunk: true } },
    ],
  ];

  test.each(pairs)("%j is written as %j and read back", (event, proto) => {
    expect(toProtoJsonResponse(event)).toEqual(proto);
    expect(fromProtoJsonResponse(proto)).toEqual(event);
    expect(fromProtoJsonResponse(event)).toEqual(event);
  });

  test("are read in snake_case, and by the names of the proto's own fields", () => {
    expect(fromProtoJsonResponse({ msg: protoMessage })).toEqual(message);
    expect(
      fromProtoJsonResponse({
        status_update: { task_id: "t", context_id: "c", status: { update: protoMessage } },
      }),
    ).toEqual({ kind: "status-update", ...ids, status: { state: "unknown", message }, final: false });
    expect(
      fromProtoJsonResponse({ artifact_update: { artifact: { artifact_id: "a" }, last_chunk: true } }),
    ).toEqual({ kind: "artifact-update", artifact, lastChunk: true });
  });

  test.each([[{}], [{ kind: "other" }], [[]], [null], ["task"]])("%j is left alone", (value) => {
    expect(fromProtoJsonResponse(value)).toEqual(value);
  });
});
