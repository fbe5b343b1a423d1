/**
 * The callback of one turn: given to the vendor along with the message or once the task has to be followed, valid across
 * a restart, and taken back when the turn is over.
 */
import type { Call, VendorTask } from "../adapter.ts";
import type { VendorPush } from "../config/push.ts";
import type { MessageSendParams } from "../protocol/params.ts";
import { agentFault } from "./agent-fault.ts";
import { type Callback, CALLBACK_ID } from "./callbacks.ts";
import type { EngineContext } from "./context.ts";

export class VendorCallback {
  readonly #context: EngineContext;
  readonly #settings: VendorPush;
  #callback: Callback | undefined;

  /** Undefined where the vendor is not to push, or cannot be asked for the task then. */
  static of(context: EngineContext): VendorCallback | undefined {
    const { vendorPush } = context.agent;
    return vendorPush && context.backend.getTask && new VendorCallback(context, vendorPush);
  }

  private constructor(context: EngineContext, settings: VendorPush) {
    this.#context = context;
    this.#settings = settings;
  }

  /** How often the vendor is asked although it does not call, ms. */
  get safetyPoll(): number {
    return this.#settings.safetyPoll;
  }

  get callback(): Callback | undefined {
    return this.#callback;
  }

  /** Takes up the callback that the vendor was given before a restart. */
  resume(seal: string | undefined): void {
    if (seal !== undefined) this.#callback ??= this.#context.callbacks.reopen(seal);
  }

  /** The params for the vendor, with the callback where it is to go along with the message. */
  enclosed(params: MessageSendParams): MessageSendParams {
    if (!this.#settings.withMessage) return params;
    const { callback, told } = this.#open();
    this.#callback = callback;
    return { ...params, configuration: { ...params.configuration, pushNotificationConfig: { ...told } } };
  }

  /** Has the vendor call where it does not yet; does without where it cannot. */
  async subscribe(task: VendorTask, call: Call): Promise<void> {
    const { backend, log } = this.#context;
    if (this.#callback || !backend.subscribePush) return;
    const { callback, told } = this.#open();
    try {
      await backend.subscribePush(task, told, call);
      this.#callback = callback;
    } catch (error) {
      callback.close();
      // What else the vendor says may repeat the callback's secrets.
      const { code } = agentFault(error, this.#context);
      log.info({ code }, "the agent takes no callback; following the task without");
    }
  }

  /** Nobody listens any more: the vendor is told so, if it can be. */
  release(task: VendorTask | undefined, call: Call): void {
    if (!this.#callback) return;
    this.#callback.close();
    this.#callback = undefined;
    if (task) void this.#unsubscribe(task, call);
  }

  async #unsubscribe(task: VendorTask, call: Call): Promise<void> {
    const { backend, log } = this.#context;
    try {
      await backend.unsubscribePush?.(task, CALLBACK_ID, call);
    } catch (error) {
      const { code } = agentFault(error, this.#context);
      log.debug({ code }, "the agent keeps a callback that is over");
    }
  }

  #open() {
    return this.#context.callbacks.open(this.#context.agent, this.#settings.callbackUrl);
  }
}
