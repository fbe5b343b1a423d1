/**
 * Errors over HTTP+JSON, which every SDK writes in a form of its own: `{code, message, data}` (JavaScript),
 * `{message}` and later `{type, message}` (Python), `{error, message}` with the class's name (Java), and
 * `{error: {code, message, details: [{reason}]}}` with a status of HTTP as the code (Go).
 */
import { z } from "zod";
import { errorCodeByName } from "../../src/protocol/error-names.ts";
import { rpcCodeOf, type A2AError, type ErrorCode } from "../../src/protocol/errors.ts";
import type { HttpResponse } from "../../src/southbound/http.ts";
import { vendorError } from "../../src/southbound/vendor-fault.ts";
import { isRecord } from "../shared/object.ts";
import { toCanonicalError } from "./errors.ts";

/** What a status means where the body does not say more. */
const CODE_BY_STATUS: ReadonlyMap<number, ErrorCode> = new Map<number, ErrorCode>([
  [400, "invalid-params"],
  [409, "task-not-cancelable"],
  [415, "content-type-not-supported"],
  [422, "invalid-params"],
  [501, "unsupported-operation"],
]);

const Text = z.string().optional().catch(undefined);

const Fault = z.looseObject({
  code: z.number().optional().catch(undefined),
  message: Text,
  type: Text,
  error: Text,
  details: z.array(z.looseObject({ reason: Text })).catch([]),
  data: z.unknown().optional(),
});

const read = (json: unknown) =>
  Fault.safeParse(isRecord(json) && isRecord(json["error"]) ? json["error"] : json).data;

/** What the body says in words; empty if it says nothing. */
export const messageOf = (json: unknown): string => read(json)?.message ?? "";

/** The code of JSON-RPC that a body names, by number or by name. */
function codeNamed(json: unknown): number | undefined {
  const { code, type, error, details = [] } = read(json) ?? {};
  if (code !== undefined && code < 0) return code;
  for (const name of [type, error, ...details.map(({ reason }) => reason)]) {
    const known = name === undefined ? undefined : errorCodeByName(name);
    if (known) return rpcCodeOf(known);
  }
  return undefined;
}

type Answer = Pick<HttpResponse, "status" | "json">;

/** The answer surely comes from the method that was asked for. */
export const isFromRoute = ({ status, json }: Answer): boolean =>
  status < 400 || codeNamed(json) !== undefined;

/** The answer of a server that has no such route, unlike a 404 that is about a task. */
export function isNoRoute({ status, json }: Answer): boolean {
  if (status === 405 || status === 501) return codeNamed(json) === undefined;
  if (status !== 404 || codeNamed(json) !== undefined) return false;
  // Python's `{"message": "Task not found"}`; web frameworks say more than that of a route.
  return !(isRecord(json) && typeof json["message"] === "string" && Object.keys(json).length === 1);
}

/** An error object in a stream, which may not be named so. */
export function isFault(value: unknown): boolean {
  if (!isRecord(value) || value["kind"] !== undefined) return false;
  const { code, message, error, type } = value;
  if (isRecord(error) || (typeof error === "string" && error !== "")) return true;
  if (typeof message !== "string") return false;
  return typeof code === "number" || (typeof type === "string" && errorCodeByName(type) !== undefined);
}

export function faultOf(method: string, { status, headers, json, excerpt }: HttpResponse): A2AError {
  const { code: said, message = "", data } = read(json) ?? {};
  const meant = said !== undefined && said >= 400 && said < 600 ? said : status;
  const byStatus = meant === 404 ? notFound(method, json, message) : CODE_BY_STATUS.get(meant);
  const code = codeNamed(json) ?? (byStatus && rpcCodeOf(byStatus));
  const rpc = code === undefined ? undefined : { code, message, data };
  return vendorError({ status, rpc, body: json, excerpt, method }, headers, toCanonicalError);
}

/**
 * A 404 without a name for it: a route that the agent does not have, or a task that it does not know. A page of HTML, such as a
 * gateway sends while the agent is deployed, says nothing of the agent's tasks.
 */
function notFound(method: string, json: unknown, message: string): ErrorCode | undefined {
  if (method.startsWith("tasks/")) return json === undefined ? undefined : "task-not-found";
  return /task.?not.?found/i.test(message) ? "task-not-found" : "method-not-found";
}
