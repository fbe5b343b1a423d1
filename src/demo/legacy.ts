/**
 * A demo vendor: a comedian that speaks A2A 0.1 (tasks/send) as the sample servers of spring 2025 do. Old on purpose:
 * - the client mints the task's id; a session is a `sessionId`; parts say `type`, chunk flags sit in the artifact;
 * - an event stream has CRLF line ends and `: ping` comments, and begins with a status, not with a Task;
 * - absent fields are null, timestamps have no zone, `history` is empty unless it is asked for;
 * - a request that does not validate, an unknown method too, is -32600 with HTTP 400 and no id; no resubscribe;
 * - the card names its authentication as a bare string, and its url is somewhere else.
 *
 * What it does depends on the text: "slow" takes 20 seconds, "ask" asks back, "fail" fails, anything else is a joke.
 */
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { SLOW_PACE, type DemoOptions, type Handler } from "./server.ts";

const CARD = {
  name: "Comedian (A2A 0.1)",
  description: "Tells jokes, in pieces.",
  url: "http://localhost:10000/",
  provider: null,
  version: "1.0.0",
  documentationUrl: null,
  capabilities: { streaming: true, pushNotifications: false, stateTransitionHistory: false },
  authentication: { schemes: "none" },
  defaultInputModes: ["text", "text/plain"],
  defaultOutputModes: ["text", "text/plain"],
  skills: [
    { id: "joke", name: "Tell a joke", description: null, tags: ["fun"], examples: ["tell me a joke"] },
  ],
};

const JOKE = ["Why did the chicken ", "cross the road? ", "To get ", "to the other side!"];
const SLOW_JOKE = Array.from({ length: 66 }, (_, index) => `${66 - index} bottles of beer on the wall. `);
const STEP_MS = 20;
const PING_MS = 15_000;
/** The oldest are forgotten beyond this. */
const MAX_TASKS = 1000;

const Message = z.looseObject({
  role: z.string(),
  parts: z.array(z.looseObject({ type: z.string().default("text"), text: z.string().nullish() })).min(1),
});
type Message = z.infer<typeof Message>;

const TaskParams = z.looseObject({ id: z.string(), historyLength: z.int().nullish() });
const SendParams = TaskParams.extend({ sessionId: z.string().nullish(), message: Message });
type SendParams = z.infer<typeof SendParams>;

const Id = z.union([z.string(), z.number()]).nullish();
const Request = z.discriminatedUnion("method", [
  z.looseObject({ id: Id, method: z.enum(["tasks/send", "tasks/sendSubscribe"]), params: SendParams }),
  z.looseObject({
    id: Id,
    method: z.enum(["tasks/get", "tasks/cancel", "tasks/resubscribe"]),
    params: TaskParams,
  }),
]);
type Request = z.infer<typeof Request>;

type State = "submitted" | "working" | "input-required" | "completed" | "failed" | "canceled";

/** What the comedian does with one message: says the chunks, then ends in the state. */
interface Act {
  readonly chunks: readonly string[];
  readonly stepMs: number;
  readonly state: State;
  readonly message?: string;
}

type Listener = (event: object, final: boolean) => void;

/** Local time without a zone. */
const timestamp = (): string => new Date().toISOString().replace("Z", "000");

const textPart = (text: string) => ({ type: "text", text, metadata: null });

const textOf = ({ parts }: Message): string => parts.map((part) => part.text ?? "").join(" ");

const statusOf = (state: State, text?: string) => ({
  state,
  message: text === undefined ? null : { role: "agent", parts: [textPart(text)], metadata: null },
  timestamp: timestamp(),
});

/** One task; its work goes on whoever listens. */
class DemoTask {
  readonly id: string;
  readonly sessionId: string;
  readonly history: Message[] = [];
  readonly listeners = new Set<Listener>();
  status = statusOf("submitted");
  #texts: string[] = [];
  #turn = new AbortController();

  constructor(id: string, sessionId: string) {
    this.id = id;
    this.sessionId = sessionId;
  }

  get isRunning(): boolean {
    return this.status.state === "submitted" || this.status.state === "working";
  }

  async perform(message: Message, act: Act): Promise<void> {
    this.history.push(message);
    this.#texts = [];
    const turn = new AbortController();
    this.#turn = turn;
    this.#setStatus(statusOf("working"));
    for (const [index, text] of act.chunks.entries()) {
      await delay(act.stepMs);
      if (turn.signal.aborted) return;
      this.#say(text, index > 0, index === act.chunks.length - 1);
    }
    this.#setStatus(statusOf(act.state, act.message));
  }

  cancel(): void {
    this.#turn.abort();
    this.#setStatus(statusOf("canceled"));
  }

  toWire(historyLength: number) {
    const history = historyLength > 0 ? this.history.slice(-historyLength) : [];
    const parts = [textPart(this.#texts.join(""))];
    const artifact = { name: "joke", description: null, parts, index: 0, append: null, lastChunk: null };
    const artifacts = this.#texts.length > 0 ? [{ ...artifact, metadata: null }] : null;
    return {
      id: this.id,
      sessionId: this.sessionId,
      status: this.status,
      artifacts,
      history,
      metadata: null,
    };
  }

  #say(text: string, append: boolean, lastChunk: boolean): void {
    this.#texts.push(text);
    const parts = [textPart(text)];
    const artifact = { name: "joke", description: null, parts, index: 0, append, lastChunk };
    this.#emit({ id: this.id, artifact: { ...artifact, metadata: null }, metadata: null }, false);
  }

  #setStatus(status: DemoTask["status"]): void {
    this.status = status;
    const final = !this.isRunning;
    this.#emit({ id: this.id, status, final, metadata: null }, final);
  }

  #emit(event: object, final: boolean): void {
    for (const listener of this.listeners) listener(event, final);
  }
}

class Comedian {
  readonly #tasks = new Map<string, DemoTask>();
  readonly #turns = new Map<string, number>();
  readonly #pace: number;

  constructor(pace: number) {
    this.#pace = pace;
  }

  async answer(request: Request, response: ServerResponse): Promise<void> {
    const { id, method, params } = request;
    switch (method) {
      case "tasks/send": {
        const task = this.#open(params);
        await task.perform(params.message, this.#act(task, params));
        sendResult(response, id, task.toWire(params.historyLength ?? 0));
        return;
      }
      case "tasks/sendSubscribe":
        await this.#stream(request.id, params, response);
        return;
      case "tasks/resubscribe":
        sendError(response, id, -32004, "This operation is not supported");
        return;
      case "tasks/get":
      case "tasks/cancel": {
        const task = this.#tasks.get(params.id);
        if (!task) sendError(response, id, -32001, "Task not found");
        else if (method === "tasks/cancel") cancel(task, id, response);
        else sendResult(response, id, task.toWire(params.historyLength ?? 0));
        return;
      }
      default:
        method satisfies never;
    }
  }

  async #stream(id: z.infer<typeof Id>, params: SendParams, response: ServerResponse): Promise<void> {
    const task = this.#open(params);
    const act = this.#act(task, params);
    response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
    const ping = () => response.write(`: ping - ${timestamp()}\r\n\r\n`);
    const pings = setInterval(ping, PING_MS);
    const listener: Listener = (event, final) => {
      response.write(`data: ${JSON.stringify({ jsonrpc: "2.0", id, result: event, error: null })}\r\n\r\n`);
      if (final) response.end();
    };
    ping();
    task.listeners.add(listener);
    const left = once(response, "close");
    try {
      await Promise.race([left, task.perform(params.message, act)]);
      await left;
    } finally {
      clearInterval(pings);
      task.listeners.delete(listener);
    }
  }

  #open({ id, sessionId }: SendParams): DemoTask {
    const task = this.#tasks.get(id) ?? new DemoTask(id, sessionId ?? id);
    this.#tasks.set(id, task);
    const [oldest] = this.#tasks.keys();
    if (this.#tasks.size > MAX_TASKS && oldest !== undefined) {
      this.#turns.delete(this.#tasks.get(oldest)?.sessionId ?? "");
      this.#tasks.delete(oldest);
    }
    this.#turns.set(task.sessionId, (this.#turns.get(task.sessionId) ?? 0) + 1);
    return task;
  }

  #act(task: DemoTask, { message }: SendParams): Act {
    const text = textOf(message);
    const end = { stepMs: STEP_MS, state: "completed" } as const;
    if (task.status.state === "input-required") {
      const earlier = task.history.map(textOf).join(" / ");
      return { ...end, chunks: [`First you said: ${earlier}. `, `Now: ${text}. `, ...JOKE] };
    }
    if (/\bfail\b/i.test(text)) {
      return { ...end, chunks: [], state: "failed", message: "The comedian forgot the punch line." };
    }
    if (/\bask\b/i.test(text)) {
      return { ...end, chunks: [], state: "input-required", message: "A joke about what?" };
    }
    if (/\bslow\b/i.test(text)) return { ...end, chunks: SLOW_JOKE, stepMs: this.#pace };
    const turns = this.#turns.get(task.sessionId) ?? 1;
    return { ...end, chunks: turns > 1 ? [...JOKE, ` (Turn ${turns} of this session.)`] : JOKE };
  }
}

function cancel(task: DemoTask, id: z.infer<typeof Id>, response: ServerResponse): void {
  if (!task.isRunning && task.status.state !== "input-required") {
    sendError(response, id, -32002, "Task cannot be canceled");
    return;
  }
  task.cancel();
  sendResult(response, id, task.toWire(0));
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

const sendResult = (response: ServerResponse, id: z.infer<typeof Id>, result: object): void =>
  send(response, 200, { jsonrpc: "2.0", id, result, error: null });

const sendError = (response: ServerResponse, id: z.infer<typeof Id>, code: number, message: string): void =>
  send(response, 200, { jsonrpc: "2.0", id, result: null, error: { code, message, data: null } });

/** No id: the request could not be read so far. */
const refuse = (response: ServerResponse, code: number, message: string, data: unknown): void =>
  send(response, 400, { jsonrpc: "2.0", error: { code, message, data } });

async function serveRpc(
  comedian: Comedian,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body: unknown = await json(request).catch(() => undefined);
  if (body === undefined) {
    refuse(response, -32700, "Invalid JSON payload", null);
    return;
  }
  const parsed = Request.safeParse(body);
  if (parsed.success) await comedian.answer(parsed.data, response);
  else refuse(response, -32600, "Request payload validation error", parsed.error.issues);
}

/** The handler for a path prefix that is already cut from `request.url`; it needs no key. */
export function createLegacyDemo({ pace = SLOW_PACE }: DemoOptions): Handler {
  const comedian = new Comedian(pace);
  return async (request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    if (request.method === "GET" && pathname === "/.well-known/agent.json") send(response, 200, CARD);
    else if (request.method === "POST" && pathname === "/") await serveRpc(comedian, request, response);
    else response.writeHead(404, { "content-type": "text/plain" }).end("Not Found");
  };
}
