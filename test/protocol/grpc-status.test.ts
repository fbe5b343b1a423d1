/** What the statuses of agents mean: by the trailer, by the name in the details, by the status. */
import { status } from "@grpc/grpc-js";
import { expect, test } from "@jest/globals";
import { A2AError } from "../../src/protocol/errors.ts";
import { errorTrailer, fromGrpcStatus, toGrpcStatus } from "../../src/protocol/grpc-status.ts";

const codeOf = (code: status, { details = "no", trailer, rpc = "GetTask" }: Given = {}) =>
  fromGrpcStatus({ code, details, trailer, rpc }).code;

interface Given {
  readonly details?: string;
  readonly trailer?: string;
  readonly rpc?: string;
}

test.each([
  "task-not-found",
  "task-not-cancelable",
  "push-not-supported",
  "unsupported-operation",
  "content-type-not-supported",
  "invalid-agent-response",
  "extended-card-not-configured",
  "method-not-found",
  "invalid-params",
  "invalid-request",
  "parse-error",
  "internal-error",
  "agent-unavailable",
] as const)("%s arrives as what it was", (code) => {
  const { code: grpcCode, details, metadata } = toGrpcStatus(new A2AError(code, { message: "no" }));
  const trailer = errorTrailer(metadata);
  const error = fromGrpcStatus({ code: grpcCode, details, trailer, rpc: "SendMessage" });
  expect([error.code, error.message]).toEqual([code, "no"]);
});

test.each(["unauthenticated", "forbidden"] as const)("%s is no error that an agent's task has", (code) => {
  const { code: grpcCode, details, metadata } = toGrpcStatus(new A2AError(code));
  expect(codeOf(grpcCode, { details, trailer: errorTrailer(metadata) ?? "" })).toBe("invalid-agent-response");
});

test.each([
  ["TaskNotCancelableError: done", "task-not-cancelable", "done"],
  ["PushNotificationNotSupportedError: none", "push-not-supported", "none"],
  ["SomeOtherError: none", "unsupported-operation", "SomeOtherError: none"],
])("the name in %j tells", (details, code, message) => {
  const error = fromGrpcStatus({
    code: status.UNIMPLEMENTED,
    details,
    trailer: undefined,
    rpc: "CancelTask",
  });
  expect([error.code, error.message]).toEqual([code, message]);
});

test.each([
  [status.INVALID_ARGUMENT, "invalid-params"],
  [status.NOT_FOUND, "task-not-found"],
  [status.UNIMPLEMENTED, "unsupported-operation"],
  [status.UNAVAILABLE, "agent-unavailable"],
  [status.RESOURCE_EXHAUSTED, "agent-unavailable"],
  [status.DEADLINE_EXCEEDED, "agent-unavailable"],
  [status.FAILED_PRECONDITION, "invalid-agent-response"],
  [status.UNAUTHENTICATED, "invalid-agent-response"],
  [status.INTERNAL, "invalid-agent-response"],
] as const)("status %s alone is %s", (code, expected) => {
  expect(codeOf(code)).toBe(expected);
  expect(codeOf(code, { trailer: "no JSON" })).toBe(expected);
});

test.each([
  ["CancelTask", "task-not-cancelable"],
  ["GetAgentCard", "extended-card-not-configured"],
])("a failed precondition of %s is %s", (rpc, expected) => {
  expect(codeOf(status.FAILED_PRECONDITION, { rpc })).toBe(expected);
});

test.each([
  ["PUSH_NOTIFICATION_NOT_SUPPORTED", "push-not-supported"],
  ["UNSUPPORTED_OPERATION", "unsupported-operation"],
  ["EXTENSION_SUPPORT_REQUIRED", "invalid-params"],
  ["VERSION_NOT_SUPPORTED", "invalid-agent-response"],
  ["QUOTA_EXCEEDED", "task-not-cancelable"],
])("the reason %s in the details is more telling than the status", (reason, expected) => {
  const received = { code: status.FAILED_PRECONDITION, details: "no", trailer: undefined, rpc: "CancelTask" };
  expect(fromGrpcStatus({ ...received, reason }).code).toBe(expected);
});
