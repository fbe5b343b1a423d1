/**
 * HTTP+JSON (§3.2.3, §11): ProtoJSON bodies, `{code, message, data?}` with a status of HTTP for what went wrong, and
 * SSE whose events are StreamResponses. An error that ends a stream is an event of the type `error`.
 */
import type { HeldBytes } from "../auth/bytes-in-flight.ts";
import type { Limits } from "../config/config.ts";
import { A2AError } from "../protocol/errors.ts";
import { parseBody } from "../protocol/jsonrpc.ts";
import { methodNamed } from "../protocol/methods.ts";
import type { StreamEvent } from "../protocol/model.ts";
import { toProtoJsonTaskPushConfig } from "../protocol/proto-json-params.ts";
import { toProtoJsonCard } from "../protocol/proto-json-card.ts";
import { toProtoJsonResponse, toProtoJsonTask } from "../protocol/proto-json.ts";
import { readJsonText } from "./body.ts";
import {
  begin,
  callMethod,
  admitCaller,
  openExchange,
  refusal,
  sendJson,
  streamMethod,
  type TransportDeps,
} from "./exchange.ts";
import type { Context } from "./http.ts";
import type { UnaryResult } from "./invoke.ts";
import { restCall } from "./rest-routes.ts";
import type { ServedAgent } from "./served-agent.ts";
import type { Framing } from "./sse.ts";

/** Answers one request below an agent's `/v1`; never rejects. */
export async function serveRest(ctx: Context, agent: ServedAgent, deps: TransportDeps): Promise<void> {
  const exchange = openExchange(ctx, agent, deps);
  try {
    // What is not served, too, is asked for by somebody, and counts.
    const { held } = await admitCaller(exchange);
    const call = restCall(ctx.method, pathBelow(ctx));
    if ("allow" in call) return refuseRoute(ctx, call.allow);
    const method = methodNamed(call.method);
    const body = call.hasBody ? await readBody(ctx, agent.config.limits, held) : undefined;
    const params = call.params({ query: ctx.query, body });
    begin(exchange, method, params);
    if (method.kind === "stream") await streamMethod(exchange, method, params, FRAMING);
    else answer(ctx, method.name, await callMethod(exchange, method, params));
  } catch (thrown) {
    const error = refusal(exchange, thrown);
    if (error) sendJson(ctx, error.httpStatus, errorBody(error));
  }
}

/** The path as it was sent, from `/v1` on. */
const pathBelow = ({ path }: Context): string =>
  path.replace(/^\/agents\/[^/]+(?=\/v1)/, "").replace(/(?<=.)\/$/, "");

/** Clients may leave out a body that says nothing, and then also its type. */
async function readBody(ctx: Context, limits: Limits, held: HeldBytes): Promise<unknown> {
  const { request } = ctx;
  const isEmpty = request.type === "" && !request.length && ctx.get("Transfer-Encoding") === "";
  const text = isEmpty ? "" : await readJsonText(request, limits.requestBody, held);
  return text === "" ? undefined : parseBody(text, limits.requestValues, held.takeValues);
}

function answer(ctx: Context, method: string, result: UnaryResult): void {
  if (result === null) ctx.status = 204;
  else sendJson(ctx, 200, JSON.stringify(bodyOf(method, result)));
}

function bodyOf(method: string, result: NonNullable<UnaryResult>): unknown {
  if (Array.isArray(result)) return { configs: result.map(toProtoJsonTaskPushConfig) };
  if ("pushNotificationConfig" in result) return toProtoJsonTaskPushConfig(result);
  if ("tasks" in result) return { ...result, tasks: result.tasks.map(toProtoJsonTask) };
  if ("protocolVersion" in result) return toProtoJsonCard(result);
  if (method === "message/send" || result.kind === "message") return toProtoJsonResponse(result);
  return toProtoJsonTask(result);
}

const FRAMING: Framing = {
  event: (json) => {
    // What the engine wrote itself a moment ago.
    const event: StreamEvent = JSON.parse(json);
    return JSON.stringify(toProtoJsonResponse(event));
  },
  error: (error) => errorBody(error),
  errorType: "error",
};

/** The Python SDK tells errors by `type`; the Java SDK by `error`, without which it fails with a NullPointerException. */
function errorBody({ rpcCode: code, sdkName: type, message, data }: A2AError): string {
  return JSON.stringify({ code, message, data, type, error: `io.a2a.spec.${type}` });
}

function refuseRoute(ctx: Context, allow: readonly string[]): void {
  ctx.state.line.outcome = allow.length === 0 ? "not-found" : "method-not-allowed";
  const message = allow.length === 0 ? "Nothing is served here" : `This resource has ${allow.join(", ")}`;
  if (allow.length > 0) ctx.set("Allow", allow.join(", "));
  const error = new A2AError("method-not-found", { message });
  sendJson(ctx, allow.length === 0 ? error.httpStatus : 405, errorBody(error));
}
