/**
 * Answers on the routes without `/v1`, which only the Go SDK's client of 0.3 calls: the JSON of the schema, always with
 * status 200, and errors as a google.rpc.Status, of which it reads the ErrorInfo's `reason`.
 */
import type { A2AError, ErrorCode } from "../protocol/errors.ts";
import { grpcStatusName } from "../protocol/grpc-status.ts";
import type { RestFormat } from "./rest-format.ts";

/** Where the name of 0.3.0, in capitals, is not what the SDK looks for. */
const REASONS: ReadonlyMap<ErrorCode, string> = new Map<ErrorCode, string>([
  ["parse-error", "PARSE_ERROR"],
  ["content-type-not-supported", "UNSUPPORTED_CONTENT_TYPE"],
  ["extended-card-not-configured", "EXTENDED_AGENT_CARD_NOT_CONFIGURED"],
]);

export const SCHEMA_JSON: RestFormat = {
  answer: (_method, result) => result ?? {},
  error: errorBody,
  framing: { event: ({ json }) => json, error: errorBody },
};

function errorBody(error: A2AError): string {
  const { code, sdkName, httpStatus, message, data } = error;
  const info = {
    "@type": "type.googleapis.com/google.rpc.ErrorInfo",
    domain: "a2a-protocol.org",
    reason: REASONS.get(code) ?? inCapitals(sdkName),
  };
  const details = data ? [info, data] : [info];
  return JSON.stringify({ error: { code: httpStatus, status: grpcStatusName(error), message, details } });
}

/** `TaskNotFoundError` as `TASK_NOT_FOUND`; `InternalError` keeps its last word. */
function inCapitals(name: string): string {
  const words = name === "InternalError" ? name : name.replace(/Error$/, "");
  return words.replaceAll(/(?<=[a-z])(?=[A-Z])/g, "_").toUpperCase();
}
