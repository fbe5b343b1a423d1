/** A loopback vendor that answers JSON-RPC posts with prepared bytes, in order, and remembers what it was asked. */
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";

export interface ScriptedAnswer {
  readonly status?: number;
  readonly contentType?: string;
  readonly body: Buffer | string;
  /** What happens after the body: the answer ends, the connection breaks, or it stays open. */
  readonly end?: "close" | "reset" | "hang";
}

interface ReceivedRequest {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

export interface ScriptedVendor {
  readonly url: string;
  readonly requests: ReceivedRequest[];
  stop(): Promise<void>;
}

/**
 * @param card answered to every GET of a well-known path or /v1/card; undefined is a 404
 * @param answers to posts in order; what comes after them is refused with HTTP 500
 */
export async function startScriptedVendor(
  card: unknown,
  answers: readonly ScriptedAnswer[],
): Promise<ScriptedVendor> {
  const requests: ReceivedRequest[] = [];
  const answerPost = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body: unknown = JSON.parse(await text(request));
    const answer = answers[requests.length];
    requests.push({ url: request.url ?? "", headers: request.headers, body });
    if (answer) send(response, answer);
    else response.writeHead(500).end("no answer was prepared");
  };
  const server = createServer((request, response) => {
    if (request.method === "GET") {
      answerCard(response, card);
      return;
    }
    void answerPost(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no TCP address");
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function answerCard(response: ServerResponse, card: unknown): void {
  if (card === undefined) response.writeHead(404).end();
  else response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(card));
}

function send(response: ServerResponse, answer: ScriptedAnswer): void {
  const { status = 200, contentType = "application/json", body, end = "close" } = answer;
  response.writeHead(status, { "content-type": contentType });
  if (end === "close") response.end(body);
  else response.write(body, () => end === "reset" && setImmediate(() => response.socket?.resetAndDestroy()));
}
