/** The vendor's ids of a turn's task and its context, filled in as the vendor announces them. */
import type { AgentEvent, VendorTask } from "../../adapter.ts";
import type { TaskRecord } from "../../store/store.ts";

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
