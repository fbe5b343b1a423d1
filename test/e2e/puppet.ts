/** A vendor that speaks plain 0.3.0 and does exactly what a test tells it to, when it tells it to. */
import { once } from "node:events";
import { text } from "node:stream/consumers";
import type { ServerResponse } from "node:http";
import { z } from "zod";
import { serve } from "../southbound/loopback.ts";

const Request = z.looseObject({ id: z.unknown().optional(), method: z.string() });
const IDS = { taskId: "t-1", contextId: "c-1" };

export const task = (state: string, more: object = {}): object => ({
  kind: "task",
  id: IDS.taskId,
  contextId: IDS.contextId,
  status: { state },
  ...more,
});

export const status = (state: string): object => ({
  kind: "status-update",
  ...IDS,
  status: { state },
  final: state !== "working",
});

export const artifact = (said: string) => ({
  artifactId: "a-1",
  parts: [{ kind: "text", text: said }],
});

export const chunk = (said: string, append: boolean): object => ({
  kind: "artifact-update",
  ...IDS,
  artifact: artifact(said),
  append,
});

/** One message from the proxy that waits to be answered. */
export class Turn {
  readonly #id: unknown;
  readonly #response: ServerResponse;
  /** Resolves when the connection is closed, by whichever side. */
  readonly closed: Promise<unknown>;

  constructor(id: unknown, response: ServerResponse) {
    this.#id = id;
    this.#response = response;
    this.closed = once(response, "close");
  }

  /** Events of a stream, in one write; opens it where necessary. */
  stream(...results: readonly object[]): void {
    if (!this.#response.headersSent) {
      this.#response.writeHead(200, { "content-type": "text/event-stream" });
    }
    this.#response.write(results.map((result) => `data: ${this.#envelope(result)}\n\n`).join(""));
  }

  end(): void {
    this.#response.end();
  }

  /** The answer to message/send. */
  answer(result: object): void {
    this.#response.writeHead(200, { "content-type": "application/json" });
    this.#response.end(this.#envelope(result));
  }

  #envelope(result: object): string {
    return JSON.stringify({ jsonrpc: "2.0", id: this.#id, result });
  }
}

/** Knows message/send and message/stream only. */
export async function startPuppet() {
  const turns: Turn[] = [];
  let arrived = Promise.withResolvers<void>();
  const url = await serve(async (request, response) => {
    const body = await text(request);
    const { id, method } = Request.parse(body === "" ? { method: "GET" } : JSON.parse(body));
    if (method.startsWith("message/")) {
      turns.push(new Turn(id, response));
      arrived.resolve();
    } else if (method === "GET") {
      response.writeHead(404).end();
    } else {
      const error = { code: -32601, message: "Method not found" };
      response.end(JSON.stringify({ jsonrpc: "2.0", id, error }));
    }
  });
  return {
    url,
    /** Messages that nobody has looked at yet. */
    get waiting(): number {
      return turns.length;
    },
    /** The next message, once it is there. */
    async turn(): Promise<Turn> {
      await arrived.promise;
      const turn = turns.shift();
      if (!turn) throw new Error("only one at a time");
      if (turns.length === 0) arrived = Promise.withResolvers();
      return turn;
    },
  };
}
