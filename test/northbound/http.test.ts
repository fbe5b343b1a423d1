import { describe, expect, test } from "@jest/globals";
import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { A2AError } from "../../src/protocol/errors.ts";
import { TASK, URL_PATH, fakeGateway, post, rpc, start, until, type Harness } from "./harness.ts";

const GET_TASK = rpc("tasks/get", { id: "t-1" }, "x");
const gateway = fakeGateway({ getTask: async () => TASK });

const refusal = (code: number, message: string, data: Record<string, unknown>) => ({
  jsonrpc: "2.0",
  id: null,
  error: { code, message, data },
});

const unsupported = (reason: string) => refusal(-32600, `Unsupported media type: ${reason}`, { reason });

describe("bodies that are refused before they are read", () => {
  test.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/jsonp",
    "text/json",
    "application/json; charset=gbk",
  ])("content type %s: 415", async (type) => {
    await using proxy = await start({ gateway });
    const response = await post(proxy, GET_TASK, { "Content-Type": type });
    expect(response.status).toBe(415);
    expect(await response.json()).toEqual(unsupported("the body must be application/json in UTF-8"));
  });

  test("no content type: 415", async () => {
    await using proxy = await start({ gateway });
    const body = new Uint8Array(Buffer.from(JSON.stringify(GET_TASK)));
    const response = await fetch(proxy.origin + URL_PATH, { method: "POST", body });
    expect(response.status).toBe(415);
  });

  test.each(["gzip", "br", "identity, gzip"])("content encoding %s: 415", async (encoding) => {
    await using proxy = await start({ gateway });
    const response = await post(proxy, GET_TASK, { "Content-Encoding": encoding });
    expect(response.status).toBe(415);
    expect(await response.json()).toEqual(unsupported("the body must not be compressed"));
  });

  test.each([
    { "Content-Type": "application/json; charset=UTF-8" },
    { "Content-Type": "Application/JSON" },
    { "Content-Type": "application/a2a+json" },
    { "Content-Encoding": "identity" },
  ])("%j is taken", async (headers) => {
    await using proxy = await start({ gateway });
    const response = await post(proxy, GET_TASK, headers);
    expect(await response.json()).toEqual({ jsonrpc: "2.0", id: "x", result: TASK });
  });
});

describe("a header that may be there only once", () => {
  test.each([
    ["Host: proxy.example\r\nHost: other.example", "host"],
    ["Host: h\r\nAuthorization: Bearer bad\r\nAUTHORIZATION: Bearer good", "authorization"],
  ])("%j: 400", async (headers, name) => {
    const calls: unknown[] = [];
    const noting = fakeGateway({ getTask: async (params) => (calls.push(params), TASK) });
    await using proxy = await start({ gateway: noting });
    const body = JSON.stringify(GET_TASK);
    const socket = connect({ port: Number(new URL(proxy.origin).port), host: "127.0.0.1" });
    const request = `POST ${URL_PATH} HTTP/1.1\r\n${headers}\r\nConnection: close\r\nContent-Type: application/json`;
    socket.end(`${request}\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    const answer = await text(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain(`there is more than one ${name} header`);
    expect(calls).toEqual([]);
  });
});

describe("bodies beyond the limit", () => {
  const tooLarge = refusal(-32600, "Request body is too large", { limit: 1_000 });

  test("with a length: 413, and the connection goes on", async () => {
    await using proxy = await start({ gateway, limits: { requestBody: 1_000 } });
    const response = await post(proxy, "x".repeat(3_000_000));
    expect(response.status).toBe(413);
    expect(await response.json()).toEqual(tooLarge);
    expect(await (await post(proxy, GET_TASK)).json()).toMatchObject({ result: TASK });
  });

  test("in chunks: 413", async () => {
    await using proxy = await start({ gateway, limits: { requestBody: 1_000 } });
    const socket = connect({ port: Number(new URL(proxy.origin).port), host: "127.0.0.1" });
    let received = "";
    socket.on("data", (chunk: Buffer) => {
      received += chunk.toString();
    });
    const chunk = `258\r\n${"x".repeat(600)}\r\n`;
    socket.write(
      `POST ${URL_PATH} HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}`,
    );
    socket.write(`${chunk}0\r\n\r\n`);
    await until(() => received.includes("\r\n\r\n") && received.endsWith("}"));
    expect(received).toMatch(/^HTTP\/1\.1 413 /);
    expect(JSON.parse(received.slice(received.indexOf("\r\n\r\n")))).toEqual(tooLarge);
    socket.destroy();
  });

  test("a body of exactly the limit is taken", async () => {
    const body = JSON.stringify(GET_TASK);
    await using proxy = await start({ gateway, limits: { requestBody: body.length } });
    expect((await post(proxy, body)).status).toBe(200);
    expect((await post(proxy, `${body} `)).status).toBe(413);
  });

  test("a body that breaks off leaves nothing behind but a line in the log", async () => {
    await using proxy = await start({ gateway });
    const socket = connect({ port: Number(new URL(proxy.origin).port), host: "127.0.0.1" });
    socket.write(
      `POST ${URL_PATH} HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{`,
      () => socket.destroy(),
    );
    await once(socket, "close");
    await until(() => proxy.lines.length > 0);
    expect(proxy.lines).toMatchObject([{ level: 30, outcome: "client-gone" }]);
  });
});

describe("paths and methods", () => {
  const methods = ["GET", "PUT", "DELETE", "PATCH", "OPTIONS"];

  test.each(methods)("%s on a JSON-RPC URL: 405", async (method) => {
    await using proxy = await start();
    for (const path of ["/", "/agents/planner", "/agents/planner/"]) {
      const response = await fetch(proxy.origin + path, { method });
      expect(response.status).toBe(405);
      expect(response.headers.get("allow")).toBe("POST");
      expect(await response.json()).toEqual({
        error: { code: 405, status: "method-not-allowed", message: "This resource has POST" },
      });
    }
  });

  test.each([
    "/nope",
    "/agents/other",
    "/agents/other/",
    "/agents/other/.well-known/agent-card.json",
    "/agents/planner/nope",
    "/agents/%E0%A4%A",
    "/agents/toString/",
    "/.well-known/other",
    "/<script>",
  ])("%s: 404 in JSON", async (path) => {
    await using proxy = await start();
    for (const method of ["GET", "POST"]) {
      const response = await fetch(proxy.origin + path, { method });
      expect(response.status).toBe(404);
      expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
      expect(response.headers.get("x-content-type-options")).toBe("nosniff");
      expect(await response.json()).toEqual({
        error: { code: 404, status: "not-found", message: expect.stringMatching(/^\w[\w ]+$/) },
      });
    }
  });

  test.each(["/", "/.well-known/agent-card.json", "/.well-known/agent.json"])(
    "%s: 404 where no agent is the default one",
    async (path) => {
      await using proxy = await start({ default: undefined });
      expect((await fetch(proxy.origin + path)).status).toBe(404);
      expect((await post(proxy, GET_TASK, {}, path)).status).toBe(404);
    },
  );
});

describe("the catalogue", () => {
  const place = {
    name: "planner",
    url: "https://proxy.example/agents/planner/",
    cardUrl: "https://proxy.example/agents/planner/.well-known/agent-card.json",
  };

  const listOf = async (proxy: Harness) => (await fetch(`${proxy.origin}/agents`)).json();

  test("lists the agents with what their cards say, each time it is asked", async () => {
    await using proxy = await start();
    for (let round = 0; round < 2; round += 1) {
      expect(await listOf(proxy)).toEqual({
        agents: [{ ...place, title: "Planner", description: "Plans trips." }],
      });
    }
  });

  test("does without a card that is late or not to be had", async () => {
    const cards = [
      () => new Promise<never>(() => {}),
      () => Promise.reject(new A2AError("agent-unavailable")),
    ];
    for (const card of cards) {
      await using proxy = await start({ gateway: fakeGateway({ card }) });
      expect(await listOf(proxy)).toEqual({ agents: [place] });
    }
  });
});

describe("health", () => {
  test.each([
    ["starting", 503],
    ["ready", 200],
    ["stopping", 503],
  ] as const)("a proxy that is %s answers /readyz with %i and is alive", async (phase, status) => {
    await using proxy = await start({ phase });
    const ready = await fetch(`${proxy.origin}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([status, { status: phase }]);
    const alive = await fetch(`${proxy.origin}/healthz`);
    expect([alive.status, await alive.json()]).toEqual([200, { status: "ok" }]);
  });

  test("follows the state as it changes", async () => {
    await using proxy = await start({ phase: "starting" });
    proxy.state.phase = "ready";
    expect((await fetch(`${proxy.origin}/readyz`, { method: "HEAD" })).status).toBe(200);
  });
});

describe("the request's id and its line in the log", () => {
  test("a sane X-Request-Id is taken over, and the line says who asked for what", async () => {
    await using proxy = await start({ gateway });
    const response = await post(proxy, GET_TASK, { "X-Request-Id": "abc-1.2:3_4" });
    expect(response.headers.get("x-request-id")).toBe("abc-1.2:3_4");
    await until(() => proxy.lines.length > 0);
    expect(proxy.lines).toEqual([
      {
        level: 30,
        request: "abc-1.2:3_4",
        outcome: "ok",
        agent: "planner",
        dialect: "dialect",
        method: "tasks/get",
        task: "t-1",
        verb: "POST",
        path: URL_PATH,
        status: 200,
        duration: expect.any(Number),
        msg: "request",
      },
    ]);
  });

  test.each(["a b", "<x>", "x".repeat(129)])("X-Request-Id %j is replaced", async (id) => {
    await using proxy = await start();
    const response = await fetch(`${proxy.origin}/healthz`, { headers: { "X-Request-Id": id } });
    expect(response.headers.get("x-request-id")).toBe("minted-1");
  });

  test("a refused request's line has the error's code", async () => {
    await using proxy = await start();
    await post(proxy, rpc("nope"));
    await fetch(`${proxy.origin}/nope`);
    await until(() => proxy.lines.length === 2);
    expect(proxy.lines).toMatchObject([
      { outcome: "method-not-found" },
      { outcome: "not-found", path: "/nope" },
    ]);
  });

  test("nothing is logged below the level", async () => {
    await using proxy = await start({ gateway, level: "warn" });
    await (await post(proxy, GET_TASK)).json();
    await (await post(proxy, GET_TASK)).json();
    expect(proxy.lines).toEqual([]);
  });
});
