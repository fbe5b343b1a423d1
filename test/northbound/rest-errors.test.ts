import { describe, expect, test } from "@jest/globals";
import { fakeGateway, recording, start, userMessage } from "./harness.ts";
import { BASE, call } from "./rest-client.ts";

const CANONICAL = { message: userMessage("hi") };

/** As the Python SDK looks for them under `type`, and the Java SDK, with its package, under `error`. */
const NAMES: Readonly<Record<number, string>> = {
  [-32700]: "JSONParseError",
  [-32602]: "InvalidParamsError",
  [-32601]: "MethodNotFoundError",
  [-32007]: "AuthenticatedExtendedCardNotConfiguredError",
};

describe("a request that is answered with an error", () => {
  test.each<[string, string, string, unknown, number, number]>([
    ["no JSON", "POST", "/message:send", "{", 400, -32700],
    ["no body", "POST", "/message:send", undefined, 400, -32602],
    ["no object", "POST", "/message:send", [], 400, -32602],
    ["no parts", "POST", "/message:send", { message: { role: "ROLE_USER" } }, 400, -32602],
    ["no role", "POST", "/message:stream", { message: { content: [{ text: "" }] } }, 400, -32602],
    ["a bad historyLength", "GET", "/tasks/t?historyLength=x", undefined, 400, -32602],
    ["a path that cannot be decoded", "GET", "/tasks/%ff", undefined, 400, -32602],
    ["the extended card", "GET", "/card", undefined, 404, -32007],
    ["an unknown path", "GET", "/tasks/t/artifacts", undefined, 404, -32601],
    ["no path", "GET", "", undefined, 404, -32601],
    ["an unknown action", "POST", "/message:shout", {}, 404, -32601],
  ])("%s", async (_name, verb, path, body, status, code) => {
    const { gateway, calls } = recording();
    await using proxy = await start({ gateway });
    const response = await call(proxy, verb, BASE + path, body);
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({
      code,
      message: expect.any(String),
      type: NAMES[code],
      error: `io.a2a.spec.${NAMES[code]}`,
      ...(code === -32602 ? { data: expect.any(Object) } : {}),
    });
    expect(calls).toEqual([]);
  });

  test.each([
    ["PUT", "/tasks/t", "GET"],
    ["GET", "/tasks/t:cancel", "POST"],
    ["PUT", "/tasks/t:subscribe", "GET, POST"],
    ["GET", "/message:send", "POST"],
  ])("%s %s, which has other methods", async (verb, path, allow) => {
    await using proxy = await start({ gateway: recording().gateway });
    const response = await call(proxy, verb, BASE + path);
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe(allow);
    expect(await response.json()).toMatchObject({ code: -32601 });
  });

  test("a form, a body that is too large, and work while the proxy stops", async () => {
    await using proxy = await start({ gateway: recording().gateway, limits: { requestBody: 10 } });
    const form = await call(proxy, "POST", `${BASE}/tasks/t:cancel`, "a=b", { "Content-Type": "text/plain" });
    expect([form.status, await form.json()]).toMatchObject([415, { code: -32600 }]);
    const large = await call(proxy, "POST", `${BASE}/message:send`, CANONICAL);
    expect([large.status, await large.json()]).toMatchObject([413, { code: -32600, data: { limit: 10 } }]);
    proxy.state.phase = "stopping";
    const late = await call(proxy, "GET", `${BASE}/tasks/t:subscribe`);
    expect([late.status, late.headers.get("retry-after")]).toEqual([503, "1"]);
  });

  test("a fault of the proxy's own reveals nothing", async () => {
    const gateway = fakeGateway({ getTask: () => Promise.reject(new Error("the secret")) });
    await using proxy = await start({ gateway });
    const response = await call(proxy, "GET", `${BASE}/tasks/t`);
    expect([response.status, await response.json()]).toEqual([
      500,
      {
        code: -32603,
        message: "Internal error",
        type: "InternalError",
        error: "io.a2a.spec.InternalError",
      },
    ]);
  });
});
