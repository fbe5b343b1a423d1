import { afterEach, describe, expect, test } from "@jest/globals";
import type { HttpRequest } from "../../src/southbound/http.ts";
import { createRedactor } from "../../src/southbound/redact.ts";
import { toTransportError } from "../../src/southbound/transport-error.ts";
import { cleanUp, clientOf, deadOrigin, faultOf, SECRET, serve, serveTcp } from "./loopback.ts";

afterEach(cleanUp);

const get = (url: string): HttpRequest => ({
  method: "GET",
  url,
  call: { signal: new AbortController().signal },
});
const unaryFault = (url: string) => faultOf(clientOf(url).unary(get(url)));

/** What comes before the fault, and the fault. */
async function streamFault(url: string) {
  const values: unknown[] = [];
  const fault = await faultOf(
    (async () => {
      const stream = await clientOf(url).stream(get(url));
      if (stream.ok) for await (const { value } of stream.values) values.push(value);
    })(),
  );
  return { values, ...fault };
}

describe("a call fails with its stage where the agent", () => {
  test("refuses the connection", async () => {
    expect(await unaryFault(await deadOrigin())).toEqual({
      code: "agent-unavailable",
      message: "The agent planner refused the connection",
      data: { agent: "planner", stage: "connect", cause: "ECONNREFUSED" },
    });
  });

  test("does not speak TLS", async () => {
    const url = await serve((_, response) => response.end("{}"));
    expect(await unaryFault(url.replace("http:", "https:"))).toMatchObject({
      code: "agent-unavailable",
      message: "The agent planner could not be connected to over TLS",
      data: { agent: "planner", stage: "tls" },
    });
  });

  test("does not speak HTTP", async () => {
    expect(await unaryFault(await serveTcp((socket) => socket.end("220 mail ready\r\n")))).toMatchObject({
      code: "invalid-agent-response",
      data: { agent: "planner", stage: "headers" },
    });
  });

  test("resets the connection before it answers", async () => {
    const url = await serveTcp((socket) => socket.once("data", () => socket.resetAndDestroy()));
    expect(await unaryFault(url)).toEqual({
      code: "agent-unavailable",
      message: "The agent planner broke the connection",
      data: { agent: "planner", stage: "headers", cause: "ECONNRESET" },
    });
  });

  test("closes the connection before it answers", async () => {
    const url = await serveTcp((socket) => socket.once("data", () => socket.end()));
    expect(await unaryFault(url)).toMatchObject({
      code: "agent-unavailable",
      data: { agent: "planner", stage: "headers", cause: "UND_ERR_SOCKET" },
    });
  });

  test("gives half an answer", async () => {
    const half = "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{";
    expect(await unaryFault(await serveTcp((socket) => socket.once("data", () => socket.end(half))))).toEqual(
      {
        code: "agent-unavailable",
        message: "The agent planner broke the connection",
        data: { agent: "planner", stage: "body", status: 200, cause: "UND_ERR_SOCKET" },
      },
    );
  });

  test("answers with HTML", async () => {
    const url = await serve((_, response) =>
      response.writeHead(200, { "content-type": "text/html" }).end("<p>"),
    );
    const fault = {
      code: "invalid-agent-response",
      message: "The agent planner answered with HTML instead of JSON (HTTP 200)",
      data: { agent: "planner", stage: "body", status: 200 },
    };
    expect(await unaryFault(url)).toEqual(fault);
    expect(await streamFault(url)).toEqual({ values: [], ...fault });
  });

  test("redirects, even within itself; nothing follows", async () => {
    const asked: (string | undefined)[] = [];
    const url = await serve((request, response) => {
      asked.push(request.url);
      response.writeHead(307, { location: `/other?key=${SECRET}` }).end();
    });
    const fault = await unaryFault(url);
    expect(fault).toEqual({
      code: "invalid-agent-response",
      message: "The agent planner answered with a redirect (HTTP 307); redirects are not followed",
      data: { agent: "planner", stage: "headers", status: 307, location: `${url}/other` },
    });
    expect(asked).toEqual(["/"]);
  });

  test("answers with too much", async () => {
    const url = await serve((_, response) => response.end("x".repeat(1001)));
    expect(await unaryFault(url)).toEqual({
      code: "invalid-agent-response",
      message: "The agent answered with more than 1000 bytes",
      data: { agent: "planner", stage: "body", status: 200, limit: 1000 },
    });
  });

  test("compresses with something unknown, or badly", async () => {
    const encoded = (encoding: string) =>
      serve((_, response) => response.setHeader("content-encoding", encoding).end("nonsense"));
    expect(await unaryFault(await encoded("compress"))).toMatchObject({
      code: "invalid-agent-response",
      data: { agent: "planner", stage: "body", contentEncoding: "compress" },
    });
    expect(await unaryFault(await encoded("gzip"))).toMatchObject({
      code: "invalid-agent-response",
      data: { agent: "planner", stage: "body", cause: "Z_DATA_ERROR" },
    });
  });
});

describe("a stream gives what was whole, then fails where the agent", () => {
  test("resets the connection", async () => {
    const url = await serve((request, response) => {
      response.write('data: {"a":1}\n\ndata: {"b":2}\n\ndata: {"c', () => {
        setTimeout(() => request.socket.resetAndDestroy(), 50);
      });
    });
    expect(await streamFault(url)).toEqual({
      values: [{ a: 1 }, { b: 2 }],
      code: "agent-unavailable",
      message: "The agent planner broke the connection",
      data: { agent: "planner", stage: "body", status: 200, cause: "ECONNRESET" },
    });
  });

  test("closes it within a chunked body, even after a value without a line end", async () => {
    const url = await serve((request, response) => {
      response.write('data: {"a":1}', () => request.socket.end());
    });
    expect(await streamFault(url)).toMatchObject({
      values: [{ a: 1 }],
      code: "agent-unavailable",
      data: { agent: "planner", stage: "body", cause: "UND_ERR_SOCKET" },
    });
  });

  test("sends an event that is too large", async () => {
    const url = await serve((_, response) =>
      response.end(`data: {"a":1}\n\ndata: "${"x".repeat(1000)}"\n\n`),
    );
    expect(await streamFault(url)).toEqual({
      values: [{ a: 1 }],
      code: "invalid-agent-response",
      message: "The agent sent an event of more than 1000 bytes",
      data: { agent: "planner", stage: "event", status: 200, limit: 1000 },
    });
  });
});

test("a deadline that passes is named as one", async () => {
  const url = await serve(() => {});
  const call = clientOf(url).unary({ ...get(url), call: { signal: AbortSignal.timeout(20) } });
  expect(await faultOf(call)).toEqual({
    code: "agent-unavailable",
    message: "The agent planner did not answer in time",
    data: { agent: "planner", stage: "headers" },
  });
});

test("a credential that no header can hold is reported without its value", async () => {
  const url = await serve((_, response) => response.end("{}"));
  const credentials = { type: "bearer", token: `${SECRET}\n` } as const;
  const fault = await faultOf(clientOf(url, { credentials }).unary(get(url)));
  expect(fault).toMatchObject({ code: "agent-unavailable", data: { agent: "planner", stage: "request" } });
  expect(JSON.stringify(fault)).not.toContain(SECRET);
});

describe("the fault table", () => {
  const faultFor = (code: string, stage: "headers" | "body" = "headers") => {
    const thrown = Object.assign(new Error(`nothing of this is shown: ${SECRET}`), { code });
    const {
      code: name,
      data,
      message,
    } = toTransportError(thrown, { agent: "x", stage, redact: createRedactor([SECRET]) });
    expect(message).not.toContain(SECRET);
    return [name, data];
  };

  test.each([
    ["ENOTFOUND", "agent-unavailable", "dns"],
    ["EAI_AGAIN", "agent-unavailable", "dns"],
    ["UND_ERR_CONNECT_TIMEOUT", "agent-unavailable", "connect"],
    ["EHOSTUNREACH", "agent-unavailable", "connect"],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", "agent-unavailable", "tls"],
    ["CERT_HAS_EXPIRED", "agent-unavailable", "tls"],
    ["ERR_TLS_CERT_ALTNAME_INVALID", "agent-unavailable", "tls"],
    ["EPIPE", "agent-unavailable", "headers"],
    ["HPE_INVALID_CONSTANT", "invalid-agent-response", "headers"],
    ["UND_ERR_HEADERS_OVERFLOW", "invalid-agent-response", "headers"],
    ["E_NEVER_HEARD_OF", "agent-unavailable", "headers"],
  ])("%s is %s at %s", (cause, code, stage) => {
    expect(faultFor(cause)).toEqual([code, { agent: "x", stage, cause }]);
  });
});
