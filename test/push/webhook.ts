/** A webhook on a free loopback port that answers as it is told and remembers what it was sent. */
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { Task } from "../../src/protocol/model.ts";

export interface Received {
  readonly path: string;
  readonly method: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** What comes of a request: a status, or nothing at all. */
type Answer = number | "hang" | { readonly status: number; readonly headers: Record<string, string> };

export class Webhook {
  readonly received: Received[] = [];
  /** Decides on each request; `index` counts all of them. */
  answer: (request: Received, index: number) => Answer = () => 200;
  readonly #server = createServer((request, response) => void this.#take(request, response));
  #port = 0;
  #arrival = Promise.withResolvers<void>();

  static async start(port = 0): Promise<Webhook> {
    const webhook = new Webhook();
    await webhook.listen(port);
    return webhook;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/hook`;
  }

  get port(): number {
    return this.#port;
  }

  /** Listens, again on its old port if it has had one. */
  async listen(port = this.#port): Promise<void> {
    this.#server.listen(port, "127.0.0.1");
    await once(this.#server, "listening");
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("no TCP address");
    this.#port = address.port;
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  /** Resolves once what was received makes this true. */
  async until(isEnough: (received: readonly Received[]) => boolean): Promise<void> {
    while (!isEnough(this.received)) await this.#arrival.promise;
  }

  /** Resolves with the tasks that were accepted, once one in this state is among them. */
  async untilState(state: string): Promise<Task[]> {
    await this.until((received) => received.some(({ body }) => taskIn(body).status.state === state));
    return this.tasks;
  }

  get tasks(): Task[] {
    return this.received.map(({ body }) => taskIn(body));
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url: path = "", method, headers } = request;
    const received = { path, method, headers, body: await text(request) };
    const answer = this.answer(received, this.received.push(received) - 1);
    if (answer !== "hang") {
      const { status, headers } = typeof answer === "number" ? { status: answer, headers: {} } : answer;
      response.writeHead(status, headers).end();
    }
    this.#arrival.resolve();
    this.#arrival = Promise.withResolvers<void>();
  }
}

const taskIn = (body: string): Task => Task.parse(JSON.parse(body));

/** Loopback is allowed, and the next attempt comes soon. */
export const LOOPBACK_PUSH = {
  allowHttp: true,
  allowPrivate: true,
  allowPorts: "any",
  retryMin: "10ms",
  retryMax: "40ms",
};
