/** The HTTP or HTTPS server that koa answers on. Certificates that are renewed on disk are taken up while it runs. */
import { constants, X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { createServer as createTlsServer, type ServerOptions } from "node:https";
import { createSecureContext, type SecureContextOptions } from "node:tls";
import type { Logger } from "pino";
import type { TlsConfig } from "../config/auth.ts";
import { limitConnections } from "./connection-limit.ts";
import { answerHalfClosed } from "./half-closed.ts";

/**
 * How long a client may take to send, ms: whoever sends a byte now and then keeps a connection, and what is read of the
 * request, for nothing. Answers, streams among them, have no such end.
 */
const PATIENCE = {
  headersTimeout: 20_000,
  requestTimeout: 120_000,
  connectionsCheckingInterval: 5_000,
};
const HANDSHAKE_TIMEOUT = 10_000;

interface WebServerConfig {
  readonly tls?: TlsConfig;
  readonly maxConnections: number;
}

/**
 * Still without a listener for requests. Rejects with an Error that names the file that cannot be used.
 * @param patience `PATIENCE` in everything but tests
 */
export async function createWebServer(
  { tls, maxConnections }: WebServerConfig,
  log: Logger,
  patience = PATIENCE,
): Promise<Server> {
  const server = answerHalfClosed(tls ? await createSecure(tls, log, patience) : createServer(patience));
  limitConnections(server, { limit: maxConnections, what: "connections", log });
  return server;
}

async function createSecure(tls: TlsConfig, log: Logger, patience: typeof PATIENCE): Promise<Server> {
  const files = await readFiles(tls);
  const handshake = { handshakeTimeout: HANDSHAKE_TIMEOUT };
  const options = { ...files, ...clientOptions(tls), ...patience, ...handshake, allowHalfOpen: true };
  const server = createTlsServer(options);
  let current = files;
  const reload = async (): Promise<void> => {
    try {
      const next = await readFiles(tls);
      if (isSame(current, next)) return;
      server.setSecureContext({ ...next, ...contextOptions(tls) });
      current = next;
      log.info({ validTo: new X509Certificate(next.cert).validTo }, "took up the new TLS certificate");
    } catch (err) {
      log.error({ err }, "the TLS certificate has changed and cannot be used; the old one stays");
    }
  };
  server.once("listening", () => {
    const timer = setInterval(() => void reload(), tls.reload).unref();
    server.once("close", () => clearInterval(timer));
  });
  return server;
}

interface Files extends SecureContextOptions {
  readonly cert: Buffer;
  readonly key: Buffer;
  readonly ca?: Buffer;
}

async function readFiles({ cert, key, clientCa }: TlsConfig): Promise<Files> {
  const files = {
    cert: await read("cert", cert),
    key: await read("key", key),
    ...(clientCa !== undefined && { ca: await read("clientCa", clientCa) }),
  };
  try {
    createSecureContext(files);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : "unknown reason";
    throw new Error(`server.tls: the certificate and the key cannot be used: ${reason}`, { cause });
  }
  return files;
}

async function read(name: keyof TlsConfig, file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (cause) {
    throw new Error(`server.tls.${name}: the file ${file} cannot be read`, { cause });
  }
}

const isSame = (a: Files, b: Files): boolean =>
  a.cert.equals(b.cert) &&
  a.key.equals(b.key) &&
  (a.ca === b.ca || (a.ca && b.ca && a.ca.equals(b.ca)) === true);

/** A resumed session would keep a client certificate that the CAs of today no longer vouch for. */
const contextOptions = ({ clientCa }: TlsConfig): SecureContextOptions => ({
  minVersion: "TLSv1.2",
  ...(clientCa !== undefined && { secureOptions: constants.SSL_OP_NO_TICKET }),
});

const clientOptions = (tls: TlsConfig): ServerOptions => ({
  ...contextOptions(tls),
  requestCert: tls.clientCa !== undefined,
  rejectUnauthorized: tls.requireClientCert,
});
