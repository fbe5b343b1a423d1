/**
 * Refusals. Mismatch bridged: the dialect tells its errors by name and leaves their numbers open; official 1.0's fit,
 * of which -32007 to -32009 mean something else in 0.3.0 or nothing (§8). A name wins over a number.
 *
 * Loss: 0.3.0 has no VersionNotSupported and no ExtensionSupportRequired. The first is no fault of the client's and
 * becomes an invalid agent response; the second is what a client can mend, by naming the extension: invalid params.
 * The vendor's error stays whole in `data.vendor`.
 */
import { A2AError, type ErrorCode } from "../../src/protocol/errors.ts";
import { defaultFault, type RpcError, type VendorFault } from "../../src/southbound/vendor-fault.ts";
import { isRecord } from "../shared/object.ts";

/** Names as they are compared: letters only, in lower case, without `Error`. */
const BY_NAME: ReadonlyMap<string, ErrorCode> = new Map([
  ["tasknotfound", "task-not-found"],
  ["tasknotcancelable", "task-not-cancelable"],
  ["tasknotcancellable", "task-not-cancelable"],
  ["pushnotificationnotsupported", "push-not-supported"],
  ["unsupportedoperation", "unsupported-operation"],
  ["contenttypenotsupported", "content-type-not-supported"],
  ["invalidagentresponse", "invalid-agent-response"],
  ["extendedagentcardnotconfigured", "extended-card-not-configured"],
  ["extensionsupportrequired", "invalid-params"],
  ["versionnotsupported", "invalid-agent-response"],
]);

/** Numbers of official 1.0 that 0.3.0 does not have. */
const BY_NUMBER: ReadonlyMap<number, ErrorCode> = new Map([
  [-32008, "invalid-params"],
  [-32009, "invalid-agent-response"],
]);

export function toCanonicalError(fault: VendorFault): A2AError {
  // An `error` whose code is a name is no JSON-RPC error, and so within the body.
  const body = isRecord(fault.body) && isRecord(fault.body["error"]) ? fault.body["error"] : fault.body;
  const rpc = fault.rpc ?? bareError(body);
  const plain = defaultFault({ ...fault, rpc });
  const code = codeByName(rpc) ?? codeByName(body) ?? (rpc && BY_NUMBER.get(rpc.code));
  if (!code) return plain;
  return new A2AError(code, { message: rpc?.message || undefined, data: plain.data });
}

/** Throws where the answer is an error that lacks its JSON-RPC envelope. */
export function refuseBareError(value: unknown, method: string): void {
  const rpc = bareError(value);
  if (rpc) throw toCanonicalError({ status: 200, rpc, body: value, excerpt: "", method });
}

/** `{code, message}`, where the message is text: one that is an object is a result. */
function bareError(value: unknown): RpcError | undefined {
  if (!isRecord(value) || typeof value["message"] !== "string" || !("code" in value)) return undefined;
  const { code, message, data } = value;
  return {
    code: Number.isInteger(Number(code)) ? Number(code) : -32603,
    message,
    ...(data === undefined ? {} : { data }),
  };
}

/** The name may stand in the message, or be a member of the error or its data, as official 1.0's `reason`. */
function codeByName(error: unknown): ErrorCode | undefined {
  if (!isRecord(error)) return undefined;
  const details = Array.isArray(error["data"]) ? error["data"] : [error["data"]];
  for (const holder of [error, ...details.filter(isRecord)]) {
    const { name, type, code, reason, error: nested, message } = holder;
    for (const text of [name, type, code, reason, nested, message]) {
      const found = typeof text === "string" ? codeIn(text) : undefined;
      if (found) return found;
    }
  }
  return undefined;
}

function codeIn(text: string): ErrorCode | undefined {
  const letters = text
    .slice(0, 200)
    .replace(/[^a-z]/gi, "")
    .toLowerCase();
  for (const [name, code] of BY_NAME) if (letters.includes(name)) return code;
  return undefined;
}

const NAMES: ReadonlyMap<ErrorCode, string> = new Map([
  ["task-not-found", "TaskNotFoundError"],
  ["task-not-cancelable", "TaskNotCancelableError"],
  ["push-not-supported", "PushNotificationNotSupportedError"],
  ["unsupported-operation", "UnsupportedOperationError"],
  ["content-type-not-supported", "ContentTypeNotSupportedError"],
  ["extended-card-not-configured", "ExtendedAgentCardNotConfiguredError"],
  ["invalid-agent-response", "InvalidAgentResponseError"],
]);

/** The error as the dialect's server would send it: 0.3.0's number, which official 1.0 shares, and the name. */
export function fromCanonicalError(error: A2AError) {
  const name = NAMES.get(error.code);
  const message = name ? `${name}: ${error.message}` : error.message;
  return { code: error.rpcCode, message, ...(error.data ? { data: error.data } : {}) };
}
