import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { generate } from "selfsigned";
import type { Backend, Call } from "../../src/adapter.ts";
import type { AgentConfig } from "../../src/config/config.ts";
import { parseConfig } from "../../src/config/load.ts";
import { adapters } from "../../adapters/index.ts";
import { createAuthorizer } from "../../src/southbound/authorizer.ts";
import { withForwarding } from "../../src/southbound/forwarded.ts";
import { createRedactor } from "../../src/southbound/redact.ts";
import { readTls } from "../../src/southbound/tls.ts";
import { cleanUp, clientOf, faultOf, serve } from "./loopback.ts";

let folder = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "access-"));
});

afterEach(async () => {
  await cleanUp();
  rmSync(folder, { recursive: true });
});

const { signal } = new AbortController();

async function agentOf(yaml: string): Promise<AgentConfig> {
  const text = `agents:\n  planner:\n    adapter: a2a-0.3\n${yaml.replaceAll(/^/gm, "    ")}`;
  const { config } = await parseConfig(text, "config.yaml", { adapters, env: {} });
  const agent = config.agents.get("planner");
  if (!agent) throw new Error("no agent");
  return agent;
}

describe("a file with a secret", () => {
  test("is read again when it has changed, and its secret is known to the redactor", async () => {
    const file = join(folder, "token");
    writeFileSync(file, "first-token\n");
    const config = await agentOf(
      `url: https://vendor.test\ncredentials: { type: bearer, token: "\${file:${file}}" }\nheaders: { X-Tenant: t1 }`,
    );
    const redact = createRedactor([]);
    const authorizer = createAuthorizer({ ...config, tls: undefined, agent: "planner", redact });
    const headers = async () => (await authorizer.authorize(signal)).headers;
    expect(await headers()).toEqual({ "x-tenant": "t1", authorization: "Bearer first-token" });

    writeFileSync(file, "the-second-token\n");
    expect(await headers()).toEqual({ "x-tenant": "t1", authorization: "Bearer the-second-token" });
    expect(redact("the-second-token")).toBe("[redacted]");

    rmSync(file);
    expect(await headers()).toEqual({ "x-tenant": "t1", authorization: "Bearer the-second-token" });
  });
});

describe("headers of the client", () => {
  async function seenThrough(forwarded: Call["forwarded"]) {
    const seen: (string | undefined)[] = [];
    const url = await serve((request, response) => {
      seen.push(`${String(request.headers["x-user-id"])} ${request.headers.authorization}`);
      response.end('{"n":1}');
    });
    const http = clientOf(url);
    const backend: Backend = {
      card: () => Promise.reject(new Error("unused")),
      async send() {
        await http.unary({ method: "POST", url, body: {}, signal });
        return { kind: "message", role: "agent", parts: [] };
      },
      async *stream() {
        const answer = await http.stream({ method: "POST", url, body: {}, signal });
        if (answer.ok)
          for await (const _ of answer.values) yield { kind: "task", status: { state: "working" } };
      },
    };
    const wrapped = withForwarding(backend);
    const params = { message: { kind: "message", messageId: "m", role: "user", parts: [] } } as const;
    const call: Call = { signal, newTaskId: "t", newContextId: "c", extensions: [], forwarded };
    const message = { ...params, message: { ...params.message, parts: [] } };
    await wrapped.send?.(message, call);
    for await (const _ of wrapped.stream?.(message, call) ?? []) continue;
    expect("getTask" in wrapped).toBe(false);
    // What is called outside of a call has none of them.
    await http.unary({ method: "POST", url, body: {}, signal });
    return seen;
  }

  test("reach the vendor by send and by stream, and no other request", async () => {
    const seen = await seenThrough({ "x-user-id": "u7", authorization: "Bearer of-the-caller" });
    expect(seen).toEqual(["u7 Bearer of-the-caller", "u7 Bearer of-the-caller", "undefined undefined"]);
  });

  test("are not there where the client has sent none", async () => {
    expect(await seenThrough(undefined)).toEqual(Array(3).fill("undefined undefined"));
  });

  test("take no method from an agent", () => {
    const never = (): never => {
      throw new Error("nobody calls");
    };
    const whole: Required<Backend> = {
      clientMintsTaskIds: true,
      artifactIds: "stable",
      sendBy: "send",
      card: never,
      native: never,
      address: never,
      decision: never,
      send: never,
      stream: never,
      getTask: never,
      cancelTask: never,
      resubscribe: never,
      subscribePush: never,
      unsubscribePush: never,
      extendedCard: never,
    };
    expect(Object.keys(withForwarding(whole)).toSorted()).toEqual(Object.keys(whole).toSorted());
  });

  test("are listed in lower case; those of HTTP itself and cookies are refused", async () => {
    const url = "url: https://vendor.test";
    const config = await agentOf(`${url}\nforward: { authorization: true, headers: [X-User-Id] }`);
    expect(config.forward).toEqual(["authorization", "x-user-id"]);
    for (const name of ["Transfer-Encoding", "Host", "Content-Length", "Cookie", "Authorization"]) {
      await expect(agentOf(`${url}\nforward: { headers: [${name}] }`)).rejects.toThrow("forward.headers[0]");
    }
  });
});

test("an agent that asks for a certificate is shown the configured one", async () => {
  const own = await generate([{ name: "commonName", value: "proxy" }], {});
  const vendor = await generate([{ name: "commonName", value: "vendor.test" }], {
    extensions: [{ name: "subjectAltName", altNames: [{ type: 2, value: "vendor.test" }] }],
  });
  const names: unknown[] = [];
  const tls = { key: vendor.private, cert: vendor.cert, ca: own.cert, requestCert: true };
  const server = createServer({ ...tls, rejectUnauthorized: true }, (request, response) => {
    names.push((request.socket as TLSSocket).getPeerCertificate().subject.CN);
    response.end('{"ok":true}');
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const url = `https://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const ca = file("ca.pem", vendor.cert);
  const mine = { cert: file("cert.pem", own.cert), key: file("key.pem", own.private) };
  const call = (config: AgentConfig["tls"], identity = readTls("planner", config)) =>
    clientOf(url, { tls: () => identity }).unary({ method: "GET", url, signal });
  try {
    const answer = await call({ ...mine, ca, serverName: "vendor.test" });
    expect(answer.json).toEqual({ ok: true });
    expect(names).toEqual(["proxy"]);
    expect(await faultOf(call({ ...mine, ca }))).toMatchObject({ data: { stage: "tls" } });
    expect((await faultOf(call({ ca, serverName: "vendor.test" }))).code).toBe("agent-unavailable");
    expect(names).toHaveLength(1);
    expect(() => readTls("planner", { ca: join(folder, "none.pem") })).toThrow("agents.planner.tls.ca");
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
