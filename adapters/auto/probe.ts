/**
 * Asks an agent what it knows without making it do anything: a method that only reads is called for a task that cannot
 * exist. "No such task" shows that the method is there, "no such method" that it is not. Sending a message would tell
 * more and is never done: it would have effects.
 */
import { z } from "zod";
import { A2AError } from "../../src/protocol/errors.ts";
import { openEnvelope } from "../../src/southbound/jsonrpc.ts";
import type { Southbound } from "../../src/southbound/southbound.ts";
import type { Dialect } from "./signs.ts";

/**
 * `known`, `missing`: the agent has answered as its protocol asks. `unclear`: anything else but silence, such as a page
 * of HTML; `refused`: 401 or 403, which says nothing about methods.
 */
export type Answer = "known" | "missing" | "unclear" | "refused";

/** A method that only one generation has. tasks/get is shared by 0.1 to 0.3. */
const METHODS = {
  "a2a-0.3": "tasks/pushNotificationConfig/get",
  "a2a-0.1": "tasks/pushNotification/get",
  "a2a-snake": "a2a.getTask",
  shared: "tasks/get",
} as const;

export type Probed = keyof typeof METHODS;

export const isProbed = (dialect: Dialect): dialect is Exclude<Dialect, "appbuilder"> => dialect in METHODS;

/** Unknown methods: JSON-RPC's own code, and the one that validators of the 0.1 era answer with. */
const MISSING: ReadonlySet<number> = new Set([-32601, -32600]);
/** Codes that an agent can only answer from within the method, or from a wrapper around it. */
const KNOWN: ReadonlySet<number> = new Set([-32001, -32002, -32003, -32004, -32602, -32603]);
/** 1.0 and the snake_case dialect name a version they do not speak so. */
const VERSION = -32009;

const Nested = z.looseObject({
  error: z.looseObject({ code: z.number() }).optional(),
  code: z.number().optional(),
});

function read(status: number, json: unknown): Answer {
  const opened = openEnvelope(json);
  if (opened.kind === "result") return opened.result === null ? "unclear" : "known";
  if (opened.kind === "error") {
    const { code, data } = opened.error;
    if (MISSING.has(code) || code === VERSION) return "missing";
    const nested = Nested.safeParse(data).data;
    return KNOWN.has(code) || KNOWN.has(nested?.code ?? nested?.error?.code ?? 0) ? "known" : "unclear";
  }
  return status === 401 || status === 403 ? "refused" : "unclear";
}

/** Each method is asked for at most once. Rejects where the agent cannot be reached. */
export class Probe {
  readonly #southbound: Southbound;
  readonly #signal: AbortSignal;
  readonly #answers = new Map<Probed, Promise<Answer>>();

  constructor(southbound: Southbound, signal: AbortSignal) {
    this.#southbound = southbound;
    this.#signal = signal;
  }

  ask(probed: Probed): Promise<Answer> {
    const asked = this.#answers.get(probed) ?? this.#call(probed);
    this.#answers.set(probed, asked);
    return asked;
  }

  async #call(probed: Probed): Promise<Answer> {
    const { http, url } = this.#southbound;
    const id = `no-such-task-${this.#southbound.newId()}`;
    const params = probed === "a2a-snake" ? { "a2a-version": "1.0", task_id: id, id } : { id };
    const response = await http.unary({
      method: "POST",
      url,
      headers: { accept: "application/json" },
      body: { jsonrpc: "2.0", id: this.#southbound.newId(), method: METHODS[probed], params },
      signal: this.#signal,
    });
    if (response.status >= 500 && openEnvelope(response.json).kind === "none") {
      const data = { stage: "probe", status: response.status };
      throw new A2AError("agent-unavailable", { message: `The agent answers HTTP ${response.status}`, data });
    }
    return read(response.status, response.json);
  }

  /** What speaks for and against a dialect, where `sibling` shares its tasks/get and nothing else. */
  async evidence(dialect: Exclude<Dialect, "appbuilder">): Promise<Answer> {
    const own = await this.ask(dialect);
    if (own !== "missing" || dialect === "a2a-snake") return own;
    const sibling = await this.ask(dialect === "a2a-0.3" ? "a2a-0.1" : "a2a-0.3");
    if (sibling === "known") return "missing";
    return (await this.ask("shared")) === "missing" ? "missing" : "unclear";
  }
}
