import { describe, expect, test } from "@jest/globals";
import {
  fromCanonicalError,
  toCanonicalError,
  toCanonicalRefusal,
} from "../../../adapters/appbuilder/errors.ts";
import { A2AError } from "../../../src/protocol/errors.ts";

const method = "message/stream";
const body = { code: "NotFoundResource", message: "A2AServerNotPublishedYet", request_id: "r1" };

describe("toCanonicalError", () => {
  test.each([
    [400, "invalid-params"],
    [401, "agent-unavailable"],
    [403, "agent-unavailable"],
    [404, "agent-unavailable"],
    [405, "agent-unavailable"],
    [422, "invalid-params"],
    [429, "agent-unavailable"],
    [500, "agent-unavailable"],
    [507, "agent-unavailable"],
  ])("HTTP %i is %s, with the vendor's own words", (status, code) => {
    const error = toCanonicalError({ status, body, excerpt: "", method });
    expect(error.code).toBe(code);
    expect(error.message).toBe(
      "The agent refused message/stream with NotFoundResource: A2AServerNotPublishedYet",
    );
    expect(error.data).toEqual({ stage: "response", status, vendor: body });
  });

  test("reads requestId for request_id", () => {
    const { request_id: requestId, ...rest } = body;
    const error = toCanonicalError({ status: 404, body: { ...rest, requestId }, excerpt: "", method });
    expect(error.data?.["vendor"]).toEqual(body);
  });

  test.each([
    [-32_700, "invalid-agent-response"],
    [-32_600, "invalid-agent-response"],
    [-32_601, "method-not-found"],
    [-32_602, "invalid-params"],
    [-32_603, "agent-unavailable"],
    [-32_001, "task-not-found"],
    [12, "invalid-agent-response"],
  ])("the JSON-RPC error %i is %s", (code, canonical) => {
    const rpc = { code, message: "m", data: { requestId: "r1" } };
    const error = toCanonicalError({ status: 200, rpc, excerpt: "", method });
    expect(error.code).toBe(canonical);
    expect(error.data?.["vendor"]).toEqual({ code, message: "m", request_id: "r1" });
  });

  test("reads an error that is no JSON", () => {
    const excerpt = '{"jsonrpc":"2.0","error":{"code":-32700,"message":"not \\"well\\" formed"} "id":"id-4"}';
    const error = toCanonicalError({ status: 400, excerpt, method });
    expect(error.data?.["vendor"]).toEqual({ code: -32_700, message: 'not "well" formed' });
  });

  test.each(["", "<html>Bad Gateway</html>", '{"code": "half'])(
    "says the status where %j says nothing that is understood",
    (excerpt) => {
      const error = toCanonicalError({ status: 502, excerpt, method });
      expect(error.message).toBe("The agent refused message/stream with HTTP 502");
      const vendor = excerpt === "" ? {} : { vendor: excerpt };
      expect(error.data).toEqual({ stage: "response", status: 502, ...vendor });
    },
  );
});

describe("toCanonicalRefusal", () => {
  test("takes an error body where a result belongs for a refusal", () => {
    expect(toCanonicalRefusal(body, method)?.data).toEqual({ stage: "response", status: 200, vendor: body });
  });

  test.each([{ kind: "message", code: 1, message: "m" }, { artifact: {} }, null, "text"])(
    "%j is none",
    (result) => {
      expect(toCanonicalRefusal(result, method)).toBeUndefined();
    },
  );
});

describe("fromCanonicalError", () => {
  test("gives the vendor's own words back", () => {
    const error = toCanonicalError({ status: 404, body, excerpt: "", method });
    expect(fromCanonicalError(error, "r2").body).toEqual(body);
  });

  test("writes another error as AppBuilder would", () => {
    expect(fromCanonicalError(new A2AError("task-not-found"), "r2")).toEqual({
      status: 404,
      body: { code: "task-not-found", message: "Task not found", request_id: "r2" },
    });
  });
});
