/**
 * What all routes share: the request's id and its line in the access log, methods that a resource has, and errors
 * that are JSON on every path.
 */
import type { Middleware, ParameterizedContext } from "koa";
import type { Logger } from "pino";
import { A2AError } from "../protocol/errors.ts";
import { setImmediate } from "node:timers/promises";
import { escapeLongText } from "../protocol/json.ts";
import { outcomeOf, requestIdOf, type AccessLine } from "./access-line.ts";

export interface RequestState {
  readonly requestId: string;
  readonly line: AccessLine;
  /** How long the client may leave its answer unread, ms; `UNREAD` where absent. */
  stalledAfter?: number;
  /** Resolves with the end of an answer that goes on after its handler has returned; never rejects. */
  ended?: Promise<void>;
}

export type Context = ParameterizedContext<RequestState>;
export type Handler<Rest extends readonly unknown[] = []> = (
  ctx: Context,
  ...rest: Rest
) => void | Promise<void>;

/** Of `/callbacks/{agent}/{secret}`, in any case, as the router takes it. */
const SECRET = /^(\/callbacks\/[^/]*\/).+/i;

/** Names the request, as the client did where that is sane, and logs it once it is over. */
export const requestLog =
  (log: Logger, newId: () => string): Middleware<RequestState> =>
  async (ctx, next) => {
    const requestId = requestIdOf(ctx.get("X-Request-Id"), newId);
    const line: AccessLine = { outcome: "ok" };
    ctx.state = { requestId, line };
    ctx.set("X-Request-Id", requestId);
    ctx.set("X-Content-Type-Options", "nosniff");
    const start = performance.now();
    await next();
    if (!log.isLevelEnabled("info")) return;
    const write = (): void => {
      const duration = Math.round(performance.now() - start);
      const { method: verb, status } = ctx;
      const path = ctx.path.replace(SECRET, "$1…");
      log.info({ request: requestId, ...line, verb, path, status, duration }, "request");
    };
    if (ctx.state.ended) void ctx.state.ended.then(write);
    else write();
  };

/** Where no agent says otherwise, ms. */
const UNREAD = 60_000;

/** Closes the connection of a client that does not read its answer. A stream sees to that itself. */
export const dropUnread =
  (log: Logger): Middleware<RequestState> =>
  async (ctx, next) => {
    await next();
    if (ctx.respond === false) return;
    const { requestId: request, stalledAfter = UNREAD } = ctx.state;
    // Runs from now on, and anew whenever some of the answer gets through. It ends with the answer.
    ctx.res.setTimeout(stalledAfter, () => {
      log.info({ request, outcome: "client-stalled" }, "dropped an answer that its client has left unread");
      ctx.res.destroy();
    });
  };

/** Writes every JSON body, whoever made it, so that no client finds a line break in it. */
export const jsonBodies: Middleware<RequestState> = async (ctx, next) => {
  await next();
  const body: unknown = ctx.body;
  if (ctx.respond === false || !body || (typeof body === "string" && !ctx.response.is("json", "+json")))
    return;
  const json = await escapeLongText(typeof body === "string" ? body : JSON.stringify(body), setImmediate);
  if (json !== body) ctx.body = json;
};

/** Answers what no route has answered, and what failed on the way: never HTML, never a stack. */
export const jsonErrors =
  (log: Logger): Middleware<RequestState> =>
  async (ctx, next) => {
    try {
      await next();
      if (ctx.status === 404 && ctx.body === undefined)
        sendFault(ctx, 404, "not-found", "Nothing is served here");
    } catch (thrown) {
      const { code, message, data, httpStatus } = noteError(ctx, thrown, log);
      sendFault(ctx, httpStatus, code, message, data);
    }
  };

/**
 * Answers with an error outside of A2A, in the shape that REST clients know from Google's APIs, and whose code Go's SDK wants as
 * a number: `{error: {code, status, message, data?}}`.
 */
export function sendFault(
  ctx: Context,
  status: number,
  code: string,
  message: string,
  data?: Record<string, unknown>,
): void {
  ctx.state.line.outcome = code;
  ctx.status = status;
  ctx.set("Cache-Control", "no-store");
  ctx.body = { error: { code: status, status: code, message, data } };
}

/**
 * Puts what was thrown into the logs; a fault of the proxy's own with its stack, which no client sees. Sets the headers
 * that the error brings along.
 */
export function noteError(ctx: Context, thrown: unknown, log: Logger): A2AError {
  const error = A2AError.from(thrown);
  const { line, requestId } = ctx.state;
  line.outcome = outcomeOf(error);
  ctx.set(error.headers);
  if (error.isOwnFault) {
    log.error({ request: requestId, agent: line.agent, err: error.cause ?? error }, "internal error");
  } else if (error.code === "issuer-unavailable") {
    log.warn({ request: requestId, err: error.cause }, "an issuer cannot be asked for its keys");
  }
  return error;
}

/** A resource that has these methods; HEAD is a GET whose body is not sent. */
export function resource<Rest extends readonly unknown[]>(methods: {
  readonly GET?: Handler<Rest>;
  readonly POST?: Handler<Rest>;
}): Handler<Rest> {
  const { GET, POST } = methods;
  const handlers = new Map<string, Handler<Rest>>();
  if (GET) handlers.set("GET", GET).set("HEAD", GET);
  if (POST) handlers.set("POST", POST);
  const allow = [...handlers.keys()].join(", ");
  return (ctx, ...rest) => {
    const handler = handlers.get(ctx.method);
    if (handler) return handler(ctx, ...rest);
    ctx.set("Allow", allow);
    return sendFault(ctx, 405, "method-not-allowed", `This resource has ${allow}`);
  };
}
