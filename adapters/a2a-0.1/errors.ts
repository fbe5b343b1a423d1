/**
 * Errors: the codes of 0.1 collide with those of 0.3.0 §8.2. -32006 is "streaming is not supported" in the text of
 * v0.1.0 and an invalid answer in 0.3.0; -32007 to -32009 are authentication, authorization and a task's state. Servers
 * of that era also say -32600 for a method they do not know, and hide the real error in the `data` of a -32603.
 */
import { A2AError, type ErrorCode } from "../../src/protocol/errors.ts";
import { type RpcError, type VendorFault, defaultFault } from "../../src/southbound/vendor-fault.ts";
import { innermost } from "../shared/nested-error.ts";
import { compact, isRecord } from "../shared/object.ts";
import { JSONRPC } from "./params.ts";

/** The vendor's refusal as the client may see it; the vendor's own error is kept whole in `data.vendor`. */
export function toCanonicalError(fault: VendorFault): A2AError {
  if (!fault.rpc) return toCanonicalHttpError(fault);
  const error = innermost(fault.rpc);
  const data = { stage: "response", status: fault.status, vendor: fault.rpc };
  return new A2AError(toErrorCode(error, fault.method), { message: error.message || undefined, data });
}

/** A path that is not there, for servers that give each method its own: the method is missing, nothing happened. */
function toCanonicalHttpError(fault: VendorFault): A2AError {
  const isMissing = fault.status === 404 || fault.status === 405 || fault.status === 501;
  if (!isMissing || fault.method === JSONRPC.send) return defaultFault(fault);
  const data = { stage: "response", status: fault.status };
  return new A2AError("unsupported-operation", { message: `The agent has no ${fault.method}`, data });
}

function toErrorCode(error: RpcError, method: string): ErrorCode {
  if (method === JSONRPC.setPush || method === JSONRPC.getPush) return toPushErrorCode(error.code);
  switch (error.code) {
    case -32600:
      return isUnknownMethod(error, method) ? "unsupported-operation" : "invalid-request";
    case -32601:
    case -32004:
    case -32006: // v0.1.0: streaming is not supported
      return "unsupported-operation";
    case -32602:
      return "invalid-params";
    case -32603:
      return "internal-error";
    case -32001:
      return "task-not-found";
    case -32002:
      return toCancelErrorCode(error, method);
    case -32003:
      return "push-not-supported";
    case -32005:
      return "content-type-not-supported";
    case -32009: // v0.1.0: the task's state does not allow it
      return method === JSONRPC.cancelTask ? "task-not-cancelable" : "invalid-params";
    case -32000: // python-a2a has no other code for it
      return /not found/i.test(error.message) ? "task-not-found" : "invalid-agent-response";
    default: // -32700 too: what was sent is valid JSON. -32007 and -32008: the proxy's credentials, not the client's.
      return "invalid-agent-response";
  }
}

/**
 * Which method was unknown is told by the validator's error type, where a server reveals it. A tasks/send without that
 * sign failed for its content; the other methods carry nothing that a server could object to but their name, and
 * tasks/sendSubscribe is followed by a tasks/send that brings the real objection.
 */
function isUnknownMethod(error: RpcError, method: string): boolean {
  if (method !== JSONRPC.send) return true;
  const details: unknown[] = Array.isArray(error.data) ? error.data : [];
  return details.some((detail) => isRecord(detail) && detail["type"] === "union_tag_invalid");
}

/**
 * Lossy: servers of that era answer every tasks/cancel with -32002, because they cannot cancel at all. Unless the
 * message says that the task has ended, it means "not implemented": then the gateway cancels on its own.
 */
function toCancelErrorCode(error: RpcError, method: string): ErrorCode {
  if (method !== JSONRPC.cancelTask) return "task-not-cancelable";
  const hasEnded = /already|terminal|final state|has ended|finished|completed/i.test(error.message);
  return hasEnded ? "task-not-cancelable" : "unsupported-operation";
}

/** A server without push says so in whatever way it can. */
function toPushErrorCode(code: number): ErrorCode {
  switch (code) {
    case -32001:
      return "task-not-found";
    case -32602:
      return "invalid-params";
    case -32003:
    case -32004:
    case -32600:
    case -32601:
    case -32603:
      return "push-not-supported";
    default:
      return "invalid-agent-response";
  }
}

/** Where 0.1 lacks or redefines the code of 0.3.0: the nearest that a 0.1 client knows. */
const WIRE_CODES: ReadonlyMap<ErrorCode, number> = new Map([
  ["invalid-agent-response", -32603],
  ["extended-card-not-configured", -32004],
]);

/** Lossy: 0.1 ends at -32005, so that the two codes after it are not told apart from others. */
export function fromCanonicalError(error: A2AError): RpcError {
  const { code, rpcCode, message, data } = error;
  return compact({ code: WIRE_CODES.get(code) ?? rpcCode, message, data });
}
