/** HTTPS and client certificates, with a CA made for the test. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { X509Certificate } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { nameIn } from "../../src/auth/client-certificate.ts";
import { startTestProxy, type TestProxy } from "../support/proxy.ts";
import { apiKeys, authority, certificate, overTls, startVendor, type Pair } from "./support.ts";

let folder: string;
let ca: Pair;
let stranger: Pair;
let vendor: Awaited<ReturnType<typeof startVendor>>;
const running: TestProxy[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tls-"));
  [ca, vendor] = await Promise.all([authority(), startVendor()]);
  const server = await certificate("proxy", ca);
  stranger = await certificate("ci", await authority());
  await writeFile(join(folder, "ca.pem"), ca.cert);
  await writeServer(server);
});
afterAll(async () => {
  await Promise.all(running.map((proxy) => proxy.stop()));
  vendor.stop();
  await rm(folder, { recursive: true });
});

async function writeServer({ cert, key }: Pair): Promise<void> {
  await writeFile(join(folder, "key.pem"), key);
  await writeFile(join(folder, "cert.pem"), cert);
}

async function start(tls: Record<string, unknown>, more: Record<string, unknown>): Promise<TestProxy> {
  const files = { cert: join(folder, "cert.pem"), key: join(folder, "key.pem") };
  const server = { host: "127.0.0.1", port: 0, shutdownGrace: "100ms", tls: { ...files, ...tls } };
  const agents = { one: { adapter: "a2a-0.3", url: vendor.url } };
  const proxy = await startTestProxy(agents, { server, ...more });
  running.push(proxy);
  return proxy;
}

const get = { jsonrpc: "2.0", id: 1, method: "tasks/get", params: { id: "none" } };

test("HTTPS serves the card with https URLs, and takes up a new certificate while it runs", async () => {
  const proxy = await start({ reload: "20ms" }, {});
  const url = `${proxy.agent("one")}.well-known/agent-card.json`;
  expect(url).toMatch(/^https:/);
  const before = await overTls(url, { ca: ca.cert });
  expect(JSON.parse(before.body)).toMatchObject({ url: "https://127.0.0.1:0/agents/one/" });
  await writeServer(await certificate("proxy", ca));
  let { serial } = before;
  while (serial === before.serial) ({ serial } = await overTls(`${proxy.url}/healthz`, { ca: ca.cert }));
  expect(serial).not.toBe(before.serial);
});

test("a certificate that cannot be used keeps the proxy from starting, and says which", async () => {
  const cert = join(folder, "none.pem");
  await expect(start({ cert }, {})).rejects.toThrow("server.tls.cert: the file cannot be read (ENOENT)");
});

describe("with client certificates", () => {
  const clientCa = () => join(folder, "ca.pem");
  const mtls = { principal: "cn", grants: [{ principal: "ci", methods: ["tasks/get"] }] };

  test("the name in one of the CA decides; without one it is 401, by another CA too", async () => {
    const proxy = await start({ clientCa: clientCa() }, { auth: { mtls } });
    const as = async (client?: Pair) =>
      await overTls(proxy.agent("one"), { ca: ca.cert, body: get, ...(client && { client }) });
    const ci = await as(await certificate("ci", ca));
    expect(ci.status).toBe(200);
    expect(JSON.parse(ci.body)).toMatchObject({ error: { code: -32001 } });
    expect((await as(await certificate("other", ca))).status).toBe(403);
    const none = await as();
    expect(none.status).toBe(401);
    expect(none.headers["www-authenticate"]).toBe('ClientCertificate realm="a2a-proxy"');
    expect((await as(stranger)).status).toBe(401);
  });

  test("a wrong key is refused in spite of a right certificate, and either is enough", async () => {
    const { keys, hashes } = apiKeys("alice");
    const auth = { mtls, apiKeys: { keys: { alice: { hash: hashes.alice } } } };
    const proxy = await start({ clientCa: clientCa() }, { auth });
    const client = await certificate("ci", ca);
    const as = async (key: string | undefined, cert?: Pair) => {
      const headers: Record<string, string> = key === undefined ? {} : { "x-api-key": key };
      const sent = { ca: ca.cert, body: get, headers, ...(cert && { client: cert }) };
      return (await overTls(proxy.agent("one"), sent)).status;
    };
    expect(await as(keys.alice)).toBe(200);
    expect(await as(undefined, client)).toBe(200);
    expect(await as("wrong", client)).toBe(401);
  });

  test("a page of another origin is refused, since the browser shows the certificate by itself", async () => {
    const proxy = await start({ clientCa: clientCa() }, { auth: { mtls } });
    const client = await certificate("ci", ca);
    const from = async (origin: string): Promise<number> => {
      const sent = { ca: ca.cert, body: get, headers: { origin }, client };
      return (await overTls(proxy.agent("one"), sent)).status;
    };
    expect(await from("https://evil.example")).toBe(403);
    // Whoever is on the line can write such a page.
    expect(await from(proxy.url.replace("https:", "http:"))).toBe(403);
    expect(await from(proxy.url)).toBe(200);
  });

  test("required ones are asked of every connection, and the card says so", async () => {
    const proxy = await start({ clientCa: clientCa(), requireClientCert: true }, { auth: { mtls } });
    // TLS 1.3 lets the client begin before the server has seen that it has no certificate.
    const refused = /alert|ECONNRESET|hang up|EPIPE/;
    await expect(overTls(`${proxy.url}/healthz`, { ca: ca.cert })).rejects.toThrow(refused);
    await expect(overTls(`${proxy.url}/healthz`, { ca: ca.cert, client: stranger })).rejects.toThrow(refused);
    const client = await certificate("ci", ca);
    const card = await overTls(`${proxy.agent("one")}.well-known/agent-card.json`, { ca: ca.cert, client });
    expect(JSON.parse(card.body)).toMatchObject({
      securitySchemes: { mutualTLS: { type: "mutualTLS" } },
      security: [{ mutualTLS: [] }],
    });
  });
});

describe("the name in a certificate", () => {
  test("is its subject, its common name, or its only alternative name of a kind", async () => {
    const made = new X509Certificate((await certificate("ci", ca, ["spiffe://acme/ci"])).cert);
    expect(nameIn(made, "subject")).toBe("CN=ci");
    expect(nameIn(made, "cn")).toBe("ci");
    expect(nameIn(made, "uri")).toBe("spiffe://acme/ci");
    expect(nameIn(made, "dns")).toBeUndefined();
  });

  test("is not one of several, and not a part of another", async () => {
    const two = new X509Certificate((await certificate("ci", ca, ["urn:a", "urn:b"])).cert);
    expect(nameIn(two, "uri")).toBeUndefined();
    const sly = new X509Certificate((await certificate("ci", ca, ["urn:a, DNS:admin"])).cert);
    expect(nameIn(sly, "dns")).toBeUndefined();
    expect(nameIn(sly, "uri")).toBe("urn:a, DNS:admin");
  });
});
