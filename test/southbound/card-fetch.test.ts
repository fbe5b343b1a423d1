import type { RequestListener } from "node:http";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "@jest/globals";
import nock from "nock";
import type { Credentials } from "../../src/config/config.ts";
import { A2AError } from "../../src/protocol/errors.ts";
import { createAuthorizer } from "../../src/southbound/authorizer.ts";
import { createCardFetcher, type CardFetcherOptions } from "../../src/southbound/card-fetch.ts";
import { createRedactor } from "../../src/southbound/redact.ts";
import { cleanUp, deadOrigin, faultOf, SECRET, serve } from "./loopback.ts";

afterEach(cleanUp);

const BEARER: Credentials = { type: "bearer", token: SECRET };
const never = new AbortController().signal;

function fetchCard(
  url: string,
  options: Partial<CardFetcherOptions & { credentials: Credentials }> = {},
  signal = never,
): Promise<unknown> {
  const redact = createRedactor([SECRET]);
  const { credentials = BEARER } = options;
  const timeouts = { connect: 5000, request: 5000 };
  const fetcher = createCardFetcher({
    agent: "planner",
    url,
    card: { urls: [`${url}/card`] },
    authorizer: createAuthorizer({ agent: "planner", credentials, timeouts, redact }),
    timeouts,
    limits: { responseBody: 1000 },
    redact,
    backoffLimit: 0,
    ...options,
  });
  return fetcher(signal);
}

/** A vendor that answers each path with its listener, and the requests it got. */
async function vendor(paths: Record<string, RequestListener>) {
  const asked: string[] = [];
  const origin = await serve((request, response) => {
    const path = request.url ?? "";
    asked.push(`${path} ${request.headers.authorization ?? "-"}`);
    const listener = paths[path.replace(/\?.*/, "")];
    if (listener) listener(request, response);
    else response.writeHead(404).end();
  });
  return { origin, asked, urls: (...names: string[]) => ({ urls: names.map((name) => origin + name) }) };
}

const card: RequestListener = (_, response) => response.end('{"name":"Planner"}');
const html: RequestListener = (_, response) => response.setHeader("content-type", "text/html").end("<html>");
const answering =
  (status: number, body = "", headers: Record<string, string> = {}): RequestListener =>
  (_, response) =>
    response.writeHead(status, headers).end(body);

describe("the card", () => {
  test("from the configuration is not fetched", async () => {
    const inline = { name: "Inline" };
    expect(
      await fetchCard("http://127.0.0.1:9", { card: { urls: ["http://127.0.0.1:9/card"], inline } }),
    ).toBe(inline);
  });

  test("is the first of the URLs, in order, that answers with a JSON object", async () => {
    const { origin, asked, urls } = await vendor({
      "/b": answering(405),
      "/c": html,
      "/d": answering(200, "[]"),
      "/e": answering(401, '{"message":"no"}'),
      "/f": card,
      "/g": card,
    });
    const found = await fetchCard(origin, { card: urls("/a", "/b", "/c", "/d", "/e", "/f", "/g") });
    expect(found).toEqual({ name: "Planner" });
    expect(asked).toEqual(["/a", "/b", "/c", "/d", "/e", "/f"].map((path) => `${path} Bearer ${SECRET}`));
  });

  test("is asked for again after 429, 5xx and a broken connection", async () => {
    const answers: RequestListener[] = [answering(503), (request) => request.socket.resetAndDestroy(), card];
    const { origin, asked } = await vendor({
      "/card": (request, response) => answers.shift()?.(request, response),
      "/busy": answering(429, "", { "retry-after": "0" }),
    });
    expect(await fetchCard(origin)).toEqual({ name: "Planner" });
    expect(asked).toHaveLength(3);
    expect(await faultOf(fetchCard(origin, { card: { urls: [`${origin}/busy`] } }))).toMatchObject({
      code: "agent-unavailable",
      data: {
        agent: "planner",
        stage: "card",
        tried: [{ url: `${origin}/busy`, status: 429, reason: "HTTP 429" }],
      },
    });
    expect(asked).toHaveLength(6);
  });

  test("may have moved within its host, but not to another", async () => {
    let elsewhereAsked = 0;
    const elsewhere = await serve((_, response) => {
      elsewhereAsked++;
      response.end("{}");
    });
    const { origin, urls } = await vendor({
      "/card": answering(302, "", { location: "/moved" }),
      "/moved": card,
      "/away": answering(302, "", { location: `${elsewhere}/card` }),
    });
    expect(await fetchCard(origin)).toEqual({ name: "Planner" });
    expect(await faultOf(fetchCard(origin, { card: urls("/away") }))).toMatchObject({
      code: "invalid-agent-response",
      data: {
        tried: [{ url: `${origin}/away`, status: 302, reason: "redirects to another host (HTTP 302)" }],
      },
    });
    expect(elsewhereAsked).toBe(0);
  });

  test("is fetched with the agent's credentials, but without them from another host", async () => {
    const other = await vendor({ "/card": card });
    const { origin, asked } = await vendor({});
    const query: Credentials = { type: "apiKey", in: "query", name: "api_key", value: "k1" };
    const sources = { urls: [`${origin}/card?v=1`, `${other.origin}/card`] };
    expect(await fetchCard(origin, { card: sources, credentials: query })).toEqual({ name: "Planner" });
    expect(await fetchCard(origin, { card: sources })).toEqual({ name: "Planner" });
    expect(asked).toEqual(["/card?v=1&api_key=k1 -", `/card?v=1 Bearer ${SECRET}`]);
    expect(other.asked).toEqual(["/card -", "/card -"]);
  });
});

describe("without a card", () => {
  test("the error tells what was tried, without queries", async () => {
    const { origin, urls } = await vendor({
      "/b": html,
      "/c": answering(200, JSON.stringify("x".repeat(2000))),
    });
    expect(await faultOf(fetchCard(origin, { card: urls("/a?key=k1", "/b", "/c") }))).toEqual({
      code: "invalid-agent-response",
      message: "No card of the agent planner was found: HTTP 404; HTML; more than 1000 bytes",
      data: {
        agent: "planner",
        stage: "card",
        tried: [
          { url: `${origin}/a`, status: 404, reason: "HTTP 404" },
          { url: `${origin}/b`, status: 200, reason: "HTML" },
          { url: `${origin}/c`, reason: "more than 1000 bytes" },
        ],
      },
    });
  });

  test("an agent that is there, but has none at any of the addresses, may serve it elsewhere", async () => {
    const { origin, urls } = await vendor({ "/b": answering(405), "/c": html });
    expect(await faultOf(fetchCard(origin, { card: urls("/a", "/b", "/c") }))).toMatchObject({
      message:
        "No card of the agent planner was found: HTTP 404; HTTP 405; HTML; if the agent serves it elsewhere, such as at " +
        "/.well-known/<id>/agent-card.json, set `card` to that URL",
    });
  });

  test("an unreachable host is not asked for its other URLs", async () => {
    const origin = await deadOrigin();
    expect(await faultOf(fetchCard(origin, { card: { urls: [`${origin}/a`, `${origin}/b`] } }))).toEqual({
      code: "agent-unavailable",
      message: "No card of the agent planner was found: The agent planner refused the connection",
      data: {
        agent: "planner",
        stage: "card",
        tried: [
          { url: `${origin}/a`, cause: "ECONNREFUSED", reason: "The agent planner refused the connection" },
        ],
      },
    });
  });

  test("an abort ends the search with its own reason", async () => {
    const reason = new A2AError("shutting-down");
    const controller = new AbortController();
    const { origin, asked, urls } = await vendor({ "/a": () => controller.abort(reason), "/b": card });
    const failed = fetchCard(origin, { card: urls("/a", "/b") }, controller.signal);
    expect(await failed.catch((error: unknown) => error)).toBe(reason);
    expect(asked).toHaveLength(1);
  });
});

describe("at a real host", () => {
  afterEach(() => {
    nock.cleanAll();
    nock.restore();
  });

  test("a protected card behind a 503 is found at the second well-known name", async () => {
    const host = nock("https://agents.example.com", { reqheaders: { authorization: `Bearer ${SECRET}` } })
      .get("/planner/.well-known/agent-card.json")
      .reply(404)
      .get("/planner/.well-known/agent.json")
      .reply(503)
      .get("/planner/.well-known/agent.json")
      .reply(200, { name: "Planner" });
    const base = "https://agents.example.com/planner";
    const urls = [`${base}/.well-known/agent-card.json`, `${base}/.well-known/agent.json`];
    expect(await fetchCard(base, { card: { urls } })).toEqual({ name: "Planner" });
    expect(host.isDone()).toBe(true);
  });
});

test("a small body that becomes a large card is left", async () => {
  const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, " "));
  const { origin } = await vendor({
    "/card": (_, response) => response.setHeader("content-encoding", "gzip").end(bomb),
  });
  const { data } = await faultOf(fetchCard(origin, { limits: { responseBody: 100_000 } }));
  expect(data).toMatchObject({ tried: [{ reason: "more than 100000 bytes" }] });
});
