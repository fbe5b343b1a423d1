/** Who a caller is, and what it may do. */
import type { Grant } from "../config/auth.ts";
import { A2AError } from "../protocol/errors.ts";

export interface Principal {
  /** Owner of the tasks it makes: unique over all schemes, the same for every request of the same caller. */
  readonly id: string;
  readonly scheme: "none" | "apiKey" | "oidc" | "mtls";
  /** One has to cover a call; none covers nothing. */
  readonly grants: readonly Grant[];
}

/** Everything. */
export const EVERYTHING: readonly Grant[] = [{}];

/** Whoever calls where nobody is asked for credentials. */
export const ANONYMOUS: Principal = { id: "anonymous", scheme: "none", grants: EVERYTHING };

/** Whether there is anything that the caller may do with the agent. */
export const mayReach = ({ grants }: Principal, agent: string): boolean =>
  grants.some((grant) => coversAgent(grant, agent));

/** Throws `forbidden` where the caller may not call this method of this agent; `method` as JSON-RPC names it. */
export function authorize(principal: Principal, agent: string, method: string): void {
  const isGranted = principal.grants.some(
    (grant) => coversAgent(grant, agent) && coversMethod(grant, method),
  );
  if (!isGranted) throw forbidden(principal, { agent, method });
}

/** RFC 6750 §3.1 wants a token that is good, but not good enough, to be told so. */
export function forbidden({ scheme }: Principal, data: Record<string, unknown>): A2AError {
  const headers = { "WWW-Authenticate": 'Bearer realm="a2a-proxy", error="insufficient_scope"' };
  return new A2AError("forbidden", { data, ...(scheme === "oidc" && { headers }) });
}

export const coversAgent = ({ agents }: Grant, agent: string): boolean => agents?.includes(agent) ?? true;

export const coversMethod = ({ methods }: Grant, method: string): boolean =>
  methods?.some((pattern) => covers(pattern, method)) ?? true;

const covers = (pattern: string, method: string): boolean =>
  pattern.endsWith("/*") ? method.startsWith(pattern.slice(0, -1)) : method === pattern;
