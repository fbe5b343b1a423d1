/**
 * Errors. Mismatch bridged: 1.0 shares 0.3.0's numbers up to -32007 and adds -32008 and -32009; the reason is a word in a
 * list of `google.rpc.ErrorInfo` (in `data`, in `details` over HTTP+JSON), also seen as problem+json or as a class name.
 * A reason wins over a number.
 *
 * Loss: 0.3.0 has no VersionNotSupported and no ExtensionSupportRequired. The first is not the client's fault and
 * becomes an invalid agent response; the client can correct the second by naming the extension: invalid params. The
 * agent's error stays whole in `data.vendor`.
 */
import { A2AError, type ErrorCode } from "../../src/protocol/errors.ts";
import type { GrpcError } from "../../src/protocol/grpc-status.ts";
import { defaultFault, type RpcError, type VendorFault } from "../../src/southbound/vendor-fault.ts";
import { isRecord } from "../shared/object.ts";

/** Reasons as they are compared: letters only, in lower case, without `Error`. */
const BY_REASON: ReadonlyMap<string, ErrorCode> = new Map([
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

/** Numbers of 1.0 that 0.3.0 does not have. */
const BY_NUMBER: ReadonlyMap<number, ErrorCode> = new Map([
  [-32008, "invalid-params"],
  [-32009, "invalid-agent-response"],
]);

export function toCanonicalError(fault: VendorFault): A2AError {
  const rpc = fault.rpc ?? bareError(fault.body);
  const plain = defaultFault({ ...fault, rpc });
  const code = codeByReason(rpc) ?? codeByReason(fault.body) ?? (rpc && BY_NUMBER.get(rpc.code));
  if (!code) return plain;
  return new A2AError(code, { message: rpc?.message || undefined, data: plain.data });
}

/** Throws if the answer is an error that lacks its JSON-RPC envelope. */
export function refuseBareError(value: unknown, method: string): void {
  const rpc = bareError(value);
  if (rpc) throw toCanonicalError({ status: 200, rpc, body: value, excerpt: "", method });
}

/** `{code, message}` with a message that is text: one that is an object is a result. */
function bareError(value: unknown): RpcError | undefined {
  if (!isRecord(value) || typeof value["message"] !== "string" || !("code" in value)) return undefined;
  const { code, message, data } = value;
  return {
    code: Number.isInteger(Number(code)) ? Number(code) : -32603,
    message,
    ...(data === undefined ? {} : { data }),
  };
}

/** The reason may be a member of the error, of an entry of its data or details, or stand in the message. */
function codeByReason(error: unknown): ErrorCode | undefined {
  if (!isRecord(error)) return undefined;
  const inner = isRecord(error["error"]) ? error["error"] : error;
  const entries = [inner["data"], inner["details"]].flatMap((list) => (Array.isArray(list) ? list : [list]));
  for (const holder of [inner, ...entries.filter(isRecord)]) {
    const { reason, name, type, title, code, error: nested, message } = holder;
    for (const text of [reason, name, type, title, code, nested, message]) {
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
  for (const [reason, code] of BY_REASON) if (letters.includes(reason)) return code;
  return undefined;
}

/** How 1.0 names an error in an ErrorInfo and, if 0.3.0 does otherwise, its gRPC status. */
const NAMES: Readonly<Partial<Record<ErrorCode, GrpcName>>> = {
  "task-not-found": { reason: "TASK_NOT_FOUND" },
  "task-not-cancelable": { reason: "TASK_NOT_CANCELABLE" },
  "push-not-supported": { reason: "PUSH_NOTIFICATION_NOT_SUPPORTED", status: "FAILED_PRECONDITION" },
  "unsupported-operation": { reason: "UNSUPPORTED_OPERATION", status: "FAILED_PRECONDITION" },
  "content-type-not-supported": { reason: "CONTENT_TYPE_NOT_SUPPORTED" },
  "invalid-agent-response": { reason: "INVALID_AGENT_RESPONSE" },
  "extended-card-not-configured": { reason: "EXTENDED_AGENT_CARD_NOT_CONFIGURED" },
  "version-not-supported": { reason: "VERSION_NOT_SUPPORTED", status: "FAILED_PRECONDITION" },
  "invalid-params": { reason: "INVALID_PARAMS" },
  "invalid-request": { reason: "INVALID_REQUEST" },
  "parse-error": { reason: "INVALID_REQUEST" },
  "method-not-found": { reason: "METHOD_NOT_FOUND" },
  "internal-error": { reason: "INTERNAL_ERROR" },
};

interface GrpcName {
  readonly reason: string;
  readonly status?: GrpcError["status"];
}

const DOMAIN = "a2a-protocol.org";

/** Over gRPC: the status, and an ErrorInfo. */
export function toGrpcError({ code }: A2AError): GrpcError {
  const { reason, status } = NAMES[code] ?? {};
  return { status, info: reason === undefined ? undefined : { reason, domain: DOMAIN } };
}

/** The `data` of an error over JSON-RPC and the `details` over HTTP+JSON: a list of `google.rpc` messages; undefined if there is nothing to say. */
export function detailsOf(error: A2AError): object[] | undefined {
  const reason = NAMES[error.code]?.reason;
  const details: object[] = [];
  if (reason) details.push({ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason, domain: DOMAIN });
  if (error.data) details.push({ "@type": "type.googleapis.com/google.protobuf.Struct", value: error.data });
  return details.length > 0 ? details : undefined;
}
