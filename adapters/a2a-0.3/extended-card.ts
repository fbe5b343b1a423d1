/**
 * Where the extended card is: 0.3.0 has the method agent/getAuthenticatedExtendedCard without params (§7.10), 0.2.1 to
 * 0.2.6 an HTTP GET of `{url}/../agent/authenticatedExtendedCard`. The method is tried first; refusing it does nothing.
 */
import { A2AError } from "../../src/protocol/errors.ts";
import { vendorError } from "../../src/southbound/vendor-fault.ts";
import type { CallScope } from "../../src/southbound/http.ts";
import type { Southbound } from "../../src/southbound/southbound.ts";
import type { Transport } from "./transport.ts";

const METHOD = "agent/getAuthenticatedExtendedCard";
const PATH = "/../agent/authenticatedExtendedCard";

interface Asked {
  readonly transport: Transport;
  readonly southbound: Southbound;
  readonly headers: Readonly<Record<string, string>>;
  readonly call: CallScope;
}

/** The card as the agent serves it; rejects with `extended-card-not-configured` where it has neither. */
export async function extendedCardOf({ transport, southbound, headers, call }: Asked): Promise<unknown> {
  try {
    return await transport.call({ method: METHOD, params: undefined, headers, call });
  } catch (thrown) {
    if (!(thrown instanceof A2AError) || !isUnknownMethod(thrown)) throw thrown;
  }
  const request = { method: "GET", url: besideUrl(southbound.url), headers, call } as const;
  const { status, headers: answered, json, excerpt } = await southbound.http.unary(request);
  if (status === 404 || status === 405) throw new A2AError("extended-card-not-configured");
  if (status >= 400) throw vendorError({ status, body: json, excerpt, method: METHOD }, answered);
  return json;
}

/** -32601 and -32004, and servers without JSON-RPC errors that answer 404. */
const isUnknownMethod = ({ code, data }: A2AError): boolean =>
  code === "unsupported-operation" || code === "method-not-found" || data?.["status"] === 404;

/** Some agents are told apart by the query, which stays. */
function besideUrl(agentUrl: string): string {
  const url = new URL(agentUrl);
  url.pathname = url.pathname.replace(/\/+$/, "") + PATH;
  return url.href;
}

/** Over gRPC one RPC is for both cards. Servers made with the SDK answer it only where they have an extended one. */
export async function cardOverGrpc(
  transport: Transport,
  agent: string,
  signal: AbortSignal,
): Promise<unknown> {
  try {
    return await transport.call({ method: METHOD, params: undefined, headers: {}, call: { signal } });
  } catch (cause) {
    if (!(cause instanceof A2AError) || cause.code !== "extended-card-not-configured") throw cause;
    const message = `The agent ${agent} says no card over gRPC; write it into the configuration (\`card\`)`;
    throw new A2AError("invalid-agent-response", { message, data: { agent, stage: "card" }, cause });
  }
}
