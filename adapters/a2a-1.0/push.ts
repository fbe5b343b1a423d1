/**
 * Push notification configurations and the params of their methods. Mismatch bridged: 1.0 has one flat object
 * `{taskId, id, url, token, authentication}` and one `authentication.scheme`; 0.3.0 §6.8–6.10 nests the configuration
 * and lists schemes. Drafts nest as 0.3.0 does; both are read.
 *
 * Loss: of several authentication schemes the first alone is sent.
 */
import type { PushNotificationConfig, TaskPushNotificationConfig } from "../../src/protocol/params.ts";
import { compact, isRecord } from "../shared/object.ts";
import { parseWire } from "../shared/wire.ts";
import { nonEmptyList } from "./parts.ts";
import {
  WireListPushParams,
  WirePushConfig,
  WirePushConfigPage,
  WirePushParams,
  WireTaskPushConfig,
  type WirePushConfig as PushConfigOnTheWire,
} from "./wire.ts";

/** 0.3.0 §7.6, §7.8: of a list without the configuration's id. */
export interface PushConfigParams {
  id: string;
  pushNotificationConfigId?: string | undefined;
}

export function toCanonicalPushConfig({
  id,
  url,
  token,
  authentication,
}: PushConfigOnTheWire): PushNotificationConfig {
  const { scheme, schemes, credentials } = authentication ?? {};
  const named = nonEmptyList(schemes) ?? (scheme ? [scheme] : []);
  const said = named.length > 0 || credentials ? compact({ schemes: named, credentials }) : undefined;
  return compact({ id, url, token, authentication: said });
}

export function fromCanonicalPushConfig({ id, url, token, authentication }: PushNotificationConfig) {
  const { schemes, credentials } = authentication ?? {};
  return compact({
    id,
    url,
    token,
    authentication: authentication && compact({ scheme: schemes?.[0], credentials }),
  });
}

/** Params and result of CreateTaskPushNotificationConfig, and the result of the get. */
export function toCanonicalTaskPushConfig(value: unknown): TaskPushNotificationConfig {
  const { taskId, pushNotificationConfig } = parseWire(WireTaskPushConfig, value, "push configuration");
  const config = pushNotificationConfig ?? parseWire(WirePushConfig, value, "push configuration");
  return { taskId, pushNotificationConfig: toCanonicalPushConfig(config) };
}

export const fromCanonicalTaskPushConfig = ({ taskId, pushNotificationConfig }: TaskPushNotificationConfig) =>
  compact({ taskId, ...fromCanonicalPushConfig(pushNotificationConfig) });

/** Params of the get and delete methods. */
export function toCanonicalPushParams(value: unknown): PushConfigParams {
  const { taskId, id } = parseWire(WirePushParams, value, "params");
  return compact({ id: taskId, pushNotificationConfigId: id });
}

export const fromCanonicalPushParams = ({ id, pushNotificationConfigId }: PushConfigParams) =>
  compact({ taskId: id, id: pushNotificationConfigId });

/** Params of ListTaskPushNotificationConfigs; all configurations of a task fit on one page. */
export const toCanonicalListPushParams = (value: unknown): { id: string } => ({
  id: parseWire(WireListPushParams, value, "params").taskId,
});

/** Result of ListTaskPushNotificationConfigs: a page; drafts answer a bare array. */
export function toCanonicalPushConfigs(result: unknown): TaskPushNotificationConfig[] {
  const page = isRecord(result)
    ? parseWire(WirePushConfigPage, result, "push configuration list").configs
    : result;
  return Array.isArray(page) ? page.map(toCanonicalTaskPushConfig) : [];
}

export const fromCanonicalPushConfigs = (configs: readonly TaskPushNotificationConfig[]) => ({
  configs: configs.map(fromCanonicalTaskPushConfig),
  nextPageToken: "",
});
