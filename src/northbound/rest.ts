/**
 * HTTP+JSON (§3.2.3, §11): a request's route and body to a method's params, and the answer with a status of HTTP. How answers
 * are written is a RestFormat's.
 */
import type { HeldBytes } from "../auth/bytes-in-flight.ts";
import type { Limits } from "../config/config.ts";
import type { ClientDialect } from "../dialect.ts";
import { A2AError } from "../protocol/errors.ts";
import { isFields } from "../protocol/json.ts";
import { parseBody } from "../protocol/jsonrpc.ts";
import { methodNamed } from "../protocol/methods.ts";
import { readJsonText } from "./body.ts";
import { readerOverHttp, withFilesOnce } from "./client-sdk.ts";
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
import type { RestFormat } from "./rest-format.ts";
import { protoJsonFormat } from "./rest-proto-json.ts";
import { restCall } from "./rest-routes.ts";
import { SCHEMA_JSON } from "./rest-schema-json.ts";
import { answerIn } from "./dialects.ts";
import { dialectRoute, errorBody, paramsOf, restFraming } from "./rest-dialect.ts";
import type { ServedAgent } from "./served-agent.ts";
import type { Door } from "./served-card.ts";

/**
 * Answers one request to a route of HTTP+JSON; never rejects.
 * @param door the URL, if it is one dialect's
 */
export async function serveRest(
  ctx: Context,
  agent: ServedAgent,
  deps: TransportDeps,
  door?: Door,
): Promise<void> {
  const exchange = openExchange(ctx, agent, deps, door);
  const dialect = door?.dialect ?? versionOf(ctx, agent);
  if (dialect) return await serveDialect(exchange, dialect);
  const { limits, clientSdk } = agent.config;
  const path = pathBelow(ctx);
  const isBare = !/^\/v1(?=\/|$)/.test(path);
  const format = isBare ? SCHEMA_JSON : protoJsonFormat(readerOverHttp(clientSdk, ctx.get("User-Agent")));
  try {
    // What is not served, too, is asked for by somebody, and counts.
    const { held } = await admitCaller(exchange);
    if (isBare) agent.dialects.requireVersion(ctx, undefined);
    const call = restCall(ctx.method, isBare ? `/v1${path}` : path);
    if ("allow" in call) return refuseRoute(ctx, call.allow, format);
    const method = methodNamed(call.method);
    const given = call.hasBody ? await readBody(ctx, limits, held) : undefined;
    const body = isFields(given) ? withFilesOnce(clientSdk, given) : given;
    const params = call.params({ query: ctx.query, body });
    begin(exchange, method, params);
    if (method.kind === "stream") return await streamMethod(exchange, method, params, format.framing);
    const answer = format.answer(method.name, await callMethod(exchange, method, params));
    if (answer === undefined) ctx.status = 204;
    else sendJson(ctx, 200, JSON.stringify(answer));
  } catch (thrown) {
    const error = refusal(exchange, thrown);
    if (error) sendJson(ctx, error.httpStatus, format.error(error));
  }
}

/** An unknown version is refused by the dialects' own form, in which the client will look for it. `/v1` is 0.3.0's. */
function versionOf(ctx: Context, { dialects }: ServedAgent): ClientDialect | undefined {
  return /^\/v1(?=\/|$)/.test(pathBelow(ctx)) ? dialects.usual : dialects.closestTo(ctx);
}

async function serveDialect(exchange: Exchange, dialect: ClientDialect): Promise<void> {
  const { ctx, agent } = exchange;
  exchange.dialect = dialect;
  try {
    const { held } = await admitCaller(exchange);
    agent.dialects.requireVersion(ctx, dialect);
    const route = dialectRoute(dialect, ctx.method, pathBelow(ctx, dialect));
    if ("allow" in route)
      return refuseRoute(ctx, route.allow, { error: (error) => errorBody(dialect, error) }, dialect.name);
    const body = route.hasBody ? await readBody(ctx, agent.config.limits, held) : undefined;
    const params = dialect.toParams(route.name, paramsOf(route, ctx.query, body));
    const { method } = route;
    begin(exchange, method, params);
    if (method.kind === "stream")
      return await streamMethod(exchange, method, params, restFraming(route, params));
    const result = await callMethod(exchange, method, params);
    sendJson(ctx, 200, JSON.stringify(answerIn(route, result, params)));
    if (dialect.mediaType) ctx.type = dialect.mediaType;
  } catch (thrown) {
    const error = refusal(exchange, thrown);
    if (error)
      sendJson(ctx, dialect.toRestError?.(error).status ?? error.httpStatus, errorBody(dialect, error));
  }
}

/** The path as it was sent, below the agent's own, or below the dialect's. */
function pathBelow({ path }: Context, dialect?: ClientDialect): string {
  const below = path.replace(/^\/agents\/[^/]+(?=\/)/, "").replace(/(?<=.)\/$/, "");
  const own = dialect && `/${dialect.name}/`;
  return own && below.startsWith(own) ? below.slice(own.length - 1) : below;
}

/** Clients may leave out a body that says nothing, and then also its type. */
async function readBody(ctx: Context, limits: Limits, held: HeldBytes): Promise<unknown> {
  const { request } = ctx;
  const isEmpty = request.type === "" && !request.length && ctx.get("Transfer-Encoding") === "";
  const text = isEmpty ? "" : await readJsonText(request, limits.requestBody, held);
  return text === "" ? undefined : parseBody(text, limits.requestValues, held.takeValues);
}

function refuseRoute(
  ctx: Context,
  allow: readonly string[],
  format: Pick<RestFormat, "error">,
  speaks?: string,
): void {
  ctx.state.line.outcome = allow.length === 0 ? "not-found" : "method-not-allowed";
  const message =
    allow.length === 0
      ? `Nothing is served here${speaks === undefined ? "" : `: this URL speaks ${speaks}`}`
      : `This resource has ${allow.join(", ")}`;
  if (allow.length > 0) ctx.set("Allow", allow.join(", "));
  const error = new A2AError("method-not-found", { message });
  sendJson(ctx, allow.length === 0 ? error.httpStatus : 405, format.error(error));
}
