/** Who runs which task: the turns of one agent that are running, and the lease under which the next one begins. */
import { Bag } from "../../collections/bag.ts";
import { Registry } from "../../collections/registry.ts";
import type { EngineContext } from "../context.ts";
import type { Caller } from "../gateway.ts";
import type { IdMapper } from "./id-mapper.ts";
import type { Lease, Leases } from "./leases.ts";
import { TurnRunner } from "./turn-runner.ts";
import type { ExistingTask, Turn } from "./turn.ts";
import { A2AError } from "../../protocol/errors.ts";
import type { Message } from "../../protocol/model.ts";
import { isTerminal } from "../../protocol/states.ts";
import type { TaskRecord } from "../../store/store.ts";

export class Turns {
  readonly #context: EngineContext;
  readonly #ids: IdMapper;
  readonly #leases: Leases;
  readonly #runs = new Bag<TurnRunner>();
  /** Those of them that clients know as a task. */
  readonly #tasks = new Registry<TurnRunner>();

  constructor(context: EngineContext, ids: IdMapper, leases: Leases) {
    this.#context = context;
    this.#ids = ids;
    this.#leases = leases;
  }

  /** The task's running turn. */
  get(taskId: string): TurnRunner | undefined {
    return this.#tasks.get(taskId);
  }

  /** Begins a turn; it holds the lease of its task until it is over. */
  start(turn: Turn): TurnRunner {
    const publish = (lease: Lease): void => {
      this.#tasks.set(lease.taskId, run);
      this.#leases.begun(lease);
    };
    const run = new TurnRunner(this.#context, this.#ids, turn, publish);
    this.#runs.add(run);
    if (turn.existing) publish(turn.existing.lease);
    void run.done.then(() => this.#forget(run));
    void run.run();
    return run;
  }

  /** Gives running turns `grace` ms to end, then ends them or leaves their tasks to the next start. */
  async stop(grace: number): Promise<void> {
    const all = Promise.all(this.#runs.members().map((run) => run.done));
    if (await this.#context.deadlines.wait(grace, all)) return;
    const text = "The proxy was shut down before the agent had finished";
    await Promise.all(this.#runs.members().map((run) => run.shutDown({ state: "failed", text })));
  }

  #forget(run: TurnRunner): void {
    this.#runs.delete(run);
    const { lease } = run;
    if (!lease) return;
    this.#tasks.delete(lease.taskId);
    this.#leases.release(lease);
  }
}

/** Finds the tasks of a caller, and takes the lease of one that a turn is to be begun of. */
export class TaskAccess {
  readonly #context: EngineContext;
  readonly #leases: Leases;
  readonly #turns: Turns;

  constructor(context: EngineContext, leases: Leases, turns: Turns) {
    this.#context = context;
    this.#leases = leases;
    this.#turns = turns;
  }

  /** The caller's task; rejects with `task-not-found`. */
  async record(id: string, caller: Caller): Promise<TaskRecord> {
    const { store, agent } = this.#context;
    const record = await store.getTask({ agent: agent.name, id });
    if (record?.principal !== caller.principal) throw new A2AError("task-not-found");
    return record;
  }

  /** The task that a message goes on with (§7.1, and the choices in docs/behaviour.md). */
  async continued(message: Message, caller: Caller): Promise<TaskRecord> {
    const record = await this.record(message.taskId ?? "", caller);
    requireContinuable(message, record, this.#turns.get(record.id) !== undefined);
    return record;
  }

  /** The same under a lease: of several messages to the task, one wins. */
  async leased(record: TaskRecord, message: Message): Promise<ExistingTask> {
    const lease = this.#leases.take(record.id);
    if (!lease) throw stillWorking();
    return await this.#underLease(lease, (now) => requireContinuable(message, now, false));
  }

  /** Who can cancel the task: its running turn or, if there is none, the holder of a new lease. */
  async cancelable(id: string, caller: Caller): Promise<{ run: TurnRunner } | { existing: ExistingTask }> {
    for (;;) {
      await this.record(id, caller);
      const run = this.#turns.get(id);
      if (run) {
        await run.publish();
        if (run.task) return { run };
        await run.done;
        continue;
      }
      const lease = this.#leases.take(id);
      if (lease) return { existing: await this.#underLease(lease, requireCancelable) };
      await this.#leases.changed(id);
    }
  }

  /** The task under a lease, if it still is as it was; undefined if somebody has gone on with it. */
  async unchanged(before: TaskRecord): Promise<ExistingTask | undefined> {
    const lease = this.#leases.take(before.id);
    if (!lease) return undefined;
    const existing = await this.#underLease(lease, () => {});
    if (existing.record.json === before.json) return existing;
    this.release(existing);
    return undefined;
  }

  /** Gives the lease back, if no turn has been begun. */
  release({ lease }: ExistingTask): void {
    this.#leases.release(lease);
  }

  /** The record as it is under the lease, which is released if the record does not pass the check. */
  async #underLease(lease: Lease, check: (record: TaskRecord) => void): Promise<ExistingTask> {
    const { store, agent } = this.#context;
    try {
      const record = await store.getTask({ agent: agent.name, id: lease.taskId });
      if (!record) throw new A2AError("task-not-found");
      check(record);
      return { record, lease };
    } catch (error) {
      this.#leases.release(lease);
      throw error;
    }
  }
}

/** Throws if the message cannot be sent to the task (§7.1, and the choices in docs/behaviour.md). */
function requireContinuable(message: Message, record: TaskRecord, isRunning: boolean): void {
  if (message.contextId !== undefined && message.contextId !== record.contextId) {
    throw invalid("message.contextId", "The task belongs to another context");
  }
  if (isRunning) throw stillWorking();
  if (isTerminal(record.state)) {
    throw invalid("message.taskId", `The task is ${record.state}; send the message without taskId`);
  }
}

/** Throws if the task has ended. */
function requireCancelable({ state }: TaskRecord): void {
  if (isTerminal(state)) throw new A2AError("task-not-cancelable");
}

const stillWorking = (): A2AError =>
  new A2AError("unsupported-operation", {
    message: "The task is still working; a message can be sent to it once it is input-required",
  });

const invalid = (path: string, message: string): A2AError =>
  new A2AError("invalid-params", { message, data: { path } });
