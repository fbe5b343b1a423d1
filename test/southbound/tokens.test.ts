import { afterEach, describe, expect, test } from "@jest/globals";
import nock from "nock";
import type { IncomingMessage, ServerResponse } from "node:http";
import { PassThrough, pipeline } from "node:stream";
import { createGzip } from "node:zlib";
import type { Credentials } from "../../src/config/config.ts";
import { createAuthorizer } from "../../src/southbound/authorizer.ts";
import { createCardFetcher } from "../../src/southbound/card-fetch.ts";
import { createRedactor } from "../../src/southbound/redact.ts";
import { cleanUp, clientOf, faultOf, SECRET, serve } from "./loopback.ts";

afterEach(cleanUp);

const { signal } = new AbortController();

type OAuth2 = Extract<Credentials, { type: "oauth2" }>;

interface Asked {
  readonly authorization: string | undefined;
  readonly form: Record<string, string>;
}

/** An authorization server that counts; its tokens are `token-number-1`, `token-number-2`, … */
async function tokenServer(answer?: (response: ServerResponse, request: IncomingMessage) => void) {
  const asked: Asked[] = [];
  const origin = await serve(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    if (request.url?.startsWith("/.well-known/")) {
      const { host } = request.headers;
      const document = { issuer: `http://${host}`, token_endpoint: `http://${host}/token` };
      response.setHeader("content-type", "application/json").end(JSON.stringify(document));
      return;
    }
    const form = Object.fromEntries(new URLSearchParams(body));
    asked.push({ authorization: request.headers.authorization, form });
    response.setHeader("content-type", "application/json");
    if (answer) answer(response, request);
    else {
      const token = { access_token: `token-number-${asked.length}`, token_type: "Bearer", expires_in: 600 };
      response.end(JSON.stringify(token));
    }
  });
  const credentials: OAuth2 = {
    type: "oauth2",
    tokenUrl: `${origin}/token`,
    clientId: "proxy",
    clientSecret: SECRET,
    clientAuth: "client_secret_basic",
  };
  return { origin, asked, credentials };
}

function authorizerOf(credentials: Credentials) {
  const clock = { now: 1_000_000 };
  const redact = createRedactor([SECRET]);
  const timeouts = { connect: 5000, request: 5000 };
  const authorizer = createAuthorizer({
    agent: "planner",
    credentials,
    timeouts,
    redact,
    now: () => clock.now,
  });
  const token = async (): Promise<string | undefined> =>
    (await authorizer.authorize(signal)).headers["authorization"];
  return { clock, authorizer, token, redact };
}

describe("a token", () => {
  test("is asked for once, however many calls wait for it", async () => {
    const { asked, credentials } = await tokenServer();
    const { token } = authorizerOf(credentials);
    const tokens = await Promise.all(Array.from({ length: 50 }, token));
    expect(new Set(tokens)).toEqual(new Set(["Bearer token-number-1"]));
    expect(asked).toHaveLength(1);
  });

  test("is asked for by HTTP Basic, with scope and audience", async () => {
    const { asked, credentials } = await tokenServer();
    await authorizerOf({ ...credentials, scope: "a b", audience: "vendor" }).token();
    const basic = Buffer.from(`proxy:${encodeURIComponent(SECRET)}`.replace("-", "%2D")).toString("base64");
    expect(asked).toEqual([
      {
        authorization: `Basic ${basic}`,
        form: { grant_type: "client_credentials", scope: "a b", audience: "vendor" },
      },
    ]);
  });

  test("is asked for in the form, at the endpoint that discovery names", async () => {
    const { origin, asked, credentials } = await tokenServer();
    const { tokenUrl: _, ...rest } = credentials;
    await authorizerOf({ ...rest, issuer: origin, clientAuth: "client_secret_post" }).token();
    expect(asked).toEqual([
      {
        authorization: undefined,
        form: { grant_type: "client_credentials", client_id: "proxy", client_secret: SECRET },
      },
    ]);
  });

  test("is replaced before it expires, without a call waiting for it", async () => {
    const { asked, credentials } = await tokenServer();
    const { clock, token } = authorizerOf(credentials);
    await token();
    clock.now += 539_000;
    expect(await token()).toBe("Bearer token-number-1");
    expect(asked).toHaveLength(1);
    clock.now += 1_000;
    expect(await token()).toBe("Bearer token-number-1");
    while ((await token()) !== "Bearer token-number-2") await new Promise(setImmediate);
    expect(asked).toHaveLength(2);
  });

  test("that has expired is waited for", async () => {
    const { credentials } = await tokenServer();
    const { clock, token } = authorizerOf(credentials);
    await token();
    clock.now += 600_000;
    expect(await token()).toBe("Bearer token-number-2");
  });

  test("is unknown to nobody who writes logs", async () => {
    const { credentials } = await tokenServer();
    const { token, redact } = authorizerOf(credentials);
    await token();
    expect(redact("got token-number-1")).toBe("got [redacted]");
  });
});

describe("an authorization server", () => {
  test.each(["identity", "gzip"])("that answers without end is left (%s)", async (encoding) => {
    const page = Buffer.alloc(1024 * 1024, "x");
    const { credentials } = await tokenServer((response) => {
      response.setHeader("content-encoding", encoding);
      const body = encoding === "gzip" ? createGzip() : new PassThrough();
      pipeline(body, response, () => {});
      const more = (): void => void (body.destroyed || body.write(page, more));
      more();
    });
    const { message } = await faultOf(authorizerOf(credentials).token());
    expect(message).toContain("its answer has more than 65536 bytes");
  });

  test("is not shown the secret in the clear because its https document says so", async () => {
    const { asked, credentials, origin } = await tokenServer();
    nock("https://login.test")
      .get("/.well-known/openid-configuration")
      .reply(200, { issuer: "https://login.test", token_endpoint: `${origin}/token` });
    const { tokenUrl: _, ...rest } = credentials;
    const { token } = authorizerOf({ ...rest, issuer: "https://login.test" });
    const { message } = await faultOf(token());
    nock.restore();
    expect(message).toContain("the issuer names no token endpoint with https");
    expect(asked).toEqual([]);
  });

  test("that redirects is not followed", async () => {
    const elsewhere = await tokenServer();
    const { credentials } = await tokenServer((response) =>
      response.writeHead(307, { location: `${elsewhere.origin}/token` }).end(),
    );
    expect((await faultOf(authorizerOf(credentials).token())).data).toMatchObject({ status: 307 });
    expect(elsewhere.asked).toEqual([]);
  });
});

describe("a vendor that answers 401", () => {
  async function callsWith(accepts: (token: string | undefined) => boolean) {
    const { asked, credentials } = await tokenServer();
    const { clock, authorizer, token, redact } = authorizerOf(credentials);
    const seen: (string | undefined)[] = [];
    const url = await serve((request, response) => {
      seen.push(request.headers.authorization);
      response.statusCode = accepts(request.headers.authorization) ? 200 : 401;
      response.end("{}");
    });
    await token();
    clock.now += 10_000;
    const client = clientOf(url, { authorizer });
    const call = () => client.unary({ method: "POST", url, body: {}, call: { signal } });
    const fetchCard = createCardFetcher({
      agent: "planner",
      url,
      card: { urls: [`${url}/card`] },
      authorizer,
      timeouts: { connect: 5000, request: 5000 },
      limits: { responseBody: 1000 },
      redact,
    });
    return { asked, seen, call, card: () => fetchCard(signal) };
  }

  test("gets the request once more, with a new token", async () => {
    const { asked, seen, call } = await callsWith((token) => token === "Bearer token-number-2");
    expect((await call()).status).toBe(200);
    expect(seen).toEqual(["Bearer token-number-1", "Bearer token-number-2"]);
    expect(asked).toHaveLength(2);
  });

  test("when it is asked for its card gets a new token, once", async () => {
    const { asked, seen, card } = await callsWith((token) => token === "Bearer token-number-2");
    expect(await card()).toEqual({});
    expect(seen).toEqual(["Bearer token-number-1", "Bearer token-number-2"]);
    expect(asked).toHaveLength(2);
  });

  test("when it is asked for its card, with any token, has none", async () => {
    const { seen, card } = await callsWith(() => false);
    expect((await faultOf(card())).message).toMatch(/HTTP 401/);
    expect(seen).toHaveLength(2);
  });

  test("to the new token as well is believed", async () => {
    const { asked, seen, call } = await callsWith(() => false);
    expect([(await call()).status, (await call()).status]).toEqual([401, 401]);
    expect(seen).toHaveLength(3);
    expect(asked).toHaveLength(2);
  });
});

describe("without a token", () => {
  test("the error says what the server said, without the secret", async () => {
    const { credentials } = await tokenServer((response) => {
      response.statusCode = 400;
      response.end(JSON.stringify({ error: "invalid_client", error_description: `no ${SECRET} here` }));
    });
    const fault = await faultOf(authorizerOf(credentials).token());
    expect(fault).toEqual({
      code: "agent-unavailable",
      message:
        "The authorization server gave no token for the agent planner (invalid_client: no [redacted] here)",
      data: { agent: "planner", stage: "token", status: 400, cause: "invalid_client" },
    });
  });

  test("the next call asks again", async () => {
    let attempts = 0;
    const { credentials } = await tokenServer((response) => {
      attempts++;
      response.statusCode = attempts === 1 ? 500 : 200;
      response.end(JSON.stringify({ access_token: "token-number-9", token_type: "bearer" }));
    });
    const { token } = authorizerOf(credentials);
    expect((await faultOf(token())).data).toEqual({ agent: "planner", stage: "token", status: 500 });
    expect(await token()).toBe("Bearer token-number-9");
  });

  test("an authorization server that is not there is named as such", async () => {
    const credentials: OAuth2 = {
      type: "oauth2",
      tokenUrl: "http://127.0.0.1:1/token",
      clientId: "proxy",
      clientSecret: SECRET,
      clientAuth: "client_secret_basic",
    };
    const { code, data } = await faultOf(authorizerOf(credentials).token());
    expect({ code, data }).toEqual({ code: "agent-unavailable", data: { agent: "planner", stage: "token" } });
  });
});
