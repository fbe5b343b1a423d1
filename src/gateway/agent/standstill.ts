/**
 * Tells when a task no longer moves: the agent's stream of it has broken, or ended without a final state, and what the agent
 * reports of the task since then is the same each time. An agent that lost the work with the connection would otherwise be
 * polled until the turn's total time is over.
 */
import { createHash } from "node:crypto";
import type { AgentTask } from "../../adapter.ts";
import { A2AError } from "../../protocol/errors.ts";

/** What is compared: not the times and ids, which some agents make anew for each report. */
function digestOf({ status, history = [], artifacts = [] }: AgentTask): string {
  const parts = [status.message, ...history, ...artifacts].map((holder) => holder?.parts);
  return createHash("sha256")
    .update(JSON.stringify([status.state, history.length, parts]))
    .digest("base64");
}

export class Standstill {
  /** What became of the stream, as a sentence. */
  readonly #broken: string;
  readonly #limit: number;
  #digest: string | undefined;
  #since = 0;

  /** @param limit how long the agent may report the same, ms */
  constructor(broken: string, limit: number) {
    this.#broken = broken;
    this.#limit = limit;
  }

  /** Throws if the agent has reported the same for too long. */
  see(report: AgentTask): void {
    const digest = digestOf(report);
    const now = performance.now();
    if (digest !== this.#digest) {
      this.#digest = digest;
      this.#since = now;
    } else if (now - this.#since >= this.#limit) {
      throw new StandstillError(`${this.#broken}; its task has not changed since`);
    }
  }
}

export class StandstillError extends A2AError {
  constructor(message: string) {
    super("invalid-agent-response", { message, data: { stage: "timeout", timeout: "idle" } });
  }
}
