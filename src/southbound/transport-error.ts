/** What went wrong below HTTP, as an A2AError that says at which stage; one table for all clients. */
import { A2AError, type ErrorCode } from "../protocol/errors.ts";
import type { Redact } from "./redact.ts";

/** How far the exchange had come. */
type Stage = "connect" | "dns" | "tls" | "request" | "headers" | "body" | "event" | "card";

export interface FaultContext {
  readonly agent: string;
  /** Where it is known to have happened; the cause may know better. */
  readonly stage: Stage;
  readonly signal?: AbortSignal | undefined;
  /** HTTP status, once it is known. */
  readonly status?: number;
  readonly redact: Redact;
}

interface Fault {
  readonly pattern: RegExp;
  readonly code: ErrorCode;
  /** Absent: where the exchange was. */
  readonly stage?: Stage;
  readonly text: string;
}

/** The first that matches the cause's code. */
const FAULTS: readonly Fault[] = [
  { pattern: /^ECONNREFUSED$/, code: "agent-unavailable", stage: "connect", text: "refused the connection" },
  {
    pattern: /^(ENOTFOUND|EAI_)/,
    code: "agent-unavailable",
    stage: "dns",
    text: "has a host name that does not resolve",
  },
  {
    pattern: /^(UND_ERR_CONNECT_TIMEOUT|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|EADDRNOTAVAIL)$/,
    code: "agent-unavailable",
    stage: "connect",
    text: "could not be connected to",
  },
  {
    pattern:
      /^(ERR_SSL|ERR_TLS|CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|EPROTO|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE)/,
    code: "agent-unavailable",
    stage: "tls",
    text: "could not be connected to over TLS",
  },
  {
    pattern: /^(ETIMEDOUT|UND_ERR_HEADERS_TIMEOUT|UND_ERR_BODY_TIMEOUT)$/,
    code: "agent-unavailable",
    text: "did not answer in time",
  },
  {
    pattern: /^(HPE_|UND_ERR_HEADERS_OVERFLOW)/,
    code: "invalid-agent-response",
    text: "sent something that is not HTTP/1.1",
  },
  {
    pattern: /^(Z_|ERR__ERROR_FORMAT|ERR_BROTLI|ZSTD_|ERR_PADDING)/,
    code: "invalid-agent-response",
    text: "sent a compressed body that is damaged",
  },
  {
    pattern:
      /^(ECONNRESET|EPIPE|ECONNABORTED|UND_ERR_SOCKET|UND_ERR_RES_CONTENT_LENGTH_MISMATCH|ERR_STREAM_PREMATURE_CLOSE)$/,
    code: "agent-unavailable",
    text: "broke the connection",
  },
  {
    pattern: /^(UND_ERR_INVALID_ARG|ERR_INVALID_CHAR)$/,
    code: "agent-unavailable",
    stage: "request",
    text: "could not be called: a header of the request is invalid",
  },
  {
    pattern: /^UND_ERR_(DESTROYED|CLOSED)$/,
    code: "shutting-down",
    text: "is no longer called: the proxy is shutting down",
  },
];

const OTHER: Omit<Fault, "pattern"> = { code: "agent-unavailable", text: "could not be reached" };

/** The code of the nearest cause that has one. */
function codeOf(thrown: unknown): string | undefined {
  if (typeof thrown !== "object" || thrown === null) return undefined;
  if ("code" in thrown && typeof thrown.code === "string") return thrown.code;
  // undici's llhttp errors do not always carry the parser's code.
  if ("name" in thrown && thrown.name === "HTTPParserError") return "HPE_INVALID";
  return "cause" in thrown ? codeOf(thrown.cause) : undefined;
}

/** The reason of AbortSignal.timeout. */
const isTimeout = (reason: unknown): boolean =>
  typeof reason === "object" && reason !== null && "name" in reason && reason.name === "TimeoutError";

/**
 * The A2AError for whatever a client threw; one that is an A2AError already (the reason of an abort, a limit) only
 * gets the agent's name. `data` is `{ agent, stage, status?, cause? }`, where `cause` is a code such as ECONNREFUSED.
 */
export function toTransportError(
  thrown: unknown,
  { agent, stage, signal, status, redact }: FaultContext,
): A2AError {
  const known = { agent, ...(status === undefined ? {} : { status }) };
  if (signal?.aborted) {
    if (signal.reason instanceof A2AError) return signal.reason;
    const message = isTimeout(signal.reason)
      ? `The agent ${agent} did not answer in time`
      : `The call to the agent ${agent} was aborted`;
    return new A2AError("agent-unavailable", { message, data: { ...known, stage }, cause: thrown });
  }
  if (thrown instanceof A2AError) return thrown.with(known);
  const code = codeOf(thrown);
  const fault = FAULTS.find(({ pattern }) => code !== undefined && pattern.test(code)) ?? OTHER;
  const data = { ...known, stage: fault.stage ?? stage, ...(code === undefined ? {} : { cause: code }) };
  return new A2AError(fault.code, {
    message: redact(`The agent ${agent} ${fault.text}`),
    data,
    cause: thrown,
  });
}
