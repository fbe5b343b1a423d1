/**
 * The HTTP+JSON binding (A2A 0.3.0 §3.2.3, §11). What comes back is read by the same functions as over JSON-RPC, which know
 * the names of this binding. Repaired here is what only this binding gets wrong: routes without `/v1`, streams subscribed
 * to by POST or by GET, errors in forms of their own. What an agent turned out to serve is remembered.
 */
import { A2AError } from "../../src/protocol/errors.ts";
import type { CallScope, HttpClient, HttpResponse, HttpStream } from "../../src/southbound/http.ts";
import type { Southbound } from "../../src/southbound/southbound.ts";
import { mapped, opened } from "../../src/southbound/values.ts";
import { AgentReader, type FileBytes } from "./reader.ts";
import { faultOf, isFault, isFromRoute, isNoRoute } from "./rest-fault.ts";
import { routesOf, type Layout, type Route } from "./rest-routes.ts";
import { fileBytesOverHttp } from "./sdk-signs.ts";
import type { Exchange, Request, Transport } from "./transport.ts";

type Reached = Pick<Southbound, "http" | "log" | "newId" | "url">;

export interface RestOptions {
  /** `auto`: `v1`, and `bare` if the agent has no such routes. */
  readonly layout: Layout | "auto";
  readonly fileBytes: FileBytes | "auto";
}

export class RestClient implements Transport {
  readonly #http: HttpClient;
  readonly #newId: () => string;
  readonly #base: string;
  readonly #reader: AgentReader;
  /** Undefined until the agent has answered on a route of either. */
  #layout: Layout | undefined;
  /** The verb by which the agent lets subscribe. */
  #subscribesBy: Route["method"] | undefined;

  /** The URL of `southbound` may end in `/v1` or not. */
  constructor(southbound: Reached, { layout, fileBytes }: RestOptions) {
    const { http, log, url } = southbound;
    this.#http = http;
    this.#newId = () => southbound.newId();
    this.#base = url.replace(/\/+$/, "").replace(/\/v1$/, "");
    this.#layout = layout === "auto" ? undefined : layout;
    const ask = (call: CallScope) => this.#askFileBytes(call);
    this.#reader = new AgentReader({ fileBytes, ask, log });
  }

  /** Resolves with the body; rejects with an A2AError. */
  async call({ call, headers, ...asked }: Exchange): Promise<unknown> {
    const response = await this.#understood(
      asked,
      call,
      (route) => this.#http.unary({ ...route, headers, call }),
      (answer) => answer,
    );
    if (response.status >= 400) throw faultOf(asked.method, response);
    return this.#reader.read(response.json);
  }

  /** Yields each frame; throws an A2AError at an error, before or in the stream. */
  stream(exchange: Exchange): AsyncIterableIterator<unknown, undefined> {
    return opened(() => this.#open(exchange));
  }

  async #open({ call, headers, ...asked }: Exchange): Promise<AsyncIterable<unknown>> {
    const { method } = asked;
    const request = { headers: { accept: "text/event-stream", ...headers }, call };
    const answer = await this.#understood<HttpStream>(
      asked,
      call,
      (route) => this.#http.stream({ ...route, ...request }),
      (stream) => (stream.ok ? undefined : stream.response),
    );
    if (!answer.ok) throw faultOf(method, answer.response);
    const { status } = answer;
    return mapped(answer.values, {
      value: ({ value, event }) => {
        const fault = event === "error" || isFault(value) ? value : undefined;
        if (fault !== undefined) throw faultOf(method, { status, headers: {}, json: fault, excerpt: "" });
        return [this.#reader.read(value)];
      },
    });
  }

  /** The answer to the request as the agent reads it; one that is refused for what can be left out is sent without that. */
  async #understood<T>(
    request: Request,
    call: CallScope,
    send: (route: Route) => Promise<T>,
    responseOf: (answer: T) => HttpResponse | undefined,
  ): Promise<T> {
    for (;;) {
      const answer = await this.#tried(await this.#reader.prepared(request, call), send, responseOf);
      const response = responseOf(answer);
      if (!response || !this.#reader.learns(response)) return answer;
    }
  }

  /** Undefined where the agent cannot be asked now; what is to be sent shows why. */
  async #askFileBytes(call: CallScope): Promise<FileBytes | undefined> {
    const id = `no-such-task-${this.#newId()}`;
    const get = (route: Route) => this.#http.unary({ ...route, call });
    try {
      const task = await this.#tried({ method: "tasks/get", params: { id } }, get, (answer) => answer);
      if (this.#layout === "bare") return "once";
      return await fileBytesOverHttp(task, () => get({ method: "GET", url: `${this.#base}/v1/${id}` }));
    } catch {
      call.signal.throwIfAborted();
      return undefined;
    }
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
