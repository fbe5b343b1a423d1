/**
 * Which ids a task and its context have towards clients, and which at the vendor. The vendor's are kept wherever
 * they are free; an id that already stands for something else, or for somebody else, gets a new name towards clients.
 *
 * In the other direction, the vendor is given no id of a client's that is not known to be that client's: it may be that of
 * another caller's task or context, which the vendor may remember longer than the store does.
 */
import { createHash } from "node:crypto";
import type { AgentEvent, VendorTask } from "../../adapter.ts";
import type { NewIds } from "../agent/agent-call.ts";
import type { EngineContext } from "../gateway.ts";
import type { Mint } from "../task/fill-missing.ts";
import type { Lease, Leases, Turn } from "./turn.ts";
import type { Origin } from "./published-task.ts";
import { A2AError } from "../../protocol/errors.ts";
import type { Message } from "../../protocol/model.ts";
import { isInterrupted } from "../../protocol/states.ts";
import type { ContextRecord, TaskRecord, TaskStore } from "../../store/store.ts";

/** Tasks that one message refers to; each costs a look into the store. */
const MAX_REFERENCES = 256;

export class IdMapper {
  readonly #agent: string;
  readonly #store: TaskStore;
  readonly #mint: Mint;
  readonly #leases: Leases;
  readonly newContexts: NewContexts;

  constructor(context: EngineContext, leases: Leases) {
    const { agent, store, mint } = context;
    this.newContexts = new NewContexts(context);
    this.#agent = agent.name;
    this.#store = store;
    this.#mint = mint;
    this.#leases = leases;
  }

  /**
   * The vendor's id for a context that a client named. A context that is not known as this principal's is a new one, with an
   * id that is remembered at once: if the turn fails, the next one must not take the client's id for the vendor's own.
   */
  async vendorContext(principal: string, contextId: string): Promise<string> {
    const record = await this.#store.getContext(this.#agent, principal, contextId);
    if (record) return record.vendorContextId;
    const owner = await this.#store.contextOwner(this.#agent, contextId);
    if (owner === principal) return contextId;
    const vendorContextId = derivedId(this.#agent, principal, contextId);
    await this.rememberContext({ principal, contextId, vendorContextId });
    return vendorContextId;
  }

  /** The vendor's ids of the tasks that a client refers to. Only its own: the vendor, which knows the proxy alone, would show others. */
  async vendorTasks(principal: string, ids: readonly string[]): Promise<string[]> {
    const found: string[] = [];
    for (const id of new Set(ids.slice(0, MAX_REFERENCES))) {
      const key = { agent: this.#agent, id };
      const record =
        (await this.#store.getTask(key)) ?? (await this.#store.getTaskByVendorId(this.#agent, id));
      if (record?.principal === principal && record.vendorTaskId !== undefined)
        found.push(record.vendorTaskId);
    }
    return found;
  }

  /** A client's message with the vendor's ids; `record` of the task that it goes on with. */
  async vendorMessage(
    principal: string,
    message: Message,
    newIds: NewIds,
    record?: TaskRecord,
  ): Promise<Message> {
    const { taskId: _taskId, contextId: named, referenceTaskIds, ...rest } = message;
    const newContext = async (): Promise<string | undefined> =>
      named === undefined ? this.newContexts.offer(newIds) : await this.vendorContext(principal, named);
    const contextId = record ? record.vendorContextId : await newContext();
    const references = await this.vendorTasks(principal, referenceTaskIds ?? []);
    return {
      ...rest,
      ...(references.length > 0 && { referenceTaskIds: references }),
      ...(record?.vendorTaskId !== undefined && { taskId: record.vendorTaskId }),
      ...(contextId !== undefined && { contextId }),
    };
  }

  /** Keeps the vendor's id of a context for the next turn. */
  async rememberContext(context: Omit<ContextRecord, "agent" | "updatedAt">): Promise<void> {
    await this.#store.putContext({ ...context, agent: this.#agent, updatedAt: this.#mint.now() });
  }

  /** The ids towards clients of a turn's new task, and the lease on it; the vendor's ids are taken if they are free. */
  async newTask(
    {
      principal,
      newIds,
      contextId: named,
      claimed,
    }: Pick<Turn, "principal" | "newIds" | "contextId" | "claimed">,
    vendor: { readonly taskId: string | undefined; readonly contextId: string | undefined },
  ): Promise<{ lease: Lease; origin: Origin }> {
    const contextId = named ?? (await this.#unlessForeign(principal, vendor.contextId)) ?? newIds.contextId;
    if (claimed) return { lease: claimed, origin: { id: claimed.taskId, contextId } };
    const { lease, resumed } = await this.#lease({ principal, contextId }, vendor.taskId, newIds);
    return { lease, origin: resumed ?? { id: lease.taskId, contextId } };
  }

  /**
   * A lease on the id towards clients of a task that the vendor named. If the vendor goes on with an interrupted task of
   * the same principal and context although the client did not name it, the lease is on that task.
   */
  async #lease(
    owner: { principal: string; contextId: string },
    vendorTaskId: string | undefined,
    newIds: NewIds,
  ): Promise<{ lease: Lease; resumed?: TaskRecord }> {
    if (vendorTaskId === undefined) return { lease: this.#newLease(newIds) };
    const known = await this.#store.getTaskByVendorId(this.#agent, vendorTaskId);
    if (!known) return { lease: (await this.#leaseOfFree(vendorTaskId)) ?? this.#newLease(newIds) };
    const isOwn = known.principal === owner.principal && known.contextId === owner.contextId;
    const lease = isOwn ? this.#leases.take(known.id) : undefined;
    if (!lease) return { lease: this.#newLease(newIds) };
    // Read again: a turn that has just ended may have ended the task.
    const resumed = await this.#store.getTask(known);
    if (resumed && isInterrupted(resumed.state)) return { lease, resumed };
    this.#leases.release(lease);
    return { lease: this.#newLease(newIds) };
  }

  /**
   * A lease on a new task that its client has named. If the id stands for another principal's task, the task has an id of
   * its own (see `ownTaskId`), so that nobody can learn from it which ids others use. Rejects if the client has just begun
   * a task of this name.
   */
  async claim(principal: string, id: string): Promise<Lease> {
    for (const candidate of [id, ownTaskId(this.#agent, principal, id)]) {
      const lease = await this.#leaseOfFree(candidate, principal);
      if (lease) return lease;
      if (this.#leases.ownerOf(candidate) === principal) break;
      const known = await this.#store.getTask({ agent: this.#agent, id: candidate });
      if (known?.principal === principal) break;
    }
    throw new A2AError("unsupported-operation", {
      message: "The task has just begun; a message can be sent to it once it is input-required",
    });
  }

  /** A lease on a task of which there is no record yet; undefined if there is one, or an owner. */
  async #leaseOfFree(id: string, owner?: string): Promise<Lease | undefined> {
    const lease = this.#leases.take(id, owner);
    if (!lease) return undefined;
    try {
      if (!(await this.#store.getTask({ agent: this.#agent, id }))) return lease;
    } catch (error) {
      this.#leases.release(lease);
      throw error;
    }
    this.#leases.release(lease);
    return undefined;
  }

  #newLease({ taskId }: NewIds): Lease {
    const lease = this.#leases.take(taskId);
    if (!lease) throw new A2AError("internal-error", { message: "A new task's id is taken" });
    return lease;
  }

  /** The vendor's id of a context, unless it is another principal's. */
  async #unlessForeign(principal: string, contextId: string | undefined): Promise<string | undefined> {
    if (contextId === undefined) return undefined;
    const owner = await this.#store.contextOwner(this.#agent, contextId);
    return owner === undefined || owner === principal ? contextId : undefined;
  }
}

/**
 * A UUID (version 8) for a principal's context, the same whenever it is asked for: a client that always names the same
 * context stays in it at the vendor, also after the store has forgotten it.
 */
function derivedId(agent: string, principal: string, contextId: string): string {
  return uuidOf([agent, principal, contextId]);
}

/** The id of a task whose client calls it `id`, which is another principal's already: the same whenever it is asked for. */
export const ownTaskId = (agent: string, principal: string, id: string): string =>
  uuidOf(["task", agent, principal, id]);

function uuidOf(parts: readonly string[]): string {
  const digest = createHash("sha256").update(JSON.stringify(parts)).digest();
  digest.writeUInt8(0x80 | (digest.readUInt8(6) & 0x0f), 6);
  digest.writeUInt8(0x80 | (digest.readUInt8(8) & 0x3f), 8);
  return digest.toString("hex", 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/**
 * Who names a new conversation, if the client has not. Some agents open one of their own for a message without a
 * `contextId`, and do not say which: the client's next message could not go on with it. Such an agent is given an id of the
 * proxy's with the first message.
 */
export class NewContexts {
  readonly #log: EngineContext["log"];
  readonly #learns: boolean;
  #isNamedHere: boolean;

  constructor({ agent, log }: Pick<EngineContext, "agent" | "log">) {
    this.#log = log;
    this.#learns = agent.contextIds === undefined;
    this.#isNamedHere = agent.contextIds === "proxy";
  }

  /** The id for a new conversation; undefined if the agent names it. */
  offer(newIds: NewIds): string | undefined {
    return this.#isNamedHere ? newIds.contextId : undefined;
  }

  /** The agent has opened a conversation and has not named it. */
  noteUnnamed(): void {
    if (!this.#learns || this.#isNamedHere) return;
    this.#isNamedHere = true;
    this.#log.warn(
      "the agent does not name the conversations that it opens; from now on the proxy does. The first message of the one " +
        "that has just begun is lost to the agent: set `contextIds: proxy` to avoid that after the next start",
    );
  }
}

/** The vendor's ids of a turn's task and its context, filled in as the vendor announces them. */
export class VendorIds {
  #taskId: string | undefined;
  #contextId: string | undefined;
  /** What the vendor was given for the context, which it may leave unsaid. */
  readonly #givenContextId: string | undefined;
  /** The task id is the vendor's own word, not what it was offered. */
  #announced: boolean;

  /**
   * @param record of the task that is continued or followed
   * @param minted the id that a new task has at a vendor whose client mints it
   * @param contextId what the vendor is given for the context, if anything
   */
  constructor(record: TaskRecord | undefined, minted: string | undefined, contextId: string | undefined) {
    this.#announced = record?.vendorTaskId !== undefined;
    this.#taskId = record ? record.vendorTaskId : minted;
    this.#contextId = record?.vendorContextId;
    this.#givenContextId = contextId;
  }

  get taskId(): string | undefined {
    return this.#taskId;
  }

  get contextId(): string | undefined {
    return this.#contextId ?? this.#givenContextId;
  }

  /** The task as the vendor is asked for it; undefined until its id is known. */
  get task(): VendorTask | undefined {
    return this.#taskId === undefined ? undefined : { id: this.#taskId, contextId: this.contextId };
  }

  note(event: AgentEvent): void {
    const taskId = event.kind === "task" ? event.id : event.taskId;
    // A vendor that goes on with a task under another id is asked for that one from now on.
    if (taskId !== undefined && (event.kind === "task" || !this.#announced)) {
      this.#taskId = taskId;
      this.#announced = true;
    }
    this.#contextId ??= event.contextId;
  }
}
