/**
 * A demo vendor: a travel planner that speaks A2A 0.3.0 the way agents in the wild do, nearly. Wrong on purpose:
 * - the card is only at agent.json, and its url is http://0.0.0.0:9999;
 * - every answer has the JSON-RPC id "1"; messages have no messageId; timestamps have no zone;
 * - message/send answers `{task: {…}}` without `kind`, with parts that say `type`;
 * - a stream begins with a status, its chunks say `append: true` from the first on, the Task comes last, without any
 *   `final: true`, and then `[DONE]`;
 * - the SSE frames have event names and comments.
 *
 * What it does depends on the text: "slow" takes 20 seconds, "ask" asks back, "fail" fails, anything else is planned.
 */
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { SLOW_PACE, type DemoOptions, type Handler } from "./server.ts";

const CARD = {
  protocolVersion: "0.3.0",
  name: "Travel planner (A2A 0.3.0, nearly)",
  description: "Plans a trip, in pieces.",
  url: "http://0.0.0.0:9999",
  version: "1.0.0",
  capabilities: { streaming: true },
  defaultInputModes: ["text"],
  defaultOutputModes: ["text"],
  skills: [{ id: "plan", name: "Plan a trip", description: "Plans a trip day by day.", tags: ["travel"] }],
};

const PLAN = [
  "Day 1: the Forbidden City, ",
  "Tiananmen and Wangfujing. ",
  "Day 2: the Great Wall at Badaling ",
  "and the Summer Palace. ",
  "Day 3: Nanluoguxiang and Houhai.",
];
const SLOW_STEPS = 66;
const STEP_MS = 20;

const Message = z.looseObject({
  role: z.string(),
  parts: z.array(z.looseObject({ text: z.string().optional() })),
  taskId: z.string().optional(),
  contextId: z.string().optional(),
});
type Message = z.infer<typeof Message>;

const Request = z.looseObject({
  method: z.string(),
  params: z
    .looseObject({
      id: z.string().optional(),
      message: Message.optional(),
      configuration: z.looseObject({ blocking: z.boolean().optional() }).optional(),
    })
    .default({}),
});
type Request = z.infer<typeof Request>;

type State = "submitted" | "working" | "input-required" | "completed" | "failed" | "canceled";
const ENDED: ReadonlySet<State> = new Set(["completed", "failed", "canceled"]);

class RpcError extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

const textOf = (message: Message): string => message.parts.map((part) => part.text ?? "").join(" ");

/** Local time without a zone, as many servers write it. */
const timestamp = (): string => new Date().toISOString().replace("Z", "000");

/** One task; its work goes on whoever listens. */
class DemoTask {
  readonly id = randomUUID();
  readonly contextId: string;
  readonly artifactId = randomUUID();
  readonly history: unknown[] = [];
  state: State = "submitted";
  reply = "";
  text = "";
  /** What was said before the agent asked back. */
  asked: string | undefined;
  #changed = Promise.withResolvers<void>();

  constructor(contextId: string) {
    this.contextId = contextId;
  }

  get running(): boolean {
    return this.state === "submitted" || this.state === "working";
  }

  add(chunk: string): void {
    this.text += chunk;
    this.#announce();
  }

  become(state: State, reply = ""): void {
    if (ENDED.has(this.state)) return;
    this.state = state;
    this.reply = reply;
    if (reply !== "") this.history.push(this.#message(reply));
    this.#announce();
  }

  /** Resolves with the next change. */
  get changed(): Promise<void> {
    return this.#changed.promise;
  }

  status() {
    const message = this.reply === "" ? undefined : this.#message(this.reply);
    return { state: this.state, ...(message && { message }), timestamp: timestamp() };
  }

  /** Without `kind`; the parts say `type`. */
  toJson() {
    const { id, contextId, history, artifactId, text } = this;
    const artifacts = text === "" ? [] : [{ artifactId, name: "plan", parts: [{ type: "text", text }] }];
    return { id, contextId, status: this.status(), history, artifacts };
  }

  #message(text: string) {
    return { kind: "message", role: "agent", parts: [{ kind: "text", text }] };
  }

  #announce(): void {
    const changed = this.#changed;
    this.#changed = Promise.withResolvers<void>();
    changed.resolve();
  }
}

class Planner {
  readonly #tasks = new Map<string, DemoTask>();
  /** Turns by context. */
  readonly #turns = new Map<string, number>();
  readonly #pace: number;

  constructor(pace: number) {
    this.#pace = pace;
  }

  get(id: string | undefined): DemoTask {
    const task = id === undefined ? undefined : this.#tasks.get(id);
    if (!task) throw new RpcError(-32001, "Task not found");
    return task;
  }

  start(message: Message | undefined): DemoTask {
    if (!message) throw new RpcError(-32602, "params.message is required");
    const task = message.taskId === undefined ? this.#create(message) : this.get(message.taskId);
    if (ENDED.has(task.state)) throw new RpcError(-32602, `Task is ${task.state}`);
    const turns = (this.#turns.get(task.contextId) ?? 0) + 1;
    this.#turns.set(task.contextId, turns);
    task.history.push({ ...message, taskId: task.id, contextId: task.contextId });
    task.become("working");
    void this.#work(task, textOf(message), turns);
    return task;
  }

  cancel(task: DemoTask): DemoTask {
    if (ENDED.has(task.state)) throw new RpcError(-32002, "Task cannot be canceled");
    task.become("canceled");
    return task;
  }

  #create({ contextId = randomUUID() }: Message): DemoTask {
    const task = new DemoTask(contextId);
    this.#tasks.set(task.id, task);
    return task;
  }

  async #work(task: DemoTask, text: string, turns: number): Promise<void> {
    if (task.asked !== undefined) {
      task.add(`Planned from "${task.asked}" and "${text}". `);
    } else if (/\bask\b/i.test(text)) {
      task.asked = text;
      await pause(STEP_MS);
      return task.become("input-required", "Where to, and for how many days?");
    } else if (/\bfail\b/i.test(text)) {
      await pause(STEP_MS);
      return task.become("failed", "There is no such place.");
    }
    const slow = /\bslow\b/i.test(text);
    const steps = slow ? Array.from({ length: SLOW_STEPS }, (_, step) => `Step ${step + 1}. `) : PLAN;
    for (const step of steps) {
      await pause(slow ? this.#pace : STEP_MS);
      if (task.state !== "working") return;
      task.add(step);
    }
    if (turns > 1) task.add(` This is turn ${turns} of our conversation.`);
    task.become("completed");
  }
}

/** Does not keep the process alive. */
const pause = (ms: number): Promise<void> => delay(ms, undefined, { ref: false });

const envelope = (body: object): string => JSON.stringify({ jsonrpc: "2.0", id: "1", ...body });

function answer(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(body);
}

/** Status first, then what there is of the text and each chunk as it comes, the Task last. */
async function stream(response: ServerResponse, task: DemoTask): Promise<void> {
  const { id: taskId, contextId, artifactId } = task;
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  const send = (event: string, result: object): void => {
    response.write(`event: ${event}\ndata: ${envelope({ result })}\n\n`);
  };
  response.write(": connected\n\n");
  send("status", { kind: "status-update", taskId, contextId, status: task.status(), final: false });
  let sent = 0;
  while (!response.destroyed) {
    const { changed } = task;
    if (task.text.length > sent) {
      const parts = [{ kind: "text", text: task.text.slice(sent) }];
      sent = task.text.length;
      const artifact = { artifactId, name: "plan", parts };
      send("artifact", { kind: "artifact-update", taskId, contextId, artifact, append: true });
    }
    if (!task.running) break;
    await changed;
  }
  if (response.destroyed) return;
  send("task", { ...task.toJson(), kind: "task" });
  response.end("data: [DONE]\n\n");
}

async function untilSettled(task: DemoTask): Promise<void> {
  while (task.running) await task.changed;
}

async function call(planner: Planner, request: Request, response: ServerResponse): Promise<void> {
  const { method, params } = request;
  switch (method) {
    case "message/send": {
      const task = planner.start(params.message);
      if (params.configuration?.blocking !== false) await untilSettled(task);
      return answer(response, 200, envelope({ result: { task: task.toJson() } }));
    }
    case "message/stream":
      return stream(response, planner.start(params.message));
    case "tasks/get":
      return answer(response, 200, envelope({ result: planner.get(params.id).toJson() }));
    case "tasks/cancel":
      return answer(response, 200, envelope({ result: planner.cancel(planner.get(params.id)).toJson() }));
    case "tasks/resubscribe":
      return stream(response, planner.get(params.id));
    default:
      throw new RpcError(-32601, "Method not found");
  }
}

async function post(planner: Planner, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const request = Request.safeParse(await json(incoming));
    if (!request.success) throw new RpcError(-32600, "Invalid request");
    await call(planner, request.data, response);
  } catch (thrown) {
    const error =
      thrown instanceof RpcError
        ? thrown
        : new RpcError(-32700, "Server received JSON that was not well-formed.");
    answer(response, 200, envelope({ error: { code: error.code, message: error.message } }));
  }
}

/** A handler for requests whose `url` is relative to the vendor; its tasks live as long as it does. */
export function createCanonicalDemo({ pace = SLOW_PACE }: DemoOptions): Handler {
  const planner = new Planner(pace);
  return (request, response) => {
    const path = request.url?.split("?")[0];
    if (request.method === "GET" && path === "/.well-known/agent.json") {
      return answer(response, 200, JSON.stringify(CARD));
    }
    if (request.method === "POST" && path === "/") return post(planner, request, response);
    return answer(response, 404, JSON.stringify({ detail: "Not Found" }));
  };
}
