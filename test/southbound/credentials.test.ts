import type { IncomingMessage } from "node:http";
import { afterEach, describe, expect, test } from "@jest/globals";
import type { Credentials } from "../../src/config/config.ts";
import type { HttpRequest } from "../../src/southbound/http.ts";
import { cleanUp, clientOf, faultOf, SECRET, serve } from "./loopback.ts";

afterEach(cleanUp);

const get = (url: string, headers: Record<string, string> = {}): HttpRequest => ({
  method: "GET",
  url,
  headers,
  call: { signal: new AbortController().signal },
});

describe("credentials", () => {
  async function seenWith(
    credentials: Credentials,
    headers: Record<string, string> = {},
  ): Promise<IncomingMessage> {
    let seen: IncomingMessage | undefined;
    const url = await serve((request, response) => {
      seen = request;
      response.end("{}");
    });
    await clientOf(url, { credentials }).unary(get(`${url}/rpc?app=1`, headers));
    if (!seen) throw new Error("nothing was sent");
    return seen;
  }

  test("none adds nothing", async () => {
    const { headers, url } = await seenWith({ type: "none" });
    expect([headers.authorization, headers.cookie, url]).toEqual([undefined, undefined, "/rpc?app=1"]);
  });

  test("bearer, over what the adapter says", async () => {
    const { headers } = await seenWith({ type: "bearer", token: SECRET }, { Authorization: "other" });
    expect(headers.authorization).toBe(`Bearer ${SECRET}`);
  });

  test("basic", async () => {
    const { headers } = await seenWith({ type: "basic", username: "ann", password: SECRET });
    expect(headers.authorization).toBe(`Basic ${Buffer.from(`ann:${SECRET}`).toString("base64")}`);
  });

  test("an API key in a header", async () => {
    const { headers } = await seenWith({ type: "apiKey", in: "header", name: "X-Api-Key", value: SECRET });
    expect(headers["x-api-key"]).toBe(SECRET);
  });

  test("an API key in the query", async () => {
    const { url } = await seenWith({ type: "apiKey", in: "query", name: "api_key", value: SECRET });
    expect(url).toBe("/rpc?app=1&api_key=s3cret-key%2F42");
  });

  test("an API key in a cookie, beside the adapter's own", async () => {
    const { headers } = await seenWith(
      { type: "apiKey", in: "cookie", name: "key", value: "k1/;=" },
      { cookie: "a=b" },
    );
    expect(headers.cookie).toBe("a=b; key=k1/%3B=");
  });

  test("never go to another origin", async () => {
    let asked = 0;
    const elsewhere = await serve((_, response) => {
      asked++;
      response.end("{}");
    });
    const client = clientOf("http://127.0.0.1:9/rpc", { credentials: { type: "bearer", token: SECRET } });
    expect(await faultOf(client.unary(get(`${elsewhere}/rpc`)))).toEqual({
      code: "agent-unavailable",
      message: `The agent planner is called at http://127.0.0.1:9 only, not at ${elsewhere}`,
      data: { agent: "planner", stage: "request" },
    });
    expect(asked).toBe(0);
  });
});
