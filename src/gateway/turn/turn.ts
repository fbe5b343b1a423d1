/** One turn of a task: what begins it, what it can come to, and the lease under which it runs. */
import type { AgentEvent } from "../../adapter.ts";
import { Registry } from "../../collections/registry.ts";
import type { CallContext } from "../agent/agent-call.ts";
import type { EngineContext } from "../gateway.ts";
import type { CheckedPushConfig } from "../push/push-configs.ts";
import type { IdMapper } from "./id-mapper.ts";
import type { TurnRunner } from "./turn-runner.ts";
import type { Message } from "../../protocol/model.ts";
import type { MessageSendParams } from "../../protocol/params.ts";
import type { TaskRecord } from "../../store/store.ts";

/** What all turns of one agent share. */
export interface TurnDeps {
  readonly context: EngineContext;
  readonly ids: IdMapper;
  readonly leases: Leases;
}

/** A task in the store, and the right to run a turn of it; the record was read under the lease. */
export interface ExistingTask {
  readonly record: TaskRecord;
  readonly lease: Lease;
}

/** How a turn begins. */
export interface Turn extends CallContext {
  readonly principal: string;
  /** The client's message and the parameters for the vendor, with the vendor's ids; absent where a task is followed. */
  readonly send?: {
    readonly message: Message;
    readonly params: MessageSendParams;
    readonly mode: "stream" | "send";
  };
  /** A client listens from the first event on. */
  readonly listened: boolean;
  /** Where to tell of the task that this turn makes. */
  readonly push?: CheckedPushConfig | undefined;
  /** The context that the client named. */
  readonly contextId?: string | undefined;
  /** The lease of a new task whose id the client has chosen; such a turn always makes a task, also of a lone Message. */
  readonly claimed?: Lease | undefined;
  /** The task that is continued or followed. */
  readonly existing?: ExistingTask | undefined;
  /** What the agent has just said of a task that is followed. */
  readonly report?: AgentEvent | undefined;
  /** Why the task has to be followed; part of the message should it fail. */
  readonly reason?: string | undefined;
}

/** What a turn has come to: a task, or a lone message. */
export type FirstResult = { readonly kind: "task" } | { readonly kind: "message"; readonly message: Message };

/** The state that this side ends a turn in, and the words for it. */
export interface TurnEnd {
  readonly state: "failed" | "canceled";
  readonly text: string;
  /** What the error says besides, where no client knows of the task yet. */
  readonly data?: Record<string, unknown> | undefined;
}

/** The turn has used up its total time. */
export const totalTimeout = (agent: string): TurnEnd => ({
  state: "failed",
  text: "The agent took longer than the allowed total time",
  data: { agent, stage: "timeout", timeout: "total" },
});

/**
 * A lease makes its holder the only owner of a task: nobody else runs a turn of the task or writes its record. It is taken
 * before the first await that leads to a turn and released when the turn is over, so that a task never has two turns.
 *
 * The leases live in this process. A store that several processes share can carry the same contract: `take` is then one
 * atomic write, and the token tells a write of the present owner from one of an owner whose lease has run out.
 */
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
