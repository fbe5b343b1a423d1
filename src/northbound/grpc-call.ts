/**
 * One gRPC call to an agent, as far as it is the same for all RPCs: which agent, who calls, what the log says. This is
 * what exchange.ts is to the transports over HTTP.
 */
import type { ServerUnaryCall, ServerWritableStream } from "@grpc/grpc-js";
import type { Logger } from "pino";
import type { Gate } from "../auth/gate.ts";
import type { Principal } from "../auth/principal.ts";
import type { Caller } from "../gateway/gateway.ts";
import { A2AError } from "../protocol/errors.ts";
import type { ProtoMessage } from "../protocol/grpc-codec.ts";
import { methodNamed, type Method } from "../protocol/methods.ts";
import { EXTENSIONS_HEADER, requestedExtensions } from "./extensions.ts";
import { forwardedOf } from "./forwarded.ts";
import type { GrpcAgents } from "./grpc-agents.ts";
import { textIn, type GrpcDoor } from "./grpc-door.ts";
import { LAST_EVENT_KEY } from "./grpc-event-ids.ts";
import type { CallLine } from "./grpc-line.ts";
import type { Rpc } from "./grpc-rpcs.ts";
import type { Lifecycle } from "./health.ts";
import { allowance, lastEventId, type Invocation } from "./invoke.ts";
import type { ServedAgent } from "./served-agent.ts";

/** A request, and how many bytes it had: the limit is the agent's, and the agent is not known before. */
export interface Received {
  /** Throws where the bytes are no such message. Not before the caller is known: a stranger may send much. */
  readonly read: () => ProtoMessage;
  readonly size: number;
}

export type UnaryCall = ServerUnaryCall<Received, ProtoMessage>;
export type StreamCall = ServerWritableStream<Received, ProtoMessage>;

export interface GrpcDeps {
  readonly log: Logger;
  readonly lifecycle: Lifecycle;
  readonly gate: Gate;
  readonly newId: () => string;
  readonly door: GrpcDoor;
}

/** A call that has been let in. */
export interface Admitted {
  readonly agent: ServedAgent;
  readonly method: Method;
  readonly invocation: Invocation;
}

/** Aborted when the client cancels, its deadline passes or its connection breaks before it has its answer. */
export function signalOf(call: UnaryCall | StreamCall): AbortSignal {
  const gone = new AbortController();
  if (call.cancelled) gone.abort();
  call.once("cancelled", () => gone.abort());
  return gone.signal;
}

/** Lets a call in; rejects with the A2AError that it is refused with. */
export async function admit(
  call: UnaryCall | StreamCall,
  { rpc, line, gone }: { readonly rpc: Rpc; readonly line: CallLine; readonly gone: AbortSignal },
  { agents, deps }: { readonly agents: GrpcAgents; readonly deps: GrpcDeps },
): Promise<Admitted> {
  line.method = rpc.method;
  const { size } = call.request;
  const agent = agents.select(textIn(call.metadata, AGENT_KEY), call.getHost());
  const { name, adapter, limits } = agent.config;
  Object.assign(line, { agent: name, dialect: adapter });
  const { caller, principal } = await callerOf(call, {
    agent: name,
    forward: agent.config.forward,
    method: rpc.method,
    gone,
    deps,
  });
  if (deps.gate.isClosed) line.principal = caller.principal;
  if (size > limits.requestBody) {
    throw new A2AError("request-too-large", { data: { limit: limits.requestBody } });
  }
  const message = messageOf(call.request);
  const method = methodNamed(rpc.method);
  if (method.starts && deps.lifecycle.phase === "stopping") throw new A2AError("shutting-down");
  const params = rpc.params(message);
  const rules = agent.acceptRules(deps.newId);
  const after = lastEventId(textIn(call.metadata, LAST_EVENT_KEY));
  const allowed = allowance({ agent, principal, gate: deps.gate, method: method.name });
  const invocation = { gateway: agent.gateway, ...allowed, params, rules, caller, after };
  return { agent, method, invocation };
}

function messageOf({ read }: Received): ProtoMessage {
  try {
    return read();
  } catch (cause) {
    throw new A2AError("parse-error", { message: "Invalid protobuf payload", cause });
  }
}

/** The metadata key that names the agent. */
const AGENT_KEY = "a2a-agent";

interface Door {
  readonly agent: string;
  /** Names of the headers that the vendor is given. */
  readonly forward: readonly string[] | undefined;
  readonly method: string;
  readonly gone: AbortSignal;
  readonly deps: GrpcDeps;
}

/** Who calls, from the metadata and the connection; rejects with `unauthenticated`, `forbidden`, `too-many-requests`. */
async function callerOf(
  call: UnaryCall | StreamCall,
  { agent, forward, method, gone, deps: { gate, door } }: Door,
): Promise<{ caller: Caller; principal: Principal }> {
  const principal = await door.identify(call);
  await gate.admit(principal, agent, method);
  const extensions = requestedExtensions(textIn(call.metadata, EXTENSIONS_HEADER) ?? "");
  const forwarded = forwardedOf(forward, (name) => textIn(call.metadata, name));
  return { caller: { principal: principal.id, signal: gone, extensions, forwarded }, principal };
}
