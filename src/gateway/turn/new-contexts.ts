/**
 * Who names a new conversation, if the client has not. Some agents open one of their own for a message without a
 * `contextId`, and do not say which: the client's next message could not go on with it. Such an agent is given an id of the
 * proxy's with the first message.
 */
import type { EngineContext } from "../context.ts";
import type { NewIds } from "../agent/agent-call.ts";

export class NewContexts {
  readonly #log: EngineContext["log"];
  readonly #learns: boolean;
  #isNamedHere: boolean;

  constructor({ agent, log }: Pick<EngineContext, "agent" | "log">) {
    this.#log = log;
    this.#learns = agent.contextIds === undefined;
    this.#isNamedHere = agent.contextIds === "proxy";
  }

  /** The id for a new conversation; undefined if the agent names it. */
  offer(newIds: NewIds): string | undefined {
    return this.#isNamedHere ? newIds.contextId : undefined;
  }

  /** The agent has opened a conversation and has not named it. */
  noteUnnamed(): void {
    if (!this.#learns || this.#isNamedHere) return;
    this.#isNamedHere = true;
    this.#log.warn(
      "the agent does not name the conversations that it opens; from now on the proxy does. The first message of the one " +
        "that has just begun is lost to the agent: set `contextIds: proxy` to avoid that after the next start",
    );
  }
}
