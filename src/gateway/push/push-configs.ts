/** Push notification configs (§7.5 to §7.8): checked when they are set, kept with the task, read by its owner alone. */
import { A2AError } from "../../protocol/errors.ts";
import {
  PushNotificationConfig,
  type DeletePushConfigParams,
  type GetPushConfigParams,
  type MessageSendParams,
  type TaskIdParams,
  type TaskPushNotificationConfig,
} from "../../protocol/params.ts";
import type { PushPolicy } from "../../push/create-push.ts";
import type { PushConfigRecord } from "../../store/push-store.ts";
import type { TaskRecord } from "../../store/store.ts";
import type { EngineContext, Caller } from "../gateway.ts";

/** The id of a config that was set without one. */
const DEFAULT_ID = "default";
const MAX_ID = 256;

/** A config that was checked, for a task that may not be there yet. */
export type CheckedPushConfig = Pick<PushConfigRecord, "id" | "origin" | "dialect" | "json" | "createdAt">;

/** The task of that id, where it is the caller's; rejects with `task-not-found`. */
export type OwnedTask = (id: string, caller: Caller) => Promise<TaskRecord>;

export class PushConfigs {
  readonly #context: EngineContext;
  readonly #owned: OwnedTask;

  constructor(context: EngineContext, owned: OwnedTask) {
    this.#context = context;
    this.#owned = owned;
  }

  async set(params: TaskPushNotificationConfig, caller: Caller): Promise<TaskPushNotificationConfig> {
    const task = await this.#task(params.taskId, caller);
    const path = "pushNotificationConfig";
    return this.keep(task, await this.check(params.pushNotificationConfig, path, caller));
  }

  async get(params: GetPushConfigParams, caller: Caller): Promise<TaskPushNotificationConfig> {
    const task = await this.#task(params.id, caller);
    const { push } = this.#context.store;
    const { pushNotificationConfigId: id } = params;
    const wanted = await push.getConfig(task, id ?? DEFAULT_ID);
    const record = wanted ?? (id === undefined ? (await push.listConfigs(task))[0] : undefined);
    if (record) return toConfig(record);
    throw new A2AError("task-not-found", { message: "The task has no such push notification config" });
  }

  async list(params: TaskIdParams, caller: Caller): Promise<TaskPushNotificationConfig[]> {
    const task = await this.#task(params.id, caller);
    return (await this.#context.store.push.listConfigs(task)).map(toConfig);
  }

  async delete(params: DeletePushConfigParams, caller: Caller): Promise<void> {
    const task = await this.#task(params.id, caller);
    await this.#context.store.push.deleteConfig(task, params.pushNotificationConfigId);
  }

  /**
   * Takes the config out of what comes with a message: the gateway itself tells the client's webhook, and the vendor
   * is not given its address and secrets.
   */
  async inline(configuration: MessageSendParams["configuration"], caller: Caller) {
    const { pushNotificationConfig, ...rest } = configuration ?? {};
    const path = "configuration.pushNotificationConfig";
    const push = pushNotificationConfig && (await this.check(pushNotificationConfig, path, caller));
    return { push, configuration: configuration && rest };
  }

  /** Rejects with `push-not-supported`, or with `invalid-params` and the reason; `path` is where the config is. */
  async check(config: PushNotificationConfig, path: string, { dialect }: Caller): Promise<CheckedPushConfig> {
    const policy = this.#requirePolicy();
    const { id = DEFAULT_ID } = config;
    if (id.length > MAX_ID) throw invalid(`${path}.id`, `must have at most ${MAX_ID} characters`);
    const fault = policy.credentialsFault(config, dialect);
    if (fault) throw invalid(`${path}.${fault.path}`, fault.reason);
    const { origin } = await policy.guard.admit(config.url, `${path}.url`).catch((error: unknown) => {
      // The client is not told what addresses a name has.
      this.#context.log.debug({ err: error, origin: URL.parse(config.url)?.origin }, "refused a webhook");
      throw error;
    });
    return {
      id,
      origin,
      dialect,
      json: JSON.stringify({ ...config, id }),
      createdAt: this.#context.mint.now(),
    };
  }

  /** Rejects with `invalid-params` where the task has too many. */
  async keep(task: TaskRecord, config: CheckedPushConfig): Promise<TaskPushNotificationConfig> {
    const policy = this.#requirePolicy();
    const { configsPerTask } = policy;
    const record = pushConfigRecord(task, config);
    if (await this.#context.store.push.putConfig(record, configsPerTask)) {
      // What could not be delivered to the place before may be waiting.
      policy.wake();
      return toConfig(record);
    }
    throw invalid("pushNotificationConfig", `a task has at most ${configsPerTask} push notification configs`);
  }

  async #task(id: string, caller: Caller): Promise<TaskRecord> {
    this.#requirePolicy();
    return this.#owned(id, caller);
  }

  #requirePolicy(): PushPolicy {
    const { push } = this.#context;
    if (!push) throw new A2AError("push-not-supported");
    return push;
  }
}

/** The record of a checked config, once its task is known. */
export const pushConfigRecord = (
  { agent, id: taskId, principal }: Pick<TaskRecord, "agent" | "id" | "principal">,
  config: CheckedPushConfig,
): PushConfigRecord => ({ agent, taskId, principal, ...config });

const toConfig = ({ taskId, json }: PushConfigRecord): TaskPushNotificationConfig => ({
  taskId,
  pushNotificationConfig: PushNotificationConfig.parse(JSON.parse(json)),
});

const invalid = (path: string, reason: string): A2AError =>
  new A2AError("invalid-params", { data: { path, reason } });
