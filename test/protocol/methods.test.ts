import { describe, expect, test } from "@jest/globals";
import { A2AError } from "../../src/protocol/errors.ts";
import { methodNamed, rpcMethodNamed } from "../../src/protocol/methods.ts";

describe("the method table", () => {
  test.each([
    ["message/send", "unary", "task"],
    ["message/stream", "stream", "task"],
    ["tasks/get", "unary", false],
    ["tasks/list", "unary", false],
    ["tasks/cancel", "unary", false],
    ["tasks/resubscribe", "stream", "stream"],
    ["tasks/pushNotificationConfig/set", "unary", false],
    ["tasks/pushNotificationConfig/get", "unary", false],
    ["tasks/pushNotificationConfig/list", "unary", false],
    ["tasks/pushNotificationConfig/delete", "unary", false],
    ["agent/getAuthenticatedExtendedCard", "unary", false],
  ])("%s is offered, %s", (name, kind, starts) => {
    expect(methodNamed(name)).toMatchObject({ name, kind, starts });
  });

  test("the extended card is found under both names that the specification has for it", () => {
    expect(methodNamed("agent/authenticatedExtendedCard").name).toBe("agent/getAuthenticatedExtendedCard");
  });

  const speaks = (method: string) => ` (this URL speaks A2A 0.3.0: ${method})`;

  test.each([
    ["tasks/send", speaks("message/send")],
    ["Message/Send", speaks("message/send")],
    ["tasks/list", speaks("tasks are listed by GET …/v1/tasks")],
    ["toString", ""],
    ["", ""],
  ])("%j is refused over JSON-RPC with what to call instead", (name, hint) => {
    expect(refusal(name)).toMatchObject({ rpcCode: -32601, message: `Method not found: ${name}${hint}` });
  });

  test("a name without end is not repeated whole", () => {
    expect(refusal("x".repeat(10_000)).message).toBe(`Method not found: ${"x".repeat(80)}…`);
  });
});

function refusal(name: string): A2AError {
  try {
    rpcMethodNamed(name, new Map([["tasks/send", "message/send"]]));
  } catch (error) {
    if (error instanceof A2AError) return error;
  }
  throw new Error("no A2AError was thrown");
}
