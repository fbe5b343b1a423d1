/**
 * A lease makes its holder the only owner of a task: nobody else runs a turn of the task or writes its record. It is taken
 * before the first await that leads to a turn and released when the turn is over, so that a task never has two turns.
 *
 * The leases live in this process. A store that several processes share can carry the same contract: `take` is then one
 * atomic write, and the token tells a write of the present owner from one of an owner whose lease has run out.
 */
import { Registry } from "../../collections/registry.ts";
import type { TurnRunner } from "./turn-runner.ts";

export interface Lease {
  readonly taskId: string;
  /** Ascends: a later lease of a task has a greater token. */
  readonly token: number;
}

interface Held extends Lease {
  readonly owner: string | undefined;
  /** The owner's turn, once it has begun. */
  runner?: TurnRunner;
  /** Settles the wait of those who were refused; made when somebody waits. */
  changed?: PromiseWithResolvers<void>;
}

export class Leases {
  readonly #held = new Registry<Held>();
  #token = 0;

  /**
   * Undefined if the task has an owner.
   * @param owner the principal, if the id is one that a client has chosen
   */
  take(taskId: string, owner?: string): Lease | undefined {
    if (this.#held.has(taskId)) return undefined;
    this.#token += 1;
    const lease = { taskId, token: this.#token, owner };
    this.#held.set(taskId, lease);
    return lease;
  }

  /** The principal that has chosen the id of a task under a lease. */
  ownerOf(taskId: string): string | undefined {
    return this.#held.get(taskId)?.owner;
  }

  /** Has no effect if the lease is not the task's present one. */
  release({ taskId, token }: Lease): void {
    const held = this.#held.get(taskId);
    if (held?.token !== token) return;
    this.#held.delete(taskId);
    held.changed?.resolve();
  }

  /** The owner has begun its turn: those who wait can find it now. */
  begin({ taskId }: Lease, runner: TurnRunner): void {
    const held = this.#held.get(taskId);
    if (!held) return;
    held.runner = runner;
    held.changed?.resolve();
    delete held.changed;
  }

  /** The task's running turn. */
  runner(taskId: string): TurnRunner | undefined {
    return this.#held.get(taskId)?.runner;
  }

  /** Resolves when the task's owner has begun its turn or released its lease. */
  async changed(taskId: string): Promise<void> {
    const held = this.#held.get(taskId);
    if (held) await (held.changed ??= Promise.withResolvers<void>()).promise;
  }
}
