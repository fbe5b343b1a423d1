/** The northbound side over a real socket, with gateways that say what a test tells them to. */
import { once } from "node:events";
import { createServer, request as httpRequest, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { pino, type Logger } from "pino";
import { createApp } from "../../src/app.ts";
import { Gate } from "../../src/auth/gate.ts";
import type { AgentConfig, Limits, Timeouts } from "../../src/config/config.ts";
import { Callbacks } from "../../src/gateway/push/callbacks.ts";
import type { Caller, Gateway, OutgoingEvent, Subscription } from "../../src/gateway/gateway.ts";
import type { Lifecycle } from "../../src/northbound/health.ts";
import { servedAgents } from "../../src/northbound/served-agent.ts";
import { EventStreams } from "../../src/northbound/sse.ts";
import type { AgentCard } from "../../src/protocol/card.ts";
import { A2AError } from "../../src/protocol/errors.ts";
import type { Task } from "../../src/protocol/model.ts";

export const CARD: AgentCard = {
  protocolVersion: "0.2.5",
  name: "Planner",
  description: "Plans trips.",
  url: "https://vendor.example/rpc",
  version: "7",
  capabilities: { streaming: false, extensions: [{ uri: "urn:ext:a" }, { uri: "urn:ext:b" }] },
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: [{ id: "plan", name: "Plan", description: "Plans a trip.", tags: ["travel"] }],
};

export const TASK: Task = {
  kind: "task",
  id: "t-1",
  contextId: "c-1",
  status: { state: "completed", timestamp: "2025-01-01T00:00:00.000Z" },
  history: [],
};

const never = async (): Promise<never> => {
  throw new A2AError("unsupported-operation");
};

export const fakeGateway = (methods: Partial<Gateway> = {}): Gateway => ({
  agent: "planner",
  sendMessage: never,
  streamMessage: never,
  getTask: never,
  listTasks: never,
  cancelTask: never,
  resubscribe: never,
  setPushConfig: never,
  getPushConfig: never,
  listPushConfigs: never,
  deletePushConfig: never,
  card: async () => CARD,
  extendedCard: async () => undefined,
  ...methods,
});

export const event = (json: string, sequence?: number, last = false): OutgoingEvent => ({
  json,
  sequence,
  last,
});

/** A subscription that is fed by hand and remembers whether it was closed. */
export class FakeSubscription implements Subscription {
  readonly closed = Promise.withResolvers<void>();
  closes = 0;
  reads = 0;
  readonly #queue: (readonly OutgoingEvent[] | undefined | Error)[] = [];
  #arrival: (() => void) | undefined;

  constructor(...batches: (readonly OutgoingEvent[] | undefined | Error)[]) {
    this.#queue.push(...batches);
  }

  push(batch: readonly OutgoingEvent[] | undefined | Error): void {
    this.#queue.push(batch);
    this.#arrival?.();
  }

  async next(): Promise<readonly OutgoingEvent[] | undefined> {
    this.reads += 1;
    while (this.#queue.length === 0) {
      await new Promise<void>((resolve) => {
        this.#arrival = resolve;
      });
    }
    const batch = this.#queue.shift();
    if (batch instanceof Error) throw batch;
    return batch;
  }

  close(): void {
    this.closes += 1;
    this.closed.resolve();
  }
}

const TIMEOUTS: Timeouts = {
  connect: 1_000,
  firstEvent: 1_000,
  idle: 1_000,
  request: 1_000,
  total: 1_000,
  blocking: 1_000,
  nonBlocking: 1_000,
  linger: 100,
  poll: 100,
  stalledClient: 60_000,
};

const LIMITS: Limits = {
  requestBody: 4_000_000,
  requestValues: 10_000,
  responseBody: 1_000_000,
  event: 1_000_000,
  task: 1_000_000,
  history: 100,
  parts: 4,
  streams: 2,
  connections: 10,
  eventLog: 64 * 1024 * 1024,
  events: 100_000,
  window: 1_000_000,
};

export interface HarnessOptions {
  readonly gateway?: Gateway;
  readonly limits?: Partial<Limits>;
  readonly timeouts?: Partial<Timeouts>;
  readonly heartbeat?: number;
  readonly default?: string | undefined;
  readonly phase?: Lifecycle["phase"];
  readonly level?: string;
}

export interface Harness extends AsyncDisposable {
  readonly origin: string;
  readonly server: Server;
  readonly streams: EventStreams;
  readonly state: { phase: Lifecycle["phase"] };
  /** What was logged, line by line. */
  readonly lines: Record<string, unknown>[];
}

/** Agent `planner` of a fictitious dialect, the default one unless told otherwise; the public URL is another host's. */
export async function start(options: HarnessOptions = {}): Promise<Harness> {
  const agent: AgentConfig = {
    name: "planner",
    adapter: "dialect",
    url: "https://vendor.example/rpc",
    card: { urls: [] },
    credentials: { type: "none" },
    options: {},
    timeouts: { ...TIMEOUTS, ...options.timeouts },
    limits: { ...LIMITS, ...options.limits },
    onDisconnect: "continue",
  };
  const lines: Record<string, unknown>[] = [];
  const state = { phase: options.phase ?? "ready" };
  const streams = new EventStreams({ heartbeat: options.heartbeat ?? 60_000 });
  let ids = 0;
  const gate = new Gate({
    auth: undefined,
    rateLimits: { per: 60_000 },
    tls: undefined,
    maxBytesInFlight: 1_000_000_000,
  });
  const gateways = new Map([["planner", options.gateway ?? fakeGateway()]]);
  const config = { agents: new Map([["planner", agent]]), server: { publicUrl: "https://proxy.example" } };
  const app = createApp({
    callbacks: new Callbacks(),
    agents: servedAgents(gateways, config, { declared: gate.declared, push: false }),
    config: { default: "default" in options ? options.default : "planner" },
    gate,
    log: collectingLog(lines, options.level ?? "info"),
    state,
    streams,
    newId: () => `minted-${(ids += 1)}`,
  });
  const server = createServer(app.callback()).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    server,
    streams,
    state,
    lines,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

function collectingLog(lines: Record<string, unknown>[], level: string): Logger {
  const write = (text: string): void => {
    lines.push(JSON.parse(text));
  };
  return pino({ level, base: null, timestamp: false }, { write });
}

export const URL_PATH = "/agents/planner/";

/** Posts a body, JSON unless it is text already. */
export const post = (
  harness: Harness,
  body: unknown,
  headers: Record<string, string> = {},
  path = URL_PATH,
): Promise<Response> =>
  fetch(harness.origin + path, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body),
  });

export const userMessage = (text = "hi") => ({
  kind: "message",
  messageId: "m-1",
  role: "user",
  parts: [{ kind: "text", text }],
});

export const rpc = (method: string, params?: unknown, id: unknown = 1) => ({
  jsonrpc: "2.0",
  id,
  method,
  params,
});

/** Posts and resolves with the raw response, which is read only when the test reads it. */
export async function postRaw(harness: Harness, body: unknown): Promise<IncomingMessage> {
  const request = httpRequest(harness.origin + URL_PATH, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    agent: false,
  });
  request.on("error", () => {});
  request.end(JSON.stringify(body));
  const [response] = await once(request, "response");
  return response;
}

/** Waits for a condition that another turn of the event loop will bring about. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) {
    await new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
  }
}

/** A message/send with this id, or none. */
export const send = (id?: unknown) => ({ ...rpc("message/send", { message: userMessage() }), id });

/** A gateway that notes every call. */
export function recording(): { gateway: Gateway; calls: unknown[][] } {
  const calls: unknown[][] = [];
  const task = (name: string) => async (params: unknown, caller: Caller) => {
    calls.push([name, params, caller.principal, caller.extensions]);
    return TASK;
  };
  const gateway = fakeGateway({
    sendMessage: task("sendMessage"),
    getTask: task("getTask"),
    cancelTask: task("cancelTask"),
  });
  return { gateway, calls };
}
