/** An agent's certificates: for the card, for calls and for tokens, and while their files change. */
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates, TLSSocket } from "node:tls";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from "@jest/globals";
import { pino } from "pino";
import { stringify } from "yaml";
import { adapters } from "../../adapters/index.ts";
import { parseConfig } from "../../src/config/load.ts";
import { createSouthbound } from "../../src/southbound/create-southbound.ts";
import type { ClosableGrpcClient } from "../../src/southbound/grpc-client.ts";
import { GrpcClients } from "../../src/southbound/grpc-clients.ts";
import { createRedactor } from "../../src/southbound/redact.ts";
import { authority, certificate, type Pair } from "../auth/support.ts";

const now = performance.now.bind(performance);
let ahead = 0;
/** Puts the clock forward, by longer than the files are not looked at again. */
function passTime(): void {
  ahead += 1_100;
  jest.spyOn(performance, "now").mockImplementation(() => now() + ahead);
}

const { signal } = new AbortController();

const folder = mkdtempSync(join(tmpdir(), "certificates-"));
const files = { cert: join(folder, "cert"), key: join(folder, "key"), ca: join(folder, "ca") };
let ca: Pair;
let mine: Record<"first" | "second", Pair>;
let vendor: Awaited<ReturnType<typeof startVendor>>;
let elsewhere: Awaited<ReturnType<typeof startVendor>>;

const store = ({ cert, key }: Partial<Pair>): void => {
  if (cert !== undefined) writeFileSync(files.cert, cert);
  if (key !== undefined) writeFileSync(files.key, key);
};

const nameOf = ({ socket }: IncomingMessage): string =>
  socket instanceof TLSSocket ? (socket.getPeerX509Certificate()?.subject ?? "nobody") : "in the clear";

/** Notes who asks for what, and whether in a resumed session; answers everything with JSON, and closes each connection. */
async function startVendor() {
  const { cert, key } = await certificate("vendor", ca);
  const seen: string[] = [];
  const resumed: boolean[] = [];
  const options = { cert, key, ca: ca.cert, requestCert: true, rejectUnauthorized: false };
  const server = createServer(options, (request, response) => {
    seen.push(`${request.url} ${nameOf(request)}`);
    resumed.push(request.socket instanceof TLSSocket && request.socket.isSessionReused());
    const token = { access_token: "a-token-of-some-length", token_type: "Bearer", expires_in: 600 };
    response.setHeader("content-type", "application/json").setHeader("connection", "close");
    response.end(JSON.stringify(request.url === "/token" ? token : { ok: true }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { url: `https://127.0.0.1:${port}`, seen, resumed, stop: () => server.close() };
}

beforeAll(async () => {
  ca = await authority();
  mine = { first: await certificate("first", ca), second: await certificate("second", ca) };
  writeFileSync(files.ca, ca.cert);
  vendor = await startVendor();
  elsewhere = await startVendor();
});
afterAll(() => {
  vendor.stop();
  elsewhere.stop();
  rmSync(folder, { recursive: true });
});

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  jest.restoreAllMocks();
  for (const close of closing.splice(0)) await close();
  vendor.seen.splice(0);
  vendor.resumed.splice(0);
  elsewhere.seen.splice(0);
});

async function connect(more: object = {}) {
  const agent = { adapter: "a2a-0.3", url: vendor.url, card: "/card", tls: files, ...more };
  const { config } = await parseConfig(stringify({ agents: { planner: agent } }), "config.yaml", {
    adapters,
    env: {},
  });
  const planner = config.agents.get("planner");
  if (!planner) throw new Error("no agent");
  const lines: string[] = [];
  const log = pino({ base: null }, { write: (line: string) => lines.push(line) });
  const southbound = createSouthbound(planner, { log, redact: createRedactor([]) });
  closing.push(() => southbound.close());
  const ask = async (): Promise<void> => {
    await southbound.http.unary({ method: "GET", url: `${vendor.url}/call`, call: { signal } });
    await southbound.fetchCard(signal);
  };
  return { ask, lines, southbound };
}

describe("an agent without certificates of its own", () => {
  const trusted = getCACertificates();
  beforeEach(() => setDefaultCACertificates([...trusted, ca.cert]));
  afterEach(() => setDefaultCACertificates(trusted));

  test("has its TLS session resumed by the next connection", async () => {
    const { southbound } = await connect({ tls: undefined });
    const call = () => southbound.http.unary({ method: "GET", url: `${vendor.url}/call`, call: { signal } });
    await call();
    await call();
    expect(vendor.seen).toEqual(["/call nobody", "/call nobody"]);
    expect(vendor.resumed).toEqual([false, true]);
  });
});

describe("certificates that change while the proxy runs", () => {
  test("are shown from the next connection on, with calls and for the card", async () => {
    store(mine.first);
    const { ask } = await connect();
    await ask();
    store(mine.second);
    passTime();
    await ask();
    expect(vendor.seen).toEqual(["/call CN=first", "/card CN=first", "/call CN=second", "/card CN=second"]);
  });

  test("leave the old ones in force for as long as they do not belong together", async () => {
    store(mine.first);
    const { ask, lines } = await connect();
    store({ cert: mine.second.cert });
    passTime();
    await ask();
    store({ key: mine.second.key });
    passTime();
    await ask();
    expect(vendor.seen).toEqual(["/call CN=first", "/card CN=first", "/call CN=second", "/card CN=second"]);
    expect(lines.join("")).toContain("cannot be used; the old ones stay");
    expect(lines.join("")).not.toContain("PRIVATE KEY");
  });
});

describe("an authorization server", () => {
  const oauth = (url: string, more: object = {}) => ({
    credentials: { type: "oauth2", tokenUrl: `${url}/token`, clientId: "c", clientSecret: "s", ...more },
  });

  test("at the agent's own host is reached with its certificates", async () => {
    store(mine.first);
    const { ask } = await connect(oauth(vendor.url));
    await ask();
    expect(vendor.seen[0]).toBe("/token CN=first");
  });

  test("elsewhere is reached with them where that is configured", async () => {
    store(mine.first);
    const { ask } = await connect(oauth(elsewhere.url, { tls: true }));
    await ask();
    expect(elsewhere.seen).toEqual(["/token CN=first"]);
  });

  test.each([
    ["elsewhere", () => elsewhere.url, {}],
    ["at the agent's own host, where that is configured,", () => vendor.url, { tls: false }],
  ])("%s is reached without them, and its unknown CA is not trusted", async (_, url, more) => {
    store(mine.first);
    const { ask } = await connect(oauth(url(), more));
    await expect(ask()).rejects.toThrow(/could not be asked for a token/);
    expect([...vendor.seen, ...elsewhere.seen]).toEqual([]);
  });

  test("cannot be given certificates that are not there", async () => {
    const { credentials } = oauth(elsewhere.url, { tls: true });
    await expect(connect({ credentials, tls: undefined })).rejects.toThrow(
      /agents\.planner\.credentials\.tls: needs `tls` of the agent/,
    );
  });
});

describe("gRPC clients", () => {
  const fake = () => {
    const events: string[] = [];
    const clients = new GrpcClients(({ address }, { cert }) => {
      const name = `${address} ${cert}`;
      events.push(`open ${name}`);
      const retire: ClosableGrpcClient["retire"] = () => void events.push(`retire ${name}`);
      return { close: () => void events.push(`close ${name}`), retire } as ClosableGrpcClient;
    });
    return { clients, events };
  };

  test("are one for each address, and new ones once the certificates have changed", () => {
    const { clients, events } = fake();
    const [before, after] = [{ cert: "1" }, { cert: "2" }];
    expect(clients.at({ address: "a" }, before)).toBe(clients.at({ address: "a" }, before));
    clients.at({ address: "b" }, before);
    expect(clients.at({ address: "a" }, after)).toBe(clients.at({ address: "a" }, after));
    expect(events).toEqual(["open a 1", "open b 1", "open a 2", "retire a 1"]);
    clients.close();
    expect(events.slice(4)).toEqual(["close a 1", "close b 1", "close a 2"]);
  });
});
