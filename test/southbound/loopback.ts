/** Vendors on loopback, and a client for one. */
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { createServer as createTcpServer, type Server, type Socket } from "node:net";
import { A2AError } from "../../src/protocol/errors.ts";
import { createAuthorizer, type AuthorizerOptions } from "../../src/southbound/authorizer.ts";
import { createRedactor } from "../../src/southbound/redact.ts";
import { createHttpClient, type HttpClientOptions } from "../../src/southbound/undici-client.ts";

export const SECRET = "s3cret-key/42";

/** Something to be undone when the test is over. */
const cleanups: (() => unknown)[] = [];

/** For `afterEach`. */
export async function cleanUp(): Promise<void> {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
}

async function listening(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("not listening on a port");
  return `http://127.0.0.1:${address.port}`;
}

/** The origin of a server that answers with `listener`. */
export async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  cleanups.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return listening(server);
}

/** The origin of a server that does with each connection what `onConnection` does. */
export async function serveTcp(onConnection: (socket: Socket) => void): Promise<string> {
  const server = createTcpServer((socket) => {
    cleanups.push(() => socket.destroy());
    onConnection(socket.on("error", () => {}));
  });
  cleanups.push(() => server.close());
  return listening(server);
}

/** An origin where nothing listens. */
export async function deadOrigin(): Promise<string> {
  const server = createTcpServer();
  const origin = await listening(server);
  server.close();
  await once(server, "close");
  return origin;
}

export function clientOf(url: string, given: Partial<HttpClientOptions & AuthorizerOptions> = {}) {
  const { credentials = { type: "none" }, ...options } = given;
  const redact = createRedactor([SECRET]);
  const client = createHttpClient({
    agent: "planner",
    url,
    authorizer: createAuthorizer({
      agent: "planner",
      redact,
      ...options,
      credentials,
      timeouts: { connect: 5000, request: 5000 },
    }),
    timeouts: { connect: 5000 },
    limits: { connections: 4, responseBody: 1000, event: 1000 },
    redact,
    ...options,
  });
  cleanups.push(() => client.close());
  return client;
}

/** What `promise` rejects with, as a plain object; fails where it is no A2AError. */
export async function faultOf(
  promise: Promise<unknown>,
): Promise<{ code: string; message: string; data: unknown }> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof A2AError) return { code: error.code, message: error.message, data: error.data };
    throw error;
  }
  throw new Error("expected a rejection");
}
