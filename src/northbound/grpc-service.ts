/** A service of A2A over gRPC: from a call to the method table and back, over any of its RPCs. */
import { Metadata, type ServiceDefinition, type UntypedServiceImplementation } from "@grpc/grpc-js";
import type { sendUnaryData } from "@grpc/grpc-js";
import { A2AError } from "../protocol/errors.ts";
import { loadService, type MethodCodec, type ProtoMessage } from "../protocol/grpc-codec.ts";
import { outcomeOf } from "./access-line.ts";
import { activatedExtensions } from "./extensions.ts";
import type { GrpcApi, StreamRpc, UnaryRpc } from "./grpc-api.ts";
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
import { refuseStream, type GrpcStreams } from "./grpc-stream.ts";
import { callUnary, openStream, taskOf, type Invocation } from "./invoke.ts";
import type { ServedAgent } from "./served-agent.ts";

interface ServiceOptions {
  readonly api: GrpcApi;
  readonly streams: GrpcStreams;
  readonly deps: GrpcDeps;
}

interface Service {
  readonly definition: ServiceDefinition;
  readonly implementation: UntypedServiceImplementation;
}

/** The service as grpc-js takes it. */
export function createService(options: ServiceOptions): Service {
  const { api } = options;
  const codecs = loadService(api.service);
  const definition: Record<string, ServiceDefinition[string]> = {};
  const implementation: UntypedServiceImplementation = {};
  for (const rpc of api.rpcs) {
    const codec = codecs.get(rpc.name);
    if (codec?.responseStream !== (rpc.kind === "stream")) {
      throw new Error(`${api.service.file} has no ${rpc.kind} RPC ${rpc.name}`);
    }
    definition[rpc.name] = { ...codec, requestDeserialize: received(codec) };
    implementation[rpc.name] =
      rpc.kind === "stream"
        ? (call: StreamCall) => void serveStream(call, rpc, options)
        : (call: UnaryCall, callback: sendUnaryData<ProtoMessage>) =>
            void answer(serveUnary(call, rpc, options), api, callback);
  }
  return { definition, implementation };
}

async function answer(
  message: Promise<ProtoMessage>,
  api: GrpcApi,
  callback: sendUnaryData<ProtoMessage>,
): Promise<void> {
  try {
    callback(null, await message);
  } catch (thrown) {
    callback(api.toStatus(A2AError.from(thrown)));
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
async function serveUnary(
  call: UnaryCall,
  rpc: UnaryRpc,
  { api, deps }: ServiceOptions,
): Promise<ProtoMessage> {
  const { line, finish } = logged(call.metadata, rpc.name, deps);
  const gone = signalOf(call);
  try {
    const { agent, invocation } = admit(call, { api, rpc, line, gone }, deps);
    const headers = answerMetadata(api, agent, invocation);
    const result = await callUnary(rpc.method, invocation);
    line.task = taskOf(result);
    call.sendMetadata(await headers);
    return rpc.response(result, agent.config.clientSdk);
  } catch (thrown) {
    throw noted(thrown, { line, gone, deps });
  } finally {
    deps.door.leave(call.metadata);
    finish();
  }
}

async function serveStream(
  call: StreamCall,
  rpc: StreamRpc,
  { api, streams, deps }: ServiceOptions,
): Promise<void> {
  const { line, finish } = logged(call.metadata, rpc.name, deps);
  const gone = signalOf(call);
  const leaving = [finish, () => deps.door.leave(call.metadata)];
  try {
    const { agent, invocation } = admit(call, { api, rpc, line, gone }, deps);
    leaving.push(deps.gate.enterStream(invocation.caller.principal));
    agent.enterStream();
    leaving.push(() => agent.leaveStream());
    const answer = answerMetadata(api, agent, invocation);
    const subscription = await openStream(rpc.method, invocation);
    line.task = subscription.taskId;
    const headers = await answer;
    const withIds = wantsEventIds(call.metadata);
    if (withIds) headers.set(EVENT_IDS_KEY, "1");
    call.sendMetadata(headers);
    const {
      clientSdk: sdk,
      timeouts: { stalledClient: stalledAfter },
    } = agent.config;
    const onError = (thrown: unknown): void => void noted(thrown, { line, gone, deps });
    const reader = { withIds, sdk };
    const end = await streams.send(call, subscription, { api, gone, stalledAfter, reader, onError });
    if (end === "client-gone" || end === "client-stalled") line.outcome = end;
  } catch (thrown) {
    refuseStream(call, api.toStatus(noted(thrown, { line, gone, deps })));
  } finally {
    for (const leave of leaving) leave();
  }
}

/** The extensions of those asked for that apply (§3.2.5). */
async function answerMetadata(
  { extensionsKey }: GrpcApi,
  agent: ServedAgent,
  { caller }: Invocation,
): Promise<Metadata> {
  const metadata = new Metadata();
  const uris = await activatedExtensions(agent, caller.extensions);
  if (uris.length > 0) metadata.set(extensionsKey, uris.join(", "));
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
