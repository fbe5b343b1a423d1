/**
 * The JSON-RPC 2.0 envelope of a request to the proxy, and of its answers (§6.11). An id is kept as JSON text: an
 * answer must carry the very same id, and a 64-bit number does not survive a JavaScript one.
 */
import { A2AError } from "./errors.ts";
import { isFields } from "./json.ts";
import { countValues, numberAsWritten } from "./json-scan.ts";
import { MAX_NESTING } from "./nesting.ts";
import { LONGEST_ID } from "./params.ts";

/** A request id as JSON text. */
export type RequestId = string;

/** The id of an answer to a request that has none, or whose id cannot be made out (JSON-RPC 2.0 §5). */
export const NO_ID: RequestId = "null";

/** Characters of a number in a request. The longest that JavaScript can tell apart have two dozen. */
const MAX_DIGITS = 4096;

export interface RpcCall {
  readonly method: string;
  /** Not yet looked at: absent, an array or any other value. */
  readonly params: unknown;
}

/**
 * The body of a request as a JSON value; throws `parse-error`, `request-too-large` if it has more than `values` values,
 * or `invalid-request` if it is nested too deeply.
 * @param note told how many values there are, before they are made
 */
export function parseBody(text: string, values: number, note: (values: number) => void = () => {}): unknown {
  const count = countValues(text, { values, levels: MAX_NESTING, digits: MAX_DIGITS });
  if (count === "values") throw tooManyValues(values);
  if (count === "levels") throw invalid(`more than ${MAX_NESTING} levels are nested`);
  if (count === "digits") throw invalid(`a number has more than ${MAX_DIGITS} characters`);
  note(count);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new A2AError("parse-error", { cause });
  }
}

/** A request that consists of more values than `limit`, whatever it is written in. */
export const tooManyValues = (limit: number): A2AError =>
  new A2AError("request-too-large", { data: { reason: `more than ${limit} values`, limit } });

/** The id to answer with, whatever else is wrong with the request; `text` is the body that `body` was parsed from. */
export function requestId(body: unknown, text: string): RequestId {
  const id = isFields(body) ? body["id"] : undefined;
  const written = typeof id === "number" && !Number.isSafeInteger(id) ? numberAsWritten(text, "id") : id;
  if (typeof written === "number") return JSON.stringify(written);
  if (typeof written !== "string" || written.length > LONGEST_ID) return NO_ID;
  return typeof id === "string" ? JSON.stringify(id) : written;
}

/**
 * Checks the envelope; throws `invalid-request`. A request without an id is a call like any other.
 * @param answerId as `requestId` gives it
 */
export function rpcCall(body: unknown, answerId: RequestId): RpcCall {
  if (Array.isArray(body)) throw invalid("batches are not supported");
  if (!isFields(body)) throw invalid("a request must be an object");
  const { jsonrpc, id, method, params } = body;
  if (jsonrpc !== "2.0") throw invalid('jsonrpc must be "2.0"');
  if (!(id === undefined || id === null || typeof id === "string" || typeof id === "number")) {
    throw invalid("id must be a string or a number");
  }
  if (answerId === NO_ID && id !== undefined && id !== null) {
    throw invalid(`id must have at most ${LONGEST_ID} characters`);
  }
  if (typeof method !== "string") throw invalid("method must be a string");
  return { method, params };
}

/** What comes before and after the result in an answer, for results that are JSON already. */
export const successEnvelope = (id: RequestId): { readonly head: string; readonly tail: string } => ({
  head: `{"jsonrpc":"2.0","id":${id},"result":`,
  tail: "}",
});

/** The answer to a call that went well, on one line. */
export function success(id: RequestId, result: unknown): string {
  const { head, tail } = successEnvelope(id);
  return head + JSON.stringify(result) + tail;
}

/** The answer to a call that failed, on one line. */
export const failure = (id: RequestId, error: A2AError, toObject: ToRpcError = toRpcError): string =>
  `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify(toObject(error))}}`;

/** How a dialect writes an error: `{code, message, data?}`. */
export type ToRpcError = (error: A2AError) => object;

/** 0.3.0's way. */
const toRpcError: ToRpcError = ({ rpcCode: code, message, data }) => ({ code, message, data });

const invalid = (reason: string): A2AError => new A2AError("invalid-request", { data: { reason } });
