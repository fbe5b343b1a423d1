/** How the methods of 0.3.0 reach an agent: over JSON-RPC, HTTP+JSON or gRPC (§3.2), whichever it serves. */
import type { PushCallback } from "../../src/adapter.ts";
import type { AgentCard } from "../../src/protocol/card.ts";
import type {
  DeletePushConfigParams,
  MessageSendParams,
  TaskQueryParams,
} from "../../src/protocol/params.ts";
import type { CallScope } from "../../src/southbound/http.ts";

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
  readonly call: CallScope;
  readonly headers: Readonly<Record<string, string>>;
};

export interface Transport {
  /** Resolves with the result, not yet translated; rejects with an A2AError. */
  call(exchange: Exchange): Promise<unknown>;
  /** Yields each event, not yet translated; throws an A2AError, before or in the stream. */
  stream(exchange: Exchange): AsyncIterable<unknown>;
}

export type TransportName = "jsonrpc" | "http+json" | "grpc";

/** The best known transport first: JSON-RPC is what most servers were tried with, and the configured URL is one of HTTP. */
const BY_PREFERENCE = [
  ["JSONRPC", "jsonrpc"],
  ["HTTP+JSON", "http+json"],
  ["GRPC", "grpc"],
] as const;

interface Named {
  readonly transport: string;
  readonly url: string;
}

/** The transports that a card names; without a preference it is JSON-RPC (§5.5.1). */
export const interfacesOf = ({
  url,
  preferredTransport = "JSONRPC",
  additionalInterfaces = [],
}: AgentCard): readonly Named[] => [{ transport: preferredTransport, url }, ...additionalInterfaces];

/**
 * The transport that the card names at the configured URL; if there is none, at its path, since a card often names another
 * host than the one that reaches the agent. If that does not tell either, the best of those that the card names.
 */
export function transportOf(card: AgentCard, url: string): TransportName {
  const all = interfacesOf(card);
  const here = placeOf(url);
  const at = (part: "origin" | "path") => (one: Named) => {
    const place = placeOf(one.url);
    return place?.path === here?.path && (part === "path" || place?.origin === here?.origin);
  };
  const overHttp = all.filter(({ transport }) => transport.toUpperCase() !== "GRPC");
  return best(overHttp.filter(at("origin"))) ?? best(overHttp.filter(at("path"))) ?? best(all) ?? "jsonrpc";
}

function best(named: readonly Named[]): TransportName | undefined {
  const names = new Set(named.map(({ transport }) => transport.toUpperCase()));
  return BY_PREFERENCE.find(([name]) => names.has(name))?.[1];
}

/** `/v1` and a slash at the end of the path do not count; undefined for `host:port`. */
function placeOf(url: string): { readonly origin: string; readonly path: string } | undefined {
  const { protocol, origin, pathname } = URL.parse(url) ?? {};
  if (origin === undefined || pathname === undefined || !protocol?.startsWith("http")) return undefined;
  return { origin, path: pathname.replace(/\/+$/, "").replace(/\/v1$/, "") };
}
