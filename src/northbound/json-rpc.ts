/**
 * JSON-RPC 2.0 over HTTP POST (§3.2.1), with SSE for the streaming methods (§3.3). An A2A error travels with status
 * 200; what the edge refuses (401, 403, 413, 415, 429, 503) keeps its own status and has a JSON-RPC body all the same.
 */
import type { A2AError } from "../protocol/errors.ts";
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
import { rpcMethodNamed } from "../protocol/methods.ts";
import type { ClientDialect } from "../dialect.ts";
import { answerIn, eventEncoderOf, methodOf, type DialectCall } from "./dialects.ts";
import { readJsonText } from "./body.ts";
import {
  begin,
  callMethod,
  admitCaller,
  openExchange,
  refusal,
  sendJson,
  streamMethod,
  type Exchange,
  type TransportDeps,
} from "./exchange.ts";
import type { Context } from "./http.ts";
import type { ServedAgent } from "./served-agent.ts";
import type { Door } from "./served-card.ts";
import { EVENT_STREAM_HEADERS, frame, type Framing } from "./sse.ts";

/**
 * Answers one POST to an agent's JSON-RPC URL; never rejects.
 * @param door the URL, if it is one dialect's
 */
export async function serveJsonRpc(
  ctx: Context,
  agent: ServedAgent,
  deps: TransportDeps,
  door?: Door,
): Promise<void> {
  const exchange = openExchange(ctx, agent, deps, door);
  let id = NO_ID;
  try {
    const { held } = await admitCaller(exchange);
    const { requestBody, requestValues } = agent.config.limits;
    const text = await readJsonText(ctx.request, requestBody, held);
    const body = parseBody(text, requestValues, held.takeValues);
    id = requestId(body, text);
    const { method: name, params } = rpcCall(body, id);
    const dialect = (exchange.dialect = dialectOf(exchange, name));
    if (dialect) return await serveDialect(exchange, id, methodOf(dialect, name), params);
    const method = rpcMethodNamed(name, deps.methodNames);
    begin(exchange, method, params);
    if (method.kind === "stream") await streamMethod(exchange, method, params, framingFor(id));
    else sendJson(ctx, 200, success(id, await callMethod(exchange, method, params)));
  } catch (thrown) {
    const error = refusal(exchange, thrown);
    if (error) refuse(exchange, id, error);
  }
}

/** What the call speaks; absent: 0.3.0. Throws `version-not-supported`. */
function dialectOf(exchange: Exchange, method: string): ClientDialect | undefined {
  const { ctx, agent, door } = exchange;
  const known = door?.dialect ?? agent.dialects.ownerOf(method, ctx);
  if (known) return known;
  exchange.dialect = agent.dialects.closestTo(ctx);
  agent.dialects.requireVersion(ctx, exchange.dialect);
  return exchange.dialect;
}

/** The same in another dialect: its params become 0.3.0's, and what is answered becomes its own. */
async function serveDialect(
  exchange: Exchange,
  id: RequestId,
  call: DialectCall,
  given: unknown,
): Promise<void> {
  const { dialect, name, method } = call;
  const params = dialect.toParams(name, given);
  exchange.extensions = dialect.extensionsIn?.(given);
  begin(exchange, method, params);
  if (method.kind === "stream") {
    await streamMethod(exchange, method, params, dialectFraming(id, call, params));
  } else {
    const result = await callMethod(exchange, method, params);
    sendJson(exchange.ctx, 200, success(id, answerIn(call, result, params)));
  }
}

function dialectFraming(id: RequestId, call: DialectCall, params: unknown): Framing {
  const { head, tail } = successEnvelope(id);
  const textsOf = eventEncoderOf(call, params);
  return {
    event: (event) => textsOf(event).map((json) => head + json + tail),
    error: (error) => failure(id, error, call.dialect.toRpcError),
  };
}

function framingFor(id: RequestId): Framing {
  const { head, tail } = successEnvelope(id);
  return { event: ({ json }) => head + json + tail, error: (error) => failure(id, error) };
}

function refuse(exchange: Exchange, id: RequestId, error: A2AError): void {
  const { ctx, dialect } = exchange;
  const status = error.rpcHttpStatus;
  const body = failure(id, error, dialect?.toRpcError);
  if (status === 200 && readsStream(exchange)) {
    ctx.set(EVENT_STREAM_HEADERS);
    ctx.body = frame(body);
  } else {
    sendJson(ctx, status, body);
  }
}

/**
 * A client that asked for a stream may read nothing but a stream: the JavaScript one shows the code only there. The method
 * may also be one that 0.3.0 does not have; then the client must prefer a stream.
 */
function readsStream({ ctx, method }: Exchange): boolean {
  const accept = ctx.get("Accept");
  if (!/\btext\/event-stream\b/i.test(accept)) return false;
  return method
    ? method.kind === "stream"
    : ctx.accepts("application/json", "text/event-stream") === "text/event-stream";
}
