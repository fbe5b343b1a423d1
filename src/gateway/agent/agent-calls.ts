/**
 * The calls to the agent that one turn makes, one at a time and each within its time. A message goes by the agent's stream
 * or its plain send; a method that the agent turns out not to have is passed over.
 */
import type { AgentEvent, AgentTask, Call, VendorTask } from "../../adapter.ts";
import { abortable } from "../../lib/abortable.ts";
import { settlesWithin } from "../../lib/timers.ts";
import { A2AError } from "../../protocol/errors.ts";
import type { MessageSendParams } from "../../protocol/params.ts";
import type { LostEvents } from "../../southbound/lost-events.ts";
import type { EngineContext } from "../gateway.ts";
import { AgentCall, callOf, type CallContext, type Events, TimedEvents } from "./agent-call.ts";
import { agentFault, isUnsupported } from "./fault.ts";
import { VendorCallback } from "./vendor-callback.ts";

type CallMode = "stream" | "send";

/** What the agent has begun to answer. */
export interface Answer {
  readonly first: IteratorResult<AgentEvent, void>;
  /** Undefined if there is one event alone. */
  readonly rest?: Events;
}

export class AgentCalls {
  readonly losses: Losses;
  /** Where the agent is to push; undefined if it is not to. */
  readonly callback: VendorCallback | undefined;
  readonly #context: EngineContext;
  readonly #callContext: CallContext;
  /** The call that is under way. */
  #open: AgentCall | undefined;
  /** Ends the pause between two calls. */
  #wake: (() => void) | undefined;
  #aborted: A2AError | undefined;
  #mode: CallMode | undefined;

  /** @param callbackDigest of the callback that the agent was given before a restart */
  constructor(context: EngineContext, callContext: CallContext, callbackDigest: string | undefined) {
    this.#context = context;
    this.losses = new Losses(context.lostEvents);
    this.#callContext = callContext;
    this.callback = VendorCallback.of(context);
    this.callback?.resume(callbackDigest);
  }

  /** By what the agent's callback is known again after a restart; undefined if it has none. */
  get callbackDigest(): string | undefined {
    return this.callback?.callback?.digest;
  }

  /** How the message is being sent. */
  get mode(): CallMode | undefined {
    return this.#mode;
  }

  /** Why the turn makes no calls any more. */
  get aborted(): A2AError | undefined {
    return this.#aborted;
  }

  /** Ends whatever call is under way, and every later one, with this error. */
  abort(reason: A2AError): void {
    this.#aborted ??= reason;
    this.#open?.break(this.#aborted);
    this.#wake?.();
  }

  /** Sends the message; resolves once the agent has begun to answer. Tries `preferred` first, unless `sendBy` decides. */
  async message(message: MessageSendParams, preferred: CallMode): Promise<Answer> {
    const { backend } = this.#context;
    const params = this.callback?.enclosed(message) ?? message;
    const modes: CallMode[] = preferred === "stream" ? ["stream", "send"] : ["send", "stream"];
    if (backend.sendBy === "stream") modes.splice(0, modes.length, "stream");
    let refusal: unknown;
    for (const mode of modes) {
      if (!backend[mode]) continue;
      this.#mode = mode;
      try {
        if (mode === "send") return { first: { done: false, value: await this.#send(params) } };
        const rest = this.#timed((call) => backend.stream?.(params, call));
        return { first: await rest.next(), rest };
      } catch (error) {
        if (!isUnsupported(error)) throw error;
        refusal ??= error;
      }
    }
    throw (
      refusal ?? new A2AError("unsupported-operation", { message: "The agent can neither send nor stream" })
    );
  }

  /** The stream of a task that the agent is working on. */
  resubscribe(task: VendorTask): Events {
    return this.#timed((call) => this.#context.backend.resubscribe?.(task, call));
  }

  /** The task as the agent has it now. */
  async report(task: VendorTask): Promise<AgentTask> {
    const { backend, agent } = this.#context;
    return await this.#unary(this.#begin(agent.timeouts.request, "request"), async (call) => {
      if (!backend.getTask) throw new A2AError("unsupported-operation");
      return await backend.getTask(task, call);
    });
  }

  /** If the agent is to push and does not yet, has it do so; resolves with whether it does now. */
  async subscribe(task: VendorTask): Promise<boolean> {
    const { callback } = this;
    if (!callback || this.callbackDigest !== undefined) return false;
    const open = this.#begin(this.#context.agent.timeouts.request, "request");
    await callback.subscribe(task, open.call).finally(() => this.#end(open));
    if (this.#aborted) throw this.#aborted;
    return this.callbackDigest !== undefined;
  }

  /** The turn is over: the agent need not push any more. */
  release(task: VendorTask | undefined): void {
    if (this.callbackDigest === undefined) return;
    const signal = AbortSignal.timeout(this.#context.agent.timeouts.request);
    this.callback?.release(task, callOf(this.#callContext, signal));
  }

  /** Waits for so many ms, or until `sooner`; throws if the turn is ended meanwhile. */
  async pause(ms: number, ...sooner: readonly Promise<unknown>[]): Promise<void> {
    const over = new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    await settlesWithin(ms, Promise.race([over, ...sooner]));
    if (this.#aborted) throw this.#aborted;
  }

  async #send(params: MessageSendParams): Promise<AgentEvent> {
    const { backend, agent } = this.#context;
    const open = this.#begin(agent.timeouts.total, "total");
    this.losses.watch(open.call.signal);
    return await this.#unary(open, async (call) => {
      if (!backend.send) throw new A2AError("unsupported-operation");
      return await backend.send(params, call);
    });
  }

  async #unary<T>(open: AgentCall, request: (call: Call) => Promise<T>): Promise<T> {
    try {
      return await abortable(request(open.call), open.call.signal);
    } catch (error) {
      throw this.#fault(error);
    } finally {
      this.#end(open);
    }
  }

  #timed(start: (call: Call) => AsyncIterable<AgentEvent> | undefined): Events {
    const { timeouts } = this.#context.agent;
    const open = this.#begin(timeouts.firstEvent, "firstEvent");
    const done = (): void => this.#end(open);
    const fault = (error: unknown): A2AError => this.#fault(error);
    try {
      this.losses.watch(open.call.signal);
      const events = start(open.call);
      if (!events) throw new A2AError("unsupported-operation");
      return new TimedEvents(events, { open, idle: timeouts.idle, done, fault });
    } catch (error) {
      done();
      throw fault(error);
    }
  }

  #fault(error: unknown): A2AError {
    return this.#aborted ?? this.callback?.fault(error) ?? agentFault(error, this.#context);
  }

  #begin(ms: number, timeout: string): AgentCall {
    if (this.#aborted) throw this.#aborted;
    this.#open = new AgentCall(this.#context, this.#callContext, ms, timeout);
    return this.#open;
  }

  #end(open: AgentCall): void {
    open.done();
    if (this.#open === open) this.#open = undefined;
  }
}

/** Whether events of a turn may have been lost: one could not be read, or a stream was resumed. */
export class Losses {
  readonly #source: LostEvents | undefined;
  #isNew = false;
  #isDamaged = false;

  /** @param source tells of events that could not be read */
  constructor(source: LostEvents | undefined) {
    this.#source = source;
  }

  /** An event of the turn could not be read. It may have stood behind events that are still waiting to be. */
  get isDamaged(): boolean {
    return this.#isDamaged;
  }

  /** Listens for events of the call's stream that cannot be read. */
  watch(signal: AbortSignal): void {
    this.#source?.listen(signal, () => {
      this.#isDamaged = true;
      this.note();
    });
  }

  note(): void {
    this.#isNew = true;
  }

  /** Whether anything was lost since this was last asked. */
  take(): boolean {
    const isNew = this.#isNew;
    this.#isNew = false;
    return isNew;
  }
}
