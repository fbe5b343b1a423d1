/**
 * The HTTP+JSON binding (A2A 0.3.0 §3.2.3, §11): the methods as routes under `/v1`, ProtoJSON in both directions. What
 * comes back is read by the same functions as over JSON-RPC, which know the names of this binding. Repaired here is what
 * only this binding gets wrong: streams subscribed to by POST or by GET.
 */
import { z } from "zod";
import type { A2AError } from "../../src/protocol/errors.ts";
import type { HttpClient, HttpRequest, HttpResponse } from "../../src/southbound/http.ts";
import { mapped, opened } from "../../src/southbound/values.ts";
import { vendorError } from "../../src/southbound/vendor-fault.ts";
import { isRecord } from "../shared/object.ts";
import { toCanonicalError } from "./errors.ts";
import { toBlockingSendRequest, toCreatePushRequest, toSendRequest, withPlainBytes } from "./proto-json.ts";
import type { Exchange, Request, Transport } from "./transport.ts";

type Route = Pick<HttpRequest, "method" | "url" | "body">;

/** Statuses of a route that is not there, or not for this verb. */
const NO_ROUTE: ReadonlySet<number> = new Set([404, 405, 501]);

/** The JSON-RPC code that a status means where the body has none. */
const CODE_BY_STATUS: ReadonlyMap<number, number> = new Map([
  [400, -32602],
  [409, -32002],
  [415, -32005],
  [422, -32602],
  [501, -32004],
]);

const Fault = z.looseObject({
  code: z.number().optional().catch(undefined),
  message: z.string().optional().catch(undefined),
  data: z.unknown().optional(),
});

export class RestClient implements Transport {
  readonly #http: HttpClient;
  readonly #base: string;

  /** @param url as configured, with or without `/v1` at its end */
  constructor(http: HttpClient, url: string) {
    this.#http = http;
    this.#base = `${url.replace(/\/+$/, "").replace(/\/v1$/, "")}/v1`;
  }

  /** Resolves with the body; rejects with an A2AError. */
  async call({ signal, headers, ...asked }: Exchange): Promise<unknown> {
    const [route] = this.#routes(asked);
    const response = await this.#http.unary({ ...route, headers, signal });
    if (response.status >= 400) throw faultOf(asked.method, response);
    return withPlainBytes(response.json);
  }

  /** Yields each frame; throws an A2AError at an error, before or in the stream. */
  stream(exchange: Exchange): AsyncIterableIterator<unknown, undefined> {
    return opened(() => this.#open(exchange));
  }

  async #open({ signal, headers, ...asked }: Exchange): Promise<AsyncIterable<unknown>> {
    const { method } = asked;
    const [first, second] = this.#routes(asked);
    const request = { headers: { accept: "text/event-stream", ...headers }, signal };
    let answer = await this.#http.stream({ ...first, ...request });
    if (!answer.ok && second && NO_ROUTE.has(answer.response.status)) {
      answer = await this.#http.stream({ ...second, ...request });
    }
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

  /** The route of a method, and the other way that it may be served. */
  #routes(request: Request): readonly [Route, Route?] {
    switch (request.method) {
      case "message/send":
        return [
          { method: "POST", url: `${this.#base}/message:send`, body: toBlockingSendRequest(request.params) },
        ];
      case "message/stream":
        return [{ method: "POST", url: `${this.#base}/message:stream`, body: toSendRequest(request.params) }];
      case "tasks/get": {
        const { id, historyLength } = request.params;
        const query = historyLength === undefined ? "" : `?historyLength=${historyLength}`;
        return [{ method: "GET", url: this.#task(id) + query }];
      }
      case "tasks/cancel":
        return [{ method: "POST", url: `${this.#task(request.params.id)}:cancel`, body: {} }];
      case "tasks/resubscribe": {
        // The text of 0.3.0 says POST, its proto GET.
        const url = `${this.#task(request.params.id)}:subscribe`;
        return [
          { method: "POST", url, body: {} },
          { method: "GET", url },
        ];
      }
      case "tasks/pushNotificationConfig/set": {
        const url = `${this.#task(request.params.taskId)}/pushNotificationConfigs`;
        return [{ method: "POST", url, body: toCreatePushRequest(request.params) }];
      }
      case "tasks/pushNotificationConfig/delete": {
        const { id, pushNotificationConfigId } = request.params;
        const config = encodeURIComponent(pushNotificationConfigId);
        return [{ method: "DELETE", url: `${this.#task(id)}/pushNotificationConfigs/${config}` }];
      }
      case "agent/getAuthenticatedExtendedCard":
        return [{ method: "GET", url: `${this.#base}/card` }];
      default:
        return request satisfies never;
    }
  }

  #task(id: string): string {
    return `${this.#base}/tasks/${encodeURIComponent(id)}`;
  }
}

/** An error object in a stream that is not named so. */
const isFault = (value: unknown): boolean =>
  isRecord(value) && typeof value["code"] === "number" && typeof value["message"] === "string";

/** `{code, message, data?}`, `{message}`, the same under `error`, or nothing that could be read. */
function faultOf(method: string, { status, headers, json, excerpt }: HttpResponse): A2AError {
  const body = isRecord(json) && isRecord(json["error"]) ? json["error"] : json;
  const { code: said, message = "", data } = Fault.safeParse(body).data ?? {};
  const ofTask = status === 404 ? (method.startsWith("tasks/") ? -32001 : -32601) : undefined;
  const code = said !== undefined && said < 0 ? said : (ofTask ?? CODE_BY_STATUS.get(status));
  const rpc = code === undefined ? undefined : { code, message, data };
  return vendorError({ status, rpc, body: json, excerpt, method }, headers, toCanonicalError);
}
