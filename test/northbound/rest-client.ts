/** A client of the HTTP+JSON transport that hides nothing. */
import type { Harness } from "./harness.ts";

export const BASE = "/agents/planner/v1";

export const call = (
  proxy: Harness,
  verb: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Response> =>
  fetch(proxy.origin + path, {
    method: verb,
    headers: body === undefined ? headers : { "Content-Type": "application/json", ...headers },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
