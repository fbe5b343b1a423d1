/** The methods, and what every params holds. */
import type { JsonRpcMethods } from "../../src/dialect.ts";
import type { MethodName } from "../../src/protocol/methods.ts";

export const DIALECT = "a2a-snake";

/** Of the protocol, by the dialect's own account. */
export const VERSION = "1.0";

export const JSONRPC = {
  send: "a2a.sendMessage",
  stream: "a2a.sendStreamingMessage",
  getTask: "a2a.getTask",
  listTasks: "a2a.listTasks",
  cancelTask: "a2a.cancelTask",
  resubscribe: "a2a.subscribeToTask",
  setPush: "a2a.createTaskPushNotificationConfig",
  getPush: "a2a.getTaskPushNotificationConfig",
  listPush: "a2a.listTaskPushNotificationConfigs",
  deletePush: "a2a.deleteTaskPushNotificationConfig",
  extendedCard: "a2a.getExtendedAgentCard",
} as const satisfies JsonRpcMethods & Readonly<Record<MethodName, string>>;
