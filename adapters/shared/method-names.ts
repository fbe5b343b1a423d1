/** The methods of a dialect by their names over JSON-RPC, and what 0.3.0 calls them. */
import type { JsonRpcMethods, MethodName } from "../../src/dialect.ts";

const CANONICAL: Readonly<Record<MethodName, string>> = {
  send: "message/send",
  stream: "message/stream",
  getTask: "tasks/get",
  listTasks: "tasks/list",
  cancelTask: "tasks/cancel",
  resubscribe: "tasks/resubscribe",
  setPush: "tasks/pushNotificationConfig/set",
  getPush: "tasks/pushNotificationConfig/get",
  listPush: "tasks/pushNotificationConfig/list",
  deletePush: "tasks/pushNotificationConfig/delete",
  extendedCard: "agent/getAuthenticatedExtendedCard",
};

/** By a dialect's name of a method, 0.3.0's. */
export const canonicalNames = (methods: JsonRpcMethods): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(CANONICAL).flatMap(([method, canonical]) => {
      const name = Object.entries(methods).find(([known]) => known === method)?.[1];
      return name === undefined ? [] : [[name, canonical]];
    }),
  );
