/**
 * A relay as a user would build it from the official SDK: its client towards the vendor, its request handler with an
 * in-memory store and its Express handler towards clients. Arguments: the vendor's port. Prints its own.
 */
import { createServer } from "node:http";
import { ClientFactory } from "a2a03/client";
import type { AgentCard } from "a2a03";
import {
  DefaultRequestHandler,
  InMemoryTaskStore,
  type AgentExecutor,
  type ExecutionEventBus,
  type RequestContext,
} from "a2a03/server";
import { jsonRpcHandler, UserBuilder } from "a2a03/server/express";
import express from "express";
import { listen } from "../listen.ts";

const vendor = `http://127.0.0.1:${process.argv[2]}/canonical`;
const card: AgentCard = {
  name: "Bench",
  description: "A relay",
  version: "1.0.0",
  protocolVersion: "0.3.0",
  url: vendor,
  preferredTransport: "JSONRPC",
  capabilities: { streaming: true },
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: [],
};
const client = await new ClientFactory().createFromAgentCard(card);

class Relay implements AgentExecutor {
  async execute({ userMessage, taskId, contextId }: RequestContext, bus: ExecutionEventBus): Promise<void> {
    const { taskId: _taskId, contextId: _contextId, ...message } = userMessage;
    const own = { taskId, contextId };
    if (userMessage.metadata?.["stream"] === true) {
      for await (const event of client.sendMessageStream({ message })) {
        if (event.kind === "task") bus.publish({ ...event, id: taskId, contextId });
        else bus.publish({ ...event, ...own });
      }
    } else {
      const reply = await client.sendMessage({ message });
      bus.publish(reply.kind === "task" ? { ...reply, id: taskId, contextId } : { ...reply, ...own });
    }
    bus.finished();
  }

  async cancelTask(): Promise<void> {}
}

const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), new Relay());
const app = express();
app.use("/", jsonRpcHandler({ requestHandler, userBuilder: UserBuilder.noAuthentication }));
listen(createServer(app));
