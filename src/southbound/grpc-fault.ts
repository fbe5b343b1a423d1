/**
 * What a gRPC call failed with, as an A2AError. grpc-js makes statuses of its own faults too and tells them in words only;
 * these become the transport faults that they are, with the stage and, where the words name one, the cause.
 */
import { status, type Metadata } from "@grpc/grpc-js";
import { A2AError } from "../protocol/errors.ts";
import { errorReasonOf, retryDelayOf } from "../protocol/grpc-details.ts";
import { errorTrailer, fromGrpcStatus } from "../protocol/grpc-status.ts";
import { withoutForwarded } from "./echo.ts";
import type { CallScope } from "./http.ts";
import { toTransportError, type FaultContext } from "./transport-error.ts";

/** The statuses that grpc-js gives its own faults. */
const LOCAL: ReadonlySet<status> = new Set([status.UNAVAILABLE, status.INTERNAL, status.CANCELLED]);

interface Words {
  readonly pattern: RegExp;
  readonly stage?: FaultContext["stage"];
  /** Absent: the code that the words name, if any. */
  readonly code?: string;
}

/** The first that matches. */
const WORDS: readonly Words[] = [
  { pattern: /^Name resolution failed/, stage: "dns", code: "ENOTFOUND" },
  {
    pattern: /^No connection established.*(SSL|TLS|certificate|altnames)/is,
    stage: "tls",
    code: "ERR_TLS",
  },
  { pattern: /^No connection established/, stage: "connect" },
  { pattern: /^(Connection dropped|Received RST_STREAM|Stream removed)/, code: "ECONNRESET" },
];

const TOO_LARGE = /^Received message (larger than max|that decompresses to a size larger)/;

const NAMED = /\bE[A-Z]{3,}\b/;

interface ReceivedError {
  readonly code: status;
  readonly details: string;
  readonly metadata: Metadata;
}

const isStatus = (thrown: unknown): thrown is ReceivedError =>
  thrown instanceof Error && "details" in thrown && "metadata" in thrown;

/** The agent has answered that it does not know who calls. */
export const isUnauthenticated = (error: unknown): boolean =>
  error instanceof A2AError && error.data?.["grpcStatus"] === status[status.UNAUTHENTICATED];

interface GrpcFaultContext extends FaultContext, Pick<CallScope, "forwarded"> {}

/** @param rpc the name of the call */
export function toGrpcFault(
  thrown: unknown,
  rpc: string,
  { forwarded, ...context }: GrpcFaultContext,
): A2AError {
  if (context.signal?.aborted || !isStatus(thrown)) return toTransportError(thrown, context);
  const { code, details, metadata } = thrown;
  if (code === status.RESOURCE_EXHAUSTED && TOO_LARGE.test(details)) {
    const message = "The agent answered with a message that is larger than its limits allow";
    return new A2AError("invalid-agent-response", { message, data: { agent: context.agent, stage: "body" } });
  }
  const words = LOCAL.has(code) ? WORDS.find(({ pattern }) => pattern.test(details)) : undefined;
  if (words) {
    const cause = words.code ?? NAMED.exec(details)?.[0];
    const stage = words.stage ?? context.stage;
    return toTransportError(cause === undefined ? thrown.details : { code: cause }, { ...context, stage });
  }
  const { agent, redact } = context;
  // The agent may echo what it was sent.
  const told = (text: string): string => withoutForwarded(redact(text), forwarded);
  const trailer = errorTrailer(metadata);
  const retryAfter = retryDelayOf(metadata);
  const received = { code, details: told(details), trailer: trailer && told(trailer), rpc };
  return fromGrpcStatus({ ...received, reason: errorReasonOf(metadata) }).with({
    agent,
    ...(retryAfter !== undefined && { retryAfter }),
  });
}
