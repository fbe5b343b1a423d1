/** Loopback agents that know some methods and remember what they were asked; and a southbound side for one. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { pino } from "pino";
import { z } from "zod";
import { createAutoAdapter } from "../../../adapters/auto/index.ts";
import type { Adapter, Backend } from "../../../src/adapter.ts";
import { A2AError } from "../../../src/protocol/errors.ts";
import { JsonRpcClient } from "../../../src/southbound/jsonrpc.ts";
import type { Southbound } from "../../../src/southbound/southbound.ts";
import { clientOf, serve } from "../../southbound/loopback.ts";

/** What a method answers: a JSON-RPC error code, or a result. */
type Answer = number | object;

export interface AgentOptions {
  readonly card?: unknown;
  readonly methods?: Readonly<Record<string, Answer>>;
  /** For methods that are not listed. */
  readonly otherwise?: number;
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
  const { card, methods = {}, otherwise = -32601, status } = agent.options;
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
  const found = methods[method] ?? otherwise;
  const body =
    typeof found === "number" ? { error: { code: found, message: `no ${method}` } } : { result: found };
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ jsonrpc: "2.0", id: 1, ...body }));
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
}

/** The auto adapter in front of the agent, over stand-ins for the dialects that answer with their own name. */
export function connect(url: string, candidates: readonly Adapter[] = DIALECTS): Connected {
  const log: string[] = [];
  const southbound: Southbound = {
    agent: "planner",
    url,
    fetchCard: async (signal) => {
      const response = await fetch(`${url}/card`, { signal }).catch(() => undefined);
      if (!response?.ok) throw new A2AError(response ? "invalid-agent-response" : "agent-unavailable");
      return await response.json();
    },
    http: clientOf(url),
    log: pino({ base: null }, { write: (line: string) => void log.push(String(JSON.parse(line).msg)) }),
    newId: () => crypto.randomUUID(),
  };
  return { backend: createAutoAdapter(candidates).connect({}, southbound), log };
}

/** A dialect that can do nothing but send, by one method. */
function dialect(name: string, method: string): Adapter {
  return {
    name,
    options: z.strictObject({}),
    connect: (_options, { http, url }) => {
      const rpc = new JsonRpcClient({ http, url, newId: () => "1" });
      return {
        card: async () => {
          throw new A2AError("internal-error");
        },
        send: async (params, { signal }) => {
          await rpc.call({ method, params, signal });
          return { kind: "message", role: "agent", parts: [{ kind: "text", text: name }] };
        },
      };
    },
  };
}

export const DIALECTS: readonly Adapter[] = [
  dialect("a2a-0.3", "message/send"),
  dialect("a2a-0.1", "tasks/send"),
  dialect("a2a-snake", "a2a.sendMessage"),
  dialect("appbuilder", "message/send"),
];
