/** The HTTP or HTTPS server that koa answers on. */
import { constants } from "node:crypto";
import { createServer, type Server } from "node:http";
import { createServer as createTlsServer, type ServerOptions } from "node:https";
import type { SecureContextOptions } from "node:tls";
import type { Logger } from "pino";
import type { TlsConfig } from "../config/auth.ts";
import { limitConnections } from "./connection-limit.ts";
import { answerHalfClosed } from "./half-closed.ts";
import { TlsFiles } from "./tls-files.ts";

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
  const files = await TlsFiles.open(tls, { key: "server.tls", name: "TLS certificate" });
  const handshake = { handshakeTimeout: HANDSHAKE_TIMEOUT };
  const options = { ...files.current, ...clientOptions(tls), ...patience, ...handshake, allowHalfOpen: true };
  const server = createTlsServer(options);
  server.once("listening", () => {
    const stop = files.watch((pem) => server.setSecureContext({ ...pem, ...contextOptions(tls) }), log);
    server.once("close", stop);
  });
  return server;
}

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
