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
import { EVENT_STREAM_HEADERS, frame, type Framing } from "./sse.ts";

/** Answers one POST to an agent's JSON-RPC URL; never rejects. */
export async function serveJsonRpc(ctx: Context, agent: ServedAgent, deps: TransportDeps): Promise<void> {
  const exchange = openExchange(ctx, agent, deps);
  let id = NO_ID;
  try {
    const { held } = await admitCaller(exchange);
    const { requestBody, requestValues } = agent.config.limits;
    const text = await readJsonText(ctx.request, requestBody, held);
    const body = parseBody(text, requestValues, held.takeValues);
    id = requestId(body, text);
    const { method: name, params } = rpcCall(body, id);
    const method = rpcMethodNamed(name, deps.methodNames);
    begin(exchange, method, params);
    if (method.kind === "stream") await streamMethod(exchange, method, params, framingFor(id));
    else sendJson(ctx, 200, success(id, await callMethod(exchange, method, params)));
  } catch (thrown) {
    const error = refusal(exchange, thrown);
    if (error) refuse(exchange, id, error);
  }
}

function framingFor(id: RequestId): Framing {
  const { head, tail } = successEnvelope(id);
  return { event: (json) => head + json + tail, error: (error) => failure(id, error) };
}

function refuse(exchange: Exchange, id: RequestId, error: A2AError): void {
  const { ctx } = exchange;
  const status = error.rpcHttpStatus;
  if (status === 200 && readsStream(exchange)) {
    ctx.set(EVENT_STREAM_HEADERS);
    ctx.body = frame(failure(id, error));
  } else {
    sendJson(ctx, status, failure(id, error));
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
