/** The vendor of the documentation's example: a parrot on loopback that remembers what it was told. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { z } from "zod";

const Talk = z.looseObject({
  lines: z.array(z.string()),
  voice: z.string(),
  chat: z.string().optional(),
  run: z.string().optional(),
});
type Talk = z.infer<typeof Talk>;

export interface Parrot {
  readonly url: string;
  readonly heard: Talk[];
  stop(): Promise<void>;
}

export async function startParrot(): Promise<Parrot> {
  const heard: Talk[] = [];
  const server = createServer((request, response) => void answer(request, response, heard));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no TCP address");
  return {
    url: `http://127.0.0.1:${address.port}`,
    heard,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

async function answer(request: IncomingMessage, response: ServerResponse, heard: Talk[]): Promise<void> {
  if (request.method === "GET") {
    response.end(JSON.stringify({ parrot: "Polly", about: "Says it again." }));
    return;
  }
  const talk = Talk.parse(await json(request));
  heard.push(talk);
  const [text = ""] = talk.lines;
  if (text === "") {
    response.writeHead(400).end(JSON.stringify({ oops: "I heard nothing" }));
    return;
  }
  const opening = { chat: talk.chat ?? "chat-1", run: talk.run ?? `run-${heard.length}` };
  const words = text.split(/(?<= )/).map((say) => ({ say }));
  const end = text === "what" && talk.run === undefined ? { end: "asks", why: "What what?" } : { end: "ok" };
  response.writeHead(200, { "content-type": "application/x-ndjson" });
  for (const line of [opening, ...words, end]) response.write(`${JSON.stringify(line)}\n`);
  response.end();
}
