/**
 * Asks an agent what it knows without making it do anything: a method that only reads is called for a task that cannot
 * exist. "No such task" shows that the method is there, "no such method" that it is not. Sending a message would tell
 * more and is never done: it would have effects.
 */
import { A2AError } from "../../src/protocol/errors.ts";
import { openEnvelope } from "../../src/southbound/jsonrpc.ts";
import type { CallScope } from "../../src/southbound/http.ts";
import type { Southbound } from "../../src/southbound/southbound.ts";
import { methodUrl } from "../shared/method-url.ts";
import { innermost } from "../shared/nested-error.ts";
import type { Dialect } from "./signs.ts";

/**
 * `known`, `missing`: the agent has answered as its protocol asks. `failed`: HTTP 500 without an error of JSON-RPC, which
 * some frameworks answer to every method that they do not know; `refused`: 401 or 403, which says nothing about methods;
 * `foreign`: anything else that is not JSON-RPC, such as a page of HTML; `unclear`: JSON-RPC that does not tell.
 */
export type Answer = "known" | "missing" | "unclear" | "foreign" | "failed" | "refused";

/**
 * A method that only one generation has. tasks/get is shared by 0.1 to 0.3; some agents of 0.1 serve each method at a
 * path below their URL.
 */
const METHODS = {
  "a2a-0.3": "tasks/pushNotificationConfig/get",
  "a2a-0.1": "tasks/pushNotification/get",
  "a2a-1.0": "GetTask",
  "a2a-snake": "a2a.getTask",
  shared: "tasks/get",
  perMethod: "tasks/get",
} as const;

export type Probed = keyof typeof METHODS;

/** The dialects that have a method of their own to ask for, in the order in which an agent is taken for one. */
export const PROBED = ["a2a-0.3", "a2a-snake", "a2a-0.1", "a2a-1.0"] as const satisfies readonly Dialect[];
export type ProbedDialect = (typeof PROBED)[number];

export const isProbed = (dialect: string): dialect is ProbedDialect => PROBED.some((one) => one === dialect);

/** JSON-RPC's own code, the one of the 0.1 era's validators, and 1.0's where the version is not the one it speaks. */
const MISSING: ReadonlySet<number> = new Set([-32601, -32600, -32009]);
/** What is answered from within a method, also where an internal error hides that there is no such task. */
const KNOWN: ReadonlySet<number> = new Set([-32001, -32002, -32003, -32004, -32602, -32603]);
/** Some agents have no codes for that, but words. */
const SAYS_MISSING = /version[ _-]?not[ _-]?supported|method[ _-]?not[ _-]?found/i;
const SAYS_KNOWN = /task[ _-]?not[ _-]?found/i;

/** An agent that is down or overloaded, which a later probe may find well. */
const UNAVAILABLE: ReadonlySet<number> = new Set([429, 502, 503, 504]);

function read(probed: Probed, status: number, json: unknown): Answer {
  const opened = openEnvelope(json);
  if (opened.kind === "result") return opened.result === null ? "unclear" : "known";
  if (opened.kind === "error") {
    const { code, message } = innermost(opened.error);
    if (MISSING.has(code) || SAYS_MISSING.test(message)) return "missing";
    if (SAYS_KNOWN.test(message)) return "known";
    // An error of JSON-RPC at the path of a method shows that the path is served, whatever its code.
    return KNOWN.has(code) || probed === "perMethod" ? "known" : "unclear";
  }
  if (status === 401 || status === 403) return "refused";
  return status === 500 ? "failed" : "foreign";
}

/** Each method is asked for at most once. Rejects where the agent cannot be reached. */
export class Probe {
  readonly #southbound: Southbound;
  readonly #scope: CallScope;
  readonly #answers = new Map<Probed, Promise<Answer>>();

  constructor(southbound: Southbound, call: CallScope) {
    this.#southbound = southbound;
    this.#scope = call;
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
      url: probed === "perMethod" ? methodUrl(url, METHODS.perMethod) : url,
      headers: { accept: "application/json", ...(probed === "a2a-1.0" && { "A2A-Version": "1.0" }) },
      body: { jsonrpc: "2.0", id: this.#southbound.newId(), method: METHODS[probed], params },
      call: this.#scope,
    });
    if (UNAVAILABLE.has(response.status) && openEnvelope(response.json).kind === "none") {
      const data = { stage: "probe", status: response.status };
      throw new A2AError("agent-unavailable", { message: `The agent answers HTTP ${response.status}`, data });
    }
    return read(probed, response.status, response.json);
  }

  /**
   * What the agent's methods say of a dialect. 0.1 and 0.3 share tasks/get, and their own methods are for push
   * notifications, which many agents lack: that alone is no sign against them.
   */
  async evidence(dialect: ProbedDialect): Promise<Answer> {
    const own = await this.ask(dialect);
    const isOpen = own === "missing" || own === "failed";
    if (!isOpen || dialect === "a2a-snake" || dialect === "a2a-1.0") return own;
    const sibling = await this.ask(dialect === "a2a-0.3" ? "a2a-0.1" : "a2a-0.3");
    if (sibling === "known") return "missing";
    return (await this.ask("shared")) === "missing" ? "missing" : "unclear";
  }

  /** Whether each method is served at a path of its own, and none at the agent's URL. */
  async findsPaths(): Promise<boolean> {
    const shared = await this.ask("shared");
    return (shared === "failed" || shared === "foreign") && (await this.ask("perMethod")) === "known";
  }
}
