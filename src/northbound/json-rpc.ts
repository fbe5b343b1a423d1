/**
 * JSON-RPC 2.0 over HTTP POST (§3.2.1), with SSE for the streaming methods (§3.3). An A2A error travels with status
 * 200; what the edge refuses (413, 415, 429, 503) keeps its own status and has a JSON-RPC body all the same.
 */
import type { ServerResponse } from "node:http";
import type { Logger } from "pino";
import type { Caller } from "../gateway/gateway.ts";
import { A2AError } from "../protocol/errors.ts";
import {
  NO_ID,
  failure,
  parseBody,
  requestId,
  rpcCall,
  success,
  successEnvelope,
  type RequestId,
} from "../protocol/jsonrpc.ts";
import { methodNamed, type Method, type StreamMethod, type UnaryMethod } from "../protocol/methods.ts";
import { readJsonText } from "./body.ts";
import { EXTENSIONS_HEADER, activatedExtensions, requestedExtensions } from "./extensions.ts";
import type { Lifecycle } from "./health.ts";
import { noteError, type Context } from "./http.ts";
import { callUnary, lastEventId, openStream, type Invocation } from "./invoke.ts";
import type { ServedAgent } from "./served-agent.ts";
import { EVENT_STREAM_HEADERS, frame, type EventStreams, type Framing } from "./sse.ts";

export interface JsonRpcDeps {
  readonly log: Logger;
  readonly lifecycle: Lifecycle;
  readonly streams: EventStreams;
  readonly newId: () => string;
}

/** A request as far as it has been understood. */
interface Exchange {
  readonly ctx: Context;
  readonly agent: ServedAgent;
  readonly deps: JsonRpcDeps;
  readonly gone: AbortSignal;
  id: RequestId;
  method?: Method;
}

/** Answers one POST to an agent's JSON-RPC URL; never rejects. */
export async function serveJsonRpc(ctx: Context, agent: ServedAgent, deps: JsonRpcDeps): Promise<void> {
  const exchange: Exchange = { ctx, agent, deps, gone: signalOfClient(ctx.res), id: NO_ID };
  try {
    const text = await readJsonText(ctx.request, agent.config.limits.requestBody);
    const body = parseBody(text);
    exchange.id = requestId(body, text);
    const { method: name, params } = rpcCall(body);
    const method = methodNamed(name);
    exchange.method = method;
    Object.assign(ctx.state.line, { method: name, task: namedTask(params) });
    if (method.starts && deps.lifecycle.phase === "stopping") throw new A2AError("shutting-down");
    if (method.kind === "unary") await answerUnary(exchange, method, params);
    else await answerStream(exchange, method, params);
  } catch (thrown) {
    refuse(exchange, thrown);
  }
}

async function answerUnary(exchange: Exchange, method: UnaryMethod, params: unknown): Promise<void> {
  const { ctx, agent, id } = exchange;
  const invocation = invocationOf(exchange, params);
  const extensions = activatedExtensions(agent, invocation.caller.extensions);
  const result = await callUnary(method, invocation);
  ctx.state.line.task = result.kind === "task" ? result.id : result.taskId;
  setExtensions(ctx, await extensions);
  sendJson(ctx, 200, success(id, result));
}

async function answerStream(exchange: Exchange, method: StreamMethod, params: unknown): Promise<void> {
  const { ctx, agent, deps, id } = exchange;
  const invocation = invocationOf(exchange, params);
  agent.enterStream();
  try {
    const extensions = activatedExtensions(agent, invocation.caller.extensions);
    const subscription = await openStream(method, invocation);
    ctx.state.line.task ??= subscription.taskId;
    setExtensions(ctx, await extensions);
    ctx.respond = false;
    ctx.status = 200;
    const end = await deps.streams.serve(ctx.res, subscription, {
      framing: framingFor(id),
      stalledAfter: agent.config.timeouts.stalledClient,
      onError: (thrown) => noteError(ctx, thrown, deps.log),
    });
    // Why a stream failed has been noted when it did.
    if (end === "client-gone" || end === "client-stalled") ctx.state.line.outcome = end;
  } finally {
    agent.leaveStream();
  }
}

function framingFor(id: RequestId): Framing {
  const { head, tail } = successEnvelope(id);
  return { event: (json) => head + json + tail, error: (error) => failure(id, error) };
}

function invocationOf({ ctx, agent, deps, gone }: Exchange, params: unknown): Invocation {
  const { gateway, config } = agent;
  const caller: Caller = {
    principal: "anonymous",
    signal: gone,
    extensions: requestedExtensions(ctx.get(EXTENSIONS_HEADER)),
  };
  const after = lastEventId(ctx.get("Last-Event-ID"));
  return { gateway, params, caller, after, rules: { maxParts: config.limits.parts, newId: deps.newId } };
}

function refuse({ ctx, deps, gone, id, method }: Exchange, thrown: unknown): void {
  if (gone.aborted) {
    ctx.state.line.outcome = "client-gone";
    ctx.respond = false;
    // Nobody reads it; for the log, as nginx says it.
    ctx.status = 499;
    return;
  }
  const error = noteError(ctx, thrown, deps.log);
  const status = error.rpcHttpStatus;
  if (status === 429 || status === 503) ctx.set("Retry-After", "1");
  // A client that asked for a stream may read nothing but a stream: the JavaScript one shows the code only there.
  if (method?.kind === "stream" && status === 200 && /\btext\/event-stream\b/i.test(ctx.get("Accept"))) {
    ctx.set(EVENT_STREAM_HEADERS);
    ctx.body = frame(failure(id, error));
  } else {
    sendJson(ctx, status, failure(id, error));
  }
}

function sendJson(ctx: Context, status: number, json: string): void {
  ctx.status = status;
  ctx.type = "application/json";
  ctx.body = json;
}

function setExtensions(ctx: Context, uris: readonly string[]): void {
  if (uris.length > 0) ctx.set(EXTENSIONS_HEADER, uris.join(", "));
}

/** Aborted when the connection ends before the answer does. */
function signalOfClient(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) gone.abort();
  });
  return gone.signal;
}

/** The task that a request names, for the log; nothing is checked yet. */
function namedTask(params: unknown): string | undefined {
  const id = member(params, "id") ?? member(member(params, "message"), "taskId");
  return typeof id === "string" ? id.slice(0, 128) : undefined;
}

const member = (value: unknown, key: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
