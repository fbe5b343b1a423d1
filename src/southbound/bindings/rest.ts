/**
 * HTTP+JSON by a dialect's table of routes: what a path does not hold is the body, or the query of a GET or DELETE. If a
 * method has several routes, the next one is tried while the agent answers that there is no such route; the one that it
 * has is remembered. So is the media type that it takes.
 */
import type { Dialect, RestRoute } from "../../dialect.ts";
import type { A2AError } from "../../protocol/errors.ts";
import type { HttpClient, HttpRequest, HttpResponse } from "../http.ts";
import { openEnvelope } from "../jsonrpc.ts";
import { mapped, opened } from "../values.ts";
import { vendorError, type ToError } from "../vendor-fault.ts";
import { methodMissing, type Binding, type BoundCall } from "./binding.ts";
import { buildPath } from "./rest-path.ts";

/** Statuses of a route that is not there, or not for this verb. */
const NO_ROUTE: ReadonlySet<number> = new Set([404, 405, 501]);

const PLAIN_JSON = "application/json";

export interface RestBindingOptions {
  readonly dialect: Dialect;
  readonly http: HttpClient;
  /** The base that the paths of the routes follow. */
  readonly url: string;
  readonly toError: ToError;
}

/** Sends a request and says with which status it was answered. */
type Send<T> = (request: HttpRequest) => Promise<{ readonly status: number; readonly answer: T }>;

export class RestBinding implements Binding {
  readonly #dialect: Dialect;
  readonly #http: HttpClient;
  readonly #base: string;
  readonly #toError: ToError;
  /** By method, the route that the agent has shown to have. */
  readonly #proven = new Map<string, RestRoute>();
  #mediaType: string;

  constructor({ dialect, http, url, toError }: RestBindingOptions) {
    this.#dialect = dialect;
    this.#http = http;
    this.#base = url.replace(/\/+$/, "");
    this.#toError = toError;
    this.#mediaType = dialect.mediaType ?? PLAIN_JSON;
  }

  async call(request: BoundCall): Promise<unknown> {
    const response = await this.#send(request, async (sent) => {
      const answer = await this.#http.unary(sent);
      return { status: answer.status, answer };
    });
    if (response.status >= 400) throw this.#fault(request, response);
    return response.json;
  }

  stream(request: BoundCall): AsyncIterable<unknown> {
    return opened(() => this.#open(request));
  }

  async #open(request: BoundCall): Promise<AsyncIterable<unknown>> {
    const headers = { accept: "text/event-stream", ...request.headers };
    const opening = await this.#send({ ...request, headers }, async (sent) => {
      const answer = await this.#http.stream(sent);
      return { status: answer.ok ? answer.status : answer.response.status, answer };
    });
    if (!opening.ok) throw this.#fault(request, opening.response);
    const { status } = opening;
    return mapped(opening.values, {
      value: ({ value, event }) => {
        if (event === "error") throw this.#fault(request, { status, headers: {}, json: value, excerpt: "" });
        return [unwrapped(value)];
      },
    });
  }

  async #send<T>(call: BoundCall, send: Send<T>): Promise<T> {
    const routes = this.#routesOf(call);
    for (const [index, route] of routes.entries()) {
      const sent = await this.#sendTo(route, call, send);
      const isLast = index === routes.length - 1;
      if (!isLast && NO_ROUTE.has(sent.status)) continue;
      if (sent.status < 400) this.#proven.set(call.method, route);
      return sent.answer;
    }
    throw methodMissing(this.#dialect.name, call.method);
  }

  /** A media type that the agent refuses has not been read: the same once more in plain JSON. */
  async #sendTo<T>(route: RestRoute, call: BoundCall, send: Send<T>): ReturnType<Send<T>> {
    const sent = await send(this.#requestFor(route, call));
    if (sent.status !== 415 || this.#mediaType === PLAIN_JSON) return sent;
    this.#mediaType = PLAIN_JSON;
    return await send(this.#requestFor(route, call));
  }

  #routesOf({ method }: BoundCall): readonly RestRoute[] {
    const proven = this.#proven.get(method);
    return proven ? [proven] : (this.#dialect.rest ?? []).filter((route) => route.method === method);
  }

  #requestFor(route: RestRoute, { params, headers, call }: BoundCall): HttpRequest {
    const { path, rest } = buildPath(route, { ...params });
    const url = this.#base + path;
    if (route.verb !== "POST") return { method: route.verb, url: url + queryOf(rest), headers, call };
    return {
      method: "POST",
      url,
      headers: { "content-type": this.#mediaType, ...headers },
      body: rest,
      call,
    };
  }

  #fault({ method }: BoundCall, { status, headers, json, excerpt }: Omit<HttpResponse, "values">): A2AError {
    const name = this.#dialect.jsonrpc[method] ?? method;
    return vendorError({ status, body: json, excerpt, method: name }, headers, this.#toError);
  }
}

function queryOf(params: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") {
      query.set(name, String(value));
    }
  }
  return query.size > 0 ? `?${query.toString()}` : "";
}

/** Some servers send JSON-RPC envelopes over this binding, too. */
function unwrapped(value: unknown): unknown {
  const envelope = openEnvelope(value);
  return envelope.kind === "result" ? envelope.result : value;
}
