/**
 * The one error class of the proxy and the one table of its codes.
 * Codes: JSON-RPC 2.0 §5.1 and A2A 0.3.0 §8. HTTP statuses are those of the HTTP+JSON transport; over JSON-RPC
 * an A2A error travels with HTTP 200, except for the ones marked `edge`, which are refused before dispatch. A2A has no
 * code for a caller who is not known or not allowed (§4.4 leaves it to HTTP): -32041 and -32043 are this proxy's own,
 * from the range that JSON-RPC leaves to servers, and echo the HTTP statuses.
 */
interface ErrorRow {
  readonly rpc: number;
  readonly http: number;
  /** What the SDKs call it: over HTTP+JSON and gRPC some of them tell errors by that alone. */
  readonly name: string;
  readonly message: string;
  readonly edge?: true;
  /** Said of the proxy alone: 0.3.0 does not have the number, so an agent that says it is not understood. */
  readonly ours?: true;
  /** Of the HTTP answer, unless the error brings its own. */
  readonly headers?: Readonly<Record<string, string>>;
}

const SOON = { "Retry-After": "1" };

const TABLE = {
  "parse-error": { rpc: -32700, http: 400, name: "JSONParseError", message: "Invalid JSON payload" },
  "invalid-request": {
    rpc: -32600,
    http: 400,
    name: "InvalidRequestError",
    message: "Request payload validation error",
  },
  "method-not-found": { rpc: -32601, http: 404, name: "MethodNotFoundError", message: "Method not found" },
  "invalid-params": { rpc: -32602, http: 400, name: "InvalidParamsError", message: "Invalid parameters" },
  "internal-error": { rpc: -32603, http: 500, name: "InternalError", message: "Internal error" },
  "task-not-found": { rpc: -32001, http: 404, name: "TaskNotFoundError", message: "Task not found" },
  "task-not-cancelable": {
    rpc: -32002,
    http: 409,
    name: "TaskNotCancelableError",
    message: "Task cannot be canceled",
  },
  "push-not-supported": {
    rpc: -32003,
    http: 501,
    name: "PushNotificationNotSupportedError",
    message: "Push Notification is not supported",
  },
  "unsupported-operation": {
    rpc: -32004,
    http: 501,
    name: "UnsupportedOperationError",
    message: "This operation is not supported",
  },
  "content-type-not-supported": {
    rpc: -32005,
    http: 415,
    name: "ContentTypeNotSupportedError",
    message: "Incompatible content types",
  },
  "invalid-agent-response": {
    rpc: -32006,
    http: 502,
    name: "InvalidAgentResponseError",
    message: "Invalid agent response",
  },
  "extended-card-not-configured": {
    rpc: -32007,
    http: 404,
    name: "AuthenticatedExtendedCardNotConfiguredError",
    message: "Authenticated Extended Card is not configured",
  },
  /** 1.0's: the client asks for a version that is not served. */
  "version-not-supported": {
    rpc: -32009,
    http: 400,
    name: "VersionNotSupportedError",
    message: "This version of A2A is not supported",
    ours: true,
  },
  /** The agent could not be reached, or did not answer in time. */
  "agent-unavailable": { rpc: -32603, http: 502, name: "InternalError", message: "The agent is unavailable" },
  "request-too-large": {
    rpc: -32600,
    http: 413,
    name: "InvalidRequestError",
    message: "Request body is too large",
    edge: true,
  },
  "unsupported-media-type": {
    rpc: -32600,
    http: 415,
    name: "InvalidRequestError",
    message: "Unsupported media type",
    edge: true,
  },
  /** Nobody is known by what the request shows, or it shows nothing. */
  unauthenticated: {
    rpc: -32041,
    http: 401,
    name: "UnauthenticatedError",
    message: "Authentication is required",
    edge: true,
  },
  forbidden: {
    rpc: -32043,
    http: 403,
    name: "ForbiddenError",
    message: "The caller may not do this",
    edge: true,
  },
  "too-many-requests": {
    rpc: -32603,
    http: 429,
    name: "InternalError",
    message: "Too many requests",
    edge: true,
    headers: SOON,
  },
  /** The issuer of a token cannot be asked for its keys. */
  "issuer-unavailable": {
    rpc: -32603,
    http: 503,
    name: "InternalError",
    message: "The issuer of the token cannot be reached",
    edge: true,
    headers: SOON,
  },
  /** The requests that are being answered take all the memory that they may. */
  overloaded: {
    rpc: -32603,
    http: 503,
    name: "InternalError",
    message: "The proxy holds as many requests as it may",
    edge: true,
    headers: SOON,
  },
  /** The task store cannot be written: nothing new is begun, since it could not be kept. */
  "store-unavailable": {
    rpc: -32603,
    http: 503,
    name: "InternalError",
    message: "The proxy cannot store tasks at present",
    edge: true,
    headers: SOON,
  },
  "shutting-down": {
    rpc: -32603,
    http: 503,
    name: "InternalError",
    message: "The proxy is shutting down",
    edge: true,
    headers: SOON,
  },
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof TABLE;

const ROWS: Readonly<Record<ErrorCode, ErrorRow>> = TABLE;

const BY_RPC = new Map<number, ErrorCode>();
for (const code of Object.keys(TABLE) as ErrorCode[]) {
  // What the edge says of its own callers no agent can say.
  if (!ROWS[code].edge && !ROWS[code].ours && !BY_RPC.has(ROWS[code].rpc)) BY_RPC.set(ROWS[code].rpc, code);
}

/** The literal code of a 0.3.0 JSON-RPC error number, or undefined for a number 0.3.0 does not define. */
export const errorCodeOf = (rpc: number): ErrorCode | undefined => BY_RPC.get(rpc);

/** The JSON-RPC error number of a code. */
export const rpcCodeOf = (code: ErrorCode): number => ROWS[code].rpc;

/** Statuses of an agent that is there and wants to be asked later. */
const BUSY: ReadonlySet<unknown> = new Set([429, 503]);

export interface A2AErrorOptions {
  /** What went wrong. If absent, the code's standard message, with `path` and `reason` of `data`. Must not hold a secret. */
  message?: string | undefined;
  /** Sent to the client as the JSON-RPC error's `data`. Must not hold a secret. */
  data?: Record<string, unknown> | undefined;
  /** Sent with the HTTP answer: `WWW-Authenticate`, `Retry-After`. */
  headers?: Readonly<Record<string, string>> | undefined;
  cause?: unknown;
}

/** Whole seconds. An agent may say anything: beyond a year it says nothing. */
function retryAfterIn(data: Record<string, unknown> | undefined): number | undefined {
  const seconds = data?.["retryAfter"];
  const isSane = typeof seconds === "number" && seconds > 0 && seconds < 31_536_000;
  return isSane ? Math.ceil(seconds) : undefined;
}

/** Most SDKs show their users the message alone, so that the reason has to be in it. */
function standardMessage(code: ErrorCode, { path, reason }: Record<string, unknown> = {}): string {
  const details = [path, reason].filter((detail) => typeof detail === "string" && detail !== "");
  return [ROWS[code].message, ...details].join(": ");
}

/** Every failure that a client may see. Anything else that is thrown becomes `internal-error`. */
export class A2AError extends Error {
  override readonly name = "A2AError";
  readonly code: ErrorCode;
  readonly data: Record<string, unknown> | undefined;
  /** Of the HTTP answer, on every transport over HTTP. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, options: A2AErrorOptions = {}) {
    super(options.message ?? standardMessage(code, options.data), { cause: options.cause });
    this.code = code;
    this.data = options.data;
    const wait = retryAfterIn(options.data);
    this.headers = {
      ...ROWS[code].headers,
      ...(wait !== undefined && { "Retry-After": String(wait) }),
      ...options.headers,
    };
  }

  /** What the SDKs call it. */
  get sdkName(): string {
    return ROWS[this.code].name;
  }

  /** After how many seconds to ask again; undefined if nobody has said. */
  get retryAfter(): number | undefined {
    return retryAfterIn(this.data) ?? (Number(this.headers["Retry-After"]) || undefined);
  }

  /** The JSON-RPC error number. */
  get rpcCode(): number {
    return rpcCodeOf(this.code);
  }

  /** The HTTP status on the HTTP+JSON transport: an agent's own 429 or 503 if it would be 500 or 502 otherwise. */
  get httpStatus(): number {
    const { http } = ROWS[this.code];
    if (http !== 500 && http !== 502) return http;
    const status = this.data?.["status"];
    if (typeof status === "number" && BUSY.has(status)) return status;
    return retryAfterIn(this.data) === undefined ? http : 503;
  }

  /** The HTTP status on the JSON-RPC transport. */
  get rpcHttpStatus(): number {
    return ROWS[this.code].edge ? this.httpStatus : 200;
  }

  /** A fault of the proxy's own. One that an agent reports with the same code has a `stage`, as all errors of agents have. */
  get isOwnFault(): boolean {
    return this.code === "internal-error" && this.data?.["stage"] === undefined;
  }

  /** The same error with more `data`; what is already there wins. */
  with(data: Record<string, unknown>): A2AError {
    const { code, message, headers } = this;
    const merged = { ...data, ...this.data };
    return new A2AError(code, { message, headers, data: merged, cause: this.cause ?? this });
  }

  /** Turns anything thrown into an A2AError; an unknown failure reveals nothing but that it happened. */
  static from(thrown: unknown): A2AError {
    if (thrown instanceof A2AError) return thrown;
    return new A2AError("internal-error", { cause: thrown });
  }
}
