/**
 * One turn of a task while it runs: reads the agent, keeps the stream in order, the store up to date and the listeners
 * informed. Goes on without listeners; ends in exactly one final state, whatever happens to the agent.
 */
import type { AgentEvent, VendorTask } from "../../adapter.ts";
import { NO_PLACE, type Placed } from "../../collections/bag.ts";
import { A2AError } from "../../protocol/errors.ts";
import { isFinal } from "../../protocol/states.ts";
import type { EngineContext } from "../context.ts";
import { fillGaps } from "./reading.ts";
import type { IdMapper } from "./id-mapper.ts";
import { drainLateEvents, type LateEvents } from "./reading.ts";
import type { Events } from "../agent/timed-events.ts";
import type { Lease } from "./leases.ts";
import type { PublishedTask } from "./published-task.ts";
import { readAnswer } from "./reading.ts";
import { FORGOTTEN, isForgotten } from "./refresh.ts";
import { StandstillError } from "../agent/standstill.ts";
import { startTask } from "./start-task.ts";
import { cutShort, type FirstResult, totalTimeout, type Turn, type TurnEnd } from "./turn.ts";
import { concludeTask, suspendTask } from "./turn-end.ts";
import { breakOf, ENDED_EARLY, mayHaveArrived, AgentCalls } from "../agent/agent-calls.ts";
import { isStoreUnavailable, untilStored } from "../../store/until-stored.ts";
import { VendorIds } from "./id-mapper.ts";

/** Closes the connection to an agent that would send on. */
const taskIsOver = new A2AError("agent-unavailable", { message: "The task is over" });

export class TurnRunner implements Placed {
  place = NO_PLACE;
  readonly #context: EngineContext;
  readonly #ids: IdMapper;
  readonly #turn: Turn;
  readonly #calls: AgentCalls;
  readonly #firstResult = Promise.withResolvers<FirstResult>();
  readonly #done = Promise.withResolvers<void>();
  readonly #onTask: (lease: Lease) => void;
  readonly #vendor: VendorIds;
  #begun: Promise<PublishedTask> | undefined;
  #task: PublishedTask | undefined;
  #lease: Lease | undefined;
  /** What the turn comes to is decided: nothing is published any more. */
  #decided = false;
  #end: TurnEnd | undefined;
  /** The turn ends here, and the task goes on after the next start. */
  #isSuspended = false;
  #agentEnded = false;
  /** The agent's stream after a final state, with the event that was being waited for. */
  #late: LateEvents | undefined;

  /** @param onTask called once, when the run has become a task that clients can know of */
  constructor(context: EngineContext, ids: IdMapper, turn: Turn, onTask: (lease: Lease) => void) {
    this.#context = context;
    this.#ids = ids;
    this.#turn = turn;
    this.#onTask = onTask;
    const { record, lease } = turn.existing ?? {};
    this.#lease = lease;
    this.#calls = new AgentCalls(context, turn, record?.callback, () => this.#task?.keepCallback());
    const minted = context.backend.clientMintsTaskIds ? turn.newIds.taskId : undefined;
    this.#vendor = new VendorIds(record, minted, turn.send?.params.message.contextId);
    this.#firstResult.promise.catch(() => {});
  }

  /** Resolves once clients can know of the task, or with the lone Message; rejects where nothing came of the turn. */
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

  /** The right to run the task; undefined until there is one. */
  get lease(): Lease | undefined {
    return this.#lease;
  }

  /** The agent has said that nothing follows. */
  get agentEnded(): boolean {
    return this.#agentEnded;
  }

  /** The turn has an opening of its own in the log, as one that merely follows a task has not. */
  get opens(): boolean {
    return this.#turn.send !== undefined;
  }

  /** How the agent is being called. */
  get mode(): "stream" | "send" | undefined {
    return this.#calls.mode;
  }

  get vendorTask(): VendorTask | undefined {
    return this.#vendor.task;
  }

  /** Works until the turn is over. */
  async run(): Promise<void> {
    const { deadlines, agent } = this.#context;
    const total = deadlines.start(agent.timeouts.total, () => this.stop(totalTimeout(agent.name)));
    try {
      await this.#work();
      if (this.#task) await fillGaps(this.#context, this.#task, this.#calls, this.vendorTask);
      await this.#finish();
    } catch (error) {
      await this.#fail(A2AError.from(error));
    } finally {
      total.cancel();
      this.#done.resolve();
      if (!this.#isSuspended) this.#calls.release(this.vendorTask);
      if (this.#late && this.#task) await drainLateEvents(this.#context, this.#task, this.#late);
      this.#calls.abort(taskIsOver);
    }
  }

  /** Makes the task known to clients although the agent has not answered yet; `firstResult` tells whether it came to that. */
  async publish(): Promise<void> {
    if (this.#decided) return;
    const task = await this.#begin(undefined);
    if (!this.#decided) await task.publish();
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

  /** Takes what the agent says, here or in answer to another call; a promise only where there is something to wait for. */
  take(event: AgentEvent): Promise<void> | undefined {
    this.#vendor.note(event);
    if (event.kind === "status-update" && event.final && !isFinal(event.status.state))
      this.#agentEnded = true;
    if (this.#task) return this.#task.take(event);
    return this.#begin(event).then((task) => task.take(event));
  }

  async #work(): Promise<void> {
    const { send, report } = this.#turn;
    const { log, agent } = this.#context;
    if (!send) {
      await this.#follow(undefined, report);
      return;
    }
    try {
      const events = await this.#calls.turn(send.params, send.mode);
      this.#late = await readAnswer(this.#context, events, this);
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
    if (streamed && this.#canAsk)
      log.info({ taskId: this.#task?.state.id }, `${ENDED_EARLY}; asking for the task`);
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
    this.#agentEnded = false;
    await this.#watch(this.#calls.follow(task, { broken, isKnown: report !== undefined }));
  }

  /** Reads until the task has a final state. */
  async #watch(reports: Events): Promise<void> {
    for await (const report of reports) {
      await this.#task?.feed.room();
      await this.take(report);
      if (this.#task?.normalizer.held) return;
    }
  }

  #begin(event: AgentEvent | undefined): Promise<PublishedTask> {
    this.#begun ??= startTask(
      {
        context: this.#context,
        ids: this.#ids,
        turn: this.#turn,
        vendor: this.#vendor,
        callback: () => this.#calls.callbackDigest,
        takeLoss: () => this.#calls.losses.take(),
        onAnnounced: (lease) => {
          this.#onTask(lease);
          this.#firstResult.resolve({ kind: "task" });
        },
      },
      event,
    ).then(({ task, lease }) => {
      this.#lease = lease;
      return (this.#task = task);
    });
    return this.#begun;
  }

  async #finish(): Promise<void> {
    this.#decided = true;
    const task = this.#task;
    if (!task) throw new A2AError("internal-error");
    const { contextId } = task.state;
    const { contextId: vendorContextId = contextId } = this.#vendor;
    const isMessage = task.normalizer.outcome === "message";
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

  /** Nothing came of the turn where no client knows of it; otherwise it ends in a state that says why. */
  async #fail(fault: A2AError): Promise<void> {
    this.#decided = true;
    // A task that is just being made is waited for: it would be left without an end.
    const begun = this.#isSuspended ? this.#begin(undefined) : this.#begun;
    const task = await begun?.catch(() => undefined);
    const isUnknown = isStoreUnavailable(fault) && !task?.announced;
    if (!task || isUnknown || !(task.normalizer.opened || this.#isSuspended)) {
      this.#firstResult.reject(fault);
      task?.feed.breakOff(fault);
      return;
    }
    const text = [this.#turn.reason, fault.message].filter(Boolean).join(": ");
    try {
      if (this.#isSuspended) await suspendTask(this.#context, task);
      else await concludeTask(this.#context, task, this.#end ?? { state: "failed", text }, fault);
    } catch (cause) {
      this.#context.log.error({ err: cause, taskId: task.state.id }, "a task's end could not be stored");
      this.#firstResult.reject(A2AError.from(cause));
      task.feed.breakOff(A2AError.from(cause));
    }
  }
}
