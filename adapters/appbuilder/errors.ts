/**
 * Refusals. AppBuilder answers `{"code":"NotFoundResource","message":"…","request_id":"…"}` (also `requestId`) with an
 * HTTP status, or a JSON-RPC error whose documented sample lacks a comma and so is no JSON; 0.3.0 wants a JSON-RPC
 * error (§8). The vendor's own words are kept in `data.vendor`.
 */
import { A2AError, errorCodeOf, type ErrorCode } from "../../src/protocol/errors.ts";
import type { VendorFault } from "../../src/southbound/vendor-fault.ts";
import { compact, isRecord } from "../shared/object.ts";
import { WireFault } from "./wire.ts";

/** A type, not an interface: it goes into the open record of an error's `data`. */
type Vendor = { code: string | number; message: string; request_id?: string | undefined };

/** Statuses that the client's own input can cause; all others are between the proxy and the vendor. */
const BY_STATUS: ReadonlyMap<number, ErrorCode> = new Map([
  [400, "invalid-params"],
  [422, "invalid-params"],
]);

/** Codes that would say of the client or the proxy what the vendor says of the proxy or itself. */
const NOT_OURS: ReadonlyMap<ErrorCode, ErrorCode> = new Map([
  ["parse-error", "invalid-agent-response"],
  ["invalid-request", "invalid-agent-response"],
  ["internal-error", "agent-unavailable"],
]);

function toCanonicalCode(status: number, code: string | number | undefined): ErrorCode {
  if (typeof code === "number") {
    const known = errorCodeOf(code) ?? "invalid-agent-response";
    return NOT_OURS.get(known) ?? known;
  }
  if (status < 400) return "invalid-agent-response";
  return BY_STATUS.get(status) ?? "agent-unavailable";
}

/** What the vendor said, from a body, a JSON-RPC error or, where that is not JSON, its text. */
function toVendor(fault: VendorFault): Vendor | undefined {
  if (fault.rpc) {
    const data = WireFault.partial().safeParse(fault.rpc.data).data;
    const { code, message } = fault.rpc;
    return compact({ code, message, request_id: data?.request_id ?? data?.requestId ?? undefined });
  }
  const body = WireFault.safeParse(fault.body).data ?? readExcerpt(fault.excerpt);
  if (!body) return undefined;
  const { code, message, request_id, requestId } = body;
  return compact({ code, message, request_id: request_id ?? requestId ?? undefined });
}

function readExcerpt(excerpt: string): WireFault | undefined {
  const field = (name: string): string | undefined =>
    new RegExp(`"${name}"\\s*:\\s*("(?:[^"\\\\]|\\\\.)*"|-?\\d+)`).exec(excerpt)?.[1];
  const parse = (raw: string | undefined): unknown => (raw === undefined ? undefined : JSON.parse(raw));
  const fields = ["code", "message", "request_id", "requestId"].map((name) => [name, parse(field(name))]);
  return WireFault.safeParse(Object.fromEntries(fields)).data;
}

/** The dialect's mapping for `JsonRpcClient`. */
export function toCanonicalError(fault: VendorFault): A2AError {
  const vendor = toVendor(fault);
  const { status } = fault;
  const what = vendor ? `${vendor.code}: ${vendor.message}` : `HTTP ${status}`;
  return new A2AError(toCanonicalCode(status, vendor?.code), {
    message: `The agent refused ${fault.method} with ${what}`,
    data: compact({
      stage: "response",
      status,
      vendor: vendor ?? fault.body ?? (fault.excerpt || undefined),
    }),
  });
}

/** A refusal that came where a result belongs, with HTTP 200 and without envelope; undefined for anything else. */
export function toCanonicalRefusal(result: unknown, method: string): A2AError | undefined {
  if (!isRecord(result) || "kind" in result || !WireFault.safeParse(result).success) return undefined;
  return toCanonicalError({ status: 200, body: result, excerpt: "", method });
}

/** The body AppBuilder would send for an error. */
export function fromCanonicalError(error: A2AError, requestId: string): { status: number; body: WireFault } {
  const vendor = WireFault.safeParse(error.data?.["vendor"]).data;
  const { code, message } = vendor ?? { code: error.code, message: error.message };
  const request_id = vendor?.request_id ?? requestId;
  return { status: error.httpStatus, body: { code, message, request_id } };
}
