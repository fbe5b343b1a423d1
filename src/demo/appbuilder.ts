/**
 * A demo vendor: a weather assistant published the way Baidu Qianfan AppBuilder publishes its multi-agent apps. As
 * its counterpart does, it
 * - serves the card only at agent.json, version 0.2.6, with the url http://demo.com;
 * - knows no method but message/stream, and sends no Task;
 * - pretty-prints each event after one `data:`, without a blank line between events, under an id of its own;
 * - says `append: true` from an artifact's first, empty chunk on, and never `lastChunk`;
 * - writes local time with nanoseconds, leaves `final` out, and sends a last piece after the terminal status;
 * - ends an interrupted stream without any status;
 * - refuses with `{code, message, request_id}`, or with a JSON-RPC error that is no JSON.
 *
 * What it does depends on the text: "slow" takes 20 seconds, "ask" asks back, "fail" fails, anything else is weather.
 */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { SLOW_PACE, type DemoOptions, type Handler } from "./server.ts";

const CARD = {
  version: "1.0.0",
  description: "Tells the weather, with the help of a search agent.",
  skills: [{ id: "weather", name: "Weather", description: "Tells the weather of a city.", tags: [] }],
  protocolVersion: "0.2.6",
  url: "http://demo.com",
  provider: { organization: "baiduqianfan", url: "https://console.bce.baidu.com/ai_apaas/appCenter" },
  capabilities: { streaming: true },
  securitySchemes: {
    apiKeyAuth: { description: "API Key认证鉴权", in: "header", name: "Authorization", type: "apiKey" },
  },
  security: [{ apiKeyAuth: [] }],
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  name: "Weather assistant (AppBuilder)",
};

const FORECAST = ["北京 (Beijing) ", "is sunny today, ", "26 °C, ", "with a light wind from the north. "];
const REFERENCE = { type: "web", title: "Beijing forecast", url: "https://weather.example/beijing" };
/** The documented sample, missing comma included. */
const NOT_JSON = `{
    "jsonrpc": "2.0",
    "error": {
        "code": -32700,
        "message": "Server received JSON that was not well-formed."
    }
    "id": "id-4"
}`;
const SLOW_STEPS = 66;
const STEP_MS = 20;

const Request = z.looseObject({
  method: z.string(),
  params: z.looseObject({
    message: z.looseObject({
      parts: z.array(z.looseObject({ text: z.string().optional() })),
      taskId: z.string().nullish(),
      contextId: z.string().nullish(),
    }),
  }),
});

/** One request's work: the task, what the user has said in it, and how many turns its context has had. */
interface Turn {
  readonly taskId: string;
  readonly contextId: string;
  readonly text: string;
  /** What was said before the app asked back. */
  readonly asked: string | undefined;
  readonly count: number;
}

interface Chunk {
  readonly artifactId: string;
  readonly name: string;
  readonly type?: string;
  readonly status?: string;
  readonly parts?: readonly object[];
  /** `metadata.text`, by `type`. */
  readonly content?: object;
  /** More of `metadata.event`. */
  readonly event?: object;
}

function artifactUpdate({ taskId, contextId }: Turn, chunk: Chunk): object {
  const { artifactId, name, type = "text", status = "running", parts = [], content, event } = chunk;
  const metadata = {
    event: { create: "", id: `event-${artifactId}`, name, status, ...event },
    is_end: false,
    is_event_done: false,
    metrics: { begin_time_stamp: null, current_time_stamp: null },
    name: "",
    ...(content ? { text: content } : {}),
    ...(parts.length === 0 && !content ? { text_raw: { info: "" } } : {}),
    type,
    visible_scope: "all",
  };
  return {
    taskId,
    contextId,
    kind: "artifact-update",
    artifact: { artifactId, name, parts, metadata },
    append: true,
    lastChunk: false,
    metadata: {
      conversation_id: contextId,
      end_user_id: "",
      is_completion: false,
      message_id: `msg-${taskId}`,
      role: "tool",
      status,
      trace_id: `trace-${taskId}`,
      user_id: "demo-user",
    },
  };
}

/** Local time in Beijing, with nanoseconds. */
function statusUpdate({ taskId, contextId }: Turn, state: string): object {
  const local = new Date(Date.now() + 8 * 60 * 60 * 1000).toISOString();
  const timestamp = local.replace("Z", "369041+08:00");
  return { taskId, contextId, kind: "status-update", status: { state, timestamp } };
}

const textPart = (text: string) => ({ kind: "text", text, metadata: {} });

class WeatherApp {
  /** Tasks that wait for an answer: what was said, by task id. */
  readonly #asked = new Map<string, { contextId: string; text: string }>();
  /** Turns by context. */
  readonly #turns = new Map<string, number>();
  readonly #pace: number;

  constructor(pace: number) {
    this.#pace = pace;
  }

  open(message: z.infer<typeof Request>["params"]["message"]): Turn {
    const text = message.parts.map((part) => part.text ?? "").join(" ");
    const asked = this.#asked.get(message.taskId ?? "");
    const taskId = (asked && message.taskId) ?? randomUUID();
    const contextId = asked?.contextId ?? message.contextId ?? randomUUID();
    const count = (this.#turns.get(contextId) ?? 0) + 1;
    this.#turns.set(contextId, count);
    this.#asked.delete(taskId);
    return { taskId, contextId, text, asked: asked?.text, count };
  }

  /** The turn's events; each is followed by a pause. */
  async *work(turn: Turn, pause: (ms: number) => Promise<void>): AsyncGenerator<object, void, void> {
    for (const event of this.#plan(turn)) {
      yield event;
      await pause(STEP_MS);
    }
    if (/\bask\b/i.test(turn.text) && turn.asked === undefined) {
      yield this.#ask(turn);
      return;
    }
    if (/\bfail\b/i.test(turn.text)) {
      const event = { error_code: "503", error_message: "The weather service is down." };
      yield artifactUpdate(turn, { artifactId: "search", name: "/chat/chat_agent", status: "error", event });
      yield statusUpdate(turn, "failed");
      return;
    }
    const summary = { artifactId: `answer-${turn.taskId}`, name: "/chat/summary" };
    yield artifactUpdate(turn, { ...summary, status: "preparing" });
    const slow = /\bslow\b/i.test(turn.text);
    for (const text of slow ? slowAnswer() : answer(turn)) {
      await pause(slow ? this.#pace : STEP_MS);
      yield artifactUpdate(turn, { ...summary, parts: [textPart(text)] });
    }
    const sources = { artifactId: `sources-${turn.taskId}`, name: "/chat/summary", type: "references" };
    yield artifactUpdate(turn, { ...sources, content: REFERENCE });
    yield statusUpdate(turn, "completed");
    yield artifactUpdate(turn, { ...summary, status: "done", parts: [textPart("Have a nice day!")] });
  }

  /** The planner thinks, and hands over to a sub-agent. */
  *#plan(turn: Turn): Generator<object, void, void> {
    const plan = { artifactId: `plan-${turn.taskId}`, name: "/thought/plan" };
    yield artifactUpdate(turn, { ...plan, status: "preparing" });
    const tasks = [{ id: "1", name: "search for the forecast", status: "running" }];
    yield artifactUpdate(turn, { ...plan, type: "plan", content: { goal: "Tell the weather", tasks } });
    const search = { artifactId: `search-${turn.taskId}`, name: "/chat/chat_agent" };
    const parts = [textPart("Searching for the forecast.")];
    yield artifactUpdate(turn, { ...search, event: { task_id: "1" }, parts });
  }

  /** The stream ends after this. */
  #ask(turn: Turn): object {
    this.#asked.set(turn.taskId, { contextId: turn.contextId, text: turn.text });
    const data = JSON.stringify({ interrupt_event_id: randomUUID(), interrupt_event_type: "chat" });
    return artifactUpdate(turn, {
      artifactId: `question-${turn.taskId}`,
      name: "/chat/chat_agent",
      type: "json",
      status: "interrupt",
      parts: [textPart("Which city do you mean?")],
      content: { data },
    });
  }
}

function answer({ text, asked, count }: Turn): string[] {
  const resumed = asked === undefined ? [] : [`You first said "${asked}", then "${text}". `];
  const turns = count === 1 ? [] : [`This is turn ${count} of our conversation. `];
  return [...resumed, ...FORECAST, ...turns];
}

const slowAnswer = (): string[] =>
  Array.from({ length: SLOW_STEPS }, (_, hour) => `Hour ${hour + 1}: sunny. `);

/** Streams the turn until it ends or the client goes. */
async function stream(app: WeatherApp, turn: Turn, response: ServerResponse): Promise<void> {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  // `ref: false` does not keep the process alive.
  const pause = (ms: number): Promise<void> => delay(ms, undefined, { ref: false, signal: gone.signal });
  response.writeHead(200, { "content-type": "text/event-stream" });
  try {
    for await (const result of app.work(turn, pause)) {
      const event = JSON.stringify({ jsonrpc: "2.0", result, id: randomUUID() }, null, 4);
      if (!response.write(`data: ${event}\n`)) await once(response, "drain", { signal: gone.signal });
    }
    response.end("data: [DONE]\n");
  } catch (cause) {
    if (!gone.signal.aborted) throw cause;
  }
}

function send(response: ServerResponse, status: number, body: object | string): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}

async function call(app: WeatherApp, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const body: unknown = await json(incoming).catch(() => undefined);
  if (body === undefined) return send(response, 400, NOT_JSON);
  const request = Request.safeParse(body);
  if (!request.success) return refuse(response, 400, "InvalidParameter", "params.message is required");
  const { method, params } = request.data;
  if (method !== "message/stream") {
    const error = { code: -32601, message: `Method not found: ${method}` };
    return send(response, 400, { jsonrpc: "2.0", id: randomUUID(), error });
  }
  return stream(app, app.open(params.message), response);
}

const refuse = (response: ServerResponse, status: number, code: string, message: string): void =>
  send(response, status, { code, message, request_id: randomUUID() });

/** A handler for requests whose `url` is relative to the vendor; its tasks live as long as it does. */
export function createAppBuilderDemo({ pace = SLOW_PACE }: DemoOptions): Handler {
  const app = new WeatherApp(pace);
  return (request, response) => {
    const path = request.url?.split("?")[0];
    if (request.method === "GET" && path === "/.well-known/agent.json") return send(response, 200, CARD);
    if (request.method === "POST" && path === "/") return call(app, request, response);
    return refuse(response, 404, "NotFoundResource", "A2AServerNotPublishedYet");
  };
}
