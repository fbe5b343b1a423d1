/** The bundled demo vendors on one loopback port, each under its own path. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { once } from "node:events";

export type Handler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

export interface DemoOptions {
  /** Where the vendor is mounted, without a trailing slash. */
  readonly baseUrl: string;
  /** Between two of the 66 pieces of a slow answer, ms. */
  readonly pace?: number | undefined;
}

/** So that a slow answer takes 20 seconds. */
export const SLOW_PACE = 300;

export interface Vendor {
  /** Begins with a slash; cut from `request.url` before the handler sees it. */
  readonly prefix: string;
  readonly create: (options: DemoOptions) => Handler;
}

export interface RunningVendors {
  readonly url: string;
  readonly port: number;
  stop(): Promise<void>;
}

interface ServerOptions {
  readonly pace?: number;
  readonly onFailure?: (failure: unknown) => void;
}

const HOST = "127.0.0.1";

const logFailure = (failure: unknown): void => console.error("A demo vendor failed", failure);

/** Listens on the port (0 takes a free one); rejects with the system's error where it cannot. */
export async function startVendorServer(
  port: number,
  vendors: readonly Vendor[],
  { pace, onFailure = logFailure }: ServerOptions = {},
): Promise<RunningVendors> {
  const mounts: { prefix: string; handler: Handler }[] = [];
  const server = createServer((request, response) => {
    dispatch(mounts, request, response).catch((failure: unknown) => {
      onFailure(failure);
      answer(response, 500, "The demo vendor failed");
    });
  });
  server.listen(port, HOST);
  await once(server, "listening");
  const address = server.address();
  const taken = typeof address === "object" && address !== null ? address.port : port;
  const url = `http://${HOST}:${taken}`;
  // Only now is the port known; nobody can have called yet.
  for (const { prefix, create } of vendors)
    mounts.push({ prefix, handler: create({ baseUrl: url + prefix, pace }) });
  return {
    url,
    port: taken,
    stop: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function dispatch(
  mounts: readonly { prefix: string; handler: Handler }[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = request.url ?? "/";
  const mount = mounts.find(
    ({ prefix }) => path.startsWith(prefix) && /^([/?]|$)/.test(path.slice(prefix.length)),
  );
  if (!mount) {
    answer(response, 404, "There is no demo vendor here");
    return;
  }
  const rest = path.slice(mount.prefix.length);
  request.url = rest.startsWith("/") ? rest : `/${rest}`;
  await mount.handler(request, response);
}

function answer(response: ServerResponse, status: number, error: string): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify({ error }));
}
