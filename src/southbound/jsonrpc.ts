/**
 * JSON-RPC 2.0 client over the HTTP seam: what every JSON-RPC dialect shares. Tolerates what servers get wrong about
 * the envelope: another id than the request's, `error: null` beside a result, an error with HTTP 400 and no id, a
 * bare result without envelope.
 */
import { z } from "zod";
import { A2AError } from "../protocol/errors.ts";
import { isFields } from "../protocol/json.ts";
import type { CallScope, HttpClient, HttpResponse } from "./http.ts";
import { mapped, only, opened } from "./values.ts";
import { vendorError, type RpcError, type ToError } from "./vendor-fault.ts";

export interface RpcRequest {
  /** Absent: the one of the client. */
  readonly url?: string | undefined;
  readonly method: string;
  readonly params: unknown;
  readonly call: CallScope;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface JsonRpcClientOptions {
  readonly http: HttpClient;
  readonly url: string;
  readonly newId: () => string;
  /** The dialect's error mapping; `defaultFault` where absent. */
  readonly toError?: ToError;
  /** What the results of an event stream come to where one answer was asked for; the last one where absent. */
  readonly fold?: (results: readonly unknown[]) => unknown;
}

const RpcErrorObject = z.looseObject({
  code: z.union([
    z.number(),
    z
      .string()
      .regex(/^-?\d+$/)
      .transform(Number),
  ]),
  message: z.coerce.string().catch(""),
  data: z.unknown().optional(),
});

type Opened =
  | { kind: "result"; result: unknown }
  | { kind: "error"; error: RpcError }
  /** An `error` that is none of JSON-RPC's: a text, or without a code. */
  | { kind: "other-error" }
  | { kind: "none" };

/** Takes a JSON-RPC answer apart; `none` where the value is no envelope. */
export function openEnvelope(value: unknown): Opened {
  if (!isFields(value)) return { kind: "none" };
  const { error, result } = value;
  if (error !== undefined && error !== null) {
    const rpc = RpcErrorObject.safeParse(error).data;
    if (rpc) return { kind: "error", error: rpc };
    const hasResult = result !== undefined && result !== null;
    if (!hasResult && (typeof error === "string" || isFields(error))) return { kind: "other-error" };
  }
  return "result" in value ? { kind: "result", result } : { kind: "none" };
}

const lastOf = (results: readonly unknown[]): unknown => results.at(-1);

export class JsonRpcClient {
  readonly #options: JsonRpcClientOptions;

  constructor(options: JsonRpcClientOptions) {
    this.#options = options;
  }

  /** Resolves with the `result`; rejects with an A2AError. */
  async call(request: RpcRequest): Promise<unknown> {
    const { http } = this.#options;
    const { call, url = this.#options.url } = request;
    const headers = { accept: "application/json", ...request.headers };
    const response = await http.unary({
      method: "POST",
      url,
      headers,
      body: this.#envelope(request),
      call,
    });
    return this.#result(request.method, response);
  }

  /** Yields each `result`; throws an A2AError at an error, before or in the stream. */
  stream(request: RpcRequest): AsyncIterable<unknown> {
    return opened(() => this.#open(request));
  }

  async #open(request: RpcRequest): Promise<AsyncIterable<unknown>> {
    const { http } = this.#options;
    const { method, call, url = this.#options.url } = request;
    const headers = { accept: "text/event-stream, application/json;q=0.5", ...request.headers };
    const body = this.#envelope(request);
    const answer = await http.stream({ method: "POST", url, headers, body, call });
    if (!answer.ok) return only(this.#result(method, answer.response));
    const { status } = answer;
    return mapped(answer.values, { value: ({ value }) => [this.#streamed(method, status, value)] });
  }

  #streamed(method: string, status: number, json: unknown): unknown {
    const envelope = openEnvelope(json);
    if (envelope.kind === "result") return envelope.result;
    if (envelope.kind === "none") return json;
    throw this.#fault(method, { status, json, excerpt: "", headers: {} });
  }

  #envelope(request: RpcRequest) {
    return { jsonrpc: "2.0", id: this.#options.newId(), method: request.method, params: request.params };
  }

  #result(method: string, response: HttpResponse): unknown {
    const { status, json, values = [] } = response;
    if (values.length > 0) return this.#folded(method, response);
    const opened = openEnvelope(json);
    if (opened.kind === "result" && status < 400) return opened.result;
    const isError = opened.kind === "error" || opened.kind === "other-error";
    if (isError || status >= 400) throw this.#fault(method, response);
    if (json !== undefined) return json;
    const { excerpt } = response;
    throw new A2AError("invalid-agent-response", {
      message: `The agent answered ${method} with something that is not JSON`,
      data: { stage: "body", status, excerpt: excerpt.slice(0, 200) },
    });
  }

  #folded(method: string, { status, values = [], excerpt }: HttpResponse): unknown {
    const results = values.map((json) => this.#result(method, { status, headers: {}, json, excerpt }));
    return (this.#options.fold ?? lastOf)(results);
  }

  #fault(method: string, { status, json, excerpt, headers }: HttpResponse): A2AError {
    const envelope = openEnvelope(json);
    const said = envelope.kind === "error" ? { rpc: envelope.error } : { body: json };
    return vendorError({ ...said, status, excerpt, method }, headers, this.#options.toError);
  }
}
