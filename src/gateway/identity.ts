/**
 * Which ids a task and its context have towards clients, and which at the vendor. The vendor's are kept wherever
 * they are free; an id that already stands for something else, or for somebody else, gets a new name towards clients.
 */
import type { ContextRecord, TaskRecord, TaskStore } from "../store/store.ts";
import { isInterrupted } from "../protocol/states.ts";
import type { NewIds } from "./open-call.ts";

/** Tasks that one message refers to; each costs a look into the store. */
const MAX_REFERENCES = 256;

export class Identity {
  readonly #agent: string;
  readonly #store: TaskStore;
  /** Task ids of running tasks that may not be in the store yet. */
  readonly #claimed = new Set<string>();

  constructor(agent: string, store: TaskStore) {
    this.#agent = agent;
    this.#store = store;
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

  /** The vendor's id of a context, where it may be the one towards clients: it is not another principal's. */
  async contextId(principal: string, vendorContextId: string | undefined): Promise<string | undefined> {
    return vendorContextId === undefined ? undefined : this.#unlessForeign(principal, vendorContextId);
  }

  /** Keeps the vendor's id of a context for the next turn. */
  async rememberContext(record: Omit<ContextRecord, "agent">): Promise<void> {
    await this.#store.putContext({ ...record, agent: this.#agent });
  }

  /**
   * The id towards clients for a task that the vendor named, reserved until `release`. Where the vendor goes on with
   * an interrupted task of the same principal and context although the client did not name it, that task's record.
   */
  async taskId(
    owner: { principal: string; contextId: string },
    vendorTaskId: string | undefined,
    newIds: NewIds,
  ): Promise<{ id: string; resumed?: TaskRecord }> {
    if (vendorTaskId === undefined || this.#claimed.has(vendorTaskId)) return this.#claim(newIds.taskId);
    const known = await this.#store.getTaskByVendorId(this.#agent, vendorTaskId);
    if (!known) return this.#claim(this.#claimed.has(vendorTaskId) ? newIds.taskId : vendorTaskId);
    const isOwn = known.principal === owner.principal && known.contextId === owner.contextId;
    if (isOwn && isInterrupted(known.state) && !this.#claimed.has(known.id)) {
      return { ...this.#claim(known.id), resumed: known };
    }
    return this.#claim(newIds.taskId);
  }

  release(taskId: string): void {
    this.#claimed.delete(taskId);
  }

  #claim(id: string): { id: string } {
    this.#claimed.add(id);
    return { id };
  }

  /** The id, unless it is another principal's. */
  async #unlessForeign(principal: string, contextId: string): Promise<string | undefined> {
    const owner = await this.#store.contextOwner(this.#agent, contextId);
    return owner === undefined || owner === principal ? contextId : undefined;
  }
}
