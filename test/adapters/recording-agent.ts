/** An agent that refuses every call, on every transport, and keeps the bytes that it was sent. */
import { once } from "node:events";
import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";
import { Server, ServerCredentials, status, type ServiceDefinition } from "@grpc/grpc-js";

const CARD = {
  protocolVersion: "0.3.0",
  name: "Deaf",
  description: "Refuses everything.",
  version: "1",
  capabilities: { streaming: true },
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: [],
};

export interface RecordingAgent {
  readonly url: string;
  readonly grpcUrl: string;
  /** Bodies of all calls, whatever the transport. */
  readonly received: Buffer[];
  stop(): void;
}

export async function startRecordingAgent(): Promise<RecordingAgent> {
  const received: Buffer[] = [];
  const server = createServer((request, response) => {
    const answer = async (): Promise<void> => {
      const body = await buffer(request);
      response.setHeader("content-type", "application/json");
      if (request.method === "GET") {
        response.end(JSON.stringify({ ...CARD, url }));
        return;
      }
      received.push(body);
      const { id, code }: { id?: unknown; code?: number } = JSON.parse(body.toString()) as object;
      response.statusCode = id === undefined ? 400 : 200;
      response.end(JSON.stringify({ jsonrpc: "2.0", id, code, error: { code: -32602, message: "no" } }));
    };
    void answer();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no TCP address");
  const url = `http://127.0.0.1:${address.port}`;
  const grpc = await startGrpc(received);
  const stop = (): void => {
    server.closeAllConnections();
    server.close();
    grpc.server.forceShutdown();
  };
  return { url, grpcUrl: `grpc://127.0.0.1:${grpc.port}`, received, stop };
}

const asItIs = (bytes: Buffer): Buffer => bytes;

const rpc = (name: string, responseStream: boolean) => ({
  path: `/a2a.v1.A2AService/${name}`,
  requestStream: false,
  responseStream,
  requestSerialize: asItIs,
  requestDeserialize: asItIs,
  responseSerialize: asItIs,
  responseDeserialize: asItIs,
});

const SERVICE: ServiceDefinition = {
  SendMessage: rpc("SendMessage", false),
  SendStreamingMessage: rpc("SendStreamingMessage", true),
};

async function startGrpc(received: Buffer[]): Promise<{ server: Server; port: number }> {
  const server = new Server();
  const refusal = { code: status.INVALID_ARGUMENT, details: "no" };
  server.addService(SERVICE, {
    SendMessage: ({ request }: { request: Buffer }, callback: (error: object) => void) => {
      received.push(request);
      callback(refusal);
    },
    SendStreamingMessage: (call: { request: Buffer; emit(name: string, error: object): void }) => {
      received.push(call.request);
      call.emit("error", refusal);
    },
  });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  return { server, port };
}
