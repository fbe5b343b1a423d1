/** The official SDK's server as an agent that pushes, over every transport it serves. */
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { text } from "node:stream/consumers";
import { afterEach, describe, expect, jest, test } from "@jest/globals";
import { Server, ServerCredentials } from "@grpc/grpc-js";
import {
  DefaultRequestHandler,
  InMemoryPushNotificationStore,
  InMemoryTaskStore,
  type ExecutionEventBus,
  type RequestContext,
} from "a2a03/server";
import { jsonRpcHandler, restHandler, UserBuilder } from "a2a03/server/express";
import { A2AService, UserBuilder as GrpcUserBuilder, grpcService } from "a2a03/server/grpc";
import express from "express";
import { rpc, streamResults, userMessage } from "../../support/client.ts";
import { startTestProxy } from "../../support/proxy.ts";

type Transport = "JSONRPC" | "HTTP+JSON" | "GRPC";

const stops: (() => unknown)[] = [];
// The SDK tells of each notification, and of those that come too late.
jest.spyOn(console, "info").mockImplementation(() => {});
jest.spyOn(console, "error").mockImplementation(() => {});

afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  stops.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no TCP address");
  return `http://127.0.0.1:${address.port}`;
}

/** Works on each message until it is told to finish, and calls whoever wants to know. */
async function startAgent(transport: Transport) {
  const work = Promise.withResolvers<void>();
  const configs = new InMemoryPushNotificationStore();
  const card = {
    protocolVersion: "0.3.0",
    name: "Pusher",
    description: "Pushes.",
    url: "http://agent.test/",
    version: "1",
    preferredTransport: transport,
    capabilities: { streaming: false, pushNotifications: true },
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain"],
    skills: [],
  };
  const execute = async ({ taskId, contextId }: RequestContext, bus: ExecutionEventBus): Promise<void> => {
    const ids = { taskId, contextId };
    bus.publish({ kind: "task", id: taskId, contextId, status: { state: "working" }, history: [] });
    await work.promise;
    const artifact = { artifactId: "a", parts: [{ kind: "text" as const, text: "All done." }] };
    bus.publish({ kind: "artifact-update", ...ids, artifact, lastChunk: true });
    bus.publish({ kind: "status-update", ...ids, status: { state: "completed" }, final: true });
    bus.finished();
  };
  const executor = { execute, cancelTask: async () => {} };
  const handler = new DefaultRequestHandler(card, new InMemoryTaskStore(), executor, undefined, configs);
  const asked = jest.spyOn(handler, "getTask");
  const options = { requestHandler: handler, userBuilder: UserBuilder.noAuthentication };
  const app = express();
  app.get("/.well-known/agent-card.json", (_request, response) => response.json(card));
  if (transport === "HTTP+JSON") app.use(restHandler(options));
  if (transport === "JSONRPC") app.use(jsonRpcHandler(options));
  const url = await serve(app);
  const grpc = transport === "GRPC" ? await startGrpc(handler) : undefined;
  return { url, grpc, configs, asked, finish: () => work.resolve() };
}

async function startGrpc(requestHandler: DefaultRequestHandler): Promise<string> {
  const server = new Server();
  const { noAuthentication } = GrpcUserBuilder;
  server.addService(A2AService, grpcService({ requestHandler, userBuilder: noAuthentication }));
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  stops.push(() => server.forceShutdown());
  return `grpc://127.0.0.1:${port}`;
}

/** A proxy whose callbacks are reached through a gate in front of it; `calls` are the statuses of those. */
async function front(agent: Awaited<ReturnType<typeof startAgent>>, mode: string) {
  let proxyUrl = "";
  const calls: number[] = [];
  const gate = await serve(async (request, response) => {
    const { url = "", method = "POST", headers } = request;
    const token = String(headers["x-a2a-notification-token"]);
    const init = { method, headers: { "x-a2a-notification-token": token }, body: await text(request) };
    const status = await fetch(proxyUrl + url, init).then(
      (passed) => passed.status,
      () => 502,
    );
    calls.push(status);
    response.writeHead(status).end();
  });
  const pusher = {
    adapter: "a2a-0.3",
    url: agent.url,
    // The agent's own answer, with its id of the task, however long it takes.
    timeouts: { nonBlocking: "20s" },
    vendorPush: { mode, callbackUrl: gate, safetyPoll: "1h" },
    ...(agent.grpc && { options: { grpcUrl: agent.grpc } }),
  };
  const proxy = await startTestProxy({ pusher });
  stops.push(() => proxy.stop());
  proxyUrl = proxy.url;
  return { url: proxy.agent("pusher"), calls };
}

const isTrue = async (condition: () => Promise<boolean>): Promise<void> => {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 5));
};

describe.each<Transport>(["JSONRPC", "HTTP+JSON", "GRPC"])("the official server over %s", (transport) => {
  test.each(["instead-of-polling", "with-message"])(
    "is given a callback (%s), calls it, and is told when the task has ended",
    async (mode) => {
      const agent = await startAgent(transport);
      const { asked } = agent;
      const { url, calls } = await front(agent, mode);
      const configuration = { blocking: false };
      const { result } = await rpc(url, "message/send", { ...userMessage("go"), configuration });
      expect(result).toMatchObject({ kind: "task", status: { state: "working" } });
      const { id } = result as { id: string };
      await isTrue(async () => (await agent.configs.load(id)).length > 0);
      expect(await agent.configs.load(id)).toMatchObject([{ id: "a2a-compat-proxy" }]);
      // What it answers to this first call, the task is working; of the end it has to tell.
      await isTrue(async () => asked.mock.results.length === 1);
      expect(await asked.mock.results[0]?.value).toMatchObject({ status: { state: "working" } });
      const following = streamResults(url, "tasks/resubscribe", { id });
      agent.finish();
      expect((await following).at(-1)).toMatchObject({ status: { state: "completed" } });
      const task = (await rpc(url, "tasks/get", { id })).result;
      expect(task).toMatchObject({ artifacts: [{ parts: [{ text: "All done." }] }] });
      expect(calls).toContain(200);
      expect(calls).not.toContain(401);
      await isTrue(async () => (await agent.configs.load(id)).length === 0);
    },
  );
});
