/**
 * Clients of the snake_case dialect: 1.0's codec, respelled. Their params are read as 1.0's, whose schemas know both
 * spellings; the version, which is inside the params here, is required.
 */
import type { ClientDialect, ServedPlace, UnaryResult } from "../../src/dialect.ts";
import type { AgentCard } from "../../src/protocol/card.ts";
import { A2AError } from "../../src/protocol/errors.ts";
import type { MethodName } from "../../src/protocol/methods.ts";
import type { TaskPushNotificationConfig } from "../../src/protocol/params.ts";
import { fromCanonicalCard } from "../a2a-1.0/card.ts";
import { client10 } from "../a2a-1.0/client.ts";
import { toParams as toParams10 } from "../a2a-1.0/client-params.ts";
import { fromCanonicalEvent } from "../a2a-1.0/events.ts";
import { fromCanonicalPushConfig } from "../a2a-1.0/push.ts";
import { fromCanonicalTask } from "../a2a-1.0/task.ts";
import { isRecord } from "../shared/object.ts";
import { DIALECT, JSONRPC, VERSION } from "./methods.ts";
import { respelled } from "./spelling.ts";

/** In a log or an error, no more of what a client sends is repeated. */
const MAX_VERSION = 20;

function toParams(method: MethodName, params: unknown): unknown {
  const version = isRecord(params) ? params["a2a-version"] : undefined;
  if (typeof version === "string" && /^1(\.\d+){0,2}$/.test(version)) return toParams10(method, params);
  const given = typeof version === "string" ? `, not ${version.slice(0, MAX_VERSION)}` : "";
  throw new A2AError("version-not-supported", {
    message: `params must hold "a2a-version": "${VERSION}"${given}`,
  });
}

function extensionsIn(params: unknown): string | undefined {
  const extensions = isRecord(params) ? params["a2a-extensions"] : undefined;
  return typeof extensions === "string" ? extensions : undefined;
}

/** Nested, unlike in 1.0. */
const pushConfig = ({ taskId, pushNotificationConfig }: TaskPushNotificationConfig) => ({
  taskId,
  pushNotificationConfig: fromCanonicalPushConfig(pushNotificationConfig),
});

const cardAt = (card: AgentCard, { url }: Pick<ServedPlace, "url">): object =>
  Object(respelled(fromCanonicalCard(card, [{ url, binding: "JSONRPC" }])));

function fromResult(method: MethodName, result: UnaryResult, params: unknown): unknown {
  if (Array.isArray(result)) return respelled({ configs: result.map(pushConfig), nextPageToken: "" });
  if (result && "pushNotificationConfig" in result) return respelled(pushConfig(result));
  return respelled(client10.fromResult(method, result, params));
}

export const clientSnake: ClientDialect = {
  name: DIALECT,
  jsonrpc: JSONRPC,
  extensionsHeader: client10.extensionsHeader,
  extensionsIn,
  // Its version is that of 1.0, whose header does not ask for it.
  speaks: () => false,
  toParams,
  fromResult,
  events: { write: (event) => [Object(respelled(fromCanonicalEvent(event)))] },
  notifications: { toBody: (task) => Object(respelled(fromCanonicalTask(task))) },
  toRpcError: ({ rpcCode: code, sdkName, message, data }) => ({
    code,
    message: `${sdkName}: ${message}`,
    ...(data && { data }),
  }),
  fromCard: cardAt,
};
