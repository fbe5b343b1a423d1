/** Connects adapters to an agent that is not there, and looks at what it would have been sent. */
import { pino } from "pino";
import type { Adapter, Backend, Call, NativeMethods } from "../src/adapter.ts";
import { A2AError } from "../src/protocol/errors.ts";
import type { MessageSendParams } from "../src/protocol/params.ts";
import type { HttpRequest, HttpResponse, HttpStream } from "../src/southbound/http.ts";

/** What the agent that is not there answers with, as results of JSON-RPC; nothing: it cannot be reached. */
export interface Wire {
  results: readonly object[];
}

export interface Probe {
  readonly backend: Backend;
  readonly sent: HttpRequest[];
  readonly wire: Wire;
}

const card = (streaming: boolean | undefined): object => ({
  name: "Nobody",
  description: "Not there.",
  version: "1",
  url: "http://agent.invalid/",
  protocolVersion: "0.3.0",
  capabilities: streaming === undefined ? {} : { streaming },
  skills: [],
});

export async function connect(adapter: Adapter, streaming: boolean | undefined): Promise<Probe> {
  const sent: HttpRequest[] = [];
  const wire: Wire = { results: [] };
  const answersTo = (request: HttpRequest): object[] => {
    sent.push(request);
    if (wire.results.length === 0) throw new A2AError("agent-unavailable");
    const id: unknown = Reflect.get(Object(request.body), "id");
    return wire.results.map((result) => ({ jsonrpc: "2.0", id, result }));
  };
  const unary = async (request: HttpRequest): Promise<HttpResponse> => {
    const [json] = answersTo(request);
    return { status: 200, headers: {}, json, excerpt: "" };
  };
  const stream = async (request: HttpRequest): Promise<HttpStream> => {
    const answers = answersTo(request);
    const values = (async function* () {
      for (const value of answers) yield { value };
    })();
    return { ok: true, status: 200, values };
  };
  const backend = adapter.connect(adapter.options.parse({}), {
    agent: "nobody",
    url: "http://agent.invalid/",
    fetchCard: () => Promise.resolve(card(streaming)),
    http: { unary, stream },
    log: pino({ level: "silent" }),
    newId: () => "new-id",
  });
  if (!backend.decision) await backend.card(new AbortController().signal);
  return { backend, sent, wire };
}

export const callWith = (extensions: readonly string[] = []): Call => ({
  signal: new AbortController().signal,
  newTaskId: "new-task",
  newContextId: "new-context",
  extensions,
});

/** The request that a method makes; undefined where it refuses without one. */
export async function requestOf(
  { backend, sent }: Pick<Probe, "backend" | "sent">,
  key: keyof NativeMethods,
  params: MessageSendParams,
  call = callWith(),
): Promise<HttpRequest | undefined> {
  const task = { id: "task", contextId: "context" };
  try {
    if (key === "send") await backend.send?.(params, call);
    else if (key === "getTask" || key === "cancelTask") await backend[key]?.(task, call);
    else {
      const events = key === "stream" ? backend.stream?.(params, call) : backend.resubscribe?.(task, call);
      for await (const _event of events ?? []) break;
    }
  } catch (error) {
    if (!(error instanceof A2AError)) throw error;
  }
  return sent.at(-1);
}

/** Of a table. */
export const row = (title: string, cells: readonly string[]): string =>
  `| ${[title, ...cells].join(" | ")} |`;
