/**
 * A server made with the official SDK 1.3.0 that speaks A2A 1.0 alone, over JSON-RPC, HTTP+JSON and gRPC. "message" is answered
 * with a Message, "ask" asks a question, "slow" works until it is canceled, "parts" answers one part of every kind, "file" sends
 * the message's files back, "throw" throws in mid-stream, anything else is answered in three chunks.
 */
import { once } from "node:events";
import { createServer } from "node:http";
import { AgentCard, Message, Part, Task, TaskArtifactUpdateEvent, TaskStatusUpdateEvent } from "@a2a-js/sdk";
import {
  AgentEvent,
  DefaultRequestHandler,
  InMemoryTaskStore,
  type ExecutionEventBus,
  type RequestContext,
} from "@a2a-js/sdk/server";
import { jsonRpcHandler, restHandler, UserBuilder } from "@a2a-js/sdk/server/express";
import { A2AService, grpcService, UserBuilder as GrpcUserBuilder } from "@a2a-js/sdk/server/grpc";
import { Server as GrpcServer, ServerCredentials } from "@grpc/grpc-js";
import express from "express";

/** One part of every kind, with everything that only 1.0 can say. */
const PARTS = [
  { text: "plain", mediaType: "text/markdown", filename: "answer.md" },
  { raw: "aGVsbG8=", mediaType: "application/octet-stream", filename: "hello.bin" },
  { url: "https://files.example/a", mediaType: "image/png" },
  { data: [1, "two", { three: 3 }], mediaType: "application/json" },
  { data: { my_key: 1, myKey: { snake_inside: true } }, metadata: { user_key: "kept" } },
];

const said = (text: string) => ({ messageId: `m-${text}`, role: "ROLE_AGENT", parts: [{ text }] });

class Agent {
  /** The text of every message, with the ids that came with it. */
  readonly received: { text: string; contextId: string; taskId: string }[] = [];
  readonly #slow = new Map<string, () => void>();

  async execute({ taskId, contextId, userMessage, task }: RequestContext, bus: ExecutionEventBus) {
    const ids = { taskId, contextId };
    const text = userMessage.parts
      .map(({ content }) => (content?.$case === "text" ? content.value : ""))
      .join("");
    this.received.push({ text, contextId: userMessage.contextId, taskId: userMessage.taskId });
    const { status, chunk } = speaker(ids, bus);
    if (text === "message") {
      bus.publish(AgentEvent.message(Message.fromJSON({ ...said("Just a word."), contextId })));
      return bus.finished();
    }
    if (!task) {
      const opened = { id: taskId, contextId, status: { state: "TASK_STATE_SUBMITTED" } };
      bus.publish(AgentEvent.task(Task.fromJSON(opened)));
    }
    if (text === "ask") return status("TASK_STATE_INPUT_REQUIRED", said("Which one?"));
    status("TASK_STATE_WORKING");
    if (text === "parts") chunk(PARTS, false, true);
    else if (text === "file") {
      chunk(
        userMessage.parts.map((part) => Object(Part.toJSON(part))).filter((part) => "raw" in part),
        false,
        true,
      );
    } else {
      chunk([{ text: `You said "${text}": ` }], false, false);
      if (text === "throw") throw new Error("out of paper");
      if (text === "slow") await new Promise<void>((over) => this.#slow.set(taskId, over));
      if (text === "slow") return;
      chunk([{ text: "one, " }], true, false);
      chunk([{ text: "two." }], true, true);
    }
    status("TASK_STATE_COMPLETED");
  }

  cancelTask(taskId: string, bus: ExecutionEventBus): Promise<void> {
    speaker({ taskId, contextId: "" }, bus).status("TASK_STATE_CANCELED");
    this.#slow.get(taskId)?.();
    return Promise.resolve();
  }
}

function speaker(ids: { taskId: string; contextId: string }, bus: ExecutionEventBus) {
  const status = (state: string, message?: object): void => {
    const timestamp = new Date().toISOString();
    const update = { ...ids, status: { state, timestamp, ...(message && { message }) } };
    bus.publish(AgentEvent.statusUpdate(TaskStatusUpdateEvent.fromJSON(update)));
    if (state !== "TASK_STATE_WORKING") bus.finished();
  };
  const chunk = (parts: object[], append: boolean, lastChunk: boolean): void => {
    const update = { ...ids, artifact: { artifactId: "answer", parts }, append, lastChunk };
    bus.publish(AgentEvent.artifactUpdate(TaskArtifactUpdateEvent.fromJSON(update)));
  };
  return { status, chunk };
}

/** On a free port of this machine; `url` is its base URL, for gRPC `grpc://host:port`. */
export type Sdk10Binding = "JSONRPC" | "HTTP+JSON" | "GRPC";

async function startGrpc(requestHandler: DefaultRequestHandler): Promise<{ port: number; stop(): void }> {
  const server = new GrpcServer();
  const service = grpcService({ requestHandler, userBuilder: GrpcUserBuilder.noAuthentication });
  server.addService(A2AService, service);
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) =>
    error ? reject(error) : resolve(port),
  );
  return { port: await promise, stop: () => server.forceShutdown() };
}

/** @param binding the one that the card names */
export async function startSdk10Server(binding: Sdk10Binding) {
  const agent = new Agent();
  const app = express();
  const server = createServer(app).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("not listening on TCP");
  const url = `http://127.0.0.1:${address.port}/`;
  const paths = { JSONRPC: "rpc", "HTTP+JSON": "rest", GRPC: "" };
  const card = {
    name: "SDK 1.3.0",
    description: "Made with the official SDK.",
    version: "1",
    supportedInterfaces: [
      { url: url + paths[binding], protocolBinding: binding, protocolVersion: "1.0", tenant: "" },
    ],
    capabilities: { streaming: true },
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain"],
    skills: [],
  };
  const requestHandler = new DefaultRequestHandler(AgentCard.fromJSON(card), new InMemoryTaskStore(), {
    execute: (context, bus) => agent.execute(context, bus),
    cancelTask: (taskId, bus) => agent.cancelTask(taskId, bus),
  });
  const userBuilder = UserBuilder.noAuthentication;
  app.get("/.well-known/agent-card.json", (_request, response) => void response.json(card));
  app.use("/rpc", jsonRpcHandler({ requestHandler, userBuilder }));
  app.use("/rest", restHandler({ requestHandler, userBuilder }));
  const grpc = await startGrpc(requestHandler);
  const stop = async (): Promise<void> => {
    grpc.stop();
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
  return { url, grpcUrl: `grpc://127.0.0.1:${grpc.port}`, agent, stop };
}
