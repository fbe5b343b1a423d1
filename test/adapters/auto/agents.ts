/** Loopback agents that know some methods and remember what they were asked; and a southbound side for one. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { pino } from "pino";
import { z } from "zod";
import { createAutoAdapter } from "../../../adapters/auto/index.ts";
import type { Adapter, Backend, Call } from "../../../src/adapter.ts";
import { A2AError } from "../../../src/protocol/errors.ts";
import { JsonRpcClient } from "../../../src/southbound/jsonrpc.ts";
import type { Southbound } from "../../../src/southbound/southbound.ts";
import { clientOf, serve } from "../../southbound/loopback.ts";

/** What a method answers: a JSON-RPC error code, HTTP 500, or a result. */
type Answer = number | "500" | object;

export interface AgentOptions {
  readonly card?: unknown;
  readonly methods?: Readonly<Record<string, Answer>>;
  /** For methods that are not listed. */
  readonly otherwise?: number | "500";
  /** Every error is wrapped in an internal error. */
  readonly wraps?: boolean;
  /** JSON-RPC errors as they are written. */
  readonly errors?: Readonly<Record<string, object>>;
  /** Each method is served at its path; what is posted to the URL itself is answered with HTTP 500. */
  readonly perMethod?: boolean;
  /** Answered to every POST instead. */
  readonly status?: number;
}

const Call = z.looseObject({ method: z.string(), params: z.looseObject({}) });

export interface Agent {
  readonly url: string;
  /** Every method called, in order. */
  readonly calls: string[];
  readonly params: Record<string, unknown>[];
  /** May be changed in mid-test. */
  options: AgentOptions;
}

async function answer(agent: Agent, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { card, methods = {}, otherwise = -32601, status, wraps, perMethod, errors } = agent.options;
  if (request.method === "GET") {
    response.statusCode = card === undefined ? 404 : 200;
    response.end(JSON.stringify(card));
    return;
  }
  const { method, params } = Call.parse(await json(request));
  agent.calls.push(method);
  agent.params.push(params);
  if (status !== undefined) {
    response.writeHead(status, { "content-type": "text/html" }).end("<html>no</html>");
    return;
  }
  const found = perMethod && request.url !== `/${method}` ? "500" : (methods[method] ?? otherwise);
  if (found === "500") {
    response.writeHead(500, { "content-type": "text/plain" }).end("Internal Server Error");
    return;
  }
  response.setHeader("content-type", "application/json");
  const error = errors?.[method];
  const body = error ? { error } : bodyOf(found, method, wraps);
  response.end(JSON.stringify({ jsonrpc: "2.0", id: 1, ...body }));
}

function bodyOf(found: number | object, method: string, wraps = false): object {
  if (typeof found !== "number") return { result: found };
  const error = { code: found, message: `no ${method}` };
  if (!wraps) return { error };
  return { error: { code: -32603, message: "An unknown error occurred.", data: { jsonrpc: "2.0", error } } };
}

export async function startAgent(options: AgentOptions): Promise<Agent> {
  const agent: Agent = { url: "", calls: [], params: [], options };
  const url = await serve((request, response) => void answer(agent, request, response));
  return Object.assign(agent, { url });
}

export interface Connected {
  readonly backend: Backend;
  /** Messages of the log. */
  readonly log: string[];
  /** The lines of the log as they are written. */
  readonly lines: string[];
}

/** The auto adapter in front of the agent, over stand-ins for the dialects that answer with their own name. */
export function connect(url: string, candidates: readonly Adapter[] = DIALECTS): Connected {
  const lines: string[] = [];
  const log: string[] = [];
  const write = (line: string): void => {
    lines.push(line);
    log.push(String(JSON.parse(line).msg));
  };
  const southbound: Southbound = {
    agent: "planner",
    url,
    fetchCard: async (signal) => {
      const response = await fetch(`${url}/card`, { signal }).catch(() => undefined);
      if (!response?.ok) throw new A2AError(response ? "invalid-agent-response" : "agent-unavailable");
      return await response.json();
    },
    http: clientOf(url),
    log: pino({ base: null }, { write }).child({ agent: "planner" }),
    newId: () => crypto.randomUUID(),
  };
  return {
    backend: createAutoAdapter(candidates).connect({ grpcPort: "configured" }, southbound),
    log,
    lines,
  };
}

const Options = z.strictObject({ endpoint: z.literal("per-method").optional() });

/** A dialect that can do nothing but send, by one method. */
function dialect(name: string, method: string): Adapter {
  return {
    name,
    options: Options,
    connect: (options, southbound) => {
      const { http } = southbound;
      const { endpoint } = Options.parse(options);
      const url = endpoint ? `${southbound.url}/${method}` : southbound.url;
      const rpc = new JsonRpcClient({ http, url, newId: () => "1" });
      return {
        card: async () => {
          throw new A2AError("internal-error");
        },
        send: async (params, call) => {
          await rpc.call({ method, params, call });
          return { kind: "message", role: "agent", parts: [{ kind: "text", text: name }] };
        },
      };
    },
  };
}

export const DIALECTS: readonly Adapter[] = [
  dialect("a2a-0.3", "message/send"),
  dialect("a2a-0.1", "tasks/send"),
  dialect("a2a-1.0", "SendMessage"),
  dialect("a2a-snake", "a2a.sendMessage"),
  dialect("appbuilder", "message/send"),
];

export const call = (signal = new AbortController().signal): Call => ({
  signal,
  newTaskId: "t",
  newContextId: "c",
  extensions: [],
});
export const PARAMS = {
  message: {
    kind: "message" as const,
    messageId: "m",
    role: "user" as const,
    parts: [{ kind: "text" as const, text: "hi" }],
  },
};
/** The dialect that took the message. */
export async function send(backend: Backend, signal?: AbortSignal): Promise<unknown> {
  const reply = await backend.send?.(PARAMS, call(signal));
  return reply?.kind === "message" ? reply.parts[0] : reply;
}
export const by = (text: string) => ({ kind: "text", text });

export const CARD_03 = { protocolVersion: "0.3.0", url: "http://0.0.0.0:1" };
export const OK = { ok: true };
/** The methods each generation really has; -32001 is "no such task". */
export const SERVES_03 = {
  "message/send": OK,
  "tasks/get": -32001,
  "tasks/pushNotificationConfig/get": -32001,
};
export const SERVES_01 = { "tasks/send": OK, "tasks/get": -32001, "tasks/pushNotification/get": -32001 };
export const SERVES_10 = { SendMessage: OK, GetTask: -32001 };
export const SERVES_SNAKE = { "a2a.sendMessage": OK, "a2a.getTask": -32001 };

export async function detect(options: AgentOptions) {
  const agent = await startAgent(options);
  const { backend, log } = connect(agent.url);
  return { agent, backend, log, text: await send(backend) };
}
