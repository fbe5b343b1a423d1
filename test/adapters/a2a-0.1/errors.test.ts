import { describe, expect, test } from "@jest/globals";
import { fromCanonicalError, toCanonicalError } from "../../../adapters/a2a-0.1/errors.ts";
import { A2AError, type ErrorCode } from "../../../src/protocol/errors.ts";

const code = (rpcCode: number, method = "tasks/get", message = "m", data?: unknown): ErrorCode =>
  toCanonicalError({ status: 200, rpc: { code: rpcCode, message, data }, excerpt: "", method }).code;

describe("an error from the wire", () => {
  test.each<[number, ErrorCode]>([
    [-32601, "unsupported-operation"],
    [-32602, "invalid-params"],
    [-32603, "internal-error"],
    [-32001, "task-not-found"],
    [-32002, "task-not-cancelable"],
    [-32003, "push-not-supported"],
    [-32004, "unsupported-operation"],
    [-32005, "content-type-not-supported"],
  ])("%i is %s", (rpcCode, expected) => {
    expect(code(rpcCode)).toBe(expected);
  });

  test.each<[string, number, string, ErrorCode]>([
    ["streaming is not supported", -32006, "tasks/sendSubscribe", "unsupported-operation"],
    ["authentication is required", -32007, "tasks/send", "invalid-agent-response"],
    ["authorization failed", -32008, "tasks/send", "invalid-agent-response"],
    ["the task's state forbids a message", -32009, "tasks/send", "invalid-params"],
    ["the task's state forbids a cancel", -32009, "tasks/cancel", "task-not-cancelable"],
  ])("collides with a later code: %s", (_title, rpcCode, method, expected) => {
    expect(code(rpcCode, method)).toBe(expected);
  });

  test("keeps the message and the vendor's error whole, with the HTTP status", () => {
    const rpc = { code: -32005, message: "Incompatible content types", data: { a: 1 } };
    const error = toCanonicalError({ status: 400, rpc, excerpt: "", method: "tasks/send" });
    expect(error.message).toBe("Incompatible content types");
    expect(error.data).toEqual({ stage: "response", status: 400, vendor: rpc });
  });

  test("has the standard message of its code where the vendor gives none", () => {
    const rpc = { code: -32001, message: "" };
    expect(toCanonicalError({ status: 200, rpc, excerpt: "", method: "tasks/get" }).message).toBe(
      "Task not found",
    );
  });

  test.each([
    ["data", { code: -32001, message: "Task not found: t" }],
    ["data.error", { error: { code: -32001, message: "Task not found: t" } }],
    ["two levels of data", { code: -32603, data: { code: -32001, message: "Task not found: t" } }],
  ])("is the one nested in %s of an internal error", (_title, data) => {
    const rpc = { code: -32603, message: "Internal error", data };
    const error = toCanonicalError({ status: 200, rpc, excerpt: "", method: "tasks/get" });
    expect([error.code, error.message]).toEqual(["task-not-found", "Task not found: t"]);
    expect(error.data?.["vendor"]).toEqual(rpc);
  });

  test("is internal where nothing is nested", () => {
    expect(code(-32603, "tasks/send", "boom", { stack: "…" })).toBe("internal-error");
  });

  test.each(["tasks/sendSubscribe", "tasks/get", "tasks/cancel", "tasks/resubscribe"])(
    "-32600 to %s is an unknown method",
    (method) => {
      expect(code(-32600, method)).toBe("unsupported-operation");
    },
  );

  test("-32600 to tasks/send is about the request, unless the validator says that the method is unknown", () => {
    expect(code(-32600, "tasks/send", "m", [{ type: "missing" }])).toBe("invalid-request");
    expect(code(-32600, "tasks/send", "m", [{ type: "union_tag_invalid" }])).toBe("unsupported-operation");
  });

  test("-32002 to tasks/cancel means that cancelling is not implemented", () => {
    expect(code(-32002, "tasks/cancel", "Task cannot be canceled")).toBe("unsupported-operation");
  });

  test("-32002 to tasks/cancel means what it says where the message tells that the task has ended", () => {
    expect(code(-32002, "tasks/cancel", "Task is already completed")).toBe("task-not-cancelable");
  });

  test("-32000 is an unknown task where the message says so", () => {
    expect(code(-32000, "tasks/get", "Task not found: t")).toBe("task-not-found");
    expect(code(-32000, "tasks/get", "Server error")).toBe("invalid-agent-response");
  });

  test("-32700 is not the client's fault", () => {
    expect(code(-32700, "tasks/send")).toBe("invalid-agent-response");
  });

  test.each<[number, ErrorCode]>([
    [-32603, "push-not-supported"],
    [-32601, "push-not-supported"],
    [-32600, "push-not-supported"],
    [-32003, "push-not-supported"],
    [-32001, "task-not-found"],
    [-32602, "invalid-params"],
    [-32050, "invalid-agent-response"],
  ])("%i to a push method is %s", (rpcCode, expected) => {
    expect(code(rpcCode, "tasks/pushNotification/set")).toBe(expected);
    expect(code(rpcCode, "tasks/pushNotification/get")).toBe(expected);
  });

  test.each([404, 405, 501])("HTTP %i without a body is a method that is not there", (status) => {
    const error = toCanonicalError({ status, excerpt: "", method: "tasks/cancel" });
    expect(error.code).toBe("unsupported-operation");
    expect(error.data).toEqual({ stage: "response", status });
  });

  test("HTTP 404 to tasks/send is an agent that is not there", () => {
    expect(toCanonicalError({ status: 404, excerpt: "", method: "tasks/send" }).code).toBe(
      "invalid-agent-response",
    );
  });

  test("HTTP 401 is an agent that refuses the proxy", () => {
    const error = toCanonicalError({ status: 401, excerpt: "", method: "tasks/get" });
    expect(error.code).toBe("invalid-agent-response");
    expect(error.data).toMatchObject({ status: 401 });
  });
});

describe("an error to the wire", () => {
  test.each<[ErrorCode, number]>([
    ["parse-error", -32700],
    ["task-not-found", -32001],
    ["task-not-cancelable", -32002],
    ["content-type-not-supported", -32005],
    ["invalid-agent-response", -32603],
    ["extended-card-not-configured", -32004],
    ["agent-unavailable", -32603],
  ])("%s is %i", (canonical, expected) => {
    expect(fromCanonicalError(new A2AError(canonical)).code).toBe(expected);
  });

  test("keeps message and data", () => {
    const error = new A2AError("task-not-found", { message: "gone", data: { task: "t" } });
    expect(fromCanonicalError(error)).toEqual({ code: -32001, message: "gone", data: { task: "t" } });
  });
});
