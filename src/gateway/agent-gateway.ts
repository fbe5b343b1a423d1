/** The methods of 0.3.0 over one agent: what the agent lacks is made up for here. Semantics: docs/behaviour.md. */
import type { AgentEvent, Call } from "../adapter.ts";
import { Bag } from "../collections/bag.ts";
import { Registry } from "../collections/registry.ts";
import type { AgentCard } from "../protocol/card.ts";
import { A2AError } from "../protocol/errors.ts";
import type { ListTasksParams } from "../protocol/list-params.ts";
import type { Message, Task } from "../protocol/model.ts";
import type { MessageSendParams, TaskIdParams, TaskQueryParams } from "../protocol/params.ts";
import { isFinal, isInterrupted, isTerminal } from "../protocol/states.ts";
import type { TaskRecord } from "../store/store.ts";
import { cancelAtVendor, endCanceled } from "./cancellation.ts";
import { CardCache } from "./card-cache.ts";
import type { EngineContext } from "./context.ts";
import { requireContinuable, stillWorking } from "./continuation.ts";
import type { Caller, Gateway, Subscription, TaskPage } from "./gateway.ts";
import { withHistoryLength } from "./history.ts";
import { Identity } from "./identity.ts";
import { callOf, NewIds } from "./open-call.ts";
import { PushConfigs } from "./push-configs.ts";
import { storedTask, vendorTaskOf } from "./record.ts";
import { resume } from "./resume.ts";
import { TaskRun } from "./run.ts";
import { once } from "./subscription.ts";
import { listTasks } from "./task-list.ts";
import type { Turn } from "./turn.ts";

export class AgentGateway implements Gateway {
  readonly agent: string;
  readonly #context: EngineContext;
  readonly #identity: Identity;
  readonly #cards: CardCache;
  readonly #push: PushConfigs;
  /** Every turn under way. */
  readonly #runs = new Bag<TaskRun>();
  /** Those of them that clients know as a task. */
  readonly #tasks = new Registry<TaskRun>();
  #stopping = false;
  readonly setPushConfig: Gateway["setPushConfig"] = (params, caller) => this.#push.set(params, caller);
  readonly getPushConfig: Gateway["getPushConfig"] = (params, caller) => this.#push.get(params, caller);
  readonly listPushConfigs: Gateway["listPushConfigs"] = (params, caller) => this.#push.list(params, caller);
  readonly deletePushConfig: Gateway["deletePushConfig"] = (params, caller) =>
    this.#push.delete(params, caller);

  constructor(context: EngineContext) {
    const { agent, store } = context;
    this.agent = agent.name;
    this.#context = context;
    this.#identity = new Identity(agent.name, store);
    this.#cards = new CardCache(context);
    this.#push = new PushConfigs(context, async (id, caller) => (await this.#find(id, caller)).record);
  }

  card(): Promise<AgentCard> {
    return this.#cards.get();
  }

  extendedCard(caller: Caller): Promise<AgentCard | undefined> {
    return this.#cards.extended(() => this.#request(caller));
  }

  async sendMessage(params: MessageSendParams, caller: Caller): Promise<Task | Message> {
    const { timeouts } = this.#context.agent;
    const wait = params.configuration?.blocking !== false;
    const run = await this.#send(params, caller, { listened: !wait, way: wait ? "send" : "stream" });
    this.#cancelWithClient(run, caller);
    const enough = wait ? run.done : run.opened;
    const limit = wait ? timeouts.blocking : timeouts.nonBlocking;
    if (!(await this.#context.deadlines.wait(limit, enough))) await run.publish();
    const opening = await run.opened;
    if (opening.kind === "message") return opening.message;
    return withHistoryLength(taskOf(run), params.configuration?.historyLength);
  }

  async streamMessage(params: MessageSendParams, caller: Caller): Promise<Subscription> {
    const { deadlines, agent } = this.#context;
    const run = await this.#send(params, caller, { listened: true, way: "stream" });
    this.#cancelWithClient(run, caller);
    const isOpen = await deadlines.wait(agent.timeouts.nonBlocking, run.opened);
    // An agent that only sends is silent until its work is done; its client should not be.
    if (!isOpen && run.way === "send") await run.publish();
    const opening = await run.opened;
    if (opening.kind === "message") return once(opening.message);
    const { feed, before } = run.task ?? unreachable();
    return feed.subscribeAfter(before);
  }

  async getTask(params: TaskQueryParams, caller: Caller): Promise<Task> {
    const { run, record } = await this.#find(params.id, caller);
    if (run?.task) return withHistoryLength(taskOf(run), params.historyLength);
    const task = isInterrupted(record.state) ? await this.#refresh(record, caller) : storedTask(record);
    return withHistoryLength(task, params.historyLength);
  }

  listTasks(params: ListTasksParams, { principal }: Caller): Promise<TaskPage> {
    const { agent } = this;
    const { store } = this.#context;
    const live = (id: string): Task | undefined => this.#tasks.get(id)?.task?.state.toTask();
    return listTasks({ agent, store, live }, params, principal);
  }

  async cancelTask(params: TaskIdParams, caller: Caller): Promise<Task> {
    const { agent, deadlines } = this.#context;
    const { run, record } = await this.#find(params.id, caller);
    if (!run && isTerminal(record.state)) throw new A2AError("task-not-cancelable");
    if (run) await run.publish();
    const vendorTask = run ? run.vendorTask : vendorTaskOf(record);
    const named = vendorTask && { ...vendorTask, metadata: params.metadata };
    const report = await cancelAtVendor(this.#context, named, this.#request(caller));
    // An agent that leaves an interrupted task as it is has said all there is to say of it.
    if (!run && report?.kind === "task" && report.status.state === record.state) return storedTask(record);
    const followed = run ?? this.#follow(record, caller, report ?? canceledReport);
    if (run) await endCanceled(this.#context, run, report);
    else await deadlines.wait(agent.timeouts.request, followed.done);
    const task = taskOf(followed);
    if (isTerminal(task.status.state) && task.status.state !== "canceled") {
      throw new A2AError("task-not-cancelable", { data: { state: task.status.state } });
    }
    return task;
  }

  async resubscribe(params: TaskIdParams, caller: Caller, after?: number): Promise<Subscription> {
    const { run, record } = await this.#find(params.id, caller);
    if (run) this.#cancelWithClient(run, caller);
    return await resume({ store: this.#context.store, record, run, after });
  }

  /** Takes up a task that a crash has left running. */
  recover(record: TaskRecord): Promise<void> {
    const caller = { principal: record.principal, extensions: [], signal: new AbortController().signal };
    const reason = "The proxy was restarted while the task was running";
    return this.#follow(record, caller, undefined, reason).done;
  }

  /** Refuses new work, gives running turns `grace` ms to end, then ends them. */
  async stop(grace: number): Promise<void> {
    this.#stopping = true;
    const all = Promise.all(this.#runs.members().map((run) => run.done));
    if (await this.#context.deadlines.wait(grace, all)) return;
    const text = "The proxy was shut down before the agent had finished";
    await Promise.all(this.#runs.members().map((run) => run.stop({ state: "failed", text })));
  }

  async #send(
    params: MessageSendParams,
    caller: Caller,
    how: { listened: boolean; way: "stream" | "send" },
  ): Promise<TaskRun> {
    if (this.#stopping) throw new A2AError("shutting-down");
    const { principal, extensions, forwarded } = caller;
    const { taskId, contextId, referenceTaskIds, ...rest } = params.message;
    const record = taskId === undefined ? undefined : await this.#continued(params.message, caller);
    const { push, configuration } = await this.#push.inline(params.configuration);
    const vendorContextId = record
      ? record.vendorContextId
      : contextId && (await this.#identity.vendorContext(principal, contextId));
    const vendorMessage: Message = rest;
    if (referenceTaskIds)
      vendorMessage.referenceTaskIds = await this.#identity.vendorTasks(principal, referenceTaskIds);
    if (record?.vendorTaskId !== undefined) vendorMessage.taskId = record.vendorTaskId;
    if (vendorContextId !== undefined) vendorMessage.contextId = vendorContextId;
    if (record && this.#tasks.has(record.id)) throw stillWorking();
    if (record && push) await this.#push.keep(record, push);
    const vendorParams = { ...params, configuration, message: vendorMessage };
    const send = { message: params.message, params: vendorParams, way: how.way };
    return this.#run({
      newIds: this.#newIds(),
      principal,
      extensions,
      forwarded,
      contextId,
      record,
      send,
      push: record ? undefined : push,
      listened: how.listened,
    });
  }

  /** The task that a message goes on with (§7.1, and the choices in docs/behaviour.md). */
  async #continued(message: Message, caller: Caller): Promise<TaskRecord> {
    const { run, record } = await this.#find(message.taskId ?? "", caller);
    requireContinuable(message, record, run !== undefined);
    return record;
  }

  async #find(id: string, caller: Caller): Promise<{ run: TaskRun | undefined; record: TaskRecord }> {
    const record = await this.#context.store.getTask({ agent: this.agent, id });
    if (record?.principal !== caller.principal) throw new A2AError("task-not-found");
    return { run: this.#tasks.get(id), record };
  }

  /** An interrupted task may have gone on at the agent, out of band; ask, but answer anyway. */
  async #refresh(record: TaskRecord, caller: Caller): Promise<Task> {
    const { backend, log } = this.#context;
    const vendorTask = vendorTaskOf(record);
    if (!backend.getTask || !vendorTask) return storedTask(record);
    try {
      const call = this.#request(caller);
      const report = await backend.getTask(vendorTask, call);
      if (report.status.state === record.state || report.status.state === "unknown")
        return storedTask(record);
      if (this.#tasks.has(record.id)) return storedTask(record);
      const run = this.#follow(record, caller, report);
      await (isFinal(report.status.state) ? run.done : run.opened);
      return taskOf(run);
    } catch (error) {
      log.debug({ err: error, taskId: record.id }, "the agent could not be asked for the task");
      return storedTask(record);
    }
  }

  #follow(record: TaskRecord, caller: Caller, report?: AgentEvent, reason?: string): TaskRun {
    const { principal, extensions, forwarded } = caller;
    return this.#run({
      newIds: this.#newIds(),
      principal,
      extensions,
      forwarded,
      record,
      report,
      reason,
      listened: true,
    });
  }

  #run(turn: Turn): TaskRun {
    let id = turn.record?.id;
    const run = new TaskRun(this.#context, this.#identity, turn, ({ task }) => {
      id = task?.state.id;
      if (id !== undefined) this.#tasks.set(id, run);
    });
    this.#runs.add(run);
    if (id !== undefined) this.#tasks.set(id, run);
    const forget = (): void => {
      this.#runs.delete(run);
      if (id !== undefined && this.#tasks.get(id) === run) this.#tasks.delete(id);
    };
    void run.done.then(forget);
    void run.run();
    return run;
  }

  /** `onDisconnect: cancel`: the last client that leaves, whose own stream closes in this turn of the loop, ends the task. */
  #cancelWithClient(run: TaskRun, caller: Caller): void {
    if (this.#context.agent.onDisconnect !== "cancel") return;
    const leave = (): void => {
      if ((run.task?.feed.listeners ?? 0) > 0) return;
      // The agent is told where it can be; its answer changes nothing any more.
      void cancelAtVendor(this.#context, run.vendorTask, this.#request(caller)).catch(() => {});
      void run.stop({ state: "canceled", text: "The client disconnected" });
    };
    const onAbort = (): void => void setImmediate(leave);
    caller.signal.addEventListener("abort", onAbort, { once: true });
    void run.done.then(() => caller.signal.removeEventListener("abort", onAbort));
  }

  #newIds(): NewIds {
    return new NewIds(this.#context.mint);
  }

  /** A call that does no work at the agent and has its answer soon. */
  #request({ extensions, forwarded }: Caller): Call {
    const signal = AbortSignal.timeout(this.#context.agent.timeouts.request);
    return callOf({ newIds: this.#newIds(), extensions, forwarded }, signal);
  }
}

const canceledReport: AgentEvent = { kind: "status-update", status: { state: "canceled" } };

const taskOf = (run: TaskRun): Task => (run.task ?? unreachable()).state.toTask();

function unreachable(): never {
  throw new A2AError("internal-error", { message: "A task without a state" });
}
