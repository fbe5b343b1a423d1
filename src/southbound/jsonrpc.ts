/**
 * JSON-RPC 2.0 client over the HTTP seam: what every JSON-RPC dialect shares. Tolerates what servers get wrong about
 * the envelope: another id than the request's, `error: null` beside a result, an error with HTTP 400 and no id, a
 * bare result without envelope.
 */
import { z } from "zod";
import { A2AError, errorCodeOf } from "../protocol/errors.ts";
import type { HttpClient, HttpResponse } from "./http.ts";
import { mapped, only, opened } from "./values.ts";

export interface RpcError {
  code: number;
  message: string;
  data?: unknown;
}

/** A vendor's refusal, before it is an A2AError. */
export interface VendorFault {
  /** HTTP status of the answer. */
  readonly status: number;
  /** The JSON-RPC error, where the answer holds one. */
  readonly rpc?: RpcError | undefined;
  /** The JSON body that is no JSON-RPC envelope, where there is one. */
  readonly body?: unknown;
  readonly excerpt: string;
  readonly method: string;
}

export interface RpcRequest {
  readonly method: string;
  readonly params: unknown;
  readonly signal: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface JsonRpcClientOptions {
  readonly http: HttpClient;
  readonly url: string;
  readonly newId: () => string;
  /** The dialect's error mapping; `defaultFault` where absent. */
  readonly toError?: (fault: VendorFault) => A2AError;
  /** What the results of an event stream come to where one answer was asked for; the last one where absent. */
  readonly fold?: (results: readonly unknown[]) => unknown;
}

const RpcErrorObject = z.looseObject({
  code: z.coerce.number().catch(-32603),
  message: z.coerce.string().catch(""),
  data: z.unknown().optional(),
});

const Envelope = z.looseObject({
  error: RpcErrorObject.nullish().catch(undefined),
  result: z.unknown().optional(),
});

type Opened = { kind: "result"; result: unknown } | { kind: "error"; error: RpcError } | { kind: "none" };

/** Takes a JSON-RPC answer apart; `none` where the value is no envelope. */
export function openEnvelope(value: unknown): Opened {
  if (typeof value !== "object" || value === null) return { kind: "none" };
  if (!("result" in value) && !("error" in value)) return { kind: "none" };
  const envelope = Envelope.parse(value);
  if (envelope.error) return { kind: "error", error: envelope.error };
  if ("error" in value && typeof value.error === "string") {
    return { kind: "error", error: { code: -32603, message: value.error } };
  }
  if (envelope.result === undefined || envelope.result === null) {
    return "result" in value ? { kind: "result", result: envelope.result } : { kind: "none" };
  }
  return { kind: "result", result: envelope.result };
}

/** 401, 403, 404, 429, 5xx and JSON-RPC errors as the 0.3 agents mean them. */
export function defaultFault(fault: VendorFault): A2AError {
  const vendor = fault.rpc ?? fault.body;
  const data = { stage: "response", status: fault.status, ...(vendor === undefined ? {} : { vendor }) };
  if (fault.rpc) {
    const code = errorCodeOf(fault.rpc.code) ?? "invalid-agent-response";
    const message = fault.rpc.message === "" ? undefined : fault.rpc.message;
    return new A2AError(code, { message, data });
  }
  return new A2AError("invalid-agent-response", {
    message: `The agent answered ${fault.method} with HTTP ${fault.status}`,
    data,
  });
}

const lastOf = (results: readonly unknown[]): unknown => results.at(-1);

export class JsonRpcClient {
  readonly #options: JsonRpcClientOptions;

  constructor(options: JsonRpcClientOptions) {
    this.#options = options;
  }

  /** Resolves with the `result`; rejects with an A2AError. */
  async call(request: RpcRequest): Promise<unknown> {
    const { http, url } = this.#options;
    const { signal } = request;
    const headers = { accept: "application/json", ...request.headers };
    const response = await http.unary({
      method: "POST",
      url,
      headers,
      body: this.#envelope(request),
      signal,
    });
    return this.#result(request.method, response);
  }

  /** Yields each `result`; throws an A2AError at an error, before or in the stream. */
  stream(request: RpcRequest): AsyncIterable<unknown> {
    return opened(() => this.#open(request));
  }

  async #open(request: RpcRequest): Promise<AsyncIterable<unknown>> {
    const { http, url } = this.#options;
    const { method, signal } = request;
    const headers = { accept: "text/event-stream, application/json;q=0.5", ...request.headers };
    const body = this.#envelope(request);
    const answer = await http.stream({ method: "POST", url, headers, body, signal });
    if (!answer.ok) return only(this.#result(method, answer.response));
    const { status } = answer;
    return mapped(answer.values, { value: ({ value }) => [this.#streamed(method, status, value)] });
  }

  #streamed(method: string, status: number, value: unknown): unknown {
    const envelope = openEnvelope(value);
    if (envelope.kind === "error") throw this.#fault(method, { status, rpc: envelope.error, excerpt: "" });
    return envelope.kind === "result" ? envelope.result : value;
  }

  #envelope(request: RpcRequest) {
    return { jsonrpc: "2.0", id: this.#options.newId(), method: request.method, params: request.params };
  }

  #result(method: string, response: HttpResponse): unknown {
    const { status, json, values = [] } = response;
    if (values.length > 0) return this.#folded(method, response);
    const opened = openEnvelope(json);
    if (opened.kind === "result" && status < 400) return opened.result;
    // Made when it is asked for, which is only here.
    const { excerpt } = response;
    if (opened.kind === "error") throw this.#fault(method, { status, rpc: opened.error, excerpt });
    if (status >= 400) throw this.#fault(method, { status, body: json, excerpt });
    if (json !== undefined) return json;
    throw new A2AError("invalid-agent-response", {
      message: `The agent answered ${method} with something that is not JSON`,
      data: { stage: "body", status, excerpt: excerpt.slice(0, 200) },
    });
  }

  #folded(method: string, { status, values = [], excerpt }: HttpResponse): unknown {
    const results = values.map((json) => this.#result(method, { status, headers: {}, json, excerpt }));
    return (this.#options.fold ?? lastOf)(results);
  }

  #fault(method: string, fault: Omit<VendorFault, "method">): A2AError {
    return (this.#options.toError ?? defaultFault)({ ...fault, method });
  }
}
