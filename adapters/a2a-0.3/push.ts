/** tasks/pushNotificationConfig/set (A2A 0.3.0 §7.5), for a callback of the proxy's own; over JSON-RPC alone. */
import type { PushCallback } from "../../src/adapter.ts";
import { JsonRpcClient } from "../../src/southbound/jsonrpc.ts";
import type { Southbound } from "../../src/southbound/southbound.ts";
import { toCanonicalError } from "./errors.ts";

/** A callback set anew takes the place of the one before. */
const CONFIG_ID = "a2a-compat-proxy";

interface Subscription {
  /** The vendor's id of the task. */
  readonly id: string;
  readonly callback: PushCallback;
  readonly signal: AbortSignal;
  readonly headers: Readonly<Record<string, string>>;
}

/** Resolves once the agent has agreed; rejects with an A2AError. */
export async function subscribePush(
  southbound: Southbound,
  { id, callback: { url, token }, signal, headers }: Subscription,
): Promise<void> {
  const newId = () => southbound.newId();
  const { http, url: agentUrl } = southbound;
  const client = new JsonRpcClient({ http, url: agentUrl, newId, toError: toCanonicalError });
  const params = { taskId: id, pushNotificationConfig: { id: CONFIG_ID, url, token } };
  await client.call({ method: "tasks/pushNotificationConfig/set", params, signal, headers });
}
