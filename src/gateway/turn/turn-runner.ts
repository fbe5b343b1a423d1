/**
 * One turn of a task while it runs: reads the agent, keeps the stream in order, the store up to date and the listeners
 * informed. Goes on without listeners; ends in exactly one final state, whatever happens to the agent.
 */
import type { AgentEvent, VendorTask } from "../../adapter.ts";
import { NO_PLACE, type Placed } from "../../collections/bag.ts";
import { settlesWithin, startTimer } from "../../lib/timers.ts";
import { A2AError } from "../../protocol/errors.ts";
import { isFinal } from "../../protocol/states.ts";
import { isStoreUnavailable, untilStored } from "../../store/until-stored.ts";
import { FORGOTTEN } from "../agent/agent-call.ts";
import { AgentCalls } from "../agent/agent-calls.ts";
import { breakOf, cutShort, isForgotten, mayHaveArrived } from "../agent/fault.ts";
import { ENDED_EARLY, followTask, StandstillError } from "../agent/follow.ts";
import type { EngineContext } from "../gateway.ts";
import { VendorIds } from "./id-mapper.ts";
import { type Origin, PublishedTask } from "./published-task.ts";
import { drainLateEvents, fillGaps, type LateEvents, readAnswer } from "./reading.ts";
import type { FirstResult, Lease, Turn, TurnDeps, TurnEnd } from "./turn.ts";
import { totalTimeout } from "./turn.ts";

/** Closes the connection to an agent that would send on. */
const taskIsOver = new A2AError("agent-unavailable", { message: "The task is over" });

export class TurnRunner implements Placed {
  place = NO_PLACE;
  readonly #context: EngineContext;
  readonly #ids: TurnDeps["ids"];
  readonly #leases: TurnDeps["leases"];
  readonly #turn: Turn;
  readonly #calls: AgentCalls;
  readonly #vendor: VendorIds;
  readonly #firstResult = Promise.withResolvers<FirstResult>();
  readonly #done = Promise.withResolvers<void>();
  /** The right to run the task, held until the turn is over; undefined until there is a task. */
  #lease: Lease | undefined;
  #starting: Promise<PublishedTask> | undefined;
  #task: PublishedTask | undefined;
  /** What the turn comes to is decided: nothing is published any more. */
  #isDecided = false;
  #end: TurnEnd | undefined;
  /** The turn ends here, and the task goes on after the next start. */
  #isSuspended = false;
  /** The agent's stream after a final state, with the event that was being waited for. */
  #late: LateEvents | undefined;

  constructor({ context, ids, leases }: TurnDeps, turn: Turn) {
    this.#context = context;
    this.#ids = ids;
    this.#leases = leases;
    this.#turn = turn;
    const lease = turn.existing?.lease ?? turn.claimed;
    if (lease) this.#hold(lease);
    const record = turn.existing?.record;
    this.#calls = new AgentCalls(context, turn, record?.callback);
    const minted = context.backend.clientMintsTaskIds ? turn.newIds.taskId : undefined;
    this.#vendor = new VendorIds(record, minted, turn.send?.params.message.contextId);
    // A turn that fails when its client has gone: nobody waits for the result.
    this.#firstResult.promise.catch(() => {});
  }

  /** Resolves once clients can know of the task, or with the lone Message; rejects if nothing came of the turn. */
  get firstResult(): Promise<FirstResult> {
    return this.#firstResult.promise;
  }

  /** Resolves when the turn is over; never rejects. */
  get done(): Promise<void> {
    return this.#done.promise;
  }

  /** The task; undefined until the agent has answered or `publish` was called. */
  get task(): PublishedTask | undefined {
    return this.#task;
  }

  /** The turn begins with a Task of its own in the log, as one that merely follows a task does not. */
  get opens(): boolean {
    return this.#turn.send !== undefined;
  }

  /** How the message is being sent. */
  get mode(): "stream" | "send" | undefined {
    return this.#calls.mode;
  }

  get vendorTask(): VendorTask | undefined {
    return this.#vendor.task;
  }

  /** Works until the turn is over. */
  async run(): Promise<void> {
    const { agent } = this.#context;
    const total = startTimer(agent.timeouts.total, () => void this.stop(totalTimeout(agent.name)));
    try {
      await this.#work();
      if (this.#task) await fillGaps(this.#context, this.#task, this.#calls, this.vendorTask);
      await this.#finish();
    } catch (error) {
      await this.#fail(A2AError.from(error));
    } finally {
      clearTimeout(total);
      if (this.#lease) this.#leases.release(this.#lease);
      this.#done.resolve();
      if (!this.#isSuspended) this.#calls.release(this.vendorTask);
      if (this.#late && this.#task) await drainLateEvents(this.#context, this.#task, this.#late);
      this.#calls.abort(taskIsOver);
    }
  }

  /** Makes the task known to clients although the agent has not answered yet; `firstResult` tells whether it came to that. */
  async publish(): Promise<void> {
    if (this.#isDecided) return;
    const task = await this.#start(undefined);
    if (!this.#isDecided) await task.publish();
  }

  /** Ends the turn from this side, in this state; what the agent has already announced wins. */
  stop(end: TurnEnd): Promise<void> {
    this.#end ??= end;
    this.#calls.abort(new A2AError("agent-unavailable", { message: end.text, data: end.data }));
    this.#task?.feed.unblock();
    return this.done;
  }

  /**
   * Ends the turn because the proxy stops. If the agent can be asked for the task after the next start, the task is left
   * as it is; otherwise it ends in this state.
   */
  shutDown(end: TurnEnd): Promise<void> {
    this.#isSuspended = this.#context.store.isDurable && this.#canAsk && !this.#task?.normalizer.held;
    return this.stop(end);
  }

  /** Ends the turn for a client, in the state that the agent has answered; canceled if it has answered none. */
  async cancel(report: AgentEvent | undefined): Promise<void> {
    const { agent, store } = this.#context;
    if (report?.kind === "task") await this.take(report);
    if (report?.kind === "task" && !isFinal(report.status.state)) {
      // The agent has accepted the cancellation and will say so on its stream.
      await settlesWithin(agent.timeouts.request, this.done);
      return;
    }
    const stopped = this.stop({ state: "canceled", text: "Canceled by the client" });
    const isStored = await settlesWithin(agent.timeouts.request, stopped);
    if (!isStored && store.health.trouble !== undefined) throw new A2AError("store-unavailable");
  }

  /** Takes what the agent says, here or in answer to another call; a promise only if there is something to wait for. */
  take(event: AgentEvent): Promise<void> | undefined {
    this.#vendor.note(event);
    return this.#task ? this.#task.take(event) : this.#start(event).then((task) => task.take(event));
  }

  async #work(): Promise<void> {
    const { send, report } = this.#turn;
    const { log, agent } = this.#context;
    if (!send) return await this.#follow(undefined, report);
    try {
      const answer = await this.#calls.message(send.params, send.mode);
      this.#late = await readAnswer(this.#context, answer, this);
    } catch (error) {
      if (this.#task?.normalizer.held) return;
      if (this.#turn.existing && isForgotten(error)) {
        log.info({ err: error, taskId: this.#turn.existing.record.id }, "the agent no longer knows the task");
        return await this.take(FORGOTTEN);
      }
      if (this.#end || !this.#canAsk || !mayHaveArrived(error)) throw error;
      log.info({ err: error, taskId: this.#task?.state.id }, "the call broke; asking for the task");
      await this.#followBroken(error);
      return;
    }
    const outcome = this.#task?.normalizer.outcome ?? "empty";
    if (outcome === "empty") throw cutShort(agent.name, "The agent ended its answer without an event");
    const streamed = outcome === "unfinished" && this.mode === "stream";
    const taskId = this.#task?.state.id;
    if (streamed && this.#canAsk) log.info({ taskId }, `${ENDED_EARLY}; asking for the task`);
    if (outcome === "unfinished" || (outcome === "replied" && this.#canAsk))
      await this.#follow(streamed ? ENDED_EARLY : undefined);
  }

  /** Where the agent cannot tell of the task either, what broke the call is what has gone wrong. */
  async #followBroken(cause: unknown): Promise<void> {
    try {
      await this.#follow(this.mode === "stream" ? breakOf(cause) : undefined);
    } catch (error) {
      throw error instanceof StandstillError ? error : cause;
    }
  }

  /** The agent knows the task by an id and can be asked for it. */
  get #canAsk(): boolean {
    const { backend } = this.#context;
    const hasMethod = backend.getTask !== undefined || backend.resubscribe !== undefined;
    return hasMethod && this.#vendor.taskId !== undefined;
  }

  /** @param broken what became of the agent's stream in this turn, if there was one */
  async #follow(broken: string | undefined, report?: AgentEvent): Promise<void> {
    const task = this.vendorTask;
    if (report) await this.take(report);
    else if (!this.#turn.send) await this.publish();
    if (this.#task?.normalizer.held) return;
    if (!task || !this.#canAsk) {
      throw cutShort(this.#context.agent.name, `${ENDED_EARLY} and cannot report on the task`);
    }
    this.#calls.losses.note();
    if (await this.#calls.subscribe(task)) await this.#task?.keepCallback();
    const following = { task, broken, isKnown: report !== undefined };
    for await (const news of followTask(this.#context, this.#calls, following)) {
      await this.#task?.feed.room();
      await this.take(news);
      if (this.#task?.normalizer.held) return;
    }
  }

  /** The turn's task, made once. @param event what the agent has said first; undefined before it has said anything */
  #start(event: AgentEvent | undefined): Promise<PublishedTask> {
    return (this.#starting ??= this.#publishFor(event));
  }

  async #publishFor(event: AgentEvent | undefined): Promise<PublishedTask> {
    const { principal, send, listened, push, reason, existing } = this.#turn;
    const origin = existing?.record ?? (await this.#newTask(event));
    this.#task = await PublishedTask.begin(this.#context, origin, {
      principal,
      vendor: this.#vendor,
      calls: this.#calls,
      message: send?.message,
      logging: listened,
      push,
      recovered: reason !== undefined,
      onAnnounced: () => this.#firstResult.resolve({ kind: "task" }),
    });
    return this.#task;
  }

  async #newTask(event: AgentEvent | undefined): Promise<Origin> {
    const named = { taskId: this.#vendor.taskId, contextId: event?.contextId };
    const { lease, origin } = await this.#ids.newTask(this.#turn, named);
    this.#hold(lease);
    return origin;
  }

  #hold(lease: Lease): void {
    this.#lease = lease;
    this.#leases.begin(lease, this);
  }

  async #finish(): Promise<void> {
    this.#isDecided = true;
    const task = this.#task;
    if (!task) throw new A2AError("internal-error");
    const { contextId } = task.state;
    const { contextId: vendorContextId = contextId } = this.#vendor;
    const isMessage = task.normalizer.outcome === "message" && !this.#turn.claimed;
    if (this.#turn.send && this.#vendor.contextId === undefined) this.#ids.newContexts.noteUnnamed();
    // No record of a task keeps the context that a Message belongs to.
    if (isMessage || vendorContextId !== contextId) {
      const { principal } = this.#turn;
      const context = { principal, contextId, vendorContextId };
      await untilStored(this.#context.store.health, () => this.#ids.rememberContext(context));
    }
    const message = isMessage ? task.normalizer.takeMessage(contextId) : undefined;
    if (message) this.#firstResult.resolve({ kind: "message", message });
    else await task.finish();
  }

  /** Nothing came of the turn if no client knows of it; otherwise it ends in a state that says why. */
  async #fail(fault: A2AError): Promise<void> {
    this.#isDecided = true;
    // A task that is just being made is waited for: it would be left without an end.
    const starting = this.#isSuspended ? this.#start(undefined) : this.#starting;
    const task = await starting?.catch(() => undefined);
    const isUnknown = isStoreUnavailable(fault) && !task?.announced;
    if (!task || isUnknown || !(task.normalizer.opened || this.#isSuspended)) {
      this.#firstResult.reject(fault);
      task?.feed.breakOff(fault);
      return;
    }
    try {
      await (this.#isSuspended ? task.suspend() : this.#conclude(task, fault));
    } catch (cause) {
      this.#context.log.error({ err: cause, taskId: task.state.id }, "a task's end could not be stored");
      this.#firstResult.reject(A2AError.from(cause));
      task.feed.breakOff(A2AError.from(cause));
    }
  }

  async #conclude(task: PublishedTask, fault: A2AError): Promise<void> {
    const { log } = this.#context;
    const why = [this.#turn.reason, fault.message].filter(Boolean).join(": ");
    const { state, text } = this.#end ?? { state: "failed" as const, text: why };
    const level = fault.isOwnFault ? "error" : "info";
    if (state === "canceled") log.debug({ taskId: task.state.id }, text);
    else log[level]({ err: fault, taskId: task.state.id }, "a task ended without the agent's word");
    await task.conclude(state, text);
  }
}
