/** What all parts of one agent's task engine share. */
import type { Logger } from "pino";
import type { Backend } from "../adapter.ts";
import type { AgentConfig } from "../config/config.ts";
import type { PushPolicy } from "../push/create-push.ts";
import type { LostEvents } from "../southbound/lost-events.ts";
import type { Redact } from "../southbound/redact.ts";
import type { CardMemory } from "../store/card-memory.ts";
import type { TaskStore } from "../store/store.ts";
import type { Callbacks } from "./push/callbacks.ts";
import type { Mint } from "./task/fill-missing.ts";

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
