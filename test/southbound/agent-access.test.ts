import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { pino } from "pino";
import { generate } from "selfsigned";
import type { Adapter, Call } from "../../src/adapter.ts";
import type { AgentConfig } from "../../src/config/config.ts";
import { parseConfig } from "../../src/config/load.ts";
import { adapters } from "../../adapters/index.ts";
import { createAuthorizer } from "../../src/southbound/authorizer.ts";
import { createSouthbound } from "../../src/southbound/create-southbound.ts";
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

/** Of any dialect. */
const CARD = {
  name: "Planner",
  description: "",
  version: "1",
  url: "https://vendor.test",
  capabilities: { streaming: true, pushNotifications: true },
  defaultInputModes: [],
  defaultOutputModes: [],
  skills: [],
};

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
  /** What each request of all of a dialect's methods has of them. */
  async function seenBy(adapter: Adapter, options: object, forwarded: Call["forwarded"]) {
    const seen = new Set<string>();
    const url = await serve((request, response) => {
      seen.add(`${String(request.headers["x-user-id"])} ${request.headers.authorization}`);
      response.end("{}");
    });
    const config = await agentOf(`url: ${url}\ncard: ${JSON.stringify(CARD)}`);
    const southbound = createSouthbound(config, {
      log: pino({ enabled: false }),
      redact: createRedactor([]),
    });
    const backend = adapter.connect(adapter.options.parse(options), southbound);
    const task = { id: "t" };
    const call: Call = { signal, newTaskId: "t", newContextId: "c", extensions: [], forwarded };
    const file = { kind: "file", file: { bytes: "aGk=" } } as const;
    const params = { message: { kind: "message", messageId: "m", role: "user", parts: [file] } } as const;
    const message = { ...params, message: { ...params.message, parts: [file] } };
    await Promise.allSettled([
      backend.send?.(message, call),
      Array.fromAsync(backend.stream?.(message, call) ?? []),
      backend.getTask?.(task, call),
      backend.cancelTask?.(task, call),
      Array.fromAsync(backend.resubscribe?.(task, call) ?? []),
      backend.subscribePush?.(task, { id: "p", url: "https://proxy.test", token: "k" }, call),
      backend.unsubscribePush?.(task, "p", call),
      backend.extendedCard?.(call),
    ]);
    await southbound.close();
    return [...seen];
  }

  const spoken = [...adapters.values()].flatMap((adapter) =>
    [{}, { transport: "http+json" }]
      .filter((options) => adapter.options.safeParse(options).success)
      .map((options) => ({ name: adapter.name, adapter, options })),
  );

  test.each(spoken)(
    "reach the agent with every request of $name ($options)",
    async ({ adapter, options }) => {
      const forwarded = { "x-user-id": "u7", authorization: "Bearer of-the-caller" };
      expect(await seenBy(adapter, options, forwarded)).toEqual(["u7 Bearer of-the-caller"]);
      expect(await seenBy(adapter, options, undefined)).toEqual(["undefined undefined"]);
    },
  );

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
    clientOf(url, { tls: () => identity }).unary({ method: "GET", url, call: { signal } });
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
