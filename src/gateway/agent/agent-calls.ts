/**
 * One turn's events from the agent, by whatever way the agent has: its stream, its plain send, or, once a task is
 * known there, resubscribing and polling, or asking whenever the vendor pushes. Times each way; what an agent turns out
 * not to have is passed over.
 */
import type { AgentEvent, AgentTask, Call, VendorTask } from "../../adapter.ts";
import { abortable } from "../../lib/abortable.ts";
import { A2AError } from "../../protocol/errors.ts";
import type { MessageSendParams } from "../../protocol/params.ts";
import { agentFault } from "./fault.ts";
import type { EngineContext } from "../context.ts";
import { Losses } from "./losses.ts";
import { callOf, AgentCall, type CallContext } from "./agent-call.ts";
import { Standstill } from "./standstill.ts";
import { BegunEvents, TimedEvents, type Events } from "./timed-events.ts";
import { VendorCallback } from "./vendor-callback.ts";

type CallMode = "stream" | "send";

/** Failed looks at the agent in a row before it is given up. */
export const MAX_POLL_FAILURES = 5;

/** ms between two looks at an agent that was there before and now refuses connections. */
const REFUSED_PAUSE = 250;

/** ms; notifications in such a row are one reason to look. */
const RING_GAP = 200;

/** The agent does not have the method; calling it did nothing there. */
export const isUnsupported = (error: unknown): boolean =>
  error instanceof A2AError && (error.code === "unsupported-operation" || error.code === "method-not-found");

/** The connection failed, or the agent is overloaded: the task may be well, and asking again may tell. */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof A2AError)) return false;
  if (error.code === "agent-unavailable") return true;
  if (error.code !== "invalid-agent-response") return false;
  const { stage, status } = error.data ?? {};
  if (stage !== "response") return true;
  return typeof status === "number" && (status >= 500 || status === 429);
}

const stageOf = (error: unknown): unknown => (error instanceof A2AError ? error.data?.["stage"] : undefined);

/** What broke a stream, as a sentence; undefined if the agent was only silent for too long. */
export const breakOf = (error: unknown): string | undefined =>
  error instanceof A2AError && stageOf(error) !== "timeout" ? error.message : undefined;

/** What became of a stream that the agent has ended too early, as a sentence. */
export const ENDED_EARLY = "The agent ended its stream without a final state";

const NEVER_SENT: ReadonlySet<unknown> = new Set(["dns", "connect", "tls"]);

/** The call broke after the agent may have taken it up. */
export const mayHaveArrived = (error: unknown): boolean =>
  isTransient(error) && !NEVER_SENT.has(stageOf(error));

/** Why and how a task is followed. */
export interface Following {
  /** What became of the agent's stream of the task, if there was one. */
  readonly broken: string | undefined;
  /** The agent's record has just been read. */
  readonly isKnown: boolean;
}

export class AgentCalls {
  readonly losses: Losses;
  readonly #context: EngineContext;
  readonly #extras: CallContext;
  /** The call that is under way. */
  #open: AgentCall | undefined;
  /** Ends the pause between two calls. */
  #wake: (() => void) | undefined;
  #aborted: A2AError | undefined;
  #mode: CallMode | undefined;
  readonly #callback: VendorCallback | undefined;

  readonly #keepCallback: () => Promise<void> | undefined;

  /**
   * @param digest of the callback that the vendor was given before a restart
   * @param keepCallback writes the digest of a new one down
   */
  constructor(
    context: EngineContext,
    extras: CallContext,
    digest: string | undefined,
    keepCallback: () => Promise<void> | undefined,
  ) {
    this.#context = context;
    this.losses = new Losses(context.lostEvents);
    this.#extras = extras;
    this.#keepCallback = keepCallback;
    this.#callback = VendorCallback.of(context);
    this.#callback?.resume(digest);
  }

  /** By what the vendor's callback is known again after a restart; undefined where it has none. */
  get callbackDigest(): string | undefined {
    return this.#callback?.callback?.digest;
  }

  /** The way `turn` is taking. */
  get mode(): CallMode | undefined {
    return this.#mode;
  }

  /** Ends whatever call is under way, and every later one, with this error. */
  abort(reason: A2AError): void {
    this.#aborted ??= reason;
    this.#open?.break(this.#aborted);
    this.#wake?.();
  }

  /** Sends the message; resolves once the agent has begun to answer. Tries `preferred` first, unless `sendBy` decides. */
  async turn(message: MessageSendParams, preferred: CallMode): Promise<Events> {
    const { backend } = this.#context;
    const params = this.#callback?.enclosed(message) ?? message;
    const modes: CallMode[] = preferred === "stream" ? ["stream", "send"] : ["send", "stream"];
    if (backend.sendBy === "stream") modes.splice(0, modes.length, "stream");
    let refusal: unknown;
    for (const mode of modes) {
      if (!backend[mode]) continue;
      this.#mode = mode;
      try {
        if (mode === "send") return new BegunEvents({ done: false, value: await this.#send(params) });
        const events = this.#timed((call) => backend.stream?.(params, call));
        return new BegunEvents(await events.next(), events);
      } catch (error) {
        if (!isUnsupported(error)) throw error;
        refusal ??= error;
      }
    }
    throw (
      refusal ?? new A2AError("unsupported-operation", { message: "The agent can neither send nor stream" })
    );
  }

  /** The turn is over: the vendor need not call any more. */
  release(task: VendorTask | undefined): void {
    if (this.callbackDigest === undefined) return;
    const signal = AbortSignal.timeout(this.#context.agent.timeouts.request);
    this.#callback?.release(task, callOf(this.#extras, signal));
  }

  /**
   * Yields the task as the agent reports it, again and again; ends only by an error or when left. What was missed is
   * asked for before the stream is resumed, since a resumed stream need not repeat it.
   */
  async *follow(task: VendorTask, { broken, isKnown }: Following): AsyncGenerator<AgentEvent, void, void> {
    const { backend, log } = this.#context;
    this.losses.note();
    await this.#subscribe(task);
    let cut = broken;
    if (backend.resubscribe && !this.#callback?.callback) {
      if (backend.getTask && !isKnown) yield* this.#reportOnce(task);
      try {
        yield* this.#timed((call) => backend.resubscribe?.(task, call));
        cut ??= ENDED_EARLY;
      } catch (error) {
        if (this.#aborted) throw error;
        if (stageOf(error) === "body") cut ??= breakOf(error);
        log.debug({ err: error }, "the agent's stream could not be resumed");
      }
    }
    yield* this.#poll(task, cut);
  }

  /** The agent's record; nothing if it cannot be read. */
  async *#reportOnce(task: VendorTask): AsyncGenerator<AgentEvent, void, void> {
    const report = await this.report(task).catch((error: unknown) => {
      this.#context.log.debug({ err: error }, "the agent does not report on the task");
    });
    if (this.#aborted) throw this.#aborted;
    if (report) yield report;
  }

  /** The task as the agent has it now. */
  async report(task: VendorTask): Promise<AgentTask> {
    const { backend } = this.#context;
    if (!backend.getTask) throw new A2AError("unsupported-operation");
    const open = this.#begin(this.#context.agent.timeouts.request, "request");
    try {
      return await abortable(backend.getTask(task, open.call), open.call.signal);
    } catch (error) {
      throw this.#fault(error);
    } finally {
      this.#end(open);
    }
  }

  /** Where the vendor is to push, has it call. */
  async #subscribe(task: VendorTask): Promise<void> {
    if (!this.#callback || this.callbackDigest !== undefined) return;
    const open = this.#begin(this.#context.agent.timeouts.request, "request");
    await this.#callback.subscribe(task, open.call).finally(() => this.#end(open));
    if (this.#aborted) throw this.#aborted;
    if (this.callbackDigest !== undefined) await this.#keepCallback();
  }

  /** Asks at once, then whenever the callback is rung, or else from time to time. */
  async *#poll(task: VendorTask, broken: string | undefined): AsyncGenerator<AgentEvent, void, void> {
    const { agent } = this.#context;
    const { callback, safetyPoll = 0 } = this.#callback ?? {};
    // An agent that calls back may be silent for as long as it works.
    const standstill =
      broken === undefined || callback ? undefined : new Standstill(broken, agent.timeouts.idle);
    for (let failures = 0; ;) {
      let pause = agent.timeouts.poll;
      let report: AgentTask | undefined;
      callback?.listen();
      try {
        report = await this.report(task);
        failures = 0;
      } catch (error) {
        failures += 1;
        if (this.#aborted || !isTransient(error) || failures >= MAX_POLL_FAILURES) throw error;
        // After a restart of the proxy the agent may be starting too.
        if (stageOf(error) === "connect" && this.#mode) pause = Math.min(pause, REFUSED_PAUSE);
      }
      if (report) {
        yield report;
        standstill?.see(report);
      }
      if (callback && failures === 0) {
        await this.pause(safetyPoll, callback.rung);
        await this.pause(RING_GAP);
      } else {
        await this.pause(pause);
      }
    }
  }

  /** Waits for so many ms, or until `sooner`; throws where the turn is ended meanwhile. */
  async pause(ms: number, ...sooner: readonly Promise<unknown>[]): Promise<void> {
    const over = new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    await this.#context.deadlines.wait(ms, Promise.race([over, ...sooner]));
    if (this.#aborted) throw this.#aborted;
  }

  async #send(params: MessageSendParams): Promise<AgentEvent> {
    const { backend, agent } = this.#context;
    if (!backend.send) throw new A2AError("unsupported-operation");
    const open = this.#begin(agent.timeouts.total, "total");
    this.losses.watch(open.call.signal);
    try {
      return await abortable(backend.send(params, open.call), open.call.signal);
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
    return this.#aborted ?? this.#callback?.fault(error) ?? agentFault(error, this.#context);
  }

  #begin(ms: number, timeout: string): AgentCall {
    if (this.#aborted) throw this.#aborted;
    this.#open = new AgentCall(this.#context, this.#extras, ms, timeout);
    return this.#open;
  }

  #end(open: AgentCall): void {
    open.done();
    if (this.#open === open) this.#open = undefined;
  }
}
