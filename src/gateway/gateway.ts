/**
 * The task engine as the transports see it: the methods of A2A 0.3.0 over one agent, complete whatever the vendor
 * lacks. Every method rejects with an A2AError.
 */
import type { Logger } from "pino";
import type { Backend } from "../adapter.ts";
import type { AgentConfig } from "../config/config.ts";
import type { Callbacks } from "./push/callbacks.ts";
import type { Mint } from "./task/fill-missing.ts";
import type { AgentCard } from "../protocol/card.ts";
import type { ListTasksParams, TaskPage } from "../protocol/list-params.ts";
import type { Message, Task } from "../protocol/model.ts";
import type {
  DeletePushConfigParams,
  GetPushConfigParams,
  MessageSendParams,
  TaskIdParams,
  TaskPushNotificationConfig,
  TaskQueryParams,
} from "../protocol/params.ts";
import type { PushPolicy } from "../push/create-push.ts";
import type { LostEvents } from "../southbound/lost-events.ts";
import type { Redact } from "../southbound/redact.ts";
import type { CardMemory } from "../store/card-memory.ts";
import type { TaskStore } from "../store/store.ts";

/** Who calls, and for how long somebody listens. */
export interface Caller {
  /** Owner of the tasks it makes; `anonymous` where the proxy asks for no credentials. */
  readonly principal: string;
  /** In which it speaks; undefined: 0.3.0. Push notification configs remember it. */
  readonly dialect?: string | undefined;
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal;
  /** Extension URIs of `X-A2A-Extensions`. */
  readonly extensions: readonly string[];
  /** Headers for the vendor, in lower case: those that the agent's `forward` names. */
  readonly forwarded?: Readonly<Record<string, string>> | undefined;
  /** The client names new tasks itself: a message to a task that does not exist begins the task under that id. */
  readonly mintsTaskIds?: boolean | undefined;
  /** Joins the engine's log lines to the request's. */
  readonly requestId?: string | undefined;
}

/** An event on its way to clients, serialized once however many there are. */
export interface OutgoingEvent {
  /**
   * Position in the task's event log: the client that has seen it and comes back with it gets what follows. Absent
   * for a lone Message.
   */
  readonly sequence?: number | undefined;
  /** The StreamEvent as JSON on one line. */
  readonly json: string;
  /** Nothing follows. */
  readonly last: boolean;
}

/**
 * A client's view of a running task. `next` resolves with the events that are there, at least one, as soon as there
 * is one, and with undefined after the last; it never holds more than a bounded window in memory, and the vendor is
 * slowed while all listeners lag. `close` must be called when the client goes.
 */
export interface Subscription {
  /** The task it follows; absent for a lone Message. */
  readonly taskId?: string | undefined;
  next(): Promise<readonly OutgoingEvent[] | undefined>;
  close(): void;
}

export interface Gateway {
  readonly agent: string;
  sendMessage(params: MessageSendParams, caller: Caller): Promise<Task | Message>;
  /** Resolves once the first event is there, so that an early failure is an error and not a broken stream. */
  streamMessage(params: MessageSendParams, caller: Caller): Promise<Subscription>;
  getTask(params: TaskQueryParams, caller: Caller): Promise<Task>;
  /** Rejects with `invalid-params` for a page token that was not given out. */
  listTasks(params: ListTasksParams, caller: Caller): Promise<TaskPage>;
  cancelTask(params: TaskIdParams, caller: Caller): Promise<Task>;
  /**
   * @param after the last sequence that the client has seen: then exactly what it missed, and what follows. Absent,
   * or no longer in the log: the Task as it is now, and what follows.
   */
  resubscribe(params: TaskIdParams, caller: Caller, after?: number): Promise<Subscription>;
  /**
   * Sets or replaces a push notification config of the task; answers it with the id it has. Rejects with
   * `push-not-supported` where the operator has switched push off, as do the other three.
   */
  setPushConfig(params: TaskPushNotificationConfig, caller: Caller): Promise<TaskPushNotificationConfig>;
  /** `task-not-found` also where the task has no such config. */
  getPushConfig(params: GetPushConfigParams, caller: Caller): Promise<TaskPushNotificationConfig>;
  /** In the order in which they were first set. */
  listPushConfigs(params: TaskIdParams, caller: Caller): Promise<TaskPushNotificationConfig[]>;
  /** Also where there is no such config. */
  deletePushConfig(params: DeletePushConfigParams, caller: Caller): Promise<void>;
  /** The vendor's card in 0.3.0 terms, cached; not yet the card the proxy serves. */
  card(): Promise<AgentCard>;
  /** The vendor's extended card in 0.3.0 terms, asked for anew each time; undefined where it has none. */
  extendedCard(caller: Caller): Promise<AgentCard | undefined>;
}

/** What all parts of one agent's task engine share. */
export interface EngineContext {
  readonly agent: AgentConfig;
  readonly backend: Backend;
  readonly store: TaskStore;
  /** The agents' cards as they were last read. */
  readonly cards: CardMemory;
  /** For how long the vendor allows its card to be kept, ms, as it said last; undefined where it says nothing. */
  readonly cardAge?: (() => number | undefined) | undefined;
  /** Tells of events of a call's stream that could not be read; absent where all can. */
  readonly lostEvents?: LostEvents | undefined;
  readonly mint: Mint;
  readonly log: Logger;
  /** Absent where the operator has switched push notifications off. */
  readonly push?: PushPolicy | undefined;
  /** Where vendors push. */
  readonly callbacks: Callbacks;
  /** Takes the configuration's secrets out of what is shown. */
  readonly redact: Redact;
}
