/** A gateway over a backend that a test writes as plain functions, with a store in memory. */
import { pino } from "pino";
import type { Backend } from "../../src/adapter.ts";
import {
  DEFAULT_LIMITS,
  DEFAULT_TIMEOUTS,
  type AgentConfig,
  type Limits,
  type Timeouts,
} from "../../src/config/config.ts";
import type { VendorPush } from "../../src/config/push.ts";
import { AgentGateway } from "../../src/gateway/agent-gateway.ts";
import { Callbacks } from "../../src/gateway/push/callbacks.ts";
import type { Caller, Subscription } from "../../src/gateway/gateway.ts";
import type { Message, StreamEvent, Task } from "../../src/protocol/model.ts";
import type { MessageSendParams } from "../../src/protocol/params.ts";
import type { PushPolicy } from "../../src/push/create-push.ts";
import { createRedactor } from "../../src/southbound/redact.ts";
import { CardMemory } from "../../src/store/card-memory.ts";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import type { TaskStore } from "../../src/store/store.ts";

let count = 0;
const mint = { now: () => Date.now(), newId: () => `minted-${++count}` };

export interface FakeAgentOptions {
  readonly timeouts?: Partial<Timeouts>;
  readonly limits?: Partial<Limits>;
  readonly onDisconnect?: "continue" | "cancel";
  readonly store?: TaskStore;
  /** For how long the vendor allows its card to be kept, ms. */
  readonly cardAge?: () => number | undefined;
  readonly push?: PushPolicy;
  readonly vendorPush?: VendorPush;
  /** Of the configuration. */
  readonly secrets?: readonly string[];
}

export async function gatewayOver(backend: Partial<Backend>, options: FakeAgentOptions = {}) {
  const agent: AgentConfig = {
    name: "fake",
    adapter: "fake",
    url: "http://127.0.0.1:1",
    card: { urls: [] },
    credentials: { type: "none" },
    options: {},
    timeouts: { ...DEFAULT_TIMEOUTS, linger: 30, poll: 10, nonBlocking: 50, ...options.timeouts },
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    onDisconnect: options.onDisconnect ?? "continue",
    ...(options.vendorPush && { vendorPush: options.vendorPush }),
  };
  const store = options.store ?? (await openSqliteStore({ path: ":memory:", synchronous: "normal" }));
  const complete: Backend = { card: () => Promise.reject(new Error("no card")), ...backend };
  const callbacks = new Callbacks();
  const context = {
    agent,
    backend: complete,
    store,
    cards: new CardMemory(":memory:"),
    cardAge: options.cardAge,
    callbacks,
    mint,
    log: pino({ level: "silent" }),
    redact: createRedactor(options.secrets ?? []),
    push: options.push,
  };
  return { gateway: new AgentGateway(context), store, callbacks };
}

export function callerOf(principal = "anonymous") {
  const controller = new AbortController();
  const caller: Caller = { principal, extensions: [], signal: controller.signal };
  return { caller, disconnect: () => controller.abort() };
}

export const params = (
  text: string,
  more: Partial<Message> = {},
  configuration?: MessageSendParams["configuration"],
): MessageSendParams => ({
  message: {
    kind: "message",
    messageId: `message-${++count}`,
    role: "user",
    parts: [{ kind: "text", text }],
    ...more,
  },
  ...(configuration ? { configuration } : {}),
});

export function asTask(result: Task | Message): Task {
  if (result.kind !== "task") throw new Error("a Task was expected");
  return result;
}

/** The next event of a subscription, one at a time. */
export function reader(subscription: Subscription) {
  const pending: StreamEvent[] = [];
  return {
    async next(): Promise<StreamEvent | undefined> {
      if (pending.length === 0) {
        const batch = await subscription.next();
        pending.push(...(batch ?? []).map(({ json }) => JSON.parse(json) as StreamEvent));
      }
      return pending.shift();
    },
    async rest(): Promise<StreamEvent[]> {
      const events: StreamEvent[] = [];
      for (let event = await this.next(); event; event = await this.next()) events.push(event);
      return events;
    },
    close: () => subscription.close(),
  };
}

export const textOf = (task: Task): string =>
  (task.artifacts ?? [])
    .flatMap(({ parts }) => parts.map((part) => (part.kind === "text" ? part.text : "")))
    .join("");
