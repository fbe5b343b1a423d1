import { describe, expect, test } from "@jest/globals";
import { A2AError } from "../../src/protocol/errors.ts";
import { methodNamed, rpcMethodNamed } from "../../src/protocol/methods.ts";

describe("the method table", () => {
  test.each([
    ["message/send", "unary", true],
    ["message/stream", "stream", true],
    ["tasks/get", "unary", false],
    ["tasks/list", "unary", false],
    ["tasks/cancel", "unary", false],
    ["tasks/resubscribe", "stream", true],
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

  test.each([
    ["tasks/list", -32601],
    ["tasks/send", -32601],
    ["Message/Send", -32601],
    ["toString", -32601],
    ["", -32601],
  ])("%j is refused over JSON-RPC with %i", (name, code) => {
    try {
      rpcMethodNamed(name);
    } catch (error) {
      expect(error instanceof A2AError && error.rpcCode).toBe(code);
      return;
    }
    throw new Error("nothing was thrown");
  });
});
