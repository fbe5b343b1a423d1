/**
 * One request to an agent, as all transports over HTTP treat it: who calls, which limits hold, what the log says.
 * How it is read and answered is the transport's own.
 */
import type { Logger } from "pino";
import type { HeldBytes } from "../auth/bytes-in-flight.ts";
import type { Gate } from "../auth/gate.ts";
import type { Principal } from "../auth/principal.ts";
import type { ClientDialect } from "../dialect.ts";
import type { Caller } from "../gateway/gateway.ts";
import type { A2AError } from "../protocol/errors.ts";
import type { Method, MethodNames, StreamMethod, UnaryMethod } from "../protocol/methods.ts";
import { identify } from "./access.ts";
import { EXTENSIONS_HEADER, activatedExtensions, requestedExtensions } from "./extensions.ts";
import { forwardedOf } from "./forwarded.ts";
import { probeHalfClosed } from "./half-closed.ts";
import { requireReady, type Lifecycle } from "./health.ts";
import { noteError, type Context } from "./http.ts";
import { allowance, callUnary, lastEventId, openStream, taskOf, type Invocation } from "./invoke.ts";
import type { ServedAgent } from "./served-agent.ts";
import type { Answer, Door } from "./served-card.ts";
import type { EventStreams, Framing } from "./sse.ts";

export interface TransportDeps {
  readonly log: Logger;
  readonly lifecycle: Lifecycle;
  readonly gate: Gate;
  readonly streams: EventStreams;
  readonly newId: () => string;
  /** What else clients may call methods, for the answer that tells them. */
  readonly methodNames?: MethodNames | undefined;
}

/** A request as far as it has been understood. */
export interface Exchange {
  readonly ctx: Context;
  readonly agent: ServedAgent;
  readonly deps: TransportDeps;
  /** Where it came in, if not at the agent's usual URL. */
  readonly door: Door | undefined;
  /** Aborted when the client goes before it has its answer. */
  readonly gone: AbortSignal;
  method?: Method;
  /** Absent: 0.3.0. */
  dialect?: ClientDialect | undefined;
  /** The extensions that the client asks for, if it does so in the params. */
  extensions?: string | undefined;
  caller?: Admitted;
}

/** Who calls, and what the request holds. */
interface Admitted {
  readonly principal: Principal;
  readonly held: HeldBytes;
}

/** @param door where the request came in; absent: at the agent's usual URL */
export function openExchange(
  ctx: Context,
  agent: ServedAgent,
  deps: TransportDeps,
  door: Door | undefined,
): Exchange {
  probeHalfClosed(ctx.req, ctx.res);
  const gone = new AbortController();
  const exchange: Exchange = { ctx, agent, deps, door, gone: gone.signal };
  ctx.res.once("close", () => {
    exchange.caller?.held.release();
    if (!ctx.res.writableFinished) gone.abort();
  });
  return exchange;
}

/**
 * Finds out who calls, and counts the call, whatever will be found in it. A transport does so before it reads a body, of
 * which anybody may send much. Rejects with `unauthenticated`, `forbidden` or `too-many-requests`.
 */
export async function admitCaller(exchange: Exchange): Promise<Admitted> {
  return (exchange.caller ??= await admitted(exchange));
}

async function admitted({ ctx, agent, deps: { gate } }: Exchange): Promise<Admitted> {
  const principal = await identify(ctx, gate);
  await gate.admit(principal, agent.config.name);
  const held = gate.openBody(principal);
  return { principal, held };
}

/** Takes note of what is called; throws `shutting-down` or `store-unavailable` where that would begin something new. */
export function begin(exchange: Exchange, method: Method, params: unknown): void {
  const { ctx, deps } = exchange;
  exchange.method = method;
  Object.assign(ctx.state.line, { method: method.name, task: namedTask(params) });
  requireReady(deps.lifecycle, method);
}

/** Calls the method and sets the headers of its answer; the body is left to the transport. */
export async function callMethod(exchange: Exchange, method: UnaryMethod, params: unknown): Promise<Answer> {
  const { ctx, agent } = exchange;
  const invocation = await invocationOf(exchange, method, params);
  const extensions = activatedExtensions(agent, invocation.caller.extensions);
  const result = await callUnary(method, invocation);
  ctx.state.line.task = taskOf(result) ?? ctx.state.line.task;
  setExtensions(exchange, await extensions);
  return result;
}

/**
 * Answers with a stream, and resolves once it is open, so that nothing waits for its end but `RequestState.ended`;
 * rejects where it could not be opened, and then nothing has been sent.
 */
export async function streamMethod(
  exchange: Exchange,
  method: StreamMethod,
  params: unknown,
  framing: Framing,
): Promise<void> {
  const { ctx, agent, deps } = exchange;
  const invocation = await invocationOf(exchange, method, params);
  const leave = enterStream(exchange, invocation);
  try {
    const extensions = activatedExtensions(agent, invocation.caller.extensions);
    const subscription = await openStream(method, invocation);
    ctx.state.line.task ??= subscription.taskId;
    setExtensions(exchange, await extensions);
    ctx.respond = false;
    ctx.status = 200;
    const ended = Promise.withResolvers<void>();
    ctx.state.ended = ended.promise;
    deps.streams.serve(ctx.res, subscription, {
      framing,
      stalledAfter: agent.config.timeouts.stalledClient,
      onError: (thrown) => noteError(ctx, thrown, deps.log),
      onEnd: (end) => {
        // Why a stream failed has been noted when it did.
        if (end === "client-gone" || end === "client-stalled") ctx.state.line.outcome = end;
        leave();
        ended.resolve();
      },
    });
  } catch (thrown) {
    leave();
    throw thrown;
  }
}

/** Counts a stream in, for its caller and its agent; throws `too-many-requests`. Gives what counts it out again. */
function enterStream({ agent, deps }: Exchange, { caller }: Invocation): () => void {
  const leave = deps.gate.enterStream(caller.principal);
  try {
    agent.enterStream();
  } catch (thrown) {
    leave();
    throw thrown;
  }
  return () => {
    agent.leaveStream();
    leave();
  };
}

/** What to tell the client of what was thrown, with the headers set; undefined where it has gone. */
export function refusal(exchange: Exchange, thrown: unknown): A2AError | undefined {
  const { ctx, deps, gone } = exchange;
  if (gone.aborted) {
    ctx.state.line.outcome = "client-gone";
    ctx.respond = false;
    // Nobody reads it; for the log, as nginx says it.
    ctx.status = 499;
    return undefined;
  }
  return noteError(ctx, thrown, deps.log);
}

export function sendJson(ctx: Context, status: number, json: string): void {
  ctx.status = status;
  ctx.type = "application/json";
  ctx.body = json;
}

/** Lets the caller make this call; rejects with `forbidden`, and as `admitCaller` does. */
async function invocationOf(exchange: Exchange, method: Method, params: unknown): Promise<Invocation> {
  const { ctx, agent, deps, dialect, gone } = exchange;
  const { gateway, config } = agent;
  const door = exchange.door ?? (dialect && agent.usualDoorOf(dialect));
  const { principal } = await admitCaller(exchange);
  deps.gate.requireMethod(principal, config.name, method.name);
  const caller: Caller = {
    principal: principal.id,
    dialect: exchange.dialect?.name,
    signal: gone,
    extensions: requestedExtensions(exchange.extensions ?? ctx.get(headerOf(exchange))),
    mintsTaskIds: dialect?.clientMintsTaskIds,
    forwarded: forwardedOf(config.forward, (name) => ctx.get(name)),
  };
  const isCounted = dialect !== undefined && "open" in dialect.events;
  const after = isCounted ? undefined : lastEventId(ctx.get("Last-Event-ID"));
  return {
    gateway,
    ...allowance({ agent, principal, gate: deps.gate, method: method.name, door }),
    params,
    caller,
    after,
    rules: { ...agent.acceptRules(deps.newId), isDecoded: dialect !== undefined },
  };
}

function setExtensions(exchange: Exchange, uris: readonly string[]): void {
  if (uris.length > 0) exchange.ctx.set(headerOf(exchange), uris.join(", "));
}

const headerOf = ({ dialect }: Exchange): string => dialect?.extensionsHeader ?? EXTENSIONS_HEADER;

/** The task that a request names, for the log; nothing is checked yet. */
function namedTask(params: unknown): string | undefined {
  const id = member(params, "id") ?? member(member(params, "message"), "taskId");
  return typeof id === "string" ? id.slice(0, 128) : undefined;
}

const member = (value: unknown, key: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
