/** What the tests of access need: an agent that works on until it is let go, an issuer, certificates, raw requests. */
import { once } from "node:events";
import { createServer } from "node:http";
import { request } from "node:https";
import { text } from "node:stream/consumers";
import { TLSSocket } from "node:tls";
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK } from "jose";
import { generate } from "selfsigned";
import { newApiKey } from "../../src/auth/api-key.ts";

export const CARD = {
  protocolVersion: "0.3.0",
  name: "Agent",
  description: "Works.",
  url: "http://vendor.test/",
  version: "1",
  capabilities: { streaming: true },
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: [],
  security: [{ vendors: [] }],
  securitySchemes: { vendors: { type: "http", scheme: "bearer" } },
};

const INTERRUPTED = {
  kind: "task",
  id: "vendor-task",
  contextId: "vendor-context",
  status: { state: "input-required" },
};

export interface TestVendor {
  readonly url: string;
  /** The params of every call. */
  readonly received: unknown[];
  stop(): void;
}

/** Answers every call with a task that wants more input. */
export async function startVendor(card: object = CARD): Promise<TestVendor> {
  const received: unknown[] = [];
  const server = createServer((req, res) => {
    const answer = async (): Promise<void> => {
      res.setHeader("content-type", "application/json");
      if (req.method === "GET") {
        res.end(JSON.stringify(card));
        return;
      }
      const { id, params } = JSON.parse(await text(req)) as { id: unknown; params: unknown };
      received.push(params);
      res.end(JSON.stringify({ jsonrpc: "2.0", id, result: INTERRUPTED }));
    };
    void answer();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const stop = (): void => (server.closeAllConnections(), void server.close());
  return { url: urlOf(server.address()), received, stop };
}

function urlOf(address: ReturnType<ReturnType<typeof createServer>["address"]>): string {
  if (address === null || typeof address === "string") throw new Error("no address");
  return `http://127.0.0.1:${address.port}`;
}

/** Keys by the names of their callers. */
export function apiKeys<Name extends string>(...names: Name[]) {
  const made = names.map((name) => [name, newApiKey()] as const);
  const pick = (part: "key" | "hash") =>
    Object.fromEntries(made.map(([name, pair]) => [name, pair[part]])) as Record<Name, string>;
  return { keys: pick("key"), hashes: pick("hash") };
}

export interface TestIssuer {
  readonly url: string;
  /** How often the keys were fetched. */
  readonly fetches: { keys: number; discovery: number };
  token(claims: Record<string, unknown>, options?: TokenOptions): Promise<string>;
  /** New keys, and only they, are published. */
  rotate(): Promise<void>;
  /** Answers 500 from now on, to one kind of request or to all; to none by `false`. */
  fail(what?: "keys" | "all" | false): void;
  stop(): void;
}

interface TokenOptions {
  readonly audience?: string;
  readonly issuer?: string;
  /** Seconds since 1970, or a time from now. */
  readonly expires?: number | "5m" | "never";
  readonly key?: CryptoKey;
}

export async function startIssuer(): Promise<TestIssuer> {
  let failing: "keys" | "all" | false = false;
  let kid = 0;
  let pair = await generateKeyPair("ES256");
  let published: JWK = {};
  const fetches = { keys: 0, discovery: 0 };
  const publish = async (): Promise<void> => {
    kid += 1;
    published = { ...(await exportJWK(pair.publicKey)), kid: String(kid), alg: "ES256", use: "sig" };
  };
  await publish();
  const server = createServer((req, res) => {
    const isKeys = req.url === "/keys";
    fetches[isKeys ? "keys" : "discovery"] += 1;
    if (failing === "all" || (failing === "keys" && isKeys)) {
      res.writeHead(500).end();
      return;
    }
    res.end(JSON.stringify(isKeys ? { keys: [published] } : { issuer: url, jwks_uri: `${url}/keys` }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = urlOf(server.address());
  return {
    url,
    fetches,
    token: (claims, { audience = "proxy", issuer = url, expires = "5m", key = pair.privateKey } = {}) => {
      const token = new SignJWT(claims)
        .setProtectedHeader({ alg: "ES256", kid: String(kid) })
        .setIssuer(issuer)
        .setAudience(audience);
      if (expires !== "never") token.setExpirationTime(expires);
      return token.sign(key);
    },
    rotate: async () => {
      pair = await generateKeyPair("ES256");
      await publish();
    },
    fail: (what = "all") => {
      failing = what;
    },
    stop: () => (server.closeAllConnections(), void server.close()),
  };
}

export interface Pair {
  readonly key: string;
  readonly cert: string;
}

const EC = { keyType: "ec", algorithm: "sha256" } as const;

export async function authority(): Promise<Pair> {
  const made = await generate([{ name: "commonName", value: "Test CA" }], {
    ...EC,
    extensions: [
      { name: "basicConstraints", cA: true, critical: true },
      { name: "keyUsage", keyCertSign: true, critical: true },
    ],
  });
  return { key: made.private, cert: made.cert };
}

export async function certificate(commonName: string, ca: Pair, uris: readonly string[] = []): Promise<Pair> {
  const made = await generate([{ name: "commonName", value: commonName }], {
    ...EC,
    ca,
    extensions: [
      { name: "extKeyUsage", serverAuth: true, clientAuth: true },
      {
        name: "subjectAltName",
        altNames: [{ type: 7, ip: "127.0.0.1" }, ...uris.map((value) => ({ type: 6 as const, value }))],
      },
    ],
  });
  return { key: made.private, cert: made.cert };
}

export interface Answer {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Serial number of the server's certificate. */
  readonly serial: string;
}

/** One request over TLS on a connection of its own; rejects where TLS refuses it. */
export async function overTls(
  url: string,
  options: { ca: string; client?: Pair; body?: unknown; headers?: Record<string, string> },
): Promise<Answer> {
  const { ca, client, body, headers } = options;
  const sent = request(url, {
    ca,
    ...client,
    agent: false,
    method: body === undefined ? "GET" : "POST",
    headers: { "content-type": "application/json", ...headers },
  });
  let serial = "";
  sent.once("socket", (socket) =>
    socket.once("secureConnect", () => {
      if (socket instanceof TLSSocket) serial = socket.getPeerX509Certificate()?.serialNumber ?? "";
    }),
  );
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  const [response] = await once(sent, "response");
  return { status: response.statusCode, headers: response.headers, body: await text(response), serial };
}
