/** Who runs which task: the turns of one agent that are running, and the lease under which the next one begins. */
import { Bag } from "../../collections/bag.ts";
import { settlesWithin } from "../../lib/timers.ts";
import type { EngineContext, Caller } from "../gateway.ts";
import type { Lease, Leases, ExistingTask, Turn, TurnDeps } from "./turn.ts";
import { ownTaskId } from "./id-mapper.ts";
import { TurnRunner } from "./turn-runner.ts";
import { A2AError } from "../../protocol/errors.ts";
import type { Message } from "../../protocol/model.ts";
import { isTerminal } from "../../protocol/states.ts";
import type { TaskRecord } from "../../store/store.ts";

export class Turns {
  readonly #deps: TurnDeps;
  readonly #running = new Bag<TurnRunner>();

  constructor(deps: TurnDeps) {
    this.#deps = deps;
  }

  /** Begins a turn; it holds the lease of its task until it is over. */
  start(turn: Turn): TurnRunner {
    const runner = new TurnRunner(this.#deps, turn);
    this.#running.add(runner);
    void runner.done.then(() => this.#running.delete(runner));
    void runner.run();
    return runner;
  }

  /** Gives running turns `grace` ms to end, then ends them or leaves their tasks to the next start. */
  async stop(grace: number): Promise<void> {
    const all = Promise.all(this.#running.members().map(({ done }) => done));
    if (await settlesWithin(grace, all)) return;
    const text = "The proxy was shut down before the agent had finished";
    await Promise.all(this.#running.members().map((runner) => runner.shutDown({ state: "failed", text })));
  }
}

/** Finds the tasks of a caller, and takes the lease of one that a turn is to be begun of. */
export class TaskAccess {
  readonly #context: Pick<EngineContext, "agent" | "store">;
  readonly #leases: Leases;

  constructor(context: Pick<EngineContext, "agent" | "store">, leases: Leases) {
    this.#context = context;
    this.#leases = leases;
  }

  /** The task's running turn. */
  running(taskId: string): TurnRunner | undefined {
    return this.#leases.runner(taskId);
  }

  /** The caller's task; rejects with `task-not-found`. */
  async record(id: string, caller: Caller): Promise<TaskRecord> {
    const record = await this.#find(id, caller);
    if (!record) throw new A2AError("task-not-found");
    return record;
  }

  /** By the id that clients have for it, or by the one that its client chose although it was somebody else's. */
  async #find(id: string, { principal }: Caller): Promise<TaskRecord | undefined> {
    const { store, agent } = this.#context;
    for (const candidate of [id, ownTaskId(agent.name, principal, id)]) {
      const record = await store.getTask({ agent: agent.name, id: candidate });
      if (record?.principal === principal) return record;
    }
    return undefined;
  }

  /**
   * The task that a message goes on with (§7.1, and the choices in docs/behaviour.md); undefined if it begins one, be it
   * under an id of the client's own.
   */
  async continued(message: Message, caller: Caller): Promise<TaskRecord | undefined> {
    const { taskId } = message;
    if (taskId === undefined) return undefined;
    const record = await this.#find(taskId, caller);
    if (!record && caller.mintsTaskIds) return undefined;
    if (!record) throw new A2AError("task-not-found");
    requireContinuable(message, record, this.running(record.id) !== undefined);
    return record;
  }

  /** The same under a lease: of several messages to the task, one wins. */
  async leased(record: TaskRecord, message: Message): Promise<ExistingTask> {
    const lease = this.#leases.take(record.id);
    if (!lease) throw stillWorking();
    return await this.#underLease(lease, (now) => requireContinuable(message, now, false));
  }

  /** Who can cancel the task: its running turn or, if there is none, the holder of a new lease. */
  async cancelable(named: string, caller: Caller): Promise<{ run: TurnRunner } | { existing: ExistingTask }> {
    for (;;) {
      const { id } = await this.record(named, caller);
      const run = this.running(id);
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
  release({ lease }: Pick<ExistingTask, "lease">): void {
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
    throw invalid("message.taskId", `The task is ${record.state}; send the message as a new task`);
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
