/** The service `a2a.v1.A2AService` (§11): from a call to the method table and back, over any of its RPCs. */
import { Metadata, type ServiceDefinition, type UntypedServiceImplementation } from "@grpc/grpc-js";
import type { sendUnaryData } from "@grpc/grpc-js";
import { A2AError } from "../protocol/errors.ts";
import type { UnaryResult } from "../dialect.ts";
import { loadService, type MethodCodec, type ProtoMessage } from "../protocol/grpc-codec.ts";
import { toGrpcStatus } from "../protocol/grpc-status.ts";
import { toProtoJsonCard } from "../protocol/proto-json-card.ts";
import { toProtoJsonResponse, toProtoJsonTask } from "../protocol/proto-json.ts";
import { toProtoJsonTaskPushConfig } from "../protocol/proto-json-params.ts";
import { writtenFor, type Reader } from "../protocol/sdk-quirks.ts";
import { outcomeOf } from "./access-line.ts";
import { readerOverGrpc } from "./client-sdk.ts";
import { EXTENSIONS_HEADER, activatedExtensions } from "./extensions.ts";
import {
  admit,
  signalOf,
  type GrpcDeps,
  type Received,
  type StreamCall,
  type UnaryCall,
} from "./grpc-call.ts";
import { EVENT_IDS_KEY, wantsEventIds } from "./grpc-event-ids.ts";
import { logged, type CallLine } from "./grpc-line.ts";
import { RPCS, type Rpc } from "./grpc-rpcs.ts";
import { refuseStream, type GrpcStreams } from "./grpc-stream.ts";
import { callUnary, openStream, taskOf, type Invocation } from "./invoke.ts";
import type { ServedAgent } from "./served-agent.ts";

interface ServiceOptions {
  readonly streams: GrpcStreams;
  readonly deps: GrpcDeps;
}

interface Service {
  readonly definition: ServiceDefinition;
  readonly implementation: UntypedServiceImplementation;
}

/** The service as grpc-js takes it. */
export function createService(options: ServiceOptions): Service {
  const codecs = loadService();
  const definition: Record<string, ServiceDefinition[string]> = {};
  const implementation: UntypedServiceImplementation = {};
  for (const rpc of RPCS) {
    const codec = codecs.get(rpc.name);
    if (codec === undefined) throw new Error(`the proto file has no ${rpc.name}`);
    definition[rpc.name] = { ...codec, requestDeserialize: received(codec) };
    implementation[rpc.name] = codec.responseStream
      ? (call: StreamCall) => void serveStream(call, rpc, options)
      : (call: UnaryCall, callback: sendUnaryData<ProtoMessage>) =>
          void answer(serveUnary(call, rpc, options), callback);
  }
  return { definition, implementation };
}

async function answer(message: Promise<ProtoMessage>, callback: sendUnaryData<ProtoMessage>): Promise<void> {
  try {
    callback(null, await message);
  } catch (thrown) {
    callback(toGrpcStatus(A2AError.from(thrown)));
  }
}

/** Never throws: a stranger is told that he is one, and a caller by the code of A2A what is wrong. */
const received =
  ({ requestDeserialize, requestValues }: MethodCodec) =>
  (bytes: Buffer): Received => ({
    read: () => requestDeserialize(bytes),
    values: (limit) => requestValues(bytes, limit),
    size: bytes.length,
  });

/** Rejects with an A2AError only. */
async function serveUnary(call: UnaryCall, rpc: Rpc, { deps }: ServiceOptions): Promise<ProtoMessage> {
  const { line, finish } = logged(call.metadata, rpc.name, deps);
  const gone = signalOf(call);
  try {
    const { agent, method, invocation } = admit(call, { rpc, line, gone }, deps);
    if (method.kind !== "unary") throw new Error(`${rpc.name} is no unary RPC`);
    const extensions = extensionsOf(agent, invocation);
    const result = await callUnary(method, invocation);
    line.task = taskOf(result);
    call.sendMetadata(await extensions);
    return responseOf(rpc, result, readerOverGrpc(agent.config.clientSdk));
  } catch (thrown) {
    throw noted(thrown, { line, gone, deps });
  } finally {
    deps.door.leave(call.metadata);
    finish();
  }
}

async function serveStream(call: StreamCall, rpc: Rpc, { streams, deps }: ServiceOptions): Promise<void> {
  const { line, finish } = logged(call.metadata, rpc.name, deps);
  const gone = signalOf(call);
  const leaving = [finish, () => deps.door.leave(call.metadata)];
  try {
    const { agent, method, invocation } = admit(call, { rpc, line, gone }, deps);
    if (method.kind !== "stream") throw new Error(`${rpc.name} is no streaming RPC`);
    leaving.push(deps.gate.enterStream(invocation.caller.principal));
    agent.enterStream();
    leaving.push(() => agent.leaveStream());
    const extensions = extensionsOf(agent, invocation);
    const subscription = await openStream(method, invocation);
    line.task = subscription.taskId;
    const headers = await extensions;
    const withIds = wantsEventIds(call.metadata);
    if (withIds) headers.set(EVENT_IDS_KEY, "1");
    call.sendMetadata(headers);
    const { stalledClient: stalledAfter } = agent.config.timeouts;
    const onError = (thrown: unknown): void => void noted(thrown, { line, gone, deps });
    const reader = readerOverGrpc(agent.config.clientSdk);
    const end = await streams.send(call, subscription, { gone, stalledAfter, withIds, reader, onError });
    if (end === "client-gone" || end === "client-stalled") line.outcome = end;
  } catch (thrown) {
    refuseStream(call, noted(thrown, { line, gone, deps }));
  } finally {
    for (const leave of leaving) leave();
  }
}

/** The response of an RPC, as ProtoJSON. */
function responseOf({ name }: Rpc, result: UnaryResult, reader: Reader): ProtoMessage {
  if (result === null) return {};
  if (Array.isArray(result)) return { configs: result.map(toProtoJsonTaskPushConfig) };
  if ("pushNotificationConfig" in result) return toProtoJsonTaskPushConfig(result);
  if ("protocolVersion" in result) return toProtoJsonCard(result);
  // The RPC for a page of tasks is 1.0's.
  if ("tasks" in result) throw new Error(`${name} answers no list of tasks`);
  // GetTask and CancelTask answer a bare Task.
  if (name !== "SendMessage" && result.kind === "task") return writtenFor(reader, toProtoJsonTask(result));
  return writtenFor(reader, toProtoJsonResponse(result));
}

/** Response metadata: the extensions of those asked for that apply (§3.2.5). */
async function extensionsOf(agent: ServedAgent, { caller }: Invocation): Promise<Metadata> {
  const metadata = new Metadata();
  const uris = await activatedExtensions(agent, caller.extensions);
  if (uris.length > 0) metadata.set(EXTENSIONS_HEADER, uris.join(", "));
  return metadata;
}

interface Circumstances {
  readonly line: CallLine;
  readonly gone: AbortSignal;
  readonly deps: GrpcDeps;
}

/** Puts what was thrown into the logs; a fault of the proxy's own with its stack, which no client sees. */
function noted(thrown: unknown, { line, gone, deps }: Circumstances): A2AError {
  const error = A2AError.from(thrown);
  line.outcome = gone.aborted ? "client-gone" : outcomeOf(error);
  if (error.isOwnFault && !gone.aborted) {
    const { request, agent } = line;
    deps.log.error({ request, agent, err: error.cause ?? error }, "internal error");
  }
  return error;
}
