/**
 * One gRPC call to an agent, as far as it is the same for all RPCs: which agent, who calls, what the log says. This is
 * what exchange.ts is to the transports over HTTP.
 */
import type { ServerUnaryCall, ServerWritableStream } from "@grpc/grpc-js";
import type { Logger } from "pino";
import type { Gate } from "../auth/gate.ts";
import type { HeldBytes } from "../auth/bytes-in-flight.ts";
import type { Limits } from "../config/config.ts";
import type { Caller } from "../gateway/gateway.ts";
import { A2AError } from "../protocol/errors.ts";
import type { ProtoMessage } from "../protocol/grpc-codec.ts";
import { tooManyValues } from "../protocol/jsonrpc.ts";
import { requestedExtensions } from "./extensions.ts";
import { forwardedOf } from "./forwarded.ts";
import type { GrpcApi, Rpc } from "./grpc-api.ts";
import { textIn, type GrpcDoor } from "./grpc-door.ts";
import { LAST_EVENT_KEY } from "./grpc-event-ids.ts";
import type { CallLine } from "./grpc-line.ts";
import { requireReady, type Lifecycle } from "./health.ts";
import { allowance, lastEventId, type Invocation } from "./invoke.ts";
import type { ServedAgent } from "./served-agent.ts";

/** A request that is not decoded yet: the limits are the agent's, and the library knows of none. */
export interface Received {
  /** Throws where the bytes are no such message. */
  readonly read: () => ProtoMessage;
  /** How many values it has, or some number beyond the limit, in much less time; throws likewise. */
  readonly values: (limit: number) => number;
  /** Bytes. */
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
  readonly invocation: Invocation;
}

/** Aborted when the client cancels, its deadline passes or its connection breaks before it has its answer. */
export function signalOf(call: UnaryCall | StreamCall): AbortSignal {
  const gone = new AbortController();
  if (call.cancelled) gone.abort();
  call.once("cancelled", () => gone.abort());
  return gone.signal;
}

/** Metadata of a call, as the header of that name over HTTP. */
const VERSION_KEY = "a2a-version";

interface Called {
  readonly api: GrpcApi;
  readonly rpc: Rpc;
  readonly line: CallLine;
  readonly gone: AbortSignal;
}

/** Lets a call in that has come through the door; throws the A2AError that it is refused with. */
export function admit(
  call: UnaryCall | StreamCall,
  { api, rpc, line, gone }: Called,
  { door, gate, lifecycle, newId }: GrpcDeps,
): Admitted {
  const method = rpc.method.name;
  line.method = method;
  const { metadata } = call;
  const { agent, principal, held } = door.entered(metadata);
  const { name, adapter, forward, limits, clientSdk } = agent.config;
  Object.assign(line, { agent: name, dialect: adapter });
  if (gate.isClosed) line.principal = principal.id;
  api.requireVersion(textIn(metadata, VERSION_KEY));
  gate.requireMethod(principal, name, method);
  const message = messageOf(call.request, limits, held);
  requireReady(lifecycle, rpc.method);
  const caller: Caller = {
    principal: principal.id,
    dialect: api.dialect?.name,
    signal: gone,
    extensions: requestedExtensions(textIn(metadata, api.extensionsKey) ?? ""),
    forwarded: forwardedOf(forward, (key) => textIn(metadata, key)),
  };
  const invocation = {
    gateway: agent.gateway,
    ...allowance({ agent, principal, gate, method, door: api.dialect && agent.usualDoorOf(api.dialect) }),
    params: rpc.params(message, clientSdk),
    rules: { ...agent.acceptRules(newId), isDecoded: api.dialect !== undefined },
    caller,
    after: lastEventId(textIn(metadata, LAST_EVENT_KEY)),
  };
  return { agent, invocation };
}

function messageOf(
  { read, values, size }: Received,
  { requestBody, requestValues }: Limits,
  held: HeldBytes,
): ProtoMessage {
  if (size > requestBody) throw new A2AError("request-too-large", { data: { limit: requestBody } });
  held.take(size);
  const count = legible(() => values(requestValues));
  if (count > requestValues) throw tooManyValues(requestValues);
  held.takeValues(count);
  return legible(read);
}

function legible<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new A2AError("parse-error", { message: "Invalid protobuf payload", cause });
  }
}
