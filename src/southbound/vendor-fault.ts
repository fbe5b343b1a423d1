/**
 * An agent's refusal as an A2AError. Dialects differ in what their codes mean; this file holds what is the same for all:
 * HTTP 401 and 403 are between the proxy and the agent, `Retry-After` is kept, and the agent's own code and text are
 * never replaced by invented ones.
 */
import { A2AError, errorCodeOf } from "../protocol/errors.ts";
import { isFields } from "../protocol/json.ts";
import { retryAfterOf } from "../net/retry-after.ts";
import type { HttpResponse } from "./http.ts";

export interface RpcError {
  code: number;
  message: string;
  data?: unknown;
}

/** A vendor's refusal, before it is an A2AError. */
export interface VendorFault {
  /** HTTP status of the answer. */
  readonly status: number;
  /** The JSON-RPC error that the answer holds or, by its binding's rules, means. */
  readonly rpc?: RpcError | undefined;
  /** The JSON body that is no JSON-RPC envelope, where there is one. */
  readonly body?: unknown;
  readonly excerpt: string;
  readonly method: string;
}

/** A dialect's error mapping. */
export type ToError = (fault: VendorFault) => A2AError;

/** The agent does not know the caller, or does not let it. */
const REFUSED: ReadonlySet<number> = new Set([401, 403]);
/** Statuses with which `Retry-After` tells when to ask again. */
const BUSY: ReadonlySet<number> = new Set([429, 503]);
/** Members in which a body that is no JSON-RPC error says in words what is wrong, the most telling first. */
const WORDS = ["message", "error_description", "detail", "error", "title"] as const;
const MAX_WORDS = 200;

/**
 * What the dialect's mapping gives, with two things that hold in every dialect: the credentials that an agent refuses are
 * the proxy's, so that 401 and 403 are never the client's fault; and `data.retryAfter` says after how many seconds the
 * agent wants to be asked again.
 */
export function vendorError(
  fault: VendorFault,
  headers: HttpResponse["headers"],
  toError: ToError = defaultFault,
): A2AError {
  const error = toError(fault);
  const { message, data, cause } = error;
  const known = REFUSED.has(fault.status)
    ? new A2AError("invalid-agent-response", { message, data, cause })
    : error;
  const wait = BUSY.has(fault.status) ? retryAfterOf(headers["retry-after"], Date.now()) : undefined;
  return wait === undefined ? known : known.with({ retryAfter: Math.ceil(wait / 1000) });
}

/** JSON-RPC errors as 0.3 defines them; every other refusal is an `invalid-agent-response` that says what came. */
export function defaultFault({ status, rpc, body, excerpt, method }: VendorFault): A2AError {
  const vendor = body ?? rpc ?? (excerpt === "" ? undefined : excerpt);
  const data = { stage: "response", status, ...(vendor === undefined ? {} : { vendor }) };
  if (rpc) {
    const code = errorCodeOf(rpc.code) ?? "invalid-agent-response";
    return new A2AError(code, { message: rpc.message === "" ? undefined : rpc.message, data });
  }
  const what = status < 400 ? "an error" : `HTTP ${status}`;
  const words = wordsOf(body, excerpt);
  const message = `The agent answered ${method} with ${what}${words === "" ? "" : `: ${words}`}`;
  return new A2AError("invalid-agent-response", { message, data });
}

function wordsOf(body: unknown, excerpt: string): string {
  if (body === undefined)
    return excerpt.trimStart().startsWith("<") ? "" : excerpt.trim().slice(0, MAX_WORDS);
  if (typeof body === "string") return body.slice(0, MAX_WORDS);
  if (!isFields(body)) return "";
  const said = WORDS.map((name) => body[name]).find((text) => typeof text === "string" && text !== "");
  if (typeof said === "string") return said.slice(0, MAX_WORDS);
  return isFields(body["error"]) ? wordsOf(body["error"], "") : "";
}
