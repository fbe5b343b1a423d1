/** Servers made with the official SDKs, both running one and the same agent, whose behaviour the text decides on. */
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import * as sdk02 from "a2a02/server";
import * as sdk03 from "a2a03/server";
import { A2AExpressApp, UserBuilder } from "a2a03/server/express";
import express from "express";

type Context = Pick<sdk03.RequestContext, "taskId" | "contextId"> & {
  readonly userMessage: { readonly parts: readonly object[] };
  readonly task?: object;
};
type Bus = Pick<sdk03.ExecutionEventBus, "finished"> & { publish(event: AgentEvent): void };
type State = "submitted" | "working" | "input-required" | "completed" | "canceled";
type Ids = { readonly taskId: string; readonly contextId: string };
type Message = {
  kind: "message";
  messageId: string;
  role: "agent";
  parts: { kind: "text"; text: string }[];
};
type FilePart = { kind: "file"; file: { bytes: string } };
type Status = { state: State; message?: Message };
type AgentEvent =
  | Message
  | { kind: "task"; id: string; contextId: string; status: Status }
  | (Ids & { kind: "status-update"; status: Status; final: boolean })
  | (Ids & {
      kind: "artifact-update";
      artifact: { artifactId: string; parts: (Message["parts"][number] | FilePart)[] };
      append: boolean;
      lastChunk: boolean;
    });

const parts = (text: string): Message["parts"] => [{ kind: "text", text }];
const isFile = (part: object): part is FilePart => "kind" in part && part.kind === "file";
const said = (text: string): Message => ({
  kind: "message",
  messageId: `m-${text}`,
  role: "agent",
  parts: parts(text),
});
const textOf = ({ userMessage }: Context): string =>
  userMessage.parts.map((part) => ("text" in part ? String(part.text) : "")).join("");

/**
 * "message" is answered with a Message, "ask" asks back, "throw" throws in mid-stream, "slow" works until it is
 * canceled, "file" sends the message's files back, anything else is answered in three chunks.
 */
class Agent {
  /** The tasks it was told to cancel. */
  readonly canceled: string[] = [];
  readonly #slow = new Map<string, { ids: Ids; bus: Bus; over: () => void }>();

  async execute(context: Context, bus: Bus): Promise<void> {
    const { taskId, contextId } = context;
    const ids = { taskId, contextId };
    const text = textOf(context);
    if (text === "message") {
      bus.publish(said("Just a word."));
      bus.finished();
      return;
    }
    const { status, artifact, chunk } = speaker(ids, bus);
    if (!context.task) bus.publish({ kind: "task", id: taskId, contextId, status: { state: "submitted" } });
    if (text === "ask") return status({ state: "input-required", message: said("Which one?") });
    status({ state: "working" });
    if (text === "file") {
      artifact(context.userMessage.parts.filter(isFile), false, true);
      return status({ state: "completed" });
    }
    chunk(`You said "${text}": `, false, false);
    if (text === "throw") throw new Error("out of paper");
    if (text === "slow") {
      await new Promise<void>((over) => this.#slow.set(taskId, { ids, bus, over }));
      return;
    }
    chunk("one, ", true, false);
    chunk("two.", true, true);
    status({ state: "completed" });
  }

  cancelTask(taskId: string): Promise<void> {
    this.canceled.push(taskId);
    const slow = this.#slow.get(taskId);
    if (!slow) return Promise.resolve();
    speaker(slow.ids, slow.bus).status({ state: "canceled" });
    slow.over();
    return Promise.resolve();
  }
}

function speaker(ids: Ids, bus: Bus) {
  const status = (status: Status): void => {
    const final = status.state !== "working";
    bus.publish({ kind: "status-update", ...ids, status, final });
    if (final) bus.finished();
  };
  const artifact = (
    parts: (Message["parts"][number] | FilePart)[],
    append: boolean,
    lastChunk: boolean,
  ): void =>
    bus.publish({
      kind: "artifact-update",
      ...ids,
      artifact: { artifactId: "answer", parts },
      append,
      lastChunk,
    });
  const chunk = (text: string, append: boolean, lastChunk: boolean): void =>
    artifact(parts(text), append, lastChunk);
  return { status, artifact, chunk };
}

const card = (protocolVersion: string) => ({
  protocolVersion,
  name: `SDK ${protocolVersion}`,
  description: "Made with the official SDK.",
  url: "http://agent.test/",
  version: "1",
  capabilities: { streaming: true },
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: [],
});

function app02(agent: Agent): RequestListener {
  const { A2AExpressApp: App, DefaultRequestHandler, InMemoryTaskStore } = sdk02;
  const handler = new DefaultRequestHandler(card("0.2.5"), new InMemoryTaskStore(), {
    execute: (context, bus) => agent.execute(context, bus),
    cancelTask: (taskId) => agent.cancelTask(taskId),
  });
  // @ts-expect-error it is declared for the types of an older express
  return new App(handler).setupRoutes(express());
}

function app03(agent: Agent): RequestListener {
  const { DefaultRequestHandler, InMemoryTaskStore } = sdk03;
  const handler = new DefaultRequestHandler(card("0.3.0"), new InMemoryTaskStore(), {
    execute: (context, bus) => agent.execute(context, bus),
    cancelTask: (taskId) => agent.cancelTask(taskId),
  });
  return new A2AExpressApp(handler, UserBuilder.noAuthentication).setupRoutes(express());
}

const APPS = { "0.2.5": app02, "0.3.14": app03 };

type SdkVersion = keyof typeof APPS;

/** An agent on a free loopback port. */
export async function startSdkServer(version: SdkVersion) {
  const agent = new Agent();
  const server = createServer(APPS[version](agent)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no TCP address");
  return {
    url: `http://127.0.0.1:${address.port}/`,
    agent,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
