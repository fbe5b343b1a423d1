/** How the methods of 0.3.0 reach an agent: over JSON-RPC or HTTP+JSON (§3.2), whichever it serves. */
import type { AgentCard } from "../../src/protocol/card.ts";
import type { MessageSendParams, TaskQueryParams } from "../../src/protocol/params.ts";

/** A method with its params, as JSON-RPC names them. */
export type Request =
  | { readonly method: "message/send" | "message/stream"; readonly params: MessageSendParams }
  | { readonly method: "agent/getAuthenticatedExtendedCard"; readonly params: undefined }
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

export type TransportName = "jsonrpc" | "http+json";

/** JSON-RPC wherever the card names it or names nothing, since it is what most servers were tried with. */
export function transportOf({ preferredTransport, additionalInterfaces = [] }: AgentCard): TransportName {
  const named = [preferredTransport ?? "JSONRPC", ...additionalInterfaces.map(({ transport }) => transport)];
  const names = new Set(named.map((name) => name.toUpperCase()));
  return !names.has("JSONRPC") && names.has("HTTP+JSON") ? "http+json" : "jsonrpc";
}
