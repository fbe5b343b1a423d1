import { describe, expect, test } from "@jest/globals";
import { A2AError } from "../../src/protocol/errors.ts";
import { failure, parseBody, requestId, rpcCall, success } from "../../src/protocol/jsonrpc.ts";

const parse = (text: string) => parseBody(text, 1_000);
const idOf = (text: string) => requestId(parse(text), text);

describe("the id of an answer", () => {
  test.each(['"a"', '""', '"1"', "1", "0", "-7", "null", "9007199254740993", "1.5", "1e400"])(
    "is %s where the request's is",
    (id) => {
      expect(idOf(`{"params":{"id":2,"x":{"id":3}},"id":${id},"method":"m"}`)).toBe(id);
    },
  );

  test.each([
    '{"method":"m"}',
    '{"id":{}}',
    '{"id":[]}',
    '{"id":true}',
    "[]",
    '[{"id":1}]',
    "null",
    "7",
    '"x"',
  ])("is null for %s", (text) => {
    expect(idOf(text)).toBe("null");
  });
});

describe("the envelope", () => {
  test("may have 128 levels, and is refused beyond", () => {
    const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);
    expect(parse(nested(128))).toHaveLength(1);
    for (const levels of [129, 1_000_000]) {
      expect(() => parse(nested(levels))).toThrow(expect.objectContaining({ code: "invalid-request" }));
    }
  });

  test("may consist of so many values, and is refused beyond before it is parsed", () => {
    const body = '{"a":[1,"x,y",null,{}],"b":[],"c":{"d":"\\",[[["}}';
    expect(parseBody(body, 9)).toEqual(JSON.parse(body));
    const refusal = { code: "request-too-large", data: { reason: "more than 8 values", limit: 8 } };
    expect(() => parseBody(body, 8)).toThrow(expect.objectContaining(refusal));
    expect(() => parseBody(`${"[1,".repeat(9)} is no JSON`, 8)).toThrow(expect.objectContaining(refusal));
  });

  test("has an id of up to 1024 characters", () => {
    const call = (id: string) => {
      const text = `{"jsonrpc":"2.0","id":${id},"method":"m"}`;
      return { answerId: idOf(text), call: () => rpcCall(parse(text), idOf(text)) };
    };
    const error = { code: "invalid-request", data: { reason: "id must have at most 1024 characters" } };
    for (const id of [`"${"x".repeat(1024)}"`, "9".repeat(1024)]) {
      expect(call(id).answerId).toBe(id);
      expect(call(id).call()).toMatchObject({ method: "m" });
      const longer = call(id.replace(/[x9]/, "$&$&"));
      expect(longer.answerId).toBe("null");
      expect(longer.call).toThrow(expect.objectContaining(error));
    }
  });

  test.each(["", "{", "{'a':1}", "undefined"])("%j is a parse error", (text) => {
    expect(() => parse(text)).toThrow(expect.objectContaining({ code: "parse-error" }));
  });

  test.each<[unknown]>([
    [[]],
    [[{ jsonrpc: "2.0", id: 1, method: "m" }]],
    [null],
    ["text"],
    [1],
    [{}],
    [{ id: 1, method: "m" }],
    [{ jsonrpc: "1.0", id: 1, method: "m" }],
    [{ jsonrpc: 2, id: 1, method: "m" }],
    [{ jsonrpc: "2.0", id: 1 }],
    [{ jsonrpc: "2.0", id: 1, method: 7 }],
    [{ jsonrpc: "2.0", id: {}, method: "m" }],
    [{ jsonrpc: "2.0", id: [1], method: "m" }],
    [{ jsonrpc: "2.0", id: false, method: "m" }],
  ])("%j is an invalid request", (body) => {
    expect(() => rpcCall(body, "1")).toThrow(expect.objectContaining({ code: "invalid-request" }));
  });

  test.each([{ id: "a" }, { id: 1 }, { id: null }, {}])("%j is a call", (id) => {
    expect(rpcCall({ jsonrpc: "2.0", ...id, method: "m", params: [1] }, "1")).toEqual({
      method: "m",
      params: [1],
    });
  });
});

describe("answers", () => {
  test("a success", () => {
    expect(success('"a"', { x: "\n" })).toBe('{"jsonrpc":"2.0","id":"a","result":{"x":"\\n"}}');
  });

  test("a failure has data only where the error has", () => {
    const bare = new A2AError("task-not-found");
    expect(failure("1", bare)).toBe(
      '{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"Task not found"}}',
    );
    const detailed = new A2AError("invalid-params", { data: { path: "id" } });
    expect(failure("null", detailed)).toBe(
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32602,"message":"Invalid parameters: id","data":{"path":"id"}}}',
    );
  });
});
