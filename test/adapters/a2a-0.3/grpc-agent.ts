/** An agent behind the official SDK's gRPC server, which serves nothing over HTTP. */
import { Server, ServerCredentials } from "@grpc/grpc-js";
import {
  DefaultRequestHandler,
  InMemoryTaskStore,
  type ExecutionEventBus,
  type RequestContext,
} from "a2a03/server";
import { A2AService, UserBuilder, grpcService } from "a2a03/server/grpc";

export const CARD = {
  protocolVersion: "0.3.0",
  name: "Files",
  description: "Answers with a file.",
  url: "elsewhere.test:443",
  version: "1",
  preferredTransport: "GRPC",
  capabilities: { streaming: true },
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: [],
};

export const BYTES = Buffer.from("some bytes of a file").toString("base64");
export interface Agent {
  readonly server: Server;
  readonly port: number;
  /** Metadata of each call. */
  readonly calls: Record<string, unknown>[];
  stop(): void;
}

interface Options {
  /** What GetAgentCard answers; UNIMPLEMENTED without it, as the SDK does. */
  readonly extended?: typeof CARD;
  /** In the clear by default. */
  readonly credentials?: ServerCredentials;
  /** A free one by default. */
  readonly port?: number;
}

/** Answers with a file; asked to "wait", it works until it is canceled. */
export async function startGrpcAgent({
  extended,
  credentials,
  port: wanted = 0,
}: Options = {}): Promise<Agent> {
  const waiting = new Map<string, () => void>();
  const execute = async (
    { taskId, contextId, userMessage: { parts } }: RequestContext,
    bus: ExecutionEventBus,
  ): Promise<void> => {
    const ids = { taskId, contextId };
    bus.publish({ kind: "task", id: taskId, contextId, status: { state: "working" }, history: [] });
    const [asked] = parts;
    if (asked?.kind === "text" && asked.text === "wait") {
      await new Promise<void>((resolve) => void waiting.set(taskId, resolve));
      bus.publish({ kind: "status-update", ...ids, status: { state: "canceled" }, final: true });
      bus.finished();
      return;
    }
    const answer = [
      { kind: "text" as const, text: "here" },
      { kind: "file" as const, file: { bytes: BYTES, mimeType: "text/plain" } },
      { kind: "data" as const, data: { n: 1 } },
    ];
    const artifact = { artifactId: "a", parts: answer };
    bus.publish({ kind: "artifact-update", ...ids, artifact, lastChunk: true });
    bus.publish({ kind: "status-update", ...ids, status: { state: "completed" }, final: true });
    bus.finished();
  };
  const executor = { execute, cancelTask: async (taskId: string) => waiting.get(taskId)?.() };
  const card = { ...CARD, supportsAuthenticatedExtendedCard: extended !== undefined };
  const requestHandler = new DefaultRequestHandler(
    card,
    new InMemoryTaskStore(),
    executor,
    undefined,
    undefined,
    undefined,
    extended && (async () => extended),
  );
  const calls: Record<string, unknown>[] = [];
  const server = new Server();
  server.addService(
    A2AService,
    grpcService({
      requestHandler,
      userBuilder: ({ metadata }) => {
        calls.push(metadata.getMap());
        return UserBuilder.noAuthentication();
      },
    }),
  );
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(
      `127.0.0.1:${wanted}`,
      credentials ?? ServerCredentials.createInsecure(),
      (error, bound) => (error ? reject(error) : resolve(bound)),
    );
  });
  return { server, port, calls, stop: () => server.forceShutdown() };
}
