/** Finds the tasks of a caller, and takes the lease of one that a turn is to be begun of. */
import { A2AError } from "../../protocol/errors.ts";
import type { Message } from "../../protocol/model.ts";
import type { TaskRecord } from "../../store/store.ts";
import type { EngineContext } from "../context.ts";
import { requireCancelable, requireContinuable, stillWorking } from "./continuation.ts";
import type { Caller } from "../gateway.ts";
import type { Lease, Leases } from "./leases.ts";
import type { TurnRunner } from "./turn-runner.ts";
import type { ExistingTask } from "./turn.ts";
import type { Turns } from "./turns.ts";

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
