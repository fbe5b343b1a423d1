/**
 * Push notification configurations and the params of their methods. Mismatch bridged: snake_case, one
 * `authentication.scheme` for the list in 0.3.0 §6.8–6.10, the task called `task_id` and the configuration `id`.
 *
 * Loss: of several authentication schemes the first alone is sent.
 */
import type { z } from "zod";
import type { PushNotificationConfig } from "../../src/protocol/params.ts";
import { compact, isRecord } from "../shared/object.ts";
import { parseWire } from "../shared/wire.ts";
import {
  WirePushConfig,
  WirePushConfigPage,
  WirePushParams,
  WireTaskPushConfig,
  type WirePushConfig as PushConfigOnTheWire,
} from "./wire.ts";

type PushConfig = z.infer<typeof PushNotificationConfig>;

/** 0.3.0 §6.10. */
export interface TaskPushNotificationConfig {
  taskId: string;
  pushNotificationConfig: PushConfig;
}

/** 0.3.0 §7.6, §7.8: of a list without the configuration's id. */
export interface PushConfigParams {
  id: string;
  pushNotificationConfigId?: string | undefined;
}

export function toCanonicalPushConfig({ id, url, token, authentication }: PushConfigOnTheWire): PushConfig {
  const { scheme, schemes, credentials } = authentication ?? {};
  const named = schemes ?? (scheme ? [scheme] : []);
  return compact({
    id,
    url,
    token,
    authentication: authentication && compact({ schemes: named, credentials }),
  });
}

export function fromCanonicalPushConfig({ id, url, token, authentication }: PushConfig) {
  const { schemes, credentials } = authentication ?? {};
  return compact({
    id,
    url,
    token,
    authentication: authentication && compact({ scheme: schemes?.[0], credentials }),
  });
}

/** Params and result of a2a.createTaskPushNotificationConfig, result of the get; nested, or flat as official 1.0. */
export function toCanonicalTaskPushConfig(value: unknown): TaskPushNotificationConfig {
  const { task_id, push_notification_config } = parseWire(WireTaskPushConfig, value, "push configuration");
  const config = push_notification_config ?? parseWire(WirePushConfig, value, "push configuration");
  return { taskId: task_id, pushNotificationConfig: toCanonicalPushConfig(config) };
}

export const fromCanonicalTaskPushConfig = ({
  taskId,
  pushNotificationConfig,
}: TaskPushNotificationConfig) => ({
  task_id: taskId,
  push_notification_config: fromCanonicalPushConfig(pushNotificationConfig),
});

/** Params of the get, list and delete methods. */
export function toCanonicalPushParams(value: unknown): PushConfigParams {
  const { task_id, id } = parseWire(WirePushParams, value, "params");
  return compact({ id: task_id, pushNotificationConfigId: id });
}

export const fromCanonicalPushParams = ({ id, pushNotificationConfigId }: PushConfigParams) =>
  compact({ task_id: id, id: pushNotificationConfigId });

/** Result of a2a.listTaskPushNotificationConfigs: a page, or a bare array. */
export function toCanonicalPushConfigs(result: unknown): TaskPushNotificationConfig[] {
  const page = isRecord(result)
    ? parseWire(WirePushConfigPage, result, "push configuration list").configs
    : result;
  return Array.isArray(page) ? page.map(toCanonicalTaskPushConfig) : [];
}
