/** A loopback vendor that answers by method and path, and remembers what it was asked. */
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { text } from "node:stream/consumers";

interface RoutedAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Bytes; anything else is sent as JSON. */
  readonly body?: unknown;
}

interface RoutedRequest {
  /** Method and path, as in `POST /v1/message:send`. */
  readonly route: string;
  readonly headers: IncomingHttpHeaders;
  /** The parsed body; undefined if there is none. */
  readonly body: unknown;
}

export type Routes = Readonly<Record<string, (request: RoutedRequest) => RoutedAnswer>>;

export interface RoutedVendor {
  readonly url: string;
  readonly requests: RoutedRequest[];
  /** The routes that were asked for, in order. */
  readonly asked: () => string[];
  stop(): Promise<void>;
}

/** @param routes by method and path; whatever else is asked for is answered by `other`, a 404 by default */
export async function startRoutedVendor(
  routes: Routes,
  other: Routes[string] = () => ({ status: 404, body: { detail: "Not Found" } }),
): Promise<RoutedVendor> {
  const requests: RoutedRequest[] = [];
  const server = createServer(async (incoming, response) => {
    const sent = await text(incoming);
    const route = `${incoming.method} ${incoming.url}`;
    const request = { route, headers: incoming.headers, body: sent === "" ? undefined : JSON.parse(sent) };
    requests.push(request);
    const { status = 200, headers, body } = (routes[route] ?? other)(request);
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no TCP address");
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    asked: () => requests.map(({ route }) => route),
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
