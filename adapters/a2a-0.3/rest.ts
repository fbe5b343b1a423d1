/**
 * The HTTP+JSON binding (A2A 0.3.0 §3.2.3, §11). What comes back is read by the same functions as over JSON-RPC, which know
 * the names of this binding. Repaired here is what only this binding gets wrong: routes without `/v1`, streams subscribed
 * to by POST or by GET, errors in forms of their own. What an agent turned out to serve is remembered.
 */
import { A2AError } from "../../src/protocol/errors.ts";
import type { HttpClient, HttpResponse, HttpStream } from "../../src/southbound/http.ts";
import { mapped, opened } from "../../src/southbound/values.ts";
import { withPlainBytes } from "./proto-json.ts";
import { faultOf, isFault, isFromRoute, isNoRoute } from "./rest-fault.ts";
import { routesOf, type Layout, type Route } from "./rest-routes.ts";
import type { Exchange, Request, Transport } from "./transport.ts";

export interface RestOptions {
  /** As configured, with or without `/v1` at its end. */
  readonly url: string;
  /** `auto`: `v1`, and `bare` if the agent has no such routes. */
  readonly layout: Layout | "auto";
}

export class RestClient implements Transport {
  readonly #http: HttpClient;
  readonly #base: string;
  /** Undefined until the agent has answered on a route of either. */
  #layout: Layout | undefined;
  /** The verb by which the agent lets subscribe. */
  #subscribesBy: Route["method"] | undefined;

  constructor(http: HttpClient, { url, layout }: RestOptions) {
    this.#http = http;
    this.#base = url.replace(/\/+$/, "").replace(/\/v1$/, "");
    this.#layout = layout === "auto" ? undefined : layout;
  }

  /** Resolves with the body; rejects with an A2AError. */
  async call({ signal, headers, ...asked }: Exchange): Promise<unknown> {
    const response = await this.#tried(
      asked,
      (route) => this.#http.unary({ ...route, headers, signal }),
      (answer) => answer,
    );
    if (response.status >= 400) throw faultOf(asked.method, response);
    return withPlainBytes(response.json);
  }

  /** Yields each frame; throws an A2AError at an error, before or in the stream. */
  stream(exchange: Exchange): AsyncIterableIterator<unknown, undefined> {
    return opened(() => this.#open(exchange));
  }

  async #open({ signal, headers, ...asked }: Exchange): Promise<AsyncIterable<unknown>> {
    const { method } = asked;
    const request = { headers: { accept: "text/event-stream", ...headers }, signal };
    const answer = await this.#tried<HttpStream>(
      asked,
      (route) => this.#http.stream({ ...route, ...request }),
      (stream) => (stream.ok ? undefined : stream.response),
    );
    if (!answer.ok) throw faultOf(method, answer.response);
    const { status } = answer;
    return mapped(answer.values, {
      value: ({ value, event }) => {
        const fault = event === "error" || isFault(value) ? value : undefined;
        if (fault !== undefined) throw faultOf(method, { status, headers: {}, json: fault, excerpt: "" });
        return [withPlainBytes(value)];
      },
    });
  }

  /**
   * The answer of the first route that the agent has, else that of the first route. A route that is not there has done
   * nothing, so that the next may be tried with any method.
   */
  async #tried<T>(
    request: Request,
    send: (route: Route) => Promise<T>,
    responseOf: (answer: T) => HttpResponse | undefined,
  ): Promise<T> {
    const candidates = this.#candidates(request);
    let refusal: { readonly answer: T } | undefined;
    for (const { layout, route } of candidates) {
      const answer = await send(route);
      const response = responseOf(answer);
      const isServed = !response || isFromRoute(response);
      // Of a layout that is only a guess, a route counts that surely is there.
      if (isServed || (layout === candidates[0]?.layout && !isNoRoute(response))) {
        if (isServed) this.#layout ??= layout;
        if (request.method === "tasks/resubscribe") this.#subscribesBy = route.method;
        return answer;
      }
      refusal ??= { answer };
    }
    if (refusal) return refusal.answer;
    throw new A2AError("method-not-found");
  }

  #candidates(request: Request): readonly { readonly layout: Layout; readonly route: Route }[] {
    const layouts: readonly Layout[] = this.#layout ? [this.#layout] : ["v1", "bare"];
    const isLater = ({ method }: Route): number => Number(method !== this.#subscribesBy);
    return layouts.flatMap((layout) =>
      routesOf(this.#base, layout, request)
        .toSorted((one, other) => isLater(one) - isLater(other))
        .map((route) => ({ layout, route })),
    );
  }
}
