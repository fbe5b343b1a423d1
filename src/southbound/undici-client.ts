/**
 * The HTTP seam on undici: one pool to the one origin that the configuration names, so that credentials cannot go
 * anywhere else. undici's own timers are off: a call's signal carries its deadline, and the gateway watches streams.
 */
import { Pool } from "undici";
import type { AgentConfig } from "../config/config.ts";
import { A2AError } from "../protocol/errors.ts";
import { isNestedDeeper } from "../protocol/nesting.ts";
import { decoded, type BodySource } from "./body.ts";
import type { Authorizer } from "./authorizer.ts";
import { createConnector } from "./connector.ts";
import { authorized, lowerCase, withQuery, type Authorization } from "./credentials.ts";
import { dispatch, ignored, readWhole, type Head, type Receive, type Whole } from "./dispatch.ts";
import { withoutForwarded } from "./echo.ts";
import { EventDecoder, type EventDecoderOptions } from "./event-decoder.ts";
import { EventStream } from "./event-stream.ts";
import type { CallScope, HttpClient, HttpRequest, HttpResponse, HttpStream } from "./http.ts";
import type { Redact } from "./redact.ts";
import { tooDeep } from "./too-deep.ts";
import { NO_IDENTITY, type LiveTls } from "./tls.ts";
import { only } from "./values.ts";
import { toTransportError, type FaultContext } from "./transport-error.ts";

export interface HttpClientOptions {
  /** The agent's name, for errors. */
  readonly agent: string;
  /** Only its origin counts. */
  readonly url: string;
  readonly authorizer: Authorizer;
  readonly tls?: LiveTls | undefined;
  readonly timeouts: Pick<AgentConfig["timeouts"], "connect">;
  readonly limits: Pick<AgentConfig["limits"], "connections" | "responseBody" | "event">;
  readonly redact: Redact;
  /** Called with the beginning, redacted, of what a stream held that is no JSON, and the signal of its request. */
  readonly onMalformed?: (excerpt: string, signal: AbortSignal) => void;
}

/** `close` breaks what is still open. */
export type ClosableHttpClient = HttpClient & { close(): Promise<void> };

const EXCERPT = 2000;
const utf8 = new TextDecoder();
const isHtml = (contentType: unknown): boolean =>
  /^\s*(text\/html|application\/xhtml)/i.test(String(contentType));

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const unreadable = (excerpt: string): A2AError =>
  new A2AError("invalid-agent-response", {
    message: `The agent's stream holds nothing that is JSON; it begins with ${excerpt}`,
    data: { stage: "event", excerpt },
  });

/** A stream that was not asked for, and has ended. */
function valuesIn(text: string, options: EventDecoderOptions): unknown[] {
  const decoder = new EventDecoder(options);
  return [...decoder.push(Buffer.from(text)), ...decoder.end()].map(({ value }) => value);
}

class UndiciClient implements ClosableHttpClient {
  readonly #options: HttpClientOptions;
  readonly #origin: string;
  readonly #pool: Pool;
  readonly #whole: Receive<Whole>;
  #last: { readonly address: string; readonly url: URL } | undefined;

  constructor(options: HttpClientOptions) {
    this.#options = options;
    this.#origin = new URL(options.url).origin;
    this.#whole = readWhole(options.limits.responseBody);
    this.#pool = new Pool(this.#origin, {
      connections: options.limits.connections,
      connect: createConnector(options.tls ?? (() => NO_IDENTITY), options.timeouts.connect),
      headersTimeout: 0,
      bodyTimeout: 0,
      allowH2: false,
    });
  }

  async unary(request: HttpRequest): Promise<HttpResponse> {
    return this.#read(await this.#open(request, this.#whole), request.call);
  }

  async stream(request: HttpRequest): Promise<HttpStream> {
    const { call } = request;
    const answer = await this.#open<Whole | EventStream>(request, (head, source) =>
      head.status >= 400 || isHtml(head.headers["content-type"])
        ? this.#whole(head, source)
        : this.#events(head, source, call),
    );
    if (answer instanceof EventStream) return { ok: true, status: answer.status, values: answer };
    const response = await this.#read(answer, call);
    const { status, json } = response;
    return status >= 400 ? { ok: false, response } : { ok: true, status, values: only({ value: json }) };
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }

  #events(
    { status, headers }: Head,
    source: BodySource,
    { signal }: CallScope,
  ): ReturnType<Receive<EventStream>> {
    const { limits, redact, onMalformed } = this.#options;
    let unread: string | undefined;
    const decoder = new EventDecoder({
      maxEventBytes: limits.event,
      onMalformed: (text) => {
        const excerpt = redact(text);
        unread ??= excerpt;
        onMalformed?.(excerpt, signal);
      },
    });
    const whenEmpty = () => (unread === undefined ? undefined : unreadable(unread));
    const toError = (cause: unknown): A2AError => this.#fault(cause, { stage: "body", signal, status });
    const open = (plain: BodySource) => new EventStream(plain, { status, decoder, toError, whenEmpty });
    const { sink, inner } = decoded(headers["content-encoding"], source, open);
    return { answer: inner, sink };
  }

  /** Resolves once the headers are there, and are no redirect; what is refused with 401 may be sent once more. */
  async #open<T>(request: HttpRequest, receive: Receive<T>): Promise<T> {
    const { authorizer } = this.#options;
    const { call, url } = request;
    const { signal } = call;
    const target = this.#targetOf(url);
    try {
      const authorization = await authorizer.authorize(signal);
      const answer = await this.#send<T | undefined>(request, target, authorization, (head, source) => {
        if (head.status !== 401 || !authorizer.refused(authorization)) return receive(head, source);
        source.destroy();
        return { answer: undefined, sink: ignored };
      });
      if (answer !== undefined) return answer;
      return await this.#send(request, target, await authorizer.authorize(signal), receive);
    } catch (error) {
      throw this.#fault(error, { stage: "headers", signal });
    }
  }

  #redirect({ status, headers }: Head, url: string): A2AError {
    const { agent, redact } = this.#options;
    const location = typeof headers["location"] === "string" ? URL.parse(headers["location"], url) : null;
    const shown = location ? { location: redact(location.origin + location.pathname) } : {};
    return new A2AError("invalid-agent-response", {
      message: `The agent ${agent} answered with a redirect (HTTP ${status}); redirects are not followed`,
      data: { agent, stage: "headers", status, ...shown },
    });
  }

  /** The address taken apart; most dialects have but one. */
  #targetOf(address: string): URL {
    if (this.#last?.address === address) return this.#last.url;
    const url = URL.parse(address);
    if (url?.origin === this.#origin) {
      this.#last = { address, url };
      return url;
    }
    const { agent } = this.#options;
    throw new A2AError("agent-unavailable", {
      message: `The agent ${agent} is called at ${this.#origin} only, not at ${url?.origin ?? "an invalid URL"}`,
      data: { agent, stage: "request" },
    });
  }

  #send<T>(request: HttpRequest, target: URL, authorization: Authorization, receive: Receive<T>): Promise<T> {
    const { method, call, url } = request;
    call.signal.throwIfAborted();
    const { pathname, search } = withQuery(target, authorization);
    const body = request.body === undefined ? null : JSON.stringify(request.body);
    const headers = {
      accept: "application/json",
      "accept-encoding": "identity",
      ...(body !== null && { "content-type": "application/json" }),
      ...lowerCase(request.headers),
      ...call.forwarded,
    };
    const all = authorized(headers, authorization);
    const sent = { method, path: pathname + search, headers: all, body };
    return dispatch(this.#pool, sent, call.signal, (head, source) => {
      if (head.status >= 300 && head.status < 400) throw this.#redirect(head, url);
      return receive(head, source);
    });
  }

  async #read({ head, body }: Whole, { signal, forwarded }: CallScope): Promise<HttpResponse> {
    const { agent, limits, redact, onMalformed } = this.#options;
    const { status, headers } = head;
    let raw: string;
    try {
      raw = utf8.decode(await body);
    } catch (error) {
      throw this.#fault(error, { stage: "body", signal, status });
    }
    // An error body may echo the request, credentials included, and becomes the `data` of our own error.
    const text = status >= 400 ? withoutForwarded(redact(raw), forwarded) : raw;
    const json = parsed(text);
    if (isNestedDeeper(json)) throw tooDeep({ agent, stage: "body", status });
    if (json === undefined && status < 300 && isHtml(headers["content-type"])) {
      throw new A2AError("invalid-agent-response", {
        message: `The agent ${agent} answered with HTML instead of JSON (HTTP ${status})`,
        data: { agent, stage: "body", status },
      });
    }
    const decoding = {
      maxEventBytes: limits.event,
      onMalformed: (excerpt: string) => onMalformed?.(redact(excerpt), signal),
    };
    const isStream = json === undefined && /^\s*text\/event-stream/i.test(String(headers["content-type"]));
    return {
      status,
      headers,
      json,
      ...(isStream && { values: valuesIn(text, decoding) }),
      get excerpt() {
        return redact(text.slice(0, EXCERPT));
      },
    };
  }

  #fault(thrown: unknown, at: Pick<FaultContext, "stage" | "signal" | "status">): A2AError {
    return toTransportError(thrown, { ...at, agent: this.#options.agent, redact: this.#options.redact });
  }
}

/** An HTTP client for one agent. Rejections are A2AErrors whose `data` is `{ agent, stage, status?, cause?, limit? }`. */
export const createHttpClient = (options: HttpClientOptions): ClosableHttpClient => new UndiciClient(options);
