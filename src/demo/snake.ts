/**
 * A demo vendor: a flight search that speaks the snake_case `a2a.*` dialect, without a key. Its habits:
 * - every params must hold `"a2a-version": "1.0"`; errors are told by their name, all with one number;
 * - stream events are camelCase wrappers around snake_case bodies, with the chunk flags inside the artifact, without
 *   any `final`; `a2a.subscribeToTask` leaves the JSON-RPC envelope away;
 * - send answers `{task}`, get and cancel a bare task;
 * - a follow-up that names its task but not its context opens a new context, one to an ended task a new task.
 *
 * What it does depends on the text: "slow" takes 20 seconds, "ask" asks back, "fail" fails, anything else is answered.
 */
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { SLOW_PACE, type DemoOptions, type Handler } from "./server.ts";

const SLOW_STEPS = 66;
const STEP_MS = 20;
const QUESTION = "Do you prefer a morning or an evening departure?";
const FLIGHTS = ["UA 1514, 08:15 to 16:40. ", "DL 669, 11:30 to 19:58. ", "B6 916, 22:05 to 06:35."];

const cardAt = (baseUrl: string) => ({
  name: "Flight search (snake_case A2A)",
  description: "Finds flights, in pieces.",
  version: "1.0.0",
  supported_interfaces: [
    { url: `${baseUrl}/`, protocol_binding: "jsonrpc", protocol_version: "1.0", tenant: "demo" },
  ],
  capabilities: { streaming: true, push_notifications: false, extended_agent_card: false },
  default_input_modes: ["text/plain"],
  default_output_modes: ["text/plain"],
  skills: [{ id: "flights", name: "Find flights", description: "Finds flights.", tags: ["travel"] }],
});

const Message = z.looseObject({
  message_id: z.string(),
  role: z.string(),
  parts: z.array(z.looseObject({ text: z.string().optional() })),
  task_id: z.string().optional(),
  context_id: z.string().optional(),
});
type Message = z.infer<typeof Message>;

const Call = z.looseObject({
  id: z.union([z.string(), z.number()]).nullish(),
  method: z.string(),
  params: z.looseObject({ "a2a-version": z.string().optional() }).optional(),
});
type Call = z.infer<typeof Call>;

const SendParams = z.looseObject({
  message: Message,
  configuration: z.looseObject({ return_immediately: z.boolean().optional() }).optional(),
});
const TaskParams = z.looseObject({ id: z.string(), history_length: z.int().min(0).optional() });
const ListParams = z.looseObject({ context_id: z.string().optional() });

type State = "submitted" | "working" | "input-required" | "completed" | "failed" | "canceled";
const ENDED: ReadonlySet<State> = new Set(["completed", "failed", "canceled"]);
type Body = "enveloped" | "bare";

/** One of the dialect's errors. */
class NamedError extends Error {
  readonly code: number;
  constructor(name: string, message: string, code = -32000) {
    super(`${name}: ${message}`);
    this.code = code;
  }
}

const now = (): string => new Date().toISOString();
const textOf = ({ parts }: Message): string => parts.map((part) => part.text ?? "").join(" ");

/** One task; its work goes on whoever listens. */
class FlightTask {
  readonly id: string = randomUUID();
  readonly contextId: string;
  readonly history: Message[] = [];
  readonly #listeners = new Set<(event: object) => void>();
  readonly #canceled = new AbortController();
  readonly #pause = (ms: number) => delay(ms, undefined, { signal: this.#canceled.signal, ref: false });
  #status: { state: State; message?: Message; timestamp: string } = { state: "submitted", timestamp: now() };
  readonly #pace: number;
  #answer = "";

  constructor(contextId: string, pace: number) {
    this.contextId = contextId;
    this.#pace = pace;
  }

  get state(): State {
    return this.#status.state;
  }

  /** It has ended, or waits for its client. */
  get rests(): boolean {
    return ENDED.has(this.state) || this.state === "input-required";
  }

  /** @param historyLength 0: none, undefined: all, n: the last n */
  toWire(historyLength?: number): object {
    const history = historyLength === 0 ? [] : this.history.slice(-(historyLength ?? this.history.length));
    const parts = [{ text: this.#answer }];
    const artifacts = this.#answer === "" ? [] : [{ artifact_id: "flights", name: "Flights", parts }];
    return { id: this.id, context_id: this.contextId, status: this.#status, artifacts, history };
  }

  /** Calls back for every event until the task rests; returns how to stop listening. */
  listen(listener: (event: object) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Resolves once the task rests. */
  settled(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const stop = this.listen(() => this.rests && resolve());
    if (this.rests) resolve();
    return promise.finally(stop);
  }

  cancel(): void {
    if (ENDED.has(this.state)) throw new NamedError("TaskNotCancelableError", "The task has ended");
    this.#canceled.abort();
    this.#enter("canceled");
  }

  /** One turn, in the background; `turn` counts those of the context. */
  async work(message: Message, turn: number): Promise<void> {
    const earlier = this.history[0];
    this.history.push({ ...message, task_id: this.id, context_id: this.contextId });
    this.#status = { state: "submitted", timestamp: now() };
    const wish = textOf(message);
    try {
      await this.#pause(STEP_MS);
      this.#enter("working");
      if (!earlier && /\bask\b/i.test(wish)) this.#enter("input-required", QUESTION);
      else if (/\bfail\b/i.test(wish)) this.#enter("failed", "The airlines cannot be reached.");
      else await this.#find(wish, turn, earlier && textOf(earlier));
    } catch (error) {
      if (!this.#canceled.signal.aborted) throw error;
    }
  }

  async #find(wish: string, turn: number, earlier: string | undefined): Promise<void> {
    const slow = /\bslow\b/i.test(wish);
    const found = slow ? Array.from({ length: SLOW_STEPS }, (_, at) => `Airline ${at + 1} asked. `) : FLIGHTS;
    const after = earlier === undefined ? "" : `, after "${earlier}"`;
    const count = turn > 1 ? `, turn ${turn} of our talk` : "";
    const chunks = [`Flights for "${wish}"${after}${count}: `, ...found];
    for (const [at, chunk] of chunks.entries()) {
      await this.#pause(slow ? this.#pace : STEP_MS);
      this.#answer += chunk;
      const flags = { append: at > 0, last_chunk: at === chunks.length - 1 };
      const artifact = { artifact_id: "flights", name: "Flights", parts: [{ text: chunk }], ...flags };
      this.#emit({ artifactUpdate: { task_id: this.id, context_id: this.contextId, artifact } });
    }
    this.#enter("completed");
  }

  #enter(state: State, said?: string): void {
    const ids = { task_id: this.id, context_id: this.contextId };
    const message = said && { message_id: randomUUID(), role: "agent", parts: [{ text: said }], ...ids };
    if (message) this.history.push(message);
    this.#status = { state, ...(message && { message }), timestamp: now() };
    this.#emit({ statusUpdate: { ...ids, status: this.#status } });
  }

  #emit(event: object): void {
    for (const listener of this.#listeners) listener(event);
  }
}

/** All tasks and contexts, in memory. */
class FlightAgent {
  readonly #tasks = new Map<string, FlightTask>();
  readonly #turns = new Map<string, number>();
  readonly #pace: number;

  constructor(pace: number) {
    this.#pace = pace;
  }

  find(id: string): FlightTask {
    const task = this.#tasks.get(id);
    if (!task) throw new NamedError("TaskNotFoundError", `There is no task ${id}`);
    return task;
  }

  list(contextId: string | undefined): FlightTask[] {
    return [...this.#tasks.values()].filter(
      (task) => contextId === undefined || task.contextId === contextId,
    );
  }

  /** The task that the message is for, at work. */
  accept(message: Message): FlightTask {
    const named = message.task_id === undefined ? undefined : this.find(message.task_id);
    const continues = named?.contextId === message.context_id && named?.state === "input-required";
    const contextId = message.context_id ?? randomUUID();
    const task = continues && named ? named : new FlightTask(contextId, this.#pace);
    this.#tasks.set(task.id, task);
    const turn = (this.#turns.get(task.contextId) ?? 0) + 1;
    this.#turns.set(task.contextId, turn);
    task.work(message, turn).catch((error: unknown) => console.error("The flight search failed", error));
    return task;
  }
}

/** The vendor as a request handler. */
export function createSnakeDemo({ baseUrl, pace = SLOW_PACE }: DemoOptions): Handler {
  const agent = new FlightAgent(pace);
  return async (request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://demo");
    const call = `${request.method} ${pathname}`;
    if (call === "GET /.well-known/agent-card.json") sendJson(response, cardAt(baseUrl));
    else if (call === "POST /") await serve(agent, request, response);
    else sendJson(response, { error: "There is nothing here" }, 404);
  };
}

function sendJson(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

async function serve(agent: FlightAgent, request: IncomingMessage, response: ServerResponse): Promise<void> {
  let id: unknown = null;
  try {
    const call = Call.parse(JSON.parse(await text(request)));
    id = call.id ?? null;
    if (call.params?.["a2a-version"] !== "1.0") {
      throw new NamedError("VersionNotSupportedError", 'params must hold "a2a-version": "1.0"');
    }
    const result = await dispatch(agent, call, (task, body) => stream(response, task, body, id));
    if (result) sendJson(response, { jsonrpc: "2.0", id, result });
  } catch (error) {
    sendJson(response, { jsonrpc: "2.0", id, error: toWireError(error) });
  }
}

function toWireError(error: unknown): object {
  if (error instanceof NamedError) return { code: error.code, message: error.message };
  if (error instanceof z.ZodError) return { code: -32602, message: "Invalid params" };
  if (error instanceof SyntaxError) return { code: -32700, message: "Invalid JSON" };
  return { code: -32603, message: "Internal error" };
}

/** The result, or undefined where the answer is a stream. */
async function dispatch(
  agent: FlightAgent,
  { method, params }: Call,
  streamTask: (task: FlightTask, body: Body) => void,
): Promise<object | undefined> {
  switch (method) {
    case "a2a.sendMessage": {
      const { message, configuration } = SendParams.parse(params);
      const task = agent.accept(message);
      if (configuration?.return_immediately !== true) await task.settled();
      return { task: task.toWire() };
    }
    case "a2a.sendStreamingMessage":
      streamTask(agent.accept(SendParams.parse(params).message), "enveloped");
      return undefined;
    case "a2a.subscribeToTask":
      streamTask(agent.find(TaskParams.parse(params).id), "bare");
      return undefined;
    case "a2a.getTask": {
      const { id, history_length } = TaskParams.parse(params);
      return agent.find(id).toWire(history_length);
    }
    case "a2a.listTasks": {
      const tasks = agent.list(ListParams.parse(params).context_id).map((task) => task.toWire(0));
      return { tasks, next_page_token: "", page_size: tasks.length, total_size: tasks.length };
    }
    case "a2a.cancelTask": {
      const task = agent.find(TaskParams.parse(params).id);
      task.cancel();
      return task.toWire();
    }
    default:
      throw new NamedError("UnsupportedOperationError", `There is no ${method}`, -32601);
  }
}

/** The Task, then its events until it rests. */
function stream(response: ServerResponse, task: FlightTask, body: Body, id: unknown): void {
  const write = (event: object): void => {
    const data = body === "bare" ? event : { jsonrpc: "2.0", id, result: event };
    response.write(`data: ${JSON.stringify(data)}\n\n`);
    if (!task.rests) return;
    stop();
    response.end();
  };
  const stop = task.listen(write);
  response.on("close", stop);
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  write({ task: task.toWire() });
}
