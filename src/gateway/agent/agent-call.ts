/** One call to the agent while it is under way: what it takes along, its time, and its end from this side. */
import type { Call } from "../../adapter.ts";
import { abortable } from "../../lib/abortable.ts";
import { A2AError } from "../../protocol/errors.ts";
import type { Mint } from "../task/fill-missing.ts";
import type { EngineContext } from "../context.ts";
import type { Deadline } from "./deadlines.ts";

/** Ids for what is new, made when they are asked for: most vendors bring their own. */
export class NewIds {
  readonly #mint: Mint;
  #taskId: string | undefined;
  #contextId: string | undefined;

  constructor(mint: Mint) {
    this.#mint = mint;
  }

  get taskId(): string {
    return (this.#taskId ??= this.#mint.newId());
  }

  get contextId(): string {
    return (this.#contextId ??= this.#mint.newId());
  }
}

/** What every call of a turn takes along. */
export interface CallContext {
  readonly newIds: NewIds;
  readonly extensions: readonly string[];
  readonly forwarded?: Call["forwarded"];
}

/** The ids are minted only where the adapter reads them. */
export const callOf = ({ newIds, extensions, forwarded }: CallContext, signal: AbortSignal): Call => ({
  signal,
  extensions,
  forwarded,
  get newTaskId() {
    return newIds.taskId;
  },
  get newContextId() {
    return newIds.contextId;
  },
});

export class AgentCall {
  readonly call: Call;
  readonly #agent: string;
  readonly #controller = new AbortController();
  readonly #deadline: Deadline;
  /** The name of the time that is running, as the configuration has it. */
  #timeout: string;

  constructor({ agent, deadlines }: EngineContext, extras: CallContext, ms: number, timeout: string) {
    this.call = callOf(extras, this.#controller.signal);
    this.#agent = agent.name;
    this.#timeout = timeout;
    this.#deadline = deadlines.start(ms, () => this.break(this.#totalTimeout()));
  }

  /** Lets another time begin, of this name. */
  limit(ms: number, timeout: string): void {
    this.#timeout = timeout;
    this.#deadline.in(ms);
  }

  /** Ends it with this error, if it is not over. */
  break(reason: A2AError): void {
    this.#deadline.cancel();
    this.#controller.abort(reason);
  }

  /** The call is over by itself. */
  done(): void {
    this.#deadline.cancel();
  }

  #totalTimeout(): A2AError {
    return new A2AError("agent-unavailable", {
      message: "The agent did not answer in time",
      data: { agent: this.#agent, stage: "timeout", timeout: this.#timeout },
    });
  }
}

/**
 * A call that does no work at the agent and is answered soon: in `timeouts.request`, also if the adapter does not look at
 * its signal.
 */
export async function ask<T>(
  context: EngineContext,
  extras: CallContext,
  request: (call: Call) => Promise<T>,
): Promise<T> {
  const open = new AgentCall(context, extras, context.agent.timeouts.request, "request");
  try {
    return await abortable(request(open.call), open.call.signal);
  } finally {
    open.done();
  }
}
