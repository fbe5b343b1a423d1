/**
 * One turn of a task while it runs: reads the agent, keeps the stream in order, the store up to date and the listeners
 * informed. Goes on without listeners; ends in exactly one final state, whatever happens to the agent.
 */
import type { AgentEvent, VendorTask } from "../../adapter.ts";
import { NO_PLACE, type Placed } from "../../collections/bag.ts";
import { A2AError } from "../../protocol/errors.ts";
import { isFinal } from "../../protocol/states.ts";
import type { EngineContext } from "../context.ts";
import { fillGaps } from "./fill-gaps.ts";
import type { Identity } from "./id-mapper.ts";
import { keepLate, type LateEvents } from "./linger.ts";
import type { Events } from "../agent/timed-events.ts";
import type { Lease } from "./leases.ts";
import type { LiveTask } from "./published-task.ts";
import { readAnswer } from "./reading.ts";
import { FORGOTTEN, isForgotten } from "./refresh.ts";
import { StandstillError } from "../agent/standstill.ts";
import { startTask } from "./start-task.ts";
import { cutShort, type Opening, overtime, type Turn, type Verdict } from "./turn.ts";
import { concludeTask, suspendTask } from "./turn-end.ts";
import { breakOf, ENDED_EARLY, mayHaveArrived, Upstream } from "../agent/agent-calls.ts";
import { isStoreUnavailable, untilStored } from "../../store/until-stored.ts";
import { VendorIds } from "../agent/vendor-ids.ts";

/** Closes the connection to an agent that would send on. */
const taskIsOver = new A2AError("agent-unavailable", { message: "The task is over" });

export class TaskRun implements Placed {
  place = NO_PLACE;
  readonly #context: EngineContext;
  readonly #identity: Identity;
  readonly #turn: Turn;
  readonly #upstream: Upstream;
  readonly #opened = Promise.withResolvers<Opening>();
  readonly #done = Promise.withResolvers<void>();
  readonly #onTask: (lease: Lease) => void;
  readonly #vendor: VendorIds;
  #begun: Promise<LiveTask> | undefined;
  #task: LiveTask | undefined;
  #lease: Lease | undefined;
  /** What the turn comes to is decided: nothing is published any more. */
  #decided = false;
  #verdict: Verdict | undefined;
  /** The turn ends here, and the task goes on after the next start. */
  #isSuspended = false;
  #agentEnded = false;
  /** The agent's stream after a final state, with the event that was being waited for. */
  #late: LateEvents | undefined;

  /** @param onTask called once, when the run has become a task that clients can know of */
  constructor(context: EngineContext, identity: Identity, turn: Turn, onTask: (lease: Lease) => void) {
    this.#context = context;
    this.#identity = identity;
    this.#turn = turn;
    this.#onTask = onTask;
    const { record, lease } = turn.existing ?? {};
    this.#lease = lease;
    this.#upstream = new Upstream(context, turn, record?.callback, () => this.#task?.keepCallback());
    const minted = context.backend.clientMintsTaskIds ? turn.newIds.taskId : undefined;
    this.#vendor = new VendorIds(record, minted, turn.send?.params.message.contextId);
    this.#opened.promise.catch(() => {});
  }

  /** Resolves once clients can know of the task, or with the lone Message; rejects where nothing came of the turn. */
  get opened(): Promise<Opening> {
    return this.#opened.promise;
  }

  /** Resolves when the turn is over; never rejects. */
  get done(): Promise<void> {
    return this.#done.promise;
  }

  /** The task; undefined until the agent has answered or `publish` was called. */
  get task(): LiveTask | undefined {
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
  get way(): "stream" | "send" | undefined {
    return this.#upstream.way;
  }

  get vendorTask(): VendorTask | undefined {
    return this.#vendor.task;
  }

  /** Works until the turn is over. */
  async run(): Promise<void> {
    const { deadlines, agent } = this.#context;
    const total = deadlines.start(agent.timeouts.total, () => this.stop(overtime(agent.name)));
    try {
      await this.#work();
      if (this.#task) await fillGaps(this.#context, this.#task, this.#upstream, this.vendorTask);
      await this.#finish();
    } catch (error) {
      await this.#fail(A2AError.from(error));
    } finally {
      total.cancel();
      this.#done.resolve();
      if (!this.#isSuspended) this.#upstream.release(this.vendorTask);
      if (this.#late && this.#task) await keepLate(this.#context, this.#task, this.#late);
      this.#upstream.abort(taskIsOver);
    }
  }

  /** Makes the task known to clients although the agent has not answered yet; `opened` tells whether it came to that. */
  async publish(): Promise<void> {
    if (this.#decided) return;
    const task = await this.#begin(undefined);
    if (!this.#decided) await task.publish();
  }

  /** Ends the turn from this side, in this state; what the agent has already announced wins. */
  stop(verdict: Verdict): Promise<void> {
    this.#verdict ??= verdict;
    this.#upstream.abort(new A2AError("agent-unavailable", { message: verdict.text, data: verdict.data }));
    this.#task?.feed.unblock();
    return this.done;
  }

  /**
   * Ends the turn because the proxy stops. If the agent can be asked for the task after the next start, the task is left
   * as it is; otherwise it ends in this state.
   */
  shutDown(verdict: Verdict): Promise<void> {
    this.#isSuspended = this.#context.store.isDurable && this.#canAsk && !this.#task?.normalizer.held;
    return this.stop(verdict);
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
      const events = await this.#upstream.turn(send.params, send.way);
      this.#late = await readAnswer(this.#context, events, this);
    } catch (error) {
      if (this.#task?.normalizer.held) return;
      if (this.#turn.existing && isForgotten(error)) {
        log.info({ err: error, taskId: this.#turn.existing.record.id }, "the agent no longer knows the task");
        return await this.take(FORGOTTEN);
      }
      if (this.#verdict || !this.#canAsk || !mayHaveArrived(error)) throw error;
      log.info({ err: error, taskId: this.#task?.state.id }, "the call broke; asking for the task");
      await this.#followBroken(error);
      return;
    }
    const outcome = this.#task?.normalizer.outcome ?? "empty";
    if (outcome === "empty") throw cutShort(agent.name, "The agent ended its answer without an event");
    const streamed = outcome === "unfinished" && this.way === "stream";
    if (streamed && this.#canAsk)
      log.info({ taskId: this.#task?.state.id }, `${ENDED_EARLY}; asking for the task`);
    if (outcome === "unfinished" || (outcome === "replied" && this.#canAsk))
      await this.#follow(streamed ? ENDED_EARLY : undefined);
  }

  /** Where the agent cannot tell of the task either, what broke the call is what has gone wrong. */
  async #followBroken(cause: unknown): Promise<void> {
    try {
      await this.#follow(this.way === "stream" ? breakOf(cause) : undefined);
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
    await this.#watch(this.#upstream.follow(task, { broken, isKnown: report !== undefined }));
  }

  /** Reads until the task has a final state. */
  async #watch(reports: Events): Promise<void> {
    for await (const report of reports) {
      await this.#task?.feed.room();
      await this.take(report);
      if (this.#task?.normalizer.held) return;
    }
  }

  #begin(event: AgentEvent | undefined): Promise<LiveTask> {
    this.#begun ??= startTask(
      {
        context: this.#context,
        identity: this.#identity,
        turn: this.#turn,
        vendor: this.#vendor,
        callback: () => this.#upstream.seal,
        takeLoss: () => this.#upstream.losses.take(),
        onAnnounced: (lease) => {
          this.#onTask(lease);
          this.#opened.resolve({ kind: "task" });
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
    if (this.#turn.send && this.#vendor.contextId === undefined) this.#identity.newContexts.noteUnnamed();
    // No record of a task keeps the context that a Message belongs to.
    if (isMessage || vendorContextId !== contextId) {
      const { principal } = this.#turn;
      const context = { principal, contextId, vendorContextId };
      await untilStored(this.#context.store.health, () => this.#identity.rememberContext(context));
    }
    const message = isMessage ? task.normalizer.takeMessage(contextId) : undefined;
    if (message) this.#opened.resolve({ kind: "message", message });
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
      this.#opened.reject(fault);
      task?.feed.breakOff(fault);
      return;
    }
    const text = [this.#turn.reason, fault.message].filter(Boolean).join(": ");
    try {
      if (this.#isSuspended) await suspendTask(this.#context, task);
      else await concludeTask(this.#context, task, this.#verdict ?? { state: "failed", text }, fault);
    } catch (cause) {
      this.#context.log.error({ err: cause, taskId: task.state.id }, "a task's end could not be stored");
      this.#opened.reject(A2AError.from(cause));
      task.feed.breakOff(A2AError.from(cause));
    }
  }
}
