/** How the methods of 0.3.0 reach an agent: over JSON-RPC, HTTP+JSON or gRPC (§3.2), whichever it serves. */
import type { PushCallback } from "../../src/adapter.ts";
import type { AgentCard } from "../../src/protocol/card.ts";
import type {
  DeletePushConfigParams,
  MessageSendParams,
  TaskQueryParams,
} from "../../src/protocol/params.ts";

/** TaskPushNotificationConfig (§6.10) for a callback of the proxy's own. */
export interface CallbackParams {
  readonly taskId: string;
  readonly pushNotificationConfig: PushCallback;
}

/** A method with its params, as JSON-RPC names them. */
export type Request =
  | { readonly method: "message/send" | "message/stream"; readonly params: MessageSendParams }
  | { readonly method: "agent/getAuthenticatedExtendedCard"; readonly params: undefined }
  | { readonly method: "tasks/pushNotificationConfig/set"; readonly params: CallbackParams }
  | { readonly method: "tasks/pushNotificationConfig/delete"; readonly params: DeletePushConfigParams }
  | { readonly method: "tasks/get" | "tasks/cancel" | "tasks/resubscribe"; readonly params: TaskQueryParams };

export type Exchange = Request & {
  readonly signal: AbortSignal;
  readonly headers: Readonly<Record<string, string>>;
};

export interface Transport {
  /** Resolves with the result, not yet translated; rejects with an A2AError. */
  call(exchange: Exchange): Promise<unknown>;
  /** Yields each event, not yet translated; throws an A2AError, before or in the stream. */
  stream(exchange: Exchange): AsyncIterable<unknown>;
}

export type TransportName = "jsonrpc" | "http+json" | "grpc";

/**
 * JSON-RPC wherever the card names it or names nothing, since it is what most servers were tried with; gRPC only where
 * the card names nothing over HTTP, since the configured URL is one of HTTP.
 */
export function transportOf({ preferredTransport, additionalInterfaces = [] }: AgentCard): TransportName {
  const named = [preferredTransport ?? "JSONRPC", ...additionalInterfaces.map(({ transport }) => transport)];
  const names = new Set(named.map((name) => name.toUpperCase()));
  if (names.has("JSONRPC")) return "jsonrpc";
  if (names.has("HTTP+JSON")) return "http+json";
  return names.has("GRPC") ? "grpc" : "jsonrpc";
}
