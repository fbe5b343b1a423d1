/**
 * The HTTP seam to the vendor: one call with a whole answer, one with a stream of JSON values. Credentials, limits,
 * pooling and the translation of transport faults into A2AErrors are inside; an adapter sees values.
 */
/** What all requests of one call to the agent share; a `Call` is one. */
export interface CallScope {
  /** Carries the deadline; aborted when the client's request, the task's time or the proxy ends. The reason is an A2AError. */
  readonly signal: AbortSignal;
  /** Headers of the client that its agent is given (`forward`), in lower case. They never take the place of credentials. */
  readonly forwarded?: Readonly<Record<string, string>> | undefined;
}

export interface HttpRequest {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Must have the origin that the configuration gives the agent; another is refused. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON where present. */
  readonly body?: unknown;
  readonly call: CallScope;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The parsed body where it is JSON, else undefined. */
  readonly json: unknown;
  /** The JSON values of a body that is an event stream, else absent. */
  readonly values?: readonly unknown[];
  /** The body as text, for error messages; at most the first 2,000 characters. */
  readonly excerpt: string;
}

/** One JSON value of an event stream. */
export interface StreamedValue {
  readonly value: unknown;
  /** SSE `event:`, where the vendor sends one. */
  readonly event?: string | undefined;
  /** SSE `id:`, where the vendor sends one. */
  readonly id?: string | undefined;
}

/**
 * Nothing here has a timer but the connection: the signal of a call carries its deadline, and whoever reads a stream
 * watches it. An abort rejects with the signal's reason where that is an A2AError. Every other rejection is one too,
 * with `data` `{ agent, stage, status?, cause?, limit? }`: stage is connect, dns, tls, request, headers, body or event,
 * cause a code such as ECONNRESET.
 */
export interface HttpClient {
  /**
   * Any status resolves; a body beyond the limit, a redirect, a refused or broken connection rejects with an
   * A2AError that names the stage.
   */
  unary(request: HttpRequest): Promise<HttpResponse>;
  /**
   * Resolves once the headers are there. `response` is set where the answer is an error status, which is then
   * read whole. Otherwise `values` yields each JSON value as it completes, whether it comes as SSE, NDJSON, a plain
   * JSON body, pretty-printed, or split over lines and chunks; it throws an A2AError where the connection breaks,
   * and ends where the vendor ends it. Leaving the loop closes the connection.
   */
  stream(request: HttpRequest): Promise<HttpStream>;
}

export type HttpStream =
  | { readonly ok: true; readonly status: number; readonly values: AsyncIterable<StreamedValue> }
  | { readonly ok: false; readonly response: HttpResponse };
