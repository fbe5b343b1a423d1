import { describe, expect, test } from "@jest/globals";
import { detailsOf, refuseBareError, toCanonicalError } from "../../../adapters/a2a-1.0/errors.ts";
import { A2AError, type ErrorCode } from "../../../src/protocol/errors.ts";

const read = (rpc: { code: number; message: string; data?: unknown }) =>
  toCanonicalError({ status: 200, rpc, excerpt: "", method: "SendMessage" });

describe("errors to 0.3.0", () => {
  test.each<[string, ErrorCode]>([
    ["TaskNotFoundError", "task-not-found"],
    ["TaskNotFound", "task-not-found"],
    ["TaskNotCancelableError", "task-not-cancelable"],
    ["PushNotificationNotSupportedError", "push-not-supported"],
    ["UnsupportedOperationError", "unsupported-operation"],
    ["ContentTypeNotSupportedError", "content-type-not-supported"],
    ["InvalidAgentResponseError", "invalid-agent-response"],
    ["ExtendedAgentCardNotConfiguredError", "extended-card-not-configured"],
    ["ExtensionSupportRequiredError", "invalid-params"],
    ["VersionNotSupportedError", "invalid-agent-response"],
  ])("%s by its name, whatever its number and place", (name, code) => {
    expect(read({ code: -32603, message: name }).code).toBe(code);
    expect(read({ code: -32000, message: `${name}: see the docs` }).code).toBe(code);
    expect(read({ code: 1, message: "refused", data: { name } }).code).toBe(code);
    expect(read({ code: 1, message: "refused", data: { type: name } }).code).toBe(code);
    const reason = name
      .replace(/Error$/, "")
      .replace(/(?<=[a-z])(?=[A-Z])/g, "_")
      .toUpperCase();
    expect(read({ code: 1, message: "refused", data: [{ reason }] }).code).toBe(code);
  });

  test.each<[number, ErrorCode]>([
    [-32001, "task-not-found"],
    [-32002, "task-not-cancelable"],
    [-32003, "push-not-supported"],
    [-32004, "unsupported-operation"],
    [-32005, "content-type-not-supported"],
    [-32006, "invalid-agent-response"],
    [-32007, "extended-card-not-configured"],
    [-32008, "invalid-params"],
    [-32009, "invalid-agent-response"],
    [-32601, "method-not-found"],
    [-32602, "invalid-params"],
  ])("%d by its number where there is no name", (number, code) => {
    expect(read({ code: number, message: "refused" }).code).toBe(code);
  });

  test("the vendor's error is kept whole, its message told", () => {
    const rpc = { code: -32009, message: "VersionNotSupportedError", data: { supported: ["0.9"] } };
    const error = read(rpc);
    expect(error.message).toBe("VersionNotSupportedError");
    expect(error.data).toEqual({ stage: "response", status: 200, vendor: rpc });
  });

  test("an HTTP error whose body is the bare error is read like an enveloped one", () => {
    const body = { code: -32001, message: "gone" };
    const error = toCanonicalError({ status: 404, body, excerpt: "", method: "GetTask" });
    expect([error.code, error.message]).toEqual(["task-not-found", "gone"]);
  });

  test("an HTTP error with a named body is read by the name", () => {
    const error = toCanonicalError({
      status: 400,
      body: { error: "TaskNotFoundError" },
      excerpt: "",
      method: "m",
    });
    expect(error.code).toBe("task-not-found");
  });

  test("any other HTTP error is an invalid agent response that tells the status", () => {
    const error = toCanonicalError({ status: 503, excerpt: "<html>", method: "GetTask" });
    expect([error.code, error.message]).toEqual([
      "invalid-agent-response",
      "The agent answered GetTask with HTTP 503",
    ]);
  });

  test("an error without an envelope is refused, a result that holds a message is not", () => {
    expect(() => refuseBareError({ code: "TASK_NOT_FOUND", message: "none such" }, "m")).toThrow("none such");
    expect(() => refuseBareError({ code: -32009, message: "VersionNotSupportedError" }, "m")).toThrow(
      A2AError,
    );
    expect(() => refuseBareError({ message: { role: "agent", parts: [] }, code: 1 }, "m")).not.toThrow();
    expect(() => refuseBareError({ id: "t1", status: { state: "working" } }, "m")).not.toThrow();
  });
});

describe("errors from 0.3.0", () => {
  test("carry the reason and what is known beside it", () => {
    expect(detailsOf(new A2AError("task-not-found", { data: { a: 1 } }))).toEqual([
      {
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        reason: "TASK_NOT_FOUND",
        domain: "a2a-protocol.org",
      },
      { "@type": "type.googleapis.com/google.protobuf.Struct", value: { a: 1 } },
    ]);
    expect(detailsOf(new A2AError("agent-unavailable"))).toBeUndefined();
  });

  test.each<ErrorCode>([
    "task-not-found",
    "task-not-cancelable",
    "push-not-supported",
    "unsupported-operation",
    "content-type-not-supported",
    "extended-card-not-configured",
    "invalid-agent-response",
  ])("%s comes back by its reason", (code) => {
    const data = detailsOf(new A2AError(code));
    expect(read({ code: -32603, message: "refused", data }).code).toBe(code);
  });
});
