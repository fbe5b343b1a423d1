import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { brotliCompressSync, createGzip, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { afterEach, describe, expect, test } from "@jest/globals";
import { A2AError } from "../../src/protocol/errors.ts";
import type { HttpRequest, HttpStream, StreamedValue } from "../../src/southbound/http.ts";
import { cleanUp, clientOf, SECRET, serve, serveTcp } from "./loopback.ts";

afterEach(cleanUp);

const never = new AbortController().signal;
const post = (url: string, extra: Partial<HttpRequest> = {}): HttpRequest => ({
  method: "POST",
  url,
  body: { ping: 1 },
  call: { signal: never },
  ...extra,
});

/** The iterator of a stream that is expected to have opened. */
function valuesOf(stream: HttpStream): AsyncIterator<StreamedValue> {
  if (!stream.ok) throw new Error(`HTTP ${stream.response.status}`);
  return stream.values[Symbol.asyncIterator]();
}

async function allOf(stream: HttpStream): Promise<unknown[]> {
  const values: unknown[] = [];
  const iterator = valuesOf(stream);
  for (let next = await iterator.next(); !next.done; next = await iterator.next())
    values.push(next.value.value);
  return values;
}

describe("a unary call", () => {
  test("sends JSON and resolves with the parsed answer", async () => {
    let sent = {};
    const url = await serve(async (request, response) => {
      const { method, headers } = request;
      const body = Buffer.concat(await request.toArray()).toString();
      sent = {
        method,
        url: request.url,
        type: headers["content-type"],
        encoding: headers["accept-encoding"],
        body,
      };
      response.setHeader("x-vendor", "v").end('{"pong":1}');
    });
    const response = await clientOf(url).unary(post(`${url}/rpc?app=1`, { headers: { "X-One": "1" } }));
    expect(sent).toEqual({
      method: "POST",
      url: "/rpc?app=1",
      type: "application/json",
      encoding: "identity",
      body: '{"ping":1}',
    });
    expect(response).toMatchObject({ status: 200, json: { pong: 1 }, excerpt: '{"pong":1}' });
    expect(response.headers["x-vendor"]).toBe("v");
  });

  test("resolves with an error status, without the secrets its body echoes", async () => {
    const url = await serve((_, response) =>
      response.writeHead(401).end(`{"code":"Auth","key":"${SECRET}"}`),
    );
    const response = await clientOf(url).unary(post(url));
    expect(response).toMatchObject({ status: 401, json: { code: "Auth", key: "[redacted]" } });
    expect(response.excerpt).toBe('{"code":"Auth","key":"[redacted]"}');
  });

  test("has no json where an error comes as HTML", async () => {
    const url = await serve((_, response) =>
      response.writeHead(502, { "content-type": "text/html" }).end("<h1>Bad"),
    );
    expect(await clientOf(url).unary(post(url))).toMatchObject({
      status: 502,
      json: undefined,
      excerpt: "<h1>Bad",
    });
  });

  test("takes JSON for JSON, whatever its content type", async () => {
    const url = await serve((_, response) =>
      response.writeHead(200, { "content-type": "text/html" }).end("[1]"),
    );
    expect(await clientOf(url).unary(post(url))).toMatchObject({ json: [1] });
  });

  test.each([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
    ["zstd", zstdCompressSync],
  ])("reads an answer that is compressed as %s unasked", async (encoding, compress) => {
    const url = await serve((_, response) => {
      response.setHeader("content-encoding", encoding).end(compress(Buffer.from('{"pong":1}')));
    });
    expect(await clientOf(url).unary(post(url))).toMatchObject({ json: { pong: 1 } });
  });

  test("waits for one of the permitted connections, and reuses it", async () => {
    const ports = new Set<number | undefined>();
    const url = await serve((request, response) => {
      ports.add(request.socket.remotePort);
      response.end("{}");
    });
    const client = clientOf(url, { limits: { connections: 1, responseBody: 1000, event: 1000 } });
    await Promise.all([1, 2, 3].map(() => client.unary(post(url))));
    expect(ports.size).toBe(1);
  });

  test("rejects at once when it is aborted while the connection is being made", async () => {
    const accepted = Promise.withResolvers<void>();
    // Takes the connection and never answers the TLS handshake.
    const url = (await serveTcp(() => accepted.resolve())).replace("http:", "https:");
    const controller = new AbortController();
    const timeouts = { connect: 60_000, request: 60_000 };
    const answer = clientOf(url, { timeouts }).unary(post(url, { call: { signal: controller.signal } }));
    await accepted.promise;
    const reason = new A2AError("agent-unavailable", { message: "took too long" });
    controller.abort(reason);
    expect(await answer.catch((thrown: unknown) => thrown)).toBe(reason);
  });

  test("rejects with the signal's own A2AError when it is aborted, before and during the call", async () => {
    const reason = new A2AError("agent-unavailable", { message: "took too long", data: { stage: "total" } });
    const before = await clientOf("http://127.0.0.1:9")
      .unary(post("http://127.0.0.1:9", { call: { signal: AbortSignal.abort(reason) } }))
      .catch((error: unknown) => error);
    expect(before).toBe(reason);

    const controller = new AbortController();
    const url = await serve((_, response) => {
      response.writeHead(200).write("{");
      controller.abort(reason);
    });
    const during = await clientOf(url)
      .unary(post(url, { call: { signal: controller.signal } }))
      .catch((error: unknown) => error);
    expect(during).toBe(reason);
  });
});

describe("a stream", () => {
  test("yields each value as it comes", async () => {
    let answer: ServerResponse | undefined;
    const url = await serve((_, response) => {
      answer = response;
      response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
    });
    const values = valuesOf(await clientOf(url).stream(post(url)));
    const first = values.next();
    answer?.write('data: {"a":1}\n');
    expect(await first).toEqual({ done: false, value: { value: { a: 1 }, event: undefined, id: undefined } });
    answer?.end('\ndata: {"b":2}');
    expect((await values.next()).value).toMatchObject({ value: { b: 2 } });
    expect(await values.next()).toEqual({ done: true, value: undefined });
    expect(await values.next()).toEqual({ done: true, value: undefined });
  });

  test.each([
    ["a plain JSON body", "application/json", '{\n "a": 1\n}'],
    ["a plain JSON body called HTML", "text/html", '{\n "a": 1\n}'],
    ["NDJSON", "application/x-ndjson", '{"a":1}\n'],
  ])("yields %s", async (_, type, body) => {
    const url = await serve((_request, response) =>
      response.writeHead(200, { "content-type": type }).end(body),
    );
    expect(await allOf(await clientOf(url).stream(post(url)))).toEqual([{ a: 1 }]);
  });

  test("yields compressed events without waiting for the end", async () => {
    const url = await serve((_, response) => {
      const gzip = createGzip();
      gzip.pipe(response.writeHead(200, { "content-encoding": "gzip" }));
      gzip.write('data: {"a":1}\n\n');
      gzip.flush();
    });
    const values = valuesOf(await clientOf(url).stream(post(url)));
    expect((await values.next()).value).toMatchObject({ value: { a: 1 } });
    await values.return?.();
  });

  test("loses nothing of a compressed stream that breaks", async () => {
    const url = await serve((_, response) => {
      const gzip = createGzip();
      gzip.pipe(response.writeHead(200, { "content-encoding": "gzip" }));
      gzip.write('data: {"a":1}\n\ndata: {"a":2}\n\n');
      gzip.flush(() => response.write("", () => response.destroy()));
    });
    const values = valuesOf(await clientOf(url).stream(post(url)));
    expect((await values.next()).value).toMatchObject({ value: { a: 1 } });
    expect((await values.next()).value).toMatchObject({ value: { a: 2 } });
    expect(await values.next().catch((thrown: unknown) => thrown)).toMatchObject({
      code: "agent-unavailable",
      data: { stage: "body" },
    });
  });

  test("is not ok where the status is an error, and has read the answer", async () => {
    const url = await serve((_, response) => response.writeHead(429).end('{"message":"slow down"}'));
    const stream = await clientOf(url).stream(post(url));
    expect(stream).toMatchObject({ ok: false, response: { status: 429, json: { message: "slow down" } } });
  });

  test("reports what it skips, without secrets", async () => {
    const skipped: string[] = [];
    const url = await serve((_, response) => response.end(`data: {"k":"${SECRET}\n\ndata: {"a":1}\n\n`));
    const client = clientOf(url, { onMalformed: (excerpt) => skipped.push(excerpt) });
    expect(await allOf(await client.stream(post(url)))).toEqual([{ a: 1 }]);
    expect(skipped).toEqual(['{"k":"[redacted]']);
  });

  test("closes the connection when it is left, also while a value is awaited", async () => {
    const answers: ServerResponse[] = [];
    const url = await serve((_, response) => {
      answers.push(response);
      response.writeHead(200).write('data: {"a":1}\n\n');
    });
    const client = clientOf(url);
    const [left, awaited] = [await client.stream(post(url)), await client.stream(post(url))];
    const closed = Promise.all(answers.map((answer) => once(answer, "close")));
    if (left.ok) for await (const { value } of left.values) if (value !== undefined) break;
    const values = valuesOf(awaited);
    await values.next();
    const pending = values.next();
    await values.return?.();
    expect(await pending).toEqual({ done: true, value: undefined });
    await closed;
  });

  test("throws the reason when the signal is aborted, and closes the connection", async () => {
    const reason = new A2AError("agent-unavailable", { message: "silent for too long" });
    const controller = new AbortController();
    let closed: Promise<unknown> | undefined;
    const url = await serve((_, response) => {
      closed = once(response, "close");
      response.writeHead(200).write('data: {"a":1}\n\n');
    });
    const values = valuesOf(await clientOf(url).stream(post(url, { call: { signal: controller.signal } })));
    await values.next();
    const pending = values.next();
    controller.abort(reason);
    expect(await pending.catch((error: unknown) => error)).toBe(reason);
    await closed;
  });

  test("holds the vendor back while nobody reads, and loses nothing", async () => {
    const event = `data: {"t":"${"x".repeat(90_000)}"}\n\n`;
    const total = 400;
    let written = 0;
    const url = await serve(async (_, response) => {
      while (written < total) {
        written++;
        if (!response.write(event)) await once(response, "drain");
      }
      response.end();
    });
    const limits = { connections: 1, responseBody: 1000, event: 100_000 };
    const stream = await clientOf(url, { limits }).stream(post(url));
    let before = -1;
    while (before !== written) {
      before = written;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(written).toBeLessThan(total);
    expect(await allOf(stream)).toHaveLength(total);
  });
});
