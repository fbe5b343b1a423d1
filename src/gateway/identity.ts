/**
 * Which ids a task and its context have towards clients, and which at the vendor. The vendor's are kept wherever
 * they are free; an id that already stands for something else, or for somebody else, gets a new name towards clients.
 */
import type { ContextRecord, TaskRecord, TaskStore } from "../store/store.ts";
import { A2AError } from "../protocol/errors.ts";
import type { Message } from "../protocol/model.ts";
import { isInterrupted } from "../protocol/states.ts";
import type { Lease, Leases } from "./leases.ts";
import type { NewIds } from "./open-call.ts";

/** Tasks that one message refers to; each costs a look into the store. */
const MAX_REFERENCES = 256;

export class Identity {
  readonly #agent: string;
  readonly #store: TaskStore;
  readonly #leases: Leases;

  constructor(agent: string, store: TaskStore, leases: Leases) {
    this.#agent = agent;
    this.#store = store;
    this.#leases = leases;
  }

  /** The vendor's id for a context that a client named; undefined where the vendor must open a new one. */
  async vendorContext(principal: string, contextId: string): Promise<string | undefined> {
    const record = await this.#store.getContext(this.#agent, principal, contextId);
    if (record) return record.vendorContextId;
    return this.#unlessForeign(principal, contextId);
  }

  /**
   * The vendor's ids of the tasks that a client refers to. Those of another principal are left out: the vendor, which
   * knows the proxy alone, would show them.
   */
  async vendorTasks(principal: string, ids: readonly string[]): Promise<string[]> {
    const found: string[] = [];
    for (const id of new Set(ids.slice(0, MAX_REFERENCES))) {
      const key = { agent: this.#agent, id };
      const record =
        (await this.#store.getTask(key)) ?? (await this.#store.getTaskByVendorId(this.#agent, id));
      if (!record) found.push(id);
      else if (record.principal === principal) found.push(record.vendorTaskId ?? id);
    }
    return found;
  }

  /** A client's message with the vendor's ids; `record` of the task that it goes on with. */
  async vendorMessage(principal: string, message: Message, record?: TaskRecord): Promise<Message> {
    const { taskId: _taskId, contextId: named, referenceTaskIds, ...rest } = message;
    const own = named === undefined ? undefined : await this.vendorContext(principal, named);
    const contextId = record ? record.vendorContextId : own;
    return {
      ...rest,
      ...(referenceTaskIds && { referenceTaskIds: await this.vendorTasks(principal, referenceTaskIds) }),
      ...(record?.vendorTaskId !== undefined && { taskId: record.vendorTaskId }),
      ...(contextId !== undefined && { contextId }),
    };
  }

  /** The vendor's id of a context, where it may be the one towards clients: it is not another principal's. */
  async contextId(principal: string, vendorContextId: string | undefined): Promise<string | undefined> {
    return vendorContextId === undefined ? undefined : this.#unlessForeign(principal, vendorContextId);
  }

  /** Keeps the vendor's id of a context for the next turn. */
  async rememberContext(record: Omit<ContextRecord, "agent">): Promise<void> {
    await this.#store.putContext({ ...record, agent: this.#agent });
  }

  /**
   * A lease on the id towards clients of a task that the vendor named. If the vendor goes on with an interrupted task of
   * the same principal and context although the client did not name it, the lease is on that task.
   */
  async lease(
    owner: { principal: string; contextId: string },
    vendorTaskId: string | undefined,
    newIds: NewIds,
  ): Promise<{ lease: Lease; resumed?: TaskRecord }> {
    if (vendorTaskId === undefined) return { lease: this.#newTask(newIds) };
    const known = await this.#store.getTaskByVendorId(this.#agent, vendorTaskId);
    if (!known) return { lease: this.#leases.take(vendorTaskId) ?? this.#newTask(newIds) };
    const isOwn = known.principal === owner.principal && known.contextId === owner.contextId;
    const lease = isOwn ? this.#leases.take(known.id) : undefined;
    if (!lease) return { lease: this.#newTask(newIds) };
    // Read again: a turn that has just ended may have ended the task.
    const resumed = await this.#store.getTask(known);
    if (resumed && isInterrupted(resumed.state)) return { lease, resumed };
    this.#leases.release(lease);
    return { lease: this.#newTask(newIds) };
  }

  /** Gives a lease back of which no turn came. */
  release(lease: Lease): void {
    this.#leases.release(lease);
  }

  #newTask({ taskId }: NewIds): Lease {
    const lease = this.#leases.take(taskId);
    if (!lease) throw new A2AError("internal-error", { message: "A new task's id is taken" });
    return lease;
  }

  /** The id, unless it is another principal's. */
  async #unlessForeign(principal: string, contextId: string): Promise<string | undefined> {
    const owner = await this.#store.contextOwner(this.#agent, contextId);
    return owner === undefined || owner === principal ? contextId : undefined;
  }
}
