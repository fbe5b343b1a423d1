/** One turn of a task: what begins it and what it can come to. */
import type { AgentEvent } from "../../adapter.ts";
import type { Message } from "../../protocol/model.ts";
import type { MessageSendParams } from "../../protocol/params.ts";
import type { TaskRecord } from "../../store/store.ts";
import type { CheckedPushConfig } from "../push/push-configs.ts";
import type { EngineContext } from "../context.ts";
import type { IdMapper } from "./id-mapper.ts";
import type { Lease, Leases } from "./leases.ts";
import type { CallContext } from "../agent/agent-call.ts";

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
