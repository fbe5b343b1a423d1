/** The methods of 0.3.0 over one agent: what the agent lacks is made up for here. Semantics: docs/behaviour.md. */
import type { AgentEvent, VendorTask } from "../adapter.ts";
import type { AgentCard } from "../protocol/card.ts";
import { A2AError } from "../protocol/errors.ts";
import type { ListTasksParams, TaskPage } from "../protocol/list-params.ts";
import type { Message, Task } from "../protocol/model.ts";
import type { MessageSendParams, TaskIdParams, TaskQueryParams } from "../protocol/params.ts";
import { isFinal, isInterrupted, isTerminal } from "../protocol/states.ts";
import type { TaskRecord } from "../store/store.ts";
import { CardCache } from "./agent/card-cache.ts";
import { inZone } from "./task/fill-missing.ts";
import type { EngineContext, Caller, Gateway, Subscription } from "./gateway.ts";
import { withHistoryLength } from "./task/state.ts";
import { IdMapper } from "./turn/id-mapper.ts";
import { Leases, type ExistingTask } from "./turn/turn.ts";
import { settlesWithin } from "../lib/timers.ts";
import { type CallContext, cancelAtAgent, newsOf, NewIds } from "./agent/agent-call.ts";
import { PushConfigs } from "./push/push-configs.ts";
import { storedTask, vendorTaskOf, once, resume, listTasks } from "./turn/stored-tasks.ts";
import type { TurnRunner } from "./turn/turn-runner.ts";
import { TaskAccess, Turns } from "./turn/turns.ts";

export class AgentGateway implements Gateway {
  readonly agent: string;
  readonly #context: EngineContext;
  readonly #ids: IdMapper;
  readonly #cards: CardCache;
  readonly #push: PushConfigs;
  readonly #leases = new Leases();
  readonly #turns: Turns;
  readonly #access: TaskAccess;
  #stopping = false;
  readonly setPushConfig: Gateway["setPushConfig"] = (params, caller) => this.#push.set(params, caller);
  readonly getPushConfig: Gateway["getPushConfig"] = (params, caller) => this.#push.get(params, caller);
  readonly listPushConfigs: Gateway["listPushConfigs"] = (params, caller) => this.#push.list(params, caller);
  readonly deletePushConfig: Gateway["deletePushConfig"] = (params, caller) =>
    this.#push.delete(params, caller);

  constructor({ mint, ...shared }: EngineContext) {
    const context = { ...shared, mint: inZone(mint, shared.agent.timeZone) };
    this.agent = context.agent.name;
    this.#context = context;
    this.#ids = new IdMapper(context, this.#leases);
    this.#turns = new Turns({ context, ids: this.#ids, leases: this.#leases });
    this.#access = new TaskAccess(context, this.#leases);
    this.#cards = new CardCache(context);
    this.#push = new PushConfigs(context, (id, caller) => this.#access.record(id, caller));
  }

  card(): Promise<AgentCard> {
    return this.#cards.get();
  }

  extendedCard(caller: Caller): Promise<AgentCard | undefined> {
    return this.#cards.extended(this.#extras(caller));
  }

  async sendMessage(params: MessageSendParams, caller: Caller): Promise<Task | Message> {
    const { timeouts } = this.#context.agent;
    const wait = params.configuration?.blocking !== false;
    const run = await this.#send(params, caller, { listened: !wait, mode: wait ? "send" : "stream" });
    this.#cancelWithClient(run, caller);
    if (caller.mintsTaskIds) void this.#publishSoon(run);
    const enough = wait ? run.done : run.firstResult;
    const limit = wait ? timeouts.blocking : timeouts.nonBlocking;
    if (!(await settlesWithin(limit, enough))) await run.publish();
    const first = await run.firstResult;
    if (first.kind === "message") return first.message;
    return withHistoryLength(taskOf(run), params.configuration?.historyLength);
  }

  async streamMessage(params: MessageSendParams, caller: Caller): Promise<Subscription> {
    const { agent } = this.#context;
    const run = await this.#send(params, caller, { listened: true, mode: "stream" });
    this.#cancelWithClient(run, caller);
    const isOpen = await settlesWithin(agent.timeouts.nonBlocking, run.firstResult);
    // An agent that only sends is silent until its work is done; its client should not be.
    if (!isOpen && run.mode === "send") await run.publish();
    const first = await run.firstResult;
    if (first.kind === "message") return once(first.message);
    const { feed, before } = run.task ?? unreachable();
    return feed.subscribeAfter(before);
  }

  async getTask(params: TaskQueryParams, caller: Caller): Promise<Task> {
    const record = await this.#access.record(params.id, caller);
    const run = this.#access.running(record.id);
    if (run?.task) return withHistoryLength(taskOf(run), params.historyLength);
    const task = isInterrupted(record.state) ? await this.#refresh(record, caller) : storedTask(record);
    return withHistoryLength(task, params.historyLength);
  }

  listTasks(params: ListTasksParams, { principal }: Caller): Promise<TaskPage> {
    const { agent } = this;
    const { store } = this.#context;
    const live = (id: string): Task | undefined => this.#access.running(id)?.task?.toTask();
    return listTasks({ agent, store, live }, params, principal);
  }

  async cancelTask({ id, metadata }: TaskIdParams, caller: Caller): Promise<Task> {
    const owner = await this.#access.cancelable(id, caller);
    const ask = (vendorTask: VendorTask | undefined): Promise<AgentEvent | undefined> =>
      cancelAtAgent(this.#context, vendorTask && { ...vendorTask, metadata }, this.#extras(caller));
    const task =
      "run" in owner
        ? await canceled(owner.run, await ask(owner.run.vendorTask))
        : await this.#cancelStored(owner.existing, caller, ask);
    if (isTerminal(task.status.state) && task.status.state !== "canceled") {
      throw new A2AError("task-not-cancelable", { data: { state: task.status.state } });
    }
    return task;
  }

  async resubscribe(params: TaskIdParams, caller: Caller, after?: number): Promise<Subscription> {
    const record = await this.#access.record(params.id, caller);
    const run = this.#access.running(record.id);
    if (run) this.#cancelWithClient(run, caller);
    return await resume({ store: this.#context.store, record, run, after });
  }

  /** Recovers a task that a crash has left running. */
  async recover(record: TaskRecord): Promise<void> {
    const caller = { principal: record.principal, extensions: [], signal: new AbortController().signal };
    const reason = "The proxy was restarted while the task was running";
    const lease = this.#leases.take(record.id);
    if (lease) await this.#follow({ record, lease }, caller, undefined, reason).done;
  }

  /** Refuses new work, gives running turns `grace` ms to end, then ends them. */
  async stop(grace: number): Promise<void> {
    this.#stopping = true;
    await this.#turns.stop(grace);
  }

  async #send(
    params: MessageSendParams,
    caller: Caller,
    how: { listened: boolean; mode: "stream" | "send" },
  ): Promise<TurnRunner> {
    this.#refuseWhenStopping();
    const { principal } = caller;
    const extras = this.#extras(caller);
    const { taskId, contextId } = params.message;
    const named = await this.#access.continued(params.message, caller);
    const { push, configuration } = await this.#push.inline(params.configuration, caller);
    const existing = named && (await this.#access.leased(named, params.message));
    const claimed = existing || taskId === undefined ? undefined : await this.#ids.claim(principal, taskId);
    try {
      if (existing && push) await this.#push.keep(existing.record, push);
      const message = await this.#ids.vendorMessage(
        principal,
        params.message,
        extras.newIds,
        existing?.record,
      );
      this.#refuseWhenStopping();
      return this.#turns.start({
        ...extras,
        principal,
        contextId,
        existing,
        claimed,
        send: { message: params.message, params: { ...params, configuration, message }, mode: how.mode },
        push: existing ? undefined : push,
        listened: how.listened,
      });
    } catch (error) {
      if (existing) this.#access.release(existing);
      if (claimed) this.#access.release({ lease: claimed });
      throw error;
    }
  }

  async #cancelStored(
    existing: ExistingTask,
    caller: Caller,
    ask: (vendorTask: VendorTask | undefined) => Promise<AgentEvent | undefined>,
  ): Promise<Task> {
    const { record } = existing;
    const report = await ask(vendorTaskOf(record)).catch((error: unknown) => {
      this.#access.release(existing);
      throw error;
    });
    // If the agent leaves an interrupted task as it is, there is no more to say of it.
    if (report?.kind === "task" && report.status.state === record.state) {
      this.#access.release(existing);
      return storedTask(record);
    }
    const run = this.#follow(existing, caller, report ?? canceledReport);
    await settlesWithin(this.#context.agent.timeouts.request, run.done);
    return taskOf(run);
  }

  /** A client that has named its task may ask for it while it waits for the answer. */
  async #publishSoon(run: TurnRunner): Promise<void> {
    const { agent } = this.#context;
    try {
      if (!(await settlesWithin(agent.timeouts.nonBlocking, run.firstResult))) await run.publish();
    } catch {
      // The call itself tells what has gone wrong.
    }
  }

  /** An interrupted task as it is; the agent is asked, and followed if the task has gone on there. */
  async #refresh(record: TaskRecord, caller: Caller): Promise<Task> {
    const report = await newsOf(this.#context, record, vendorTaskOf(record), this.#extras(caller));
    const existing = report && (await this.#access.unchanged(record));
    if (!existing) return storedTask(record);
    const run = this.#follow(existing, caller, report);
    await (isFinal(report.status.state) ? run.done : run.firstResult);
    return taskOf(run);
  }

  #follow(existing: ExistingTask, caller: Caller, report?: AgentEvent, reason?: string): TurnRunner {
    const { principal } = caller;
    return this.#turns.start({
      ...this.#extras(caller),
      principal,
      existing,
      report,
      reason,
      listened: true,
    });
  }

  /** `onDisconnect: cancel`: the last client that leaves, whose own stream closes in this turn of the loop, ends the task. */
  #cancelWithClient(run: TurnRunner, caller: Caller): void {
    if (this.#context.agent.onDisconnect !== "cancel") return;
    const leave = (): void => {
      if ((run.task?.feed.listeners ?? 0) > 0) return;
      // The agent is told where it can be; its answer changes nothing any more.
      void cancelAtAgent(this.#context, run.vendorTask, this.#extras(caller)).catch(() => {});
      void run.stop({ state: "canceled", text: "The client disconnected" });
    };
    const onAbort = (): void => void setImmediate(leave);
    // The client may have left before there was a turn to listen to.
    if (caller.signal.aborted) onAbort();
    caller.signal.addEventListener("abort", onAbort, { once: true });
    void run.done.then(() => caller.signal.removeEventListener("abort", onAbort));
  }

  #refuseWhenStopping(): void {
    if (this.#stopping) throw new A2AError("shutting-down");
  }

  #extras({ extensions, forwarded }: Caller): CallContext {
    return { newIds: new NewIds(this.#context.mint), extensions, forwarded };
  }
}

const canceledReport: AgentEvent = { kind: "status-update", status: { state: "canceled" } };

async function canceled(run: TurnRunner, report: AgentEvent | undefined): Promise<Task> {
  await run.cancel(report);
  return taskOf(run);
}

const taskOf = (run: TurnRunner): Task => (run.task ?? unreachable()).toTask();

function unreachable(): never {
  throw new A2AError("internal-error", { message: "A task without a state" });
}
