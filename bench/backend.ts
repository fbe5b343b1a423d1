/**
 * The fast vendor of the benchmarks: all dialects under one port, /<dialect>. What the client's text says decides:
 * `events=N` for a stream of N events, `hold` for one that stays open after its first, `flood=MB` for one that writes
 * as fast as it is read. Prints its port.
 */
import { randomUUID } from "node:crypto";
import { createServer, type Socket } from "node:net";
import { DIALECTS, type Answer, type BenchDialect } from "./dialects.ts";
import { listen } from "./listen.ts";
import { MessageReader } from "./wire.ts";

const STREAM_HEAD =
  "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-cache\r\nTransfer-Encoding: chunked\r\n\r\n";
const DEFAULT_EVENTS = 50;

function respond(socket: Socket, status: string, body: string): void {
  const head = `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}`;
  socket.write(`${head}\r\n\r\n${body}`);
}

const frame = (answer: Answer, result: unknown): string => {
  const data = `data: {"jsonrpc":"2.0","id":${answer.id},"result":${JSON.stringify(result)}}\n\n`;
  return `${Buffer.byteLength(data).toString(16)}\r\n${data}\r\n`;
};

function streamEvents(socket: Socket, dialect: BenchDialect, answer: Answer, count: number): void {
  let index = 0;
  const next = (): void => {
    if (socket.destroyed) return;
    const open = socket.write(frame(answer, dialect.event(answer, index, count)));
    index += 1;
    if (index === count) socket.write("0\r\n\r\n");
    else if (open) setImmediate(next);
    else socket.once("drain", next);
  };
  socket.write(STREAM_HEAD);
  next();
}

function flood(socket: Socket, dialect: BenchDialect, answer: Answer, megabytes: number): void {
  const chunk = frame(answer, dialect.event(answer, 2, 1_000_000));
  const count = Math.ceil((megabytes * 1_000_000) / chunk.length);
  streamEvents(
    socket,
    { ...dialect, event: (_answer, index) => dialect.event(answer, index, count) },
    answer,
    count,
  );
}

function answerPost(socket: Socket, dialect: BenchDialect, body: string): void {
  const taskId = /"params":\{"id":"([^"]+)"/.exec(body)?.[1] ?? randomUUID();
  const contextId = /"(?:session|context)_?Id":"([^"]+)"/.exec(body)?.[1] ?? randomUUID();
  const answer = { id: /"id":("[^"]*"|\d+)/.exec(body)?.[1] ?? "null", taskId, contextId };
  const method = /"method":"([^"]+)"/.exec(body)?.[1] ?? "";
  if (!dialect.isStream(method)) {
    const result = JSON.stringify(dialect.reply(answer));
    respond(socket, "200 OK", `{"jsonrpc":"2.0","id":${answer.id},"result":${result}}`);
  } else if (body.includes("hold")) {
    socket.write(STREAM_HEAD + frame(answer, dialect.event(answer, 0, 3)));
  } else {
    const megabytes = /flood=(\d+)/.exec(body)?.[1];
    const events = /events=(\d+)/.exec(body)?.[1] ?? DEFAULT_EVENTS;
    if (megabytes) flood(socket, dialect, answer, Number(megabytes));
    else streamEvents(socket, dialect, answer, Number(events));
  }
}

const server = createServer({ noDelay: true }, (socket) => {
  const reader = new MessageReader();
  socket.on("error", () => {});
  socket.on("data", (chunk: Buffer) => {
    for (const { head, body } of reader.push(chunk)) {
      const [, method = "", path = ""] = /^(\w+) (\S+)/.exec(head) ?? [];
      const dialect = DIALECTS[path.split("/")[1] ?? ""];
      if (!dialect) respond(socket, "404 Not Found", "{}");
      else if (method === "POST") answerPost(socket, dialect, body);
      else respond(socket, "200 OK", JSON.stringify(dialect.card("http://bench.test")));
    }
  });
});
listen(server);
