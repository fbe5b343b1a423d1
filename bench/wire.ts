/** HTTP/1.1 on bare sockets: as little work as possible on the side that is not measured. */
import { Buffer } from "node:buffer";
import { connect, type Socket } from "node:net";

const HEAD_END = Buffer.from("\r\n\r\n");

/** Takes messages with a Content-Length out of a byte stream. */
export class MessageReader {
  #pending: Buffer = Buffer.alloc(0);

  push(chunk: Buffer): { head: string; body: string }[] {
    this.#pending = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
    const messages: { head: string; body: string }[] = [];
    for (;;) {
      const headEnd = this.#pending.indexOf(HEAD_END);
      if (headEnd === -1) return messages;
      const head = this.#pending.toString("latin1", 0, headEnd);
      const length = Number(/content-length: *(\d+)/i.exec(head)?.[1] ?? 0);
      const end = headEnd + HEAD_END.length + length;
      if (this.#pending.length < end) return messages;
      messages.push({ head, body: this.#pending.toString("utf8", headEnd + HEAD_END.length, end) });
      this.#pending = this.#pending.subarray(end);
    }
  }
}

export function postRequest(path: string, body: string, accept = "application/json"): Buffer {
  const head = [
    `POST ${path} HTTP/1.1`,
    "Host: bench.test",
    "Content-Type: application/json",
    `Accept: ${accept}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...extraHeaders,
  ];
  return Buffer.from(`${head.join("\r\n")}\r\n\r\n${body}`);
}

/** Headers of every request, such as the caller's key. */
export const extraHeaders: string[] = [];

/** One keep-alive connection with one request at a time. */
export class Connection {
  readonly #socket: Socket;
  #onData: (chunk: Buffer) => void = () => {};
  #onEnd: (error: Error) => void = () => {};

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (chunk: Buffer) => this.#onData(chunk));
    socket.on("error", (error) => this.#onEnd(error));
    socket.on("close", () => this.#onEnd(new Error("connection closed")));
  }

  static open(port: number): Promise<Connection> {
    const { promise, resolve, reject } = Promise.withResolvers<Connection>();
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    socket.once("connect", () => resolve(new Connection(socket)));
    socket.once("error", reject);
    return promise;
  }

  /** Resolves with the whole answer, which has a Content-Length; rejects unless its status is 200. */
  unary(request: Buffer): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const reader = new MessageReader();
    this.#onEnd = reject;
    this.#onData = (chunk) => {
      const [message] = reader.push(chunk);
      if (!message) return;
      if (message.head.startsWith("HTTP/1.1 200")) resolve(message.body);
      else reject(new Error(`${message.head}\n${message.body}`));
    };
    this.#socket.write(request);
    return promise;
  }

  /** Resolves when the chunked answer has ended; `onChunk` sees every piece of it as it arrives. */
  stream(request: Buffer, onChunk: (chunk: Buffer) => void): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    let tail = "";
    this.#onEnd = reject;
    this.#onData = (chunk) => {
      onChunk(chunk);
      tail = (tail + chunk.toString("latin1", Math.max(0, chunk.length - 7))).slice(-7);
      if (tail === "\r\n0\r\n\r\n") resolve();
    };
    this.#socket.write(request);
    return promise;
  }

  pause(): void {
    this.#socket.pause();
  }

  close(): void {
    this.#onEnd = () => {};
    this.#socket.destroy();
  }
}

/** Counts occurrences of a byte sequence in a stream of chunks, also across their borders. */
export class Counter {
  count = 0;
  readonly #needle: Buffer;
  #rest: Buffer = Buffer.alloc(0);

  constructor(needle: string) {
    this.#needle = Buffer.from(needle);
  }

  push(chunk: Buffer): void {
    const text = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk;
    let at = text.indexOf(this.#needle);
    let end = 0;
    while (at !== -1) {
      this.count += 1;
      end = at + this.#needle.length;
      at = text.indexOf(this.#needle, end);
    }
    const keep = Math.max(end, text.length - this.#needle.length + 1);
    this.#rest = Buffer.from(text.subarray(keep));
  }
}
