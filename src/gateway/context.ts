/** What all parts of one agent's task engine share. */
import type { Logger } from "pino";
import type { Backend } from "../adapter.ts";
import type { AgentConfig } from "../config/config.ts";
import type { PushPolicy } from "../push/create-push.ts";
import type { Redact } from "../southbound/redact.ts";
import type { TaskStore } from "../store/store.ts";
import type { Mint } from "./complete.ts";
import type { Deadlines } from "./deadlines.ts";

export interface EngineContext {
  readonly agent: AgentConfig;
  readonly backend: Backend;
  readonly store: TaskStore;
  readonly deadlines: Deadlines;
  readonly mint: Mint;
  readonly log: Logger;
  /** Absent where the operator has switched push notifications off. */
  readonly push?: PushPolicy | undefined;
  /** Takes the configuration's secrets out of what is shown. */
  readonly redact: Redact;
}
