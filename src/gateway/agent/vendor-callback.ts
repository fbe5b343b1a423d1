/**
 * The callback of one turn: given to the vendor along with the message or once the task has to be followed, valid across
 * a restart, and taken back when the turn is over.
 */
import type { Call, PushCallback, VendorTask } from "../../adapter.ts";
import type { VendorPush } from "../../config/push.ts";
import { abortable } from "../../lib/abortable.ts";
import type { A2AError } from "../../protocol/errors.ts";
import type { MessageSendParams } from "../../protocol/params.ts";
import { agentFault } from "./fault.ts";
import { type Callback, CALLBACK_ID } from "../push/callbacks.ts";
import type { EngineContext } from "../gateway.ts";

export class VendorCallback {
  readonly #context: EngineContext;
  readonly #settings: VendorPush;
  #callback: Callback | undefined;
  /** What the vendor was told in this process, and may repeat. */
  #registered: PushCallback | undefined;

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
  resume(digest: string | undefined): void {
    if (digest !== undefined) this.#callback ??= this.#context.callbacks.reopen(digest);
  }

  /** The params for the vendor, with the callback where it is to go along with the message. */
  enclosed(params: MessageSendParams): MessageSendParams {
    if (!this.#settings.withMessage) return params;
    const { callback, registered } = this.#open();
    this.#callback = callback;
    return {
      ...params,
      configuration: { ...params.configuration, pushNotificationConfig: { ...registered } },
    };
  }

  /** What an error of the vendor's says, but for the callback. */
  fault(error: unknown): A2AError {
    const { agent, redact } = this.#context;
    if (!this.#registered) return agentFault(error, { agent, redact });
    const { url, token } = this.#registered;
    const secret = url.slice(url.lastIndexOf("/") + 1);
    return agentFault(error, { agent, redact: redact.also([secret, token]) });
  }

  /** Has the vendor call where it does not yet; does without where it cannot. */
  async subscribe(task: VendorTask, call: Call): Promise<void> {
    const { backend, log } = this.#context;
    if (this.#callback || !backend.subscribePush) return;
    const { callback, registered } = this.#open();
    try {
      await abortable(backend.subscribePush(task, registered, call), call.signal);
      this.#callback = callback;
    } catch (error) {
      callback.close();
      log.info({ err: this.fault(error) }, "the agent takes no callback; following the task without");
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
      log.debug({ err: this.fault(error) }, "the agent keeps a callback that is over");
    }
  }

  #open() {
    const opened = this.#context.callbacks.open(this.#context.agent, this.#settings.callbackUrl);
    this.#registered = opened.registered;
    return opened;
  }
}
